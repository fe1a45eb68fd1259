"""Clarifications on every kind of suite: they do not change the score."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

import dragoman as package
from dragoman.conditions.clarification.turn_protocol import planned_whitelist
from dragoman.core.tasks import Task
from dragoman.models.chat.scripted import ScriptedReply
from dragoman.registry.suites import load_suite
from dragoman.testing.scripted_answers import Rule, RuleAnswers
from dragoman.testing.server import ModelServer

Cli = Callable[..., CompletedProcess[str]]
Refused = Callable[..., str]
RunJson = Callable[..., Any]

ASKING = '''
from dragoman.conditions.clarification.turn_protocol import planned_whitelist
from dragoman.core.protocols import SessionReply
from dragoman.core.replies import TextReply, text_reply
from dragoman.simulation.participants.oracle import GoldAgent


class Session:
    """Plays the reference plan, and asks for a value once wherever it was said."""

    def __init__(self, inner, task):
        self.inner, self.task, self.kept, self.said, self.has_asked = inner, task, [], "", False

    async def reply(self, heard, tools):
        self.kept += heard
        self.said += "".join(each.text for each in heard if isinstance(each, TextReply)) + "\\n"
        known = planned_whitelist(self.task, 0, self.said)
        if known and not self.has_asked:
            self.has_asked = True
            self.before = list(self.kept)
            return SessionReply(text_reply(f"Is it {next(iter(known.values()))}?"))
        if self.has_asked and self.kept and self.before is not None:
            assert [each.text for each in heard] == [f"Yes, {next(iter(known.values()))}"], heard
            heard, self.before, self.kept = self.before, None, []
            return await self.inner.reply(heard, tools)
        heard, self.kept = self.kept, []
        return await self.inner.reply(heard, tools)

    async def close(self):
        await self.inner.close()


class agent:
    name = "asking"

    async def open(self, opening):
        return Session(await GoldAgent().open(opening), opening.task)
'''


@pytest.fixture
def asking(folder: Path) -> str:
    """An agent that plays the plan and asks for one value on the way."""
    (folder / "asking.py").write_text(ASKING)
    return "asking:agent"


def verdicts(folder: Path, agent: str) -> dict[str, list[tuple[Any, ...]]]:
    """Every component of every conversation of an agent."""
    frame = package.load(folder).scores
    rows: dict[str, list[tuple[Any, ...]]] = {}
    for row in frame.filter(frame["agent"] == agent).to_dicts():
        rows.setdefault(row["task"], []).append((row["component"], row["value"]))
    return rows


def answered(result: dict[str, Any], agent: str) -> int:
    """Return the number of answered questions of an agent."""
    name = "conversations with an answer"
    (row,) = [
        each for each in result["measures"] if (each["agent"], each["figure"]) == (agent, name)
    ]
    return round(float(row["value"]) * int(row["conversations"]))


@pytest.mark.parametrize("suite", ["sample:shop", "courier"])
def test_an_agent_that_asks_is_judged_as_one_that_does_not(
    run_json: RunJson, folder: Path, asking: str, suite: str
) -> None:
    options = ("--agent", "gold", "--agent", asking, "--user", "gold", "--clarify", "rule")
    result = run_json("run", suite, *options, "--limit", 12, "--out", "here")

    assert verdicts(folder / "here", asking) == verdicts(folder / "here", "gold")
    rows = [row for row in result["measures"] if row["measure"] == "clarifications"]
    allowed = {
        row["agent"]: row["value"]
        for row in rows
        if row["figure"] == "allowed" and row["value"] != 1
    }
    assert allowed[asking] > 0


@pytest.mark.parametrize(
    "counted",
    [("bfcl:multi_turn_base", 24), ("bfcl:parallel", 29), ("bfcl:irrelevance", 0)],
)
def test_bfcl_is_judged_on_the_calls_alone(
    run_json: RunJson, folder: Path, asking: str, pulled_bfcl: Path, counted: tuple[str, int]
) -> None:
    suite, count = counted
    options = ("--agent", "gold", "--agent", asking, "--clarify", "rule", "--limit", 30)
    result = run_json("run", suite, *options, "--out", "here", cache=pulled_bfcl)

    assert answered(result, asking) == count
    found = verdicts(folder / "here", asking)
    assert len(found) == 30
    assert found == verdicts(folder / "here", "gold")


def planned_turns(task: Task) -> set[int]:
    """The turns in which anything is to be called."""
    actions = () if task.criteria is None else task.criteria.actions or ()
    return {action.turn for action in actions}


@pytest.mark.parametrize("category", ["miss_param", "miss_func"])
def test_where_nothing_is_planned_or_said_nothing_can_be_confirmed(
    pulled_bfcl: Path, monkeypatch: pytest.MonkeyPatch, category: str
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(pulled_bfcl))
    turns = [
        (
            planned_whitelist(task, number, "\n".join(turn.messages)),
            turn.messages,
            number in planned,
        )
        for task in load_suite(f"bfcl:multi_turn_{category}").tasks
        for planned in [planned_turns(task)]
        for number, turn in enumerate(task.turns)
    ]
    waiting = [allowed for allowed, said, planned in turns if not (said and planned)]
    assert len(waiting) >= 200
    assert not any(waiting)
    assert sum(bool(allowed) for allowed, _, _ in turns) > 300


def test_cells_without_clarifications_have_the_keys_that_they_had(run_json: RunJson) -> None:
    def keys(*options: str) -> set[str]:
        planned = run_json("run", "sample:shop", "--agent", "gold", "--dry-run", *options)
        return {cell["key"] for cell in planned["cells"]}

    plain = keys()
    assert keys("--clarify", "none") == plain
    both = keys("--clarify", "none", "--clarify", "rule")
    assert both > plain
    assert keys("--clarify", "spoken+rule").isdisjoint(both)


def test_with_and_without_clarifications_are_compared_cell_by_cell(run_json: RunJson) -> None:
    options = ("--agent", "gold", "--limit", 2, "--clarify", "none", "--clarify", "rule")
    run_json("run", "sample:shop", *options, "--out", "here")
    found = run_json("compare", "here", "--by", "clarify")
    assert [entry["differs"] for entry in found["comparisons"]] == [["clarify"]]


@pytest.mark.parametrize("name", ["rules", "spoken+", "spoken", ""])
def test_a_judge_that_does_not_exist_is_one_line(refused: Refused, name: str) -> None:
    line = refused("run", "sample:shop", "--agent", "gold", "--clarify", name, status=2)
    assert f"--clarify {name}: choose none, rule or PROVIDER/MODEL" in line


def test_a_judge_without_an_address_is_told_before_anything_is_played(refused: Refused) -> None:
    line = refused(
        "run", "sample:shop", "--agent", "gold", "--clarify", "compatible/judge", status=2
    )
    assert "base_url" in line


def test_a_run_is_scored_again_where_its_judge_cannot_be_asked(run_json: RunJson) -> None:
    refusal = ScriptedReply('{"allowed": false, "message": ""}')
    with ModelServer(RuleAnswers([Rule(refusal)])) as server:
        judge = f"compatible/judge?base_url={server.url}"
        options = ("--agent", "gold", "--clarify", judge, "--limit", 1, "--out", "here")
        run_json("run", "sample:shop", *options)
    (cell,) = run_json("score", "here", "--anew")["cells"]
    assert cell["pass_hat"] == {"1": 1}
