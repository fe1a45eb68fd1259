"""The main job on real data, as the command line tells it."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

pytestmark = pytest.mark.slow

Cli = Callable[..., CompletedProcess[str]]
RunJson = Callable[..., Any]

RULES = ("dragoman-2", "tau2-1.0.1")


@pytest.fixture
def played(run_json: RunJson, pulled: Path) -> RunJson:
    """Run one agent on retail and return the object and its only cell."""

    def call(agent: str, *options: str) -> Any:  # noqa: ANN401 - whatever JSON holds
        result = run_json("run", "tau2:retail", "--agent", agent, *options, cache=pulled)
        (cell,) = result["cells"]
        return result, cell

    return call


@pytest.mark.parametrize("rules", RULES)
def test_gold_passes_every_task_in_every_trial_where_assertions_are_assumed(
    played: RunJson, rules: str
) -> None:
    result, cell = played("gold", "--trials", "3", "--judge", "assume-met", "--rules", rules)

    assert {"run", "cells", "infrastructure_errors", "usage"} <= set(result)
    assert (cell["suite"], cell["agent"], cell["rules"]) == ("tau2:retail", "gold", rules)
    assert cell["condition"]
    assert (cell["tasks"], cell["left_out"], cell["trials"]) == (114, 0, 3)
    assert cell["pass_hat"] == {"1": 1, "2": 1, "3": 1}
    assert all(0.95 < low < high == 1 for low, high in cell["interval"].values())
    assert cell["assumed"] is True
    assert result["infrastructure_errors"] == 0
    assert result["usage"] == []


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("agent", ["gold", "literal"])
def test_without_a_judge_forty_tasks_are_left_out_and_shown(
    played: RunJson, agent: str, rules: str
) -> None:
    _, cell = played(agent, "--rules", rules)

    assert (cell["tasks"], cell["left_out"]) == (74, 40)
    assert cell["pass_hat"] == {"1": 1}
    assert cell["assumed"] is False
    low, high = cell["bounds"]["1"]
    assert (low, high) == (pytest.approx(74 / 114), 1)
    assert sum(cell["unscored"].values()) == 40


def test_the_rule_judge_decides_some_assertions_and_leaves_the_rest(played: RunJson) -> None:
    _, cell = played("gold", "--judge", "rule")

    assert cell["judge"].startswith("rule")
    assert cell["tasks"] + cell["left_out"] == 114
    assert 74 < cell["tasks"] < 114
    assert cell["pass_hat"] == {"1": 1}
    assert cell["assumed"] is False


@pytest.mark.parametrize("rules", RULES)
def test_silence_passes_eleven_tasks_where_assertions_are_assumed_and_six_for_certain(
    played: RunJson, rules: str
) -> None:
    _, assumed = played("silent", "--judge", "assume-met", "--rules", rules)
    _, decided = played("silent", "--rules", rules)

    assert assumed["pass_hat"]["1"] == pytest.approx(11 / 114)
    assert (assumed["tasks"], assumed["assumed"]) == (114, True)
    assert decided["pass_hat"]["1"] == pytest.approx(6 / 74)
    assert (decided["tasks"], decided["left_out"]) == (74, 40)
    assert decided["bounds"]["1"] == [pytest.approx(6 / 114), pytest.approx(11 / 114)]


@pytest.mark.parametrize("rules", RULES)
def test_literal_in_text_is_as_good_as_gold(played: RunJson, rules: str) -> None:
    options = ("--judge", "assume-met", "--rules", rules)
    _, gold = played("gold", *options)
    _, literal = played("literal", *options)

    for name in ("tasks", "left_out", "pass_hat", "interval", "bounds", "tool_errors", "endings"):
        assert literal[name] == gold[name]


def test_a_check_of_retail_names_what_is_free_and_what_is_refused(
    dragoman: Cli, pulled: Path
) -> None:
    done = dragoman("check", "tau2:retail", cache=pulled)

    assert done.returncode == 0, done.stderr
    assert "floor: 6 to 11" in done.stdout
    lines = done.stdout.splitlines()
    certain = {
        task
        for line in lines
        if "leaves the state as it is" in line
        for task in line.split(":")[0].split()
    }
    assert certain == {"10", "12", "25", "50", "57", "65"}
    (open_ones,) = (line for line in lines if "if a judge says so" in line)
    assert open_ones.split(":")[0].split() == ["24", "62", "67", "68", "105"]
    assert "  64: exchange_delivered_order_items: Error: " in done.stdout
    assert "  105: exchange_delivered_order_items: Error: " in done.stdout
    (empty,) = (line for line in lines if "NL_ASSERTION in the basis, nothing to judge" in line)
    assert len(empty.split(":")[0].split()) == 72


def test_a_check_of_retail_gives_the_same_findings_as_json(run_json: RunJson, pulled: Path) -> None:
    found = run_json("check", "tau2:retail", cache=pulled)

    assert (found["suite"], found["tasks"], found["floor"]) == ("tau2:retail", 114, [6, 11])
    assert found["unpassable"] == []
    assert {entry["task"] for entry in found["free"]} == {
        *("10", "12", "24", "25", "50", "57", "62", "65", "67", "68", "105")
    }
    assert [entry["task"] for entry in found["failing_writes"]] == ["64", "105"]
    assert len(found["nothing_to_judge"]) == 72
    assert found["gold_passed"] == 74
    assert len(found["gold_undecided"]) == 40


def test_pulling_twice_says_that_everything_is_there(
    dragoman: Cli, pulled: Path, data_folder: Path
) -> None:
    done = dragoman("data", "pull", "tau2", "--from", data_folder / "tau2", cache=pulled)

    assert done.returncode == 0, done.stderr
    assert "already" in done.stdout
    assert len(done.stdout.splitlines()) == 1


def test_a_report_on_retail_carries_the_licence_notice_of_its_data(
    dragoman: Cli, run_json: RunJson, pulled: Path, folder: Path
) -> None:
    run_json("run", "tau2:retail", "--agent", "gold", "--limit", "3", "--out", "r", cache=pulled)

    done = dragoman("report", "r")

    assert done.returncode == 0, done.stderr
    html = (folder / "r" / "report.html").read_text("utf-8")
    assert "Sierra Research" in html
    assert "MIT" in html
