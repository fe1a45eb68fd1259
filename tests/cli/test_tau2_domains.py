"""Airline and telecom on real data, as the command line tells them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

RunJson = Callable[..., Any]
Refused = Callable[..., str]

RULES = ("dragoman-2", "tau2-1.0.1")


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize(
    ("suite", "tasks", "floor", "by_words"),
    [("tau2:airline", 50, [23, 23], ["3"]), ("tau2:telecom", 114, [0, 0], [])],
)
def test_gold_passes_everything_and_the_floor_is_known(  # noqa: PLR0913, PLR0917 - one row of a table
    run_json: RunJson,
    pulled: Path,
    rules: str,
    suite: str,
    tasks: int,
    floor: list[int],
    by_words: list[str],
) -> None:
    found = run_json("check", suite, "--rules", rules, cache=pulled)
    assert (found["tasks"], found["gold_passed"], found["unpassable"]) == (tasks, tasks, [])
    assert found["gold_undecided"] == []
    assert found["floor"] == floor
    assert [finding["task"] for finding in found["words_suffice"]] == by_words


def test_airlines_assertions_are_outside_every_basis(run_json: RunJson, pulled: Path) -> None:
    found = run_json("check", "tau2:airline", cache=pulled)
    assert {finding["why"] for finding in found["ignored"]} == {
        "lists NL_ASSERTION outside its basis"
    }
    assert len(found["ignored"]) == 50
    assert len(found["nothing_to_judge"]) == 44


@pytest.mark.nightly
def test_gold_passes_all_tasks_of_the_full_split(run_json: RunJson, pulled: Path) -> None:
    result = run_json("run", "tau2:telecom", "--agent", "gold", "--split", "full", cache=pulled)
    (cell,) = result["cells"]
    assert cell["suite"] == "tau2:telecom"
    assert (cell["tasks"], cell["left_out"]) == (2285, 0)
    assert cell["pass_hat"] == {"1": 1}


@pytest.mark.parametrize("variant", ["workflow", "solo", "workflow-solo"])
def test_gold_passes_every_variant_of_telecom(
    run_json: RunJson, pulled: Path, variant: str
) -> None:
    result = run_json("run", f"tau2:telecom-{variant}", "--agent", "gold", cache=pulled)
    assert result["cells"][0]["pass_hat"] == {"1": 1}
    assert result["cells"][0]["tasks"] == 114


def test_the_references_figures_stand_beside_ours_under_its_rules(
    run_json: RunJson, pulled: Path
) -> None:
    options = ("run", "tau2:airline", "--agent", "silent")
    theirs = run_json(*options, "--rules", "tau2-1.0.1", cache=pulled)["cells"][0]
    assert theirs["reference"] == {
        "simulations": 50,
        "dropped": 0,
        "average_reward": 0.46,
        "pass_hat": {"1": 0.46},
    }
    assert run_json(*options, cache=pulled)["cells"][0]["reference"] is None
