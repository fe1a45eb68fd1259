from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.benchmarks.bfcl.apis.scenario_values import read_day

WRITTEN = st.text(alphabet="0129-W \u0661", max_size=11) | st.dates().map(str)


def by_strptime(text: object) -> datetime | str:
    try:
        return datetime.strptime(text, "%Y-%m-%d")  # type: ignore[arg-type]  # noqa: DTZ007
    except (TypeError, ValueError) as error:
        return str(error)


@given(WRITTEN)
def test_a_day_is_what_strptime_reads(text: str) -> None:
    try:
        found: datetime | str = read_day(text)
    except ValueError as error:
        found = str(error)
    assert found == by_strptime(text)


@pytest.mark.parametrize("text", [5, None, b"2024-01-01", "2024-02-30", "0000-01-01", "2024-1-1 "])
def test_what_is_no_day_is_refused_as_strptime_refuses_it(text: object) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        read_day(text)  # type: ignore[arg-type]
    assert str(caught.value) == by_strptime(text)
