"""HTTP judges with partial, wrong, invented or no answers: counted, and asked again."""

import csv
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

import dragoman
from dragoman.testing.chat_requests import ChatBody
from dragoman.testing.responses import CannedReply
from dragoman.testing.server import ModelServer

Cli = Callable[..., CompletedProcess[str]]
Answer = dict[str, Any]

QUESTION = re.compile(r"^(\w+) \((integer|boolean)", re.MULTILINE)
USER = re.compile(r"^user: (.+)$", re.MULTILINE)
ONE = {"tasks", "tasks_succeeded"}
TASKS = ("two-swaps", "larger-jacket")


def half(answers: list[Answer]) -> str:
    return as_json(answers[: len(answers) // 2])


def of_no_turn(answers: list[Answer]) -> str:
    return as_json([*answers, {"id": "turn_99", "value": 1, "why": "so", "quote": ""}])


def invented(answers: list[Answer]) -> str:
    return as_json([{**each, "quote": "Never said."} for each in answers])


def prose(answers: list[Answer]) -> str:
    return f"I counted {len(answers)} things, and all was well."


def nothing(_: list[Answer]) -> str:
    return ""


def with_more(answers: list[Answer]) -> str:
    return as_json([{**each, "confidence": 0.9} for each in answers])


def as_json(answers: list[Answer]) -> str:
    return json.dumps({"answers": answers})


class Judge:
    """Answers each conversation in a way of its own, in the order in which they come."""

    def __init__(self) -> None:
        self.ways: list[Callable[[list[Answer]], str]] = []
        self.seen: dict[str, str] = {}
        self.asked: list[str] = []

    def __call__(self, request: ChatBody) -> CannedReply:
        text = request.messages[-1].text
        (said, *_) = USER.findall(text)
        answers = [
            {
                "id": name,
                "value": int(name in ONE),
                "why": "so",
                "quote": said if name in ONE else "",
            }
            for name, _ in QUESTION.findall(text)
        ]
        self.asked.append(request.messages[0].text)
        way = self.ways.pop(0) if self.ways else as_json
        return CannedReply(way(answers))


@pytest.fixture
def judge() -> Judge:
    return Judge()


@pytest.fixture
def server(judge: Judge) -> Iterator[str]:
    with ModelServer(judge) as running:
        yield running.url


@pytest.fixture
def score(folder: Path, in_process: Cli, server: str) -> Callable[..., list[dict[str, Any]]]:
    """Play two tasks and have a rubric answered; return the rows of its figures."""
    options = ("--agent", "gold", "--tasks", ",".join(TASKS), "--trials", "3", "--out", "mine")
    played = in_process("run", "sample:shop", *options, cwd=folder)
    assert played.returncode == 0, played.stderr

    def call(*options: str, rubric: str = "mm_tau_p2@1", models: str = "m") -> list[dict[str, Any]]:
        judges = ",".join(f"compatible/{model}?base_url={server}" for model in models)
        wanted = ("--rubric", rubric, "--judge", judges, *options, "--json")
        done = in_process("score", "mine", *wanted, cwd=folder)
        assert done.returncode == 0, done.stderr
        rows = json.loads(done.stdout.splitlines()[-1])["measures"]
        return [row for row in rows if row["measure"] == "mm_tau_p2"]

    return call


@pytest.mark.slow
def test_what_a_judge_does_not_answer_as_asked_is_unscored_in_every_table_and_asked_again_alone(
    folder: Path, judge: Judge, score: Callable[..., list[dict[str, Any]]], in_process: Cli
) -> None:
    judge.ways = [half, of_no_turn, invented, prose, nothing, with_more]
    rows = score()

    assert len(judge.asked) == 6, "the run went on behind every failure"
    assert {row["unscored"] for row in rows} == {5}
    (tasks,) = [row for row in rows if row["figure"] == "tasks"]
    assert (tasks["value"], tasks["n"]) == (1, 1), "only what was answered is counted"
    counts = dragoman.load(folder / "mine").counts
    reasons = sorted(
        {why for why in counts.filter(counts["measure"] == "mm_tau_p2")["unscored"] if why}
    )
    assert len(reasons) == 5
    for reason, part in zip(
        reasons,
        (
            "judge failed: 6 of 12 questions not answered",
            "judge failed: quote not in the conversation (errors, recovered, recovery_turns)",
            "judge failed: the judge answered clarifications_necessary",
            "judge failed: the judge's reply",
            "judge failed: the judge's reply",
        ),
        strict=True,
    ):
        assert reason.startswith(part)
    frame = dragoman.load(folder / "mine").measures
    assert set(frame.filter(frame["measure"] == "mm_tau_p2")["unscored"]) == {5}
    assert in_process("report", "mine", cwd=folder).returncode == 0
    page = (folder / "mine" / "report.html").read_text()
    table = page[page.index("mm_tau_p2", page.index('id="measures"')) :]
    assert ">5<" in table[: table.index("</table>")]
    printed = in_process("show", "mine", TASKS[0], cwd=folder).stdout
    assert "judge failed: " in printed

    again = score()
    assert len(judge.asked) == 6 + 5, "only the failures were asked again"
    assert {row["unscored"] for row in again} == {0}
    (tasks,) = [row for row in again if row["figure"] == "tasks"]
    assert (tasks["value"], tasks["n"]) == (6, 6)
    score()
    assert len(judge.asked) == 6 + 5


def test_a_table_in_the_terminal_says_how_many_are_unscored(
    folder: Path,
    judge: Judge,
    server: str,
    score: Callable[..., list[dict[str, Any]]],
    in_process: Cli,
) -> None:
    judge.ways = [prose] * 9
    score()
    named = ("--rubric", "mm_tau_p2@1", "--judge", f"compatible/m?base_url={server}")
    printed = in_process("score", "mine", *named, cwd=folder, COLUMNS="400").stdout
    table = printed[printed.index("\nmm_tau_p2 1@") :].splitlines()
    (head,) = [line for line in table if line.startswith("condition")]
    (row,) = [line for line in table if line.startswith("en/text/none")]
    assert (head.split()[-1], row.split()[-1]) == ("unscored", "3")
    assert any(line.strip().startswith("3 unscored: judge") for line in table)


def test_a_panel_by_the_bundled_rubric_is_told_what_is_at_stake(
    folder: Path, judge: Judge, score: Callable[..., list[dict[str, Any]]], in_process: Cli
) -> None:
    rows = score("--repeat", "3", models="ab")
    assert len({row["judge"] for row in rows}) == 6
    assert len(judge.asked) == 6 * 6
    assert all("Irreversible actions: " in reported for reported in judge.asked)
    assert all("must have been a" not in reported for reported in judge.asked)
    checked = in_process("judge-check", "mine", "--json", cwd=folder)
    assert {panel["question"] for panel in json.loads(checked.stdout)["panels"]} >= ONE


def test_the_rule_for_hand_overs_is_a_version_of_the_rubric(
    judge: Judge, score: Callable[..., list[dict[str, Any]]]
) -> None:
    versions = {row["version"] for row in score()}
    versions |= {row["version"] for row in score(rubric="mm_tau_p2@1.strict")}
    assert sorted(version.partition("@")[0] for version in versions) == ["1", "1.strict"]
    of_duty, strict = judge.asked[0], judge.asked[-1]
    assert "when the hand-over was a **duty**" in of_duty
    assert "has not succeeded, whatever the reason" in strict
    assert "when the hand-over was a **duty**" not in strict


def test_an_export_has_every_version_of_a_rubric_that_was_answered(
    folder: Path, score: Callable[..., list[dict[str, Any]]], in_process: Cli
) -> None:
    score()
    score(rubric="mm_tau_p2@1.strict")
    assert in_process("export", "mine", "--to", "csv", "--out", "t", cwd=folder).returncode == 0
    for name in ("counts", "measures"):
        with (folder / "t" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["measure"] == "mm_tau_p2"]
        found = {row["version"].partition("@")[0] for row in rows}
        assert found == {"1", "1.strict"}, name


def test_a_rubric_that_does_not_exist_is_one_line(folder: Path, in_process: Cli) -> None:
    done = in_process("score", "mine", "--rubric", "hearing", cwd=folder)
    assert done.returncode == 2
    assert "unknown rubric 'hearing': choose errors@1, mm_tau_p2@1, " in done.stderr
