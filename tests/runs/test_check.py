import asyncio

import msgspec
import pytest

from dragoman.composition.setup import build_setup
from dragoman.config.run_config import RunConfig
from dragoman.runs.suite_check import SuiteCheck, TaskFinding, check_suite


def check(**fields: str) -> SuiteCheck:
    config = msgspec.structs.replace(RunConfig("sample:shop", ("gold", "silent")), **fields)
    return asyncio.run(check_suite(build_setup(config)))


def test_the_sample_is_passable_and_its_floor_is_known() -> None:
    result = check()
    assert (result.suite, result.rules, result.tasks) == ("sample:shop", "dragoman-2", 5)
    assert result.gold_passed == 2
    assert set(result.gold_undecided) == {"return-poles", "too-late", "cancel-by-mistake"}
    assert result.floor == (0, 1)
    assert result.unpassable == ()
    assert [finding.task for finding in result.free] == ["too-late"]
    assert "if a judge says so" in result.free[0].why
    assert result.failing_writes == ()


def test_what_is_listed_outside_the_basis_is_found() -> None:
    assert check().ignored == (TaskFinding("too-late", "lists COMMUNICATE outside its basis"),)


def test_what_the_basis_names_without_need_is_found() -> None:
    assert check().nothing_to_judge == ()


@pytest.mark.parametrize("rules", ["dragoman-2", "tau2-1.0.1"])
def test_with_every_assertion_assumed_gold_passes_all(rules: str) -> None:
    result = check(judge="assume-met", rules=rules)
    assert result.gold_passed == 5
    assert result.gold_undecided == ()
    assert result.floor == (1, 1)


def test_the_rule_judge_decides_what_it_can() -> None:
    result = check(judge="rule")
    assert result.gold_passed == 4
    assert result.gold_undecided == ("cancel-by-mistake",)
    assert result.floor == (0, 0)
