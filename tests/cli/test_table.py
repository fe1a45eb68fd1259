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


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--by", "language"),
        ("--by", "agent", "--k", "1"),
        ("--rows", "agent", "--bold"),
        ("--rows", "condition"),
        ("--by", "language", "--by", "voice"),
    ],
)
def test_the_latex_of_a_run_is_sound(run: Path, in_process: Cli, options: tuple[str, ...]) -> None:
    done = in_process("table", run, "--to", "latex", *options)
    assert done.returncode == 0, done.stderr
    assert latex_problems(done.stdout) == []


def test_rows_of_agents_have_columns_of_languages_and_powers(run: Path, in_process: Cli) -> None:
    latex = in_process("table", run, "--rows", "agent", "--to", "latex").stdout
    assert r"& \multicolumn{2}{c}{English} & \multicolumn{2}{c}{Vietnamese} \\" in latex
    (headings,) = (line for line in latex.splitlines() if line.startswith("agent &"))
    powers = r"pass\textsuperscript{1} & pass\textsuperscript{2}"
    assert headings == rf"agent & {powers} & {powers} \\"
    assert [line.split(" & ")[0] for line in latex.splitlines() if line.startswith(("gold", "sil"))]
    assert "n = 2 tasks $\\times$ 2 trials" in latex


def test_agents_and_conditions_are_chosen_by_name(run: Path, run_json: RunJson) -> None:
    chosen = run_json("table", run, "--agent", "silent", "--language", "vi")["cells"]
    assert [(cell["agent"], cell["axes"]["language"]) for cell in chosen] == [("silent", "vi")]
    (label,) = {cell["condition"] for cell in chosen}
    by_label = run_json("table", run, "--agent", "silent", "--condition", label)["cells"]
    assert by_label == chosen


def test_csv_names_each_axis_of_the_columns(run: Path, in_process: Cli) -> None:
    done = in_process("table", run, "--rows", "agent", "--to", "csv", "--k", "1")
    head, first, *_ = done.stdout.splitlines()
    assert head.startswith("agent,language_label,figure,value,low,high,missing_fail,missing_pass,")
    assert head.endswith(",persona,rules,judge,k")
    assert first.startswith("gold,English,pass^1,1.0,")


def test_runs_with_the_same_agent_are_told_apart_on_request(
    run: Path, in_process: Cli, refused: Refused, folder: Path
) -> None:
    package.run(
        "sample:shop", ["gold", "silent"], trials=2, languages=["en", "vi"], out=folder / "b"
    )
    assert "or tell them apart with --by run" in refused("table", run, "b", status=2)
    done = in_process("table", run, "b", "--by", "run", "--k", "1", "--to", "markdown", cwd=folder)
    assert "| agent | language | run | b |" in done.stdout, done.stderr
    assert "a run is named twice" in refused("table", "b", "b", status=2)


def test_the_report_has_the_figures_of_the_table(run: Path, in_process: Cli, folder: Path) -> None:
    assert in_process("report", run, "--out", "page.html", cwd=folder).returncode == 0
    page = (folder / "page.html").read_text("utf-8")
    rows = in_process("table", run, "--to", "markdown").stdout.splitlines()
    cells = [
        row.strip("| ").replace("\\", "").split(" | ") for row in rows if row.startswith("| g")
    ]
    assert len(cells) == 2
    for agent, language, *figures in cells:
        keys = f'<th scope="row">{agent}</th><th scope="row">{language}</th>'
        shown = "".join(f"<td>{figure}</td>" for figure in figures)
        assert f"<tr>{keys}{shown}</tr>" in page


def test_a_run_without_an_ended_conversation_says_how_to_go_on(
    in_process: Cli, folder: Path
) -> None:
    for shard in ("1/2", "2/2"):
        name = shard[0]
        options = ("--agent", "gold", "--limit", "1", "--shard", shard, "--out", name)
        in_process("run", "sample:shop", *options, cwd=folder)
    said = [in_process("table", name, cwd=folder).stderr for name in ("1", "2")]
    assert any("no conversation has ended: dragoman resume" in line for line in said)


def test_latex_warns_of_letters_that_pdflatex_cannot_print_and_of_too_many_columns(
    in_process: Cli, folder: Path
) -> None:
    languages = ["en", "vi", "th", "id", "zh"]
    package.run("sample:shop", "silent", trials=3, languages=languages, out=folder / "wide")
    done = in_process("table", "wide", "--rows", "agent", "--to", "latex", cwd=folder)
    assert done.stderr == (
        "warning: the table is wider than a page of the class article: choose fewer columns with "
        "--language or --k, or omit --rows\n"
    )
    assert latex_problems(done.stdout) == []
    folded = in_process("table", "wide", "--by", "language", "--to", "latex", cwd=folder)
    assert folded.stderr == ""


def test_a_file_gets_the_format_that_its_name_says(
    run: Path, in_process: Cli, folder: Path
) -> None:
    for name, begins in (
        ("t.tex", "\\begin{table}"),
        ("t.md", "### pass^1"),
        ("t.csv", "agent,language_label,figure,value,low,high,missing_fail,missing_pass,tasks"),
        ("t.html", "<table>"),
    ):
        assert in_process("table", run, "--out", name, cwd=folder).returncode == 0
        assert (folder / name).read_text("utf-8").startswith(begins)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--to", "word"), "--to word: choose latex, markdown, html or csv"),
        (("--out", "table.doc"), "--out table.doc: name a file that ends in .tex, .md, .csv or"),
        (("--by", "mood"), "--by mood: no such axis: choose of agent, suite, run, lang"),
        (("--k", "3"), "--k 3: the runs have pass^1 to pass^2"),
        (("--k", "one"), "--k one: 'one' is not a whole number from 1; write for example 1,3"),
    ],
)
def test_what_does_not_exist_is_refused_in_one_line(
    run: Path, refused: Refused, options: tuple[str, ...], complaint: str
) -> None:
    assert complaint in refused("table", run, *options, status=2)


def test_a_file_whose_ending_says_another_format_is_refused(
    run: Path, refused: Refused, in_process: Cli, folder: Path
) -> None:
    said = refused("table", run, "--out", "u.csv", "--to", "latex", status=2)
    assert "--out u.csv --to latex: the file's ending says csv: omit --to, or name another" in said
    assert not (folder / "u.csv").exists()
    done = in_process("table", run, "--out", "u.txt", "--to", "latex", cwd=folder)
    assert done.returncode == 0, done.stderr


def test_one_trial_has_pass_1_alone(refused: Refused, folder: Path) -> None:
    package.run("sample:shop", "gold", limit=1, out=folder / "single")
    said = refused("table", "single", "--k", "3", status=2)
    assert "--k 3: the runs have one trial per task: pass^1 alone" in said


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
