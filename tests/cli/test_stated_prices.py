"""Cost of a run whose models state a price in their names, and of one without prices."""

from collections.abc import Callable, Iterator
from subprocess import CompletedProcess
from typing import Any

import pytest

from dragoman.models.chat.scripted import ScriptedReply
from dragoman.testing.scripted_answers import Rule, RuleAnswers
from dragoman.testing.server import ModelServer

Cli = Callable[..., CompletedProcess[str]]
RunJson = Callable[..., Any]
Refused = Callable[..., str]


@pytest.fixture
def spec() -> Iterator[str]:
    answers = RuleAnswers([Rule(ScriptedReply("I cannot help you with that."))])
    with ModelServer(answers) as serving:
        yield f"compatible/m?base_url={serving.url}"


def run(run_json: RunJson, agents: str, *more: object) -> Any:  # noqa: ANN401 - whatever JSON holds
    return run_json("run", "sample:shop", "--limit", 1, "--agent", agents, *more)


def test_a_free_model_costs_nothing_and_keeps_a_budget_in_money(
    run_json: RunJson, spec: str
) -> None:
    found = run(run_json, f"{spec}&price=0", "--max-cost", "1 USD", "--out", "mine")
    assert found["cost"] == found["cells"][0]["cost"] == {"usd": 0.0, "paid_usd": 0.0}
    assert found["cells"][0]["agent"] == spec
    assert run_json("usage", "mine")["usage"][0]["cost"] == 0.0


def test_a_price_is_that_of_a_million_tokens(run_json: RunJson, spec: str) -> None:
    (line,) = run(run_json, f"v1={spec}&price=1/10")["usage"]
    expected = (line["input_tokens"] + 10 * line["output_tokens"]) / 1_000_000
    assert line["cost"]["usd"] == pytest.approx(expected)


def test_a_price_is_no_part_of_a_conversations_key(run_json: RunJson, spec: str) -> None:
    plain = run_json("run", "sample:shop", "--agent", spec, "--dry-run")["cells"]
    priced = run_json("run", "sample:shop", "--agent", f"{spec}&price=0", "--dry-run")["cells"]
    assert priced == plain


@pytest.mark.parametrize("option", ["--user", "--judge", "--user-judge"])
def test_whoever_else_is_asked_may_have_a_price(run_json: RunJson, spec: str, option: str) -> None:
    options = {"--user": f"{spec}&price=0", "--judge": "none"} | {option: f"{spec}&price=0"}
    words = [word for pair in options.items() for word in pair]
    plain = [word.replace("&price=0", "") for word in words]
    keys = [
        [
            cell["key"]
            for cell in run_json("run", "sample:shop", "--agent", "gold", *each, "--dry-run")[
                "cells"
            ]
        ]
        for each in (words, plain)
    ]
    assert keys[0] == keys[1]


def test_one_model_with_two_prices_is_refused(refused: Refused, spec: str) -> None:
    agents = f"a={spec}&price=0,b={spec}&price=1/2"
    line = refused("run", "sample:shop", "--agent", agents, status=2)
    assert line == "dragoman: compatible/m has two prices: it is one model in what runs cost"


def test_an_unknown_cost_is_said_once_and_with_the_way_to_set_it(dragoman: Cli, spec: str) -> None:
    agents = f"v1={spec},v2={spec}&temperature=0"
    done = dragoman("run", "sample:shop", "--limit", 2, "--agent", agents, "--plain")
    words = " ".join(done.stdout.split())
    assert "cost unknown; no known cost of compatible/m: add price=0" in words
    assert (words + done.stderr).count("unknown") == 1


def test_replies_from_the_cache_are_counted_in_the_answer(dragoman: Cli, spec: str) -> None:
    grid = ("run", "sample:shop", "--limit", 1, "--agent", f"{spec}&price=0", "--plain")
    first, second = (dragoman(*grid, "--out", name).stdout for name in ("one", "two"))

    assert "from the cache" not in " ".join(first.split())
    assert (
        "Warning: 1 of 1 model replies are old ones from the reply cache; if the model behind the "
        "address has changed, run again with --no-cache" in " ".join(second.split())
    )
