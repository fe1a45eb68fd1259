"""A preflight reports models that do not answer, and its cost is in the ledger."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import msgspec
import pytest

from dragoman import load
from dragoman.composition.setup import build_setup
from dragoman.config.run_config import RunConfig
from dragoman.models.chat.scripted import ScriptedReply
from dragoman.runs.plan import Cell, plan_cells
from dragoman.runs.preflight import count_asking, sample_cells
from dragoman.testing.scripted_answers import Rule, RuleAnswers
from dragoman.testing.server import ModelServer

Cli = Callable[..., CompletedProcess[str]]
RunJson = Callable[..., Any]

NOWHERE = "http://127.0.0.1:9/v1"
SHOP = ("run", "sample:shop", "--limit", "2")


def _cells(**given: object) -> tuple[RunConfig, tuple[Cell, ...]]:
    config = msgspec.convert({"suite": "sample:shop", **given}, RunConfig)
    return config, tuple(plan_cells(build_setup(config)))


def test_what_is_tried_is_one_conversation_of_every_agent_and_condition() -> None:
    _, cells = _cells(agents=("gold", "silent"), suite="courier", voices=("text", "telephone"))

    chosen = {(cell.agent.name, cell.condition.label) for cell in sample_cells(cells)}

    assert len(sample_cells(cells)) == len(chosen) == 3
    assert {agent for agent, _ in chosen} == {"gold", "silent"}
    assert len({label for _, label in chosen}) == 2


def test_only_conversations_that_ask_an_endpoint_count_and_diagnostics_ask_none() -> None:
    model = f"compatible/any?base_url={NOWHERE}"

    mixed = _cells(agents=("gold", "silent", "scripted/replies.toml", model)[:2])
    assert count_asking(*mixed) == 0
    config, cells = _cells(agents=("gold", model))
    assert count_asking(config, cells) == len(cells) / 2
    judged, cells = _cells(agents=("gold", "silent"), judge=model)
    assert count_asking(judged, cells) == len(cells)


def test_an_endpoint_that_refuses_ends_it_before_anything_is_played(
    dragoman: Cli, folder: Path
) -> None:
    model = f"compatible/any?base_url={NOWHERE}"

    done = dragoman(*SHOP, "--agent", model, "--preflight", "--patience", "0.1", "--out", "mine")

    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("dragoman: preflight: ")
    assert "nothing was played (--no-preflight skips these checks)" in done.stderr
    assert not (folder / "mine").exists()


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(RuleAnswers([Rule(ScriptedReply("I cannot help you."))])) as served:
        yield served


def test_what_was_asked_is_remembered_and_the_run_is_the_same_but_for_a_line_of_its_ledger(
    dragoman: Cli, run_json: RunJson, server: ModelServer
) -> None:
    agent = ("--agent", f"compatible/any?base_url={server.url}")
    without = run_json(*SHOP, *agent, "--no-cache", "--no-preflight", "--out", "without")
    asked = server.log.completed
    tried = dragoman(*SHOP, *agent, "--preflight", "--json", "--out", "tried")

    assert server.log.completed == 2 * asked
    assert "preflight: started 1 conversation: agent compatible/any 1 call" in tried.stderr
    found = json.loads(tried.stdout)
    assert [cell["pass_hat"] for cell in found["cells"]] == [
        cell["pass_hat"] for cell in without["cells"]
    ]
    playing, ahead = found["usage"]
    assert (ahead["purpose"], ahead["model"], ahead["calls"]) == ("preflight", "compatible/any", 1)
    assert (playing["calls"], playing["replayed"]) == (without["usage"][0]["calls"], 1)
    # The preflight paid once for the answers that the conversations replayed.
    for count in ("input_tokens", "output_tokens"):
        paid = [line[count] - line[f"replayed_{count}"] for line in found["usage"]]
        assert sum(paid) == without["usage"][0][count]


def test_one_that_ends_says_what_was_used_until_then(
    dragoman: Cli, server: ModelServer, folder: Path
) -> None:
    (folder / "prices.toml").write_text(PRICES)
    answers = ("--agent", f"compatible/any?base_url={server.url}", "--prices", "prices.toml")
    hangs = ("--agent", f"compatible/other?base_url={NOWHERE}", "--patience", "0.1")

    done = dragoman(*SHOP, *answers, *hangs, "--preflight", "--no-cache", "--out", "mine")

    assert done.returncode == 1
    assert server.log.completed == 1
    reported = done.stderr.splitlines()[-1]
    assert "; usage until then: agent compatible/any 1 call in " in reported
    assert "; cost " in reported


PRICES = """
[[lists]]
as_of = 2026-05-01
[lists.prices]
"compatible/any" = { input = 100, output = 1000 }
"""


def test_what_was_asked_stands_wherever_costs_do_and_stays_when_the_run_goes_on(
    dragoman: Cli, run_json: RunJson, server: ModelServer, folder: Path
) -> None:
    (folder / "prices.toml").write_text(PRICES)
    agent = ("--agent", f"compatible/any?base_url={server.url}", "--prices", "prices.toml")
    ran = run_json(*SHOP, *agent, "--preflight", "--no-cache", "--out", "mine")

    costs = {line["purpose"]: line["cost"]["paid_usd"] for line in ran["usage"]}
    assert ran["cost"]["paid_usd"] == pytest.approx(costs["agent"] + costs["preflight"])
    assert 0 < costs["preflight"] < costs["agent"]
    assert run_json("resume", "mine")["usage"] == ran["usage"]
    (scenario,) = run_json("usage", "mine")["usage"]
    assert [line["for"] for line in scenario["lines"]] == ["agent", "preflight"]
    assert scenario["cost"] == pytest.approx(ran["cost"]["usd"])
    assert load(folder / "mine").usage["purpose"].to_list() == ["agent", "preflight"]
    assert dragoman("report", "mine").returncode == 0
    assert "<td>preflight</td>" in (folder / "mine" / "report.html").read_text()


def test_a_dry_run_takes_conversations_for_what_they_used_without_a_preflight(
    run_json: RunJson, server: ModelServer
) -> None:
    agent = ("--agent", f"compatible/any?base_url={server.url}", "--no-cache")
    run_json(*SHOP, *agent, "--preflight", "--out", "mine")
    found = run_json(*SHOP, *agent, "--dry-run", "--like", "mine")["estimate"]

    assert [line["purpose"] for line in found["lines"]] == ["agent"]


def test_what_was_asked_counts_for_the_budget(
    dragoman: Cli, run_json: RunJson, server: ModelServer
) -> None:
    agent = ("--agent", f"compatible/any?base_url={server.url}", "--no-cache")
    ran = run_json(*SHOP, *agent, "--preflight", "--out", "mine")
    tokens = {
        each["purpose"]: each["input_tokens"] + each["output_tokens"] for each in ran["usage"]
    }
    most = ("--max-cost", f"{tokens['agent']} tokens", "--concurrency", "1")

    alone = dragoman(*SHOP, *agent, *most, "--no-preflight", "--out", "alone")
    after = dragoman(*SHOP, *agent, *most, "--preflight", "--out", "after")
    assert (alone.returncode, after.returncode) == (0, 1)
    assert f"the budget of {tokens['agent']} tokens is spent" in after.stderr


def test_a_preflight_that_spends_the_budget_says_so(
    dragoman: Cli, server: ModelServer, folder: Path
) -> None:
    agents = [("--agent", f"compatible/{name}?base_url={server.url}") for name in ("a", "b")]
    given = (*agents[0], *agents[1], "--max-cost", "1 token", "--no-cache")

    done = dragoman(*SHOP, *given, "--preflight", "--out", "mine")
    assert done.returncode == 1
    assert "preflight: it spent the budget of 1 token; nothing was played" in done.stderr
    assert not (folder / "mine").exists()


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
