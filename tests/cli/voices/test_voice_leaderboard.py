"""`dragoman leaderboard --style bfcl-audio`: voices against text, printed and written."""

import csv
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.voice_summary import summarize_voice
from dragoman.core.conditions import PLAIN
from dragoman.core.scores import Score, Scored
from dragoman.dataframes.comparison_frames import voice_frame
from dragoman.dataframes.text_files import as_csv

Cli = Callable[..., CompletedProcess[str]]
Refused = Callable[..., str]
RunJson = Callable[..., Any]


@pytest.fixture(scope="module")
def heard(tmp_path_factory: pytest.TempPathFactory, in_process: Cli) -> Path:
    """A run of two agents in text and with simulated ASR errors; the tests copy it."""
    folder = tmp_path_factory.mktemp("heard")
    done = in_process(
        *("run", "courier:easy", "--limit", "2", "--agent", "literal", "--agent", "careful"),
        *("--voice", "text", "--voice", "simulated:30", "--clarify", "none", "--clarify", "rule"),
        *("--out", "mine"),
        cwd=folder,
        XDG_CACHE_HOME=str(folder / "cache"),
    )
    assert done.returncode == 0, done.stderr
    return folder / "mine"


@pytest.fixture
def mine(heard: Path, folder: Path) -> Path:
    """The same run in the working folder."""
    shutil.copytree(heard, folder / "mine")
    return folder / "mine"


@pytest.mark.usefixtures("mine")
def test_it_prints_what_the_run_holds_with_rules_and_versions(dragoman: Cli) -> None:
    done = dragoman("leaderboard", "mine", "--style", "bfcl-audio")

    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "literal, clarify none" in lines
    assert "careful, clarify rule" in lines
    assert "clarifications: conversations with a question" in lines
    assert "rules: dragoman-2" in lines
    assert "recognizer sensitivity" not in lines
    assert "failed conversations by failure source" not in lines
    measures = next(line for line in lines if line.startswith("measures: "))
    assert all(re.search(rf"\b{name} \d", measures) for name in ("clarifications", "hearing"))


@pytest.mark.usefixtures("mine")
@pytest.mark.nightly
def test_json_markdown_and_csv_tell_the_same(run_json: RunJson, folder: Path) -> None:
    options = ("--style", "bfcl-audio", "--out", "board.md", "--out", "board.csv")

    found = run_json("leaderboard", "mine", *options)["board"]

    with (folder / "board.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    in_csv = {
        (row["agent"], row["voice"], row["clarify"]): row["value"]
        for row in rows
        if (row["figure"], row["name"]) == ("points to text", "all tasks")
    }
    in_json = {
        (way["agent"], way["way"]["voice"], way["way"]["clarify"]): way["to_text"]["all tasks"]
        for way in found["ways"]
        if way["to_text"]
    }
    assert in_csv.keys() == in_json.keys()
    assert len(in_json) == 4
    assert all(float(value) == in_json[place]["value"] for place, value in in_csv.items())
    written = (folder / "board.md").read_text("utf-8")
    points = 100 * in_json["literal", "simulated:30", "none"]["value"]
    assert f"{points:+.1f} \\[" in written
    assert "- rules: dragoman-2" in written


def test_runs_are_put_together_by_agent_and_way(run_json: RunJson, folder: Path) -> None:
    common = ("courier:easy", "--limit", "2", "--agent", "literal")
    run_json("run", *common, "--out", "typed", cache=folder)
    run_json("run", *common, "--voice", "simulated:30", "--out", "said", cache=folder)

    found = run_json("leaderboard", "typed", "said", "--style", "bfcl-audio")["board"]

    assert [way["way"]["voice"] for way in found["ways"]] == ["text", "simulated:30"]
    assert found["ways"][1]["to_text"]["all tasks"]["tasks"] == 2


def test_what_makes_no_sense_is_told_in_one_line(
    refused: Refused, mine: Path, finished: Path, folder: Path
) -> None:
    shutil.copytree(finished, folder / "typed")
    shutil.copytree(mine, folder / "again")
    audio = ("--style", "bfcl-audio")

    assert "nobody spoke" in refused("leaderboard", "typed", *audio, status=2)
    assert "name one of them" in refused("leaderboard", "mine", "again", *audio, status=2)
    assert "choose bfcl, bfcl-audio" in refused("leaderboard", "mine", "--style", "x", status=2)
    assert "x.doc" in refused("leaderboard", "mine", "--out", "x.doc", status=2)
    assert "neither .md nor .csv" in refused(
        "leaderboard", "mine", *audio, "--out", "x.txt", status=2
    )


def test_no_name_is_a_formula_to_a_spreadsheet_program() -> None:
    score = Score("dragoman-2", "none", Scored(1.0), ())
    row = ConversationResult("s:t", PLAIN.with_axes(voice="street"), "=A|b", "@x", 0, None, score)
    summary = summarize_voice([row], {}, {}, ("dragoman-2", "none"))

    first, *_ = csv.DictReader(as_csv(voice_frame(summary)).splitlines())

    assert (first["agent"], first["figure"], first["value"]) == ("'=A|b", "accuracy", "1.0")


@pytest.mark.usefixtures("mine")
def test_the_figures_are_a_table_among_those_that_are_exported(dragoman: Cli, folder: Path) -> None:
    assert dragoman("export", "mine", "--to", "csv", "--out", "tables").returncode == 0

    with (folder / "tables" / "voices.csv").open(encoding="utf-8", newline="") as file:
        figures = {row["figure"] for row in csv.DictReader(file)}
    assert {"accuracy", "points to text", "points won back", "hearing", "conversations"} <= figures
