"""The nearest known name to a mistyped one."""

import pytest

from dragoman.core.errors import UsageError, did_you_mean
from dragoman.registry.suites import load_suite


def test_a_slip_is_answered_with_the_nearest_name() -> None:
    assert did_you_mean("curier", ["tau2:retail", "courier"]) == "did you mean 'courier'?"
    assert did_you_mean("zzz", ["tau2:retail", "courier"]) == ""


@pytest.mark.parametrize(("name", "meant"), [("tau2:retial", "tau2:retail"), ("curier", "courier")])
def test_a_mistyped_suite_is_answered_with_the_nearest_in_one_line(name: str, meant: str) -> None:
    with pytest.raises(UsageError) as refused:
        load_suite(name)

    assert str(refused.value) == (
        f"unknown suite {name!r}: did you mean {meant!r}? (`dragoman list suites`)"
    )
