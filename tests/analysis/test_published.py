import pytest
from tests.conformance.seatau.published_averages import published_average

from dragoman.analysis.intervals import Interval


def test_a_published_average_repeats_whatever_was_averaged_before() -> None:
    first = published_average([0.68, 0.649, 0.664])
    published_average([0.1, 0.9])

    assert published_average([0.68, 0.649, 0.664]) == first
    assert first.n == 3
    assert first.value == pytest.approx(0.664333, abs=1e-6)
    assert [round(end, 6) for end in (first.interval.low, first.interval.high)] == [0.649, 0.68]


def test_one_value_has_no_width() -> None:
    assert published_average([0.5]).interval == Interval(0.5, 0.5)


def test_nothing_has_no_average() -> None:
    with pytest.raises(ValueError, match="no values"):
        published_average([])
