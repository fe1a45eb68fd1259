"""A judge that counts message by message, each from its history alone.

The tests also check the tables that follow from its counts.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from dragoman.testing.chat_requests import ChatBody
from dragoman.testing.responses import CannedReply
from dragoman.testing.server import ModelServer

pytestmark = pytest.mark.slow

Cli = Callable[..., CompletedProcess[str]]
RunJson = Callable[..., Any]

QUESTION = re.compile(r"^(\w+) \((integer|boolean)", re.MULTILINE)
USER = re.compile(r"^user: (.+)$", re.MULTILINE)
HEAD = re.compile(r"^(user|agent)(?: \w+)?: ", re.MULTILINE)
SHOWN = re.compile(r"<conversation>\n(.*)\n</conversation>", re.DOTALL)
VALUES = {
    "critical_field_percent": 100,
    "message_necessity": 1,
    "tasks_identified": 1,
    "tasks_succeeded": 1,
}


class Judge:
    """A judge that always reports the same counts and records its requests.

    It counts one needed message, all fields right, and one task that succeeded.
    """

    def __init__(self) -> None:
        self.shown: list[tuple[tuple[str, ...], str]] = []

    def __call__(self, request: ChatBody) -> CannedReply:
        text = request.messages[-1].text
        names = tuple(name for name, _ in QUESTION.findall(text))
        (conversation,) = SHOWN.findall(text)
        self.shown.append((names, conversation))
        said = USER.findall(text)[0]
        answers = [
            {
                "id": name,
                "value": VALUES.get(name, 0),
                "why": "so",
                "quote": said if name in {"tasks_identified", "tasks_succeeded"} else "",
            }
            for name in names
        ]
        return CannedReply(json.dumps({"answers": answers}))


@pytest.fixture
def judge() -> Judge:
    return Judge()


@pytest.fixture
def named(judge: Judge) -> Iterator[str]:
    """The judge's name on the command line."""
    with ModelServer(judge) as server:
        yield f"compatible/judge?base_url={server.url}"


def test_each_message_is_judged_from_its_history_and_gives_the_tables_of_both_sets(
    run_json: RunJson, dragoman: Cli, judge: Judge, named: str, folder: Path
) -> None:
    grid = ("--voice", "text,simulated:10", "--measure", "critical,effort,recovery,safety")
    run_json("run", "sample:shop", "--agent", "literal", "--limit", "1", *grid, "--out", "mine")
    run_json("score", "mine", "--rubric", "mm_tau_p2@2", "--judge", named)

    whole = [shown for names, shown in judge.shown if "tasks_identified" in names]
    assert len(whole) == 2
    of_messages = [each for each in judge.shown if "tasks_identified" not in each[0]]
    assert {names[0] for names, _ in of_messages} == {"critical_field_percent", "user_effort"}
    for names, shown in of_messages:
        side = "user" if names == ("user_effort",) else "agent"
        assert HEAD.findall(shown)[-1] == side, "nothing stands behind the message"
        assert any(each.startswith(shown) for each in whole)

    sets = "dragoman,mm-tau-p2/paper,mm-tau-p2/code"
    summary = run_json("leaderboard", "mine", "--style", "mm-tau-p2", "--definitions", sets)
    code = summary["boards"]["mm-tau-p2/code"]["cells"]
    (voice,) = [
        each["metrics"]
        for each in code
        if each["way"]["voice"] == "simulated:10" and each["reader"] != "log"
    ]
    assert (voice["TE"]["value"], voice["pass^1"]["value"], voice["MRS"]["value"]) == (1, 1, 1)
    assert 0 < voice["CFA"]["value"] < 1
    assert voice["SP"]["why"] == "0/0 (no confirmation_asked)"
    shown = dragoman("leaderboard", "mine", "--style", "mm-tau-p2", "--definitions", sets).stdout
    titles = [line for line in shown.splitlines() if line.startswith("Table ")]
    assert any(title.startswith("Table 2 by mm-tau-p2/paper: ") for title in titles)
    assert any(title.startswith("Table 2 by mm-tau-p2/code: ") for title in titles)
    assert "Table 5 by mm-tau-p2/paper: mm-tap" in titles
    assert not any(title.startswith("Table 5 by mm-tau-p2/code") for title in titles)
    for ending in ("csv", "md", "tex", "parquet"):
        out = ("--out", f"metrics.{ending}")
        run_json("leaderboard", "mine", "--style", "mm-tau-p2", "--definitions", sets, *out)
    assert ",mm-tau-p2/code,SP," in (folder / "metrics.csv").read_text("utf-8")
    report = dragoman("report", "mine", "--style", "mm-tau-p2", "--definitions", sets)
    assert report.returncode == 0, report.stderr
    assert "Table 2 by mm-tau-p2/code" in (folder / "mine" / "report.html").read_text("utf-8")


def test_a_set_that_there_is_not_is_one_line(dragoman: Cli) -> None:
    done = dragoman("leaderboard", "x", "--style", "mm-tau-p2", "--definitions", "paper")
    assert done.returncode == 2
    assert done.stderr == (
        "dragoman: --definitions paper: choose dragoman, mm-tau-p2/paper, mm-tau-p2/code\n"
    )
    other = dragoman("leaderboard", "x", "--definitions", "mm-tau-p2/code")
    assert other.stderr == "dragoman: --definitions goes with --style mm-tau-p2\n"


def test_run_folders_of_the_code_are_written_read_and_judged_alike(
    run_json: RunJson, dragoman: Cli, refused: Callable[..., str], named: str, folder: Path
) -> None:
    grid = ("--voice", "text,simulated:10", "--limit", "2")
    run_json("run", "sample:shop", "--agent", "literal", *grid, "--out", "mine")
    assert dragoman("export", "mine", "--to", "mm-tau-p2", "--out", "theirs").returncode == 0
    (written,) = (folder / "theirs").iterdir()
    tasks = sorted(each.name for each in written.iterdir() if each.is_dir())
    assert len(tasks) == 2
    run_json("import", str(written), "--out", "again")
    assert dragoman("export", "again", "--to", "mm-tau-p2", "--out", "twice").returncode == 0
    (twice,) = (folder / "twice").iterdir()
    for each in written.rglob("*.txt"):
        assert (twice / each.relative_to(written)).read_bytes() == each.read_bytes()

    found = {}
    for run in ("mine", "again"):
        run_json("score", run, "--rubric", "mm_tau_p2@2", "--judge", named)
        summary = run_json(
            "leaderboard", run, "--style", "mm-tau-p2", "--definitions", "mm-tau-p2/code"
        )
        found[run] = [
            (each["way"]["voice"], {name: at["value"] for name, at in each["metrics"].items()})
            for each in summary["board"]["cells"]
            if each["reader"] != "log"
        ]
    assert found["mine"] == found["again"]
    assert len(found["mine"]) == 2

    (written / "dragoman.log").unlink()
    line = refused("import", str(written), "--out", "third", status=2)
    assert line.endswith("does not say what was played: --suite tau2:telecom, or another")
    report = run_json("import", str(written), "--out", "third", "--suite", "sample:shop")
    assert (report["conversations"], report["tasks"], report["unknown"]) == (4, 2, 2)
    assert run_json("show", "third", "--by", "voice")["groups"][1]["values"] == {"voice": "spoken"}
    (written / tasks[0] / "ground.txt").write_text("__import__('os').system('touch evil')")
    line = refused("import", str(written), "--out", "fourth", "--suite", "sample:shop", status=1)
    assert "ground.txt: no list of messages (a Python literal" in line
    assert not (folder / "evil").exists()


def test_a_run_without_voice_has_no_run_folder(
    refused: Callable[..., str], run_json: RunJson
) -> None:
    run_json("run", "sample:shop", "--agent", "gold", "--limit", "1", "--out", "typed")
    line = refused("export", "typed", "--to", "mm-tau-p2", "--out", "x", status=2)
    assert line.startswith("dragoman: typed: nobody spoke: play it with --voice text,telephone")
