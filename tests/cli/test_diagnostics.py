"""The diagnostic agents on the bundled suite in which the user has tools."""

from collections.abc import Callable
from typing import Any

import pytest

RunJson = Callable[..., Any]


@pytest.mark.slow
def test_who_plays_the_plan_passes_courier_and_the_baselines_stand_below(run_json: RunJson) -> None:
    agents = ("careful", "literal", "lexical", "silent")
    named = [part for agent in agents for part in ("--agent", agent)]
    result = run_json("run", "courier", *named)

    rates = {cell["agent"]: cell["pass_hat"]["1"] for cell in result["cells"]}
    assert rates["careful"] == rates["literal"] == 1.0
    assert 0.0 == rates["silent"] < rates["lexical"] < 0.5


@pytest.mark.slow
@pytest.mark.parametrize(
    "language",
    ["th", *(pytest.param(code, marks=pytest.mark.nightly) for code in ("vi", "id", "tl", "zh"))],
)
def test_they_speak_and_understand_every_language_that_courier_is_told_in(
    run_json: RunJson, language: str
) -> None:
    agents = ("--agent", "careful,lexical")
    spoken = ("--language", language, "--scenario", "domain")
    result = run_json("run", "courier", *agents, *spoken)

    rates = {cell["agent"]: cell["pass_hat"]["1"] for cell in result["cells"]}
    assert rates["careful"] == 1.0
    assert 0.0 < rates["lexical"] < 0.5
    assert result["warnings"] == []


@pytest.mark.nightly
def test_what_is_misrecognized_is_confirmed_in_every_language(run_json: RunJson) -> None:
    spoken = ("--language", "vi,th,id,tl,zh", "--scenario", "domain", "--voice", "simulated:5")
    result = run_json("run", "courier", "--agent", "careful,literal", *spoken)

    rates: dict[str, dict[str, float]] = {}
    for cell in result["cells"]:
        by_agent = rates.setdefault(cell["axes"]["language"], {})
        by_agent[cell["agent"]] = cell["pass_hat"]["1"]
    assert len(rates) == 5
    assert all(each["literal"] + 0.1 < each["careful"] for each in rates.values()), rates
