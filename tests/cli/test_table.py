"""`dragoman table`: tables of stored runs for papers, and leaderboards in the same formats."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from tests.report.latex_check import latex_problems

import dragoman as package

Cli = Callable[..., CompletedProcess[str]]
Refused = Callable[..., str]
RunJson = Callable[..., Any]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two agents in English and Vietnamese, two trials each."""
    place = tmp_path_factory.mktemp("played") / "run"
    package.run("sample:shop", ["gold", "silent"], trials=2, languages=["en", "vi"], out=place)
    return place


def test_every_cell_of_a_run_is_in_its_table_with_the_figures_of_show(
    run: Path, run_json: RunJson
) -> None:
    found = run_json("table", run)
    by_agent = run_json("show", run, "--by", "agent,language,scenario")["groups"]
    assert [cell["pass_hat"][0]["value"] for cell in found["cells"]] == [
        group["value"] for group in by_agent
    ]
    assert found["tables"][0]["keys"] == ["agent", "language"]
    assert found["not_played"] == {}


@pytest.mark.parametrize("options", [(), ("--by", "language"), ("--by", "agent", "--k", "1")])
def test_the_latex_of_a_run_is_sound(run: Path, in_process: Cli, options: tuple[str, ...]) -> None:
    done = in_process("table", run, "--to", "latex", *options)
    assert done.returncode == 0, done.stderr
    assert latex_problems(done.stdout) == []


def test_a_file_gets_the_format_that_its_name_says(
    run: Path, in_process: Cli, folder: Path
) -> None:
    for name, begins in (
        ("t.tex", "\\begin{table}"),
        ("t.md", "### pass^1"),
        ("t.csv", "agent,language,figure,value,low,high,tasks"),
        ("t.html", "<table>"),
    ):
        assert in_process("table", run, "--out", name, cwd=folder).returncode == 0
        assert (folder / name).read_text("utf-8").startswith(begins)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--to", "word"), "--to word: choose latex, markdown, html or csv"),
        (("--out", "table.doc"), "--out table.doc: name a file that ends in .tex, .md, .csv or"),
        (("--by", "mood"), "--by mood: no such axis: choose of agent, suite, language"),
        (("--k", "3"), "--k 3: the runs have pass^1 to pass^2"),
        (("--k", "one"), "--k one: 'one' is not a whole number from 1; write for example 1,3"),
    ],
)
def test_what_does_not_exist_is_refused_in_one_line(
    run: Path, refused: Refused, options: tuple[str, ...], complaint: str
) -> None:
    assert complaint in refused("table", run, *options, status=2)


@pytest.mark.slow
def test_the_table_of_bfcl_audio_comes_out_of_one_command(in_process: Cli, folder: Path) -> None:
    package.run("courier", "literal", limit=2, voices=["text", "simulated:15"], out=folder / "v")
    done = in_process("leaderboard", "v", "--style", "bfcl-audio", "--to", "latex", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert r"\caption{Accuracy of literal by input.}" in done.stdout
    assert latex_problems(done.stdout) == []


def test_a_leaderboard_in_an_unknown_format_is_refused(run: Path, refused: Refused) -> None:
    asked = ("leaderboard", run, "--style", "mm-tau-p2", "--to", "word")
    assert "--to word: choose latex, markdown, html or csv" in refused(*asked, status=2)
