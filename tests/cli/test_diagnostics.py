"""The diagnostic agents on the bundled suite in which the user has tools."""

from collections.abc import Callable
from typing import Any

import pytest

Told = Callable[..., Any]


@pytest.mark.slow
def test_who_plays_the_plan_passes_courier_and_the_baselines_stand_below(told: Told) -> None:
    agents = ("careful", "literal", "lexical", "silent")
    named = [part for agent in agents for part in ("--agent", agent)]
    result = told("run", "courier", *named)

    rates = {cell["agent"]: cell["pass_hat"]["1"] for cell in result["cells"]}
    assert rates["careful"] == rates["literal"] == 1.0
    assert 0.0 == rates["silent"] < rates["lexical"] < 0.5
