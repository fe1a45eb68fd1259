"""Personas from the command line: an axis of the grid that moves figures without a model."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

import dragoman as package

Cli = Callable[..., CompletedProcess[str]]
Refused = Callable[..., str]
RunJson = Callable[..., Any]

TASKS = ("--tasks", "fifteen-or-fifty,saturday-morning,hold-until-after-work")
CARD = """
about = "tells one thing at a time"
[traits]
expertise = "some"
ambiguity = "medium"
verbosity = "short"
tolerance = "low"
[habits]
at_once = 1
[en]
user = "You are on a bad line."
agent = "This customer is on a bad line."
"""


@pytest.mark.slow
def test_who_does_not_listen_loses_what_who_reads_back_keeps(
    run_json: RunJson, folder: Path
) -> None:
    grid = ("--persona", "none,hard", "--agent", "gold,literal,careful", "--trials", 2)
    found = run_json("run", "courier", *TASKS, *grid, "--out", "here")
    rates = {
        (cell["axes"]["persona"], cell["agent"]): cell["pass_hat"]["1"] for cell in found["cells"]
    }
    assert [rates["none", agent] for agent in ("gold", "literal", "careful")] == [1, 1, 1]
    assert rates["hard", "gold"] == 1
    assert rates["hard", "literal"] < rates["hard", "careful"]
    steps = package.load(folder / "here").episodes
    careful = steps.filter(agent="careful")
    hard, none = (careful.filter(persona=name)["steps"].sum() for name in ("hard", "none"))
    assert hard > none
    compared = run_json("compare", "here", "--by", "persona")
    assert [entry["differs"] for entry in compared["comparisons"]] == [["persona"]] * 3


def test_every_agent_meets_the_same_user(run_json: RunJson) -> None:
    grid = ("--persona", "chatty", "--agent", "literal,careful", "--tasks", "saturday-morning")
    run_json("run", "courier", *grid, "--out", "here")
    said = {
        agent: run_json("show", "here", "saturday-morning", "--agent", agent)
        for agent in ("literal", "careful")
    }
    first = {agent: _users_words(shown)[:2] for agent, shown in said.items()}
    assert first["literal"] == first["careful"]
    assert "weather" in first["literal"][0] or "lovely" in first["literal"][0]


def test_cells_without_a_persona_are_those_of_runs_without_the_option(run_json: RunJson) -> None:
    def keys(*options: str) -> set[str]:
        planned = run_json("run", "sample:shop", "--agent", "gold", *options, "--dry-run")
        return {cell["key"] for cell in planned["cells"]}

    assert keys() == keys("--persona", "none")
    assert keys() < keys("--persona", "none,hard")


def test_a_card_of_ones_own_is_played_and_gone_on_with(run_json: RunJson, folder: Path) -> None:
    (folder / "bad-line.toml").write_text(CARD)
    options = ("--agent", "literal", "--tasks", "saturday-morning", "--persona", "bad-line.toml")
    found = run_json("run", "courier", *options, "--out", "here")
    assert [cell["condition"] for cell in found["cells"]] == ["en/text/bad-line"]
    assert run_json("resume", "here")["cells"] == found["cells"]
    assert run_json("score", "here")["cells"] == found["cells"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "language",
    ["th", *(pytest.param(code, marks=pytest.mark.nightly) for code in ("vi", "id", "tl", "zh"))],
)
def test_a_persona_speaks_the_language_that_the_task_is_told_in(
    language: str, run_json: RunJson
) -> None:
    place = ("--language", language, "--scenario", "domain", "--persona", "none,hard")
    grid = ("--agent", "gold,literal,careful", "--trials", 2)
    found = run_json("run", "courier", *TASKS, *place, *grid, "--out", "here")
    rates = {
        (cell["axes"]["persona"], cell["agent"]): cell["pass_hat"]["1"] for cell in found["cells"]
    }
    assert rates["none", "literal"] == rates["hard", "gold"] == 1
    assert rates["hard", "literal"] < rates["hard", "careful"]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--persona", "sleepy"), "unknown persona 'sleepy': choose none, easy, hard"),
        (("--axis", "persona=hard"), "--axis persona: it has an option of its own, --persona"),
    ],
)
def test_a_mistake_is_one_line(options: tuple[str, ...], complaint: str, refused: Refused) -> None:
    assert complaint in refused("run", "sample:shop", "--agent", "gold", *options, status=2)


def test_a_damaged_card_is_one_line(folder: Path, dragoman: Cli) -> None:
    (folder / "bad-line.toml").write_text(CARD.replace("at_once = 1", "at_once = -1"))
    done = dragoman("run", "sample:shop", "--agent", "gold", "--persona", "bad-line.toml")
    assert done.returncode == 1
    assert done.stderr.startswith("dragoman: bad-line.toml: no persona card (")
    assert done.stderr.count("\n") == 1


def test_personas_are_listed(dragoman: Cli) -> None:
    lines = dragoman("list", "personas").stdout.splitlines()
    assert [line.split()[0] for line in lines] == [
        *("task", "none", "easy", "hard", "hurried", "elderly", "non-native", "code-switching"),
        *("angry", "chatty", "FILE.toml"),
    ]
    assert "expertise novice, ambiguity high" in lines[3]


def _users_words(shown: dict[str, Any]) -> list[str]:
    return [
        event["reply"]["utterance"]["intended"]
        for event in shown["episode"]["events"]
        if event.get("by") == "user" and "utterance" in event.get("reply", {})
    ]


def test_the_scenario_that_a_model_is_told_has_the_card(run_json: RunJson, folder: Path) -> None:
    script = {"*": [{"content": "Hello."}, {"content": "###STOP###"}]}
    (folder / "user.json").write_text(json.dumps(script))
    (folder / "own_user.py").write_text(
        "from pathlib import Path\n"
        "def user(messages, tools):\n"
        "    Path('told.txt').write_text(messages[0]['content'])\n"
        "    return '###STOP###'\n"
    )
    options = ("--agent", "silent", "--user", "own_user:user", "--persona", "angry", "--limit", 1)
    run_json("run", "sample:shop", *options)
    heard = (folder / "told.txt").read_text()
    assert "You are angry about what happened" in heard
    assert "every fact stays as the scenario has it" in heard


DEAF = """
import msgspec
from dragoman.core.personas import UserBehavior
from dragoman.simulation.participants.scripted_user import OfflineUser

class Deaf:
    name = "deaf"
    async def open(self, opening):
        return await OfflineUser().open(msgspec.structs.replace(opening, user_behavior=UserBehavior()))

USER = Deaf()
"""


@pytest.mark.slow
def test_a_persona_that_its_user_ignored_is_marked_and_compared_with_nobody(
    run_json: RunJson,
    dragoman: Cli,
    refused: Refused,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (folder / "deaf_user.py").write_text(DEAF, "utf-8")
    monkeypatch.syspath_prepend(str(folder))
    grid = ("--agent", "literal", "--persona", "none,hard", "--user", "deaf_user:USER")
    played = run_json("run", "courier", *TASKS, *grid, "--out", "here")
    assert played["warnings"] == [
        "it is not known whether users kept the cards of hard: dragoman score here --measure persona_kept"
    ]
    compared = run_json("compare", "here", "--by", "persona")
    assert len(compared["comparisons"]) == 1
    assert compared["notes"] == [
        "it is not known whether users kept the cards of hard: dragoman score RUN --measure persona_kept"
    ]
    scored = run_json("score", "here", "--measure", "persona_kept")
    assert "these figures do not represent the persona hard" in scored["warnings"][0]
    assert "1 of 1 pairs excluded" in refused("compare", "here", "--by", "persona", status=2)
    assert len(run_json("compare", "here", "--by", "persona", "--kept", "0")["comparisons"]) == 1
    summary = run_json("leaderboard", "here", "--style", "mm-tau-p2")["board"]
    assert [card["verdict"] for card in summary["cards"]] == ["not kept"]
    assert summary["differences"] == []
    shown = dragoman("leaderboard", "here", "--style", "mm-tau-p2").stdout
    assert "Fidelity of users to their cards" in shown
    assert "card not kept" in shown
