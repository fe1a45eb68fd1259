"""A preflight: who does not answer is told before a run begins, and it leaves no trace in the run."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import msgspec
import pytest

from dragoman.models.chat.scripted import ScriptedReply
from dragoman.runs.plan import Cell, plan
from dragoman.runs.preflight import asking, sample
from dragoman.testing.answers import Rule, RuleAnswers
from dragoman.testing.server import ModelServer
from dragoman.wiring.grid.config import RunConfig
from dragoman.wiring.setup import build_setup

Cli = Callable[..., CompletedProcess[str]]
Told = Callable[..., Any]

NOWHERE = "http://127.0.0.1:9/v1"
SHOP = ("run", "sample:shop", "--limit", "2")


def _cells(**given: object) -> tuple[RunConfig, tuple[Cell, ...]]:
    config = msgspec.convert({"suite": "sample:shop", **given}, RunConfig)
    return config, tuple(plan(build_setup(config)))


def test_what_is_tried_is_one_conversation_of_every_agent_and_condition() -> None:
    _, cells = _cells(agents=("gold", "silent"), suite="courier", voices=("text", "telephone"))

    chosen = {(cell.agent.name, cell.condition.label) for cell in sample(cells)}

    assert len(sample(cells)) == len(chosen) == 3
    assert {agent for agent, _ in chosen} == {"gold", "silent"}
    assert len({label for _, label in chosen}) == 2


def test_only_conversations_that_ask_an_endpoint_count_and_diagnostics_ask_none() -> None:
    model = f"compatible/any?base_url={NOWHERE}"

    mixed = _cells(agents=("gold", "silent", "scripted/replies.toml", model)[:2])
    assert asking(*mixed) == 0
    config, cells = _cells(agents=("gold", model))
    assert asking(config, cells) == len(cells) / 2
    judged, cells = _cells(agents=("gold", "silent"), judge=model)
    assert asking(judged, cells) == len(cells)


def test_an_endpoint_that_refuses_ends_it_before_anything_is_played(
    dragoman: Cli, folder: Path
) -> None:
    model = f"compatible/any?base_url={NOWHERE}"

    done = dragoman(*SHOP, "--agent", model, "--preflight", "--patience", "0.1", "--out", "mine")

    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("dragoman: preflight: ")
    assert "nothing was played (--no-preflight plays without trying)" in done.stderr
    assert not (folder / "mine").exists()


def test_what_was_asked_is_remembered_and_the_run_is_the_same_as_without(
    dragoman: Cli, told: Told
) -> None:
    answers = RuleAnswers([Rule(ScriptedReply("I cannot help you."))])
    with ModelServer(answers) as server:
        agent = ("--agent", f"compatible/any?base_url={server.url}")
        without = told(*SHOP, *agent, "--no-cache", "--no-preflight", "--out", "without")
        asked = server.log.completed
        tried = dragoman(*SHOP, *agent, "--preflight", "--json", "--out", "tried")

        assert server.log.completed == 2 * asked
    assert "preflight: the beginning of 1 conversation: agent compatible/any 1 call" in tried.stderr
    found = json.loads(tried.stdout)
    assert [cell["pass_hat"] for cell in found["cells"]] == [
        cell["pass_hat"] for cell in without["cells"]
    ]


@pytest.mark.nightly
@pytest.mark.slow
def test_a_judge_that_does_not_answer_is_told_too(dragoman: Cli) -> None:
    judge = f"compatible/judge?base_url={NOWHERE}"

    done = dragoman(
        *(*SHOP, "--agent", "gold", "--judge", judge),
        *("--preflight", "--patience", "0.1", "--out", "mine"),
    )

    assert done.returncode == 1
    assert "dragoman: preflight: " in done.stderr


def test_few_conversations_and_diagnostics_are_played_without(dragoman: Cli) -> None:
    done = dragoman(*SHOP, "--agent", "gold", "--trials", "60", "--out", "mine")

    assert done.returncode == 0
    assert "preflight" not in done.stderr
