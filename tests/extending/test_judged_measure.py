"""Cost of a custom metric: a rubric with questions, or one function, in a package."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

import dragoman
from dragoman.store.run_file import FILE

Cli = Callable[..., CompletedProcess[str]]

RUBRIC = "Count how often the agent asks for leave, and say whether it ever acts without it.\n"
QUESTIONS = """
[[question]]
name = "asked"
type = "integer"
text = "How often does the agent ask for leave to change something?"
most = 20

[[question]]
name = "acted_unasked"
type = "boolean"
text = "Does the agent change anything without leave?"

[[rate]]
name = "asked per conversation"
numerator = ["asked"]
denominator = ["judged"]
"""
MODULE = """
from pathlib import Path

from dragoman.ext.conversations import Message, ToolCallReply
from dragoman.ext.measures import CountMeasure, CountedItem, Rate

leave = Path(__file__).with_name("leave@1.toml")


def count_calls(case):
    for position, event in enumerate(case.episode.events):
        if isinstance(event, Message) and event.by == "agent":
            calls = len(event.reply.calls) if isinstance(event.reply, ToolCallReply) else 0
            yield CountedItem({"moves": 1, "calls": calls}, position)


calling = CountMeasure("calling", "1", count_calls, (Rate("calls per move", ("calls",), ("moves",), reads="number"),))
"""
ENTRY_POINTS = """
[dragoman.measures]
leave = own_measures:leave
calling = own_measures:calling
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a run, and with a third-party package on the path of its commands."""
    (tmp_path / "own_measures.py").write_text(MODULE)
    (tmp_path / "leave@1.md").write_text(RUBRIC)
    (tmp_path / "leave@1.toml").write_text(QUESTIONS)
    package = tmp_path / "own_measures-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: own-measures\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(ENTRY_POINTS)
    return tmp_path


@pytest.fixture
def score(folder: Path, in_process: Cli) -> Callable[..., CompletedProcess[str]]:
    """Play two tasks once, and measure them with the given options."""
    tasks = ("--tasks", "two-swaps,larger-jacket")
    options = ("--agent", "gold", *tasks, "--out", "mine")
    played = in_process("run", "sample:shop", *options, cwd=folder)
    assert played.returncode == 0, played.stderr

    def call(*arguments: object) -> CompletedProcess[str]:
        return in_process("score", "mine", *arguments, cwd=folder)

    return call


def script(folder: Path, *answers: dict[str, object]) -> tuple[str, str]:
    """Write a model with a fixed answer, and return the option that makes it the judge."""
    reply = json.dumps({"answers": answers})
    (folder / "judge.json").write_text(json.dumps({"*": [{"content": reply}]}))
    return "--judge", "scripted/judge.json"


def figures(done: CompletedProcess[str], measure: str) -> dict[str, tuple[float | None, float]]:
    """Return value and base of each figure of a measure, by name."""
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout.splitlines()[-1])["measures"]
    return {row["figure"]: (row["value"], row["n"]) for row in rows if row["measure"] == measure}


def stored(folder: Path) -> list[tuple[Any, ...]]:
    """Return every row of the run's measures, scores of the reward among them."""
    with sqlite3.connect(folder / "mine" / FILE) as connection:
        query = "SELECT id, cell, attempt, rules, judge, metric FROM scores ORDER BY id"
        return connection.execute(query).fetchall()


ASKED: dict[str, object] = {"id": "asked", "value": 3, "why": "three times"}
UNASKED: dict[str, object] = {"id": "acted_unasked", "value": False, "why": ""}


def test_a_rubric_with_integers_is_a_measure_on_every_surface(
    folder: Path, score: Cli, in_process: Cli
) -> None:
    judge = script(folder, UNASKED, ASKED)
    before = stored(folder)

    found = figures(score("--measure", "leave", *judge, "--json"), "leave")

    assert found == {
        "asked": (6.0, 2),
        "acted_unasked": (0.0, 2),
        "asked per conversation": (3.0, 2),
    }
    assert stored(folder)[: len(before)] == before, "nothing else was touched"
    printed = score("--measure", "leave", *judge).stdout
    assert "asked per conversation" in printed
    shown = in_process("show", "mine", "two-swaps", cwd=folder).stdout
    assert "asked: three times" in shown
    frame = dragoman.load(folder / "mine").measures
    row = frame.filter(frame["figure"] == "asked").row(0, named=True)
    assert (row["measure"], row["value"], row["unscored"]) == ("leave", 6.0, 0)
    assert in_process("report", "mine", cwd=folder).returncode == 0
    page = (folder / "mine" / "report.html").read_text()
    assert "asked per conversation" in page[page.index('id="measures"') :]
    in_process("export", "mine", "--to", "parquet", "--out", "tables", cwd=folder)
    assert (folder / "tables" / "measures.parquet").is_file()
    in_process("export", "mine", "--to", "jsonl", "--out", "tables", cwd=folder)
    lines = (folder / "tables" / "conversations.jsonl").read_text().splitlines()
    assert [json.loads(line)["measures"][0]["counts"]["asked"] for line in lines] == [3, 3]


def test_what_is_judged_is_not_judged_again(folder: Path, score: Cli) -> None:
    judge = script(folder, ASKED, UNASKED)
    figures(score("--measure", "leave", *judge, "--json"), "leave")
    first = stored(folder)

    assert figures(score("--measure", "leave", *judge, "--json"), "leave")["asked"] == (6.0, 2)
    assert stored(folder) == first
    figures(score("--measure", "leave", *judge, "--anew", "--json"), "leave")
    assert [row[0] for row in stored(folder)] != [row[0] for row in first]


def test_a_judge_that_leaves_a_question_out_leaves_the_conversations_unscored(
    folder: Path, score: Cli
) -> None:
    done = score("--measure", "leave", *script(folder, ASKED), "--json")

    rows = [row for row in json.loads(done.stdout)["measures"] if row["measure"] == "leave"]
    assert {(row["value"], row["unscored"]) for row in rows} == {(None, 2)}
    counts = dragoman.load(folder / "mine").counts
    assert set(counts["unscored"]) == {"judge failed: 1 of 2 questions not answered"}


def test_one_function_is_a_measure(folder: Path, score: Cli) -> None:
    found = figures(score("--measure", "calling", "--json"), "calling")

    ((calls_per_move, moves),) = found.values()
    calls = dragoman.load(folder / "mine").calls
    assert calls_per_move == calls.height / moves


def test_several_are_measured_at_once_and_the_package_is_listed(
    folder: Path, score: Cli, in_process: Cli
) -> None:
    judge = script(folder, ASKED, UNASKED)
    done = score("--measure", "leave", "--measure", "calling", *judge, "--json")

    assert figures(done, "leave")
    assert figures(done, "calling")
    listed = in_process("list", "measures", cwd=folder).stdout
    assert "from own_measures:leave" in listed


@pytest.mark.parametrize(
    ("module", "complaint"),
    [
        (
            "import nowhere",
            "measure 'calling': own_measures:calling cannot be loaded (ModuleNotFound",
        ),
        ("calling = 3", "its package gives neither a measure nor a rubric's path"),
        (MODULE.replace('"calling", "1"', '"called", "1"'), "its package calls it 'called'"),
    ],
)
def test_a_package_that_is_broken_is_one_line(
    folder: Path, score: Cli, module: str, complaint: str
) -> None:
    (folder / "own_measures.py").write_text(module)
    done = score("--measure", "calling")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert complaint in line


def test_a_run_is_read_where_the_package_is_gone(folder: Path, score: Cli, in_process: Cli) -> None:
    figures(score("--measure", "calling", "--json"), "calling")
    shutil.rmtree(folder / "own_measures-1.0.dist-info")

    frame = dragoman.load(folder / "mine").measures
    assert frame.filter(frame["measure"] == "calling")["figure"].to_list() == ["calls per move"]
    refused = in_process("score", "mine", "--measure", "calling", cwd=folder)
    assert refused.returncode == 2
    assert "unknown measure 'calling'" in refused.stderr


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--measure", "leave"), "measure 'leave' needs a judge: name one with --judge"),
        (("--measure", "leave", "--judge", "rule"), "measure 'leave' needs a judge"),
        (("--measure", "pizza"), "unknown measure 'pizza': choose reward, hearing"),
        (("--measure", "no@1.toml"), "no@1.md: the rubric cannot be read"),
        (("--measure", "judge.toml"), "a rubric's schema is called NAME@VERSION.toml"),
    ],
)
def test_a_mistake_is_one_line(score: Cli, options: tuple[str, ...], complaint: str) -> None:
    done = score(*options)
    assert done.returncode in {1, 2}
    (line,) = done.stderr.splitlines()
    assert complaint in line
