import asyncio

import pytest

from dragoman.composition.setup import build_setup
from dragoman.config.run_config import RunConfig
from dragoman.runs.suite_check import SuiteCheck, check_suite

MEANT_TO_NEED_WORDS_ALONE = {
    "where-is-my-parcel",
    "waiting-for-customs",
    "not-across-the-border",
    "helpful-neighbour",
    "goodwill-has-conditions",
}


def check(rules: str) -> SuiteCheck:
    config = RunConfig("courier", ("gold", "silent"), rules=rules)
    return asyncio.run(check_suite(build_setup(config)))


@pytest.mark.parametrize("rules", ["dragoman-2", "tau2-1.0.1"])
def test_every_task_can_be_passed_and_none_by_doing_nothing(rules: str) -> None:
    found = check(rules)
    assert found.tasks >= 30
    assert found.gold_passed == found.tasks
    assert found.floor == (0, 0)
    assert {finding.task for finding in found.words_suffice} == MEANT_TO_NEED_WORDS_ALONE
    assert (
        found.unpassable
        + found.free
        + found.failing_writes
        + found.nothing_to_judge
        + found.ignored
    ) == ()
