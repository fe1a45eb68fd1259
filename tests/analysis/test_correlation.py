import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.analysis.correlation import (
    Averages,
    Correlation,
    averages,
    correlation,
    correlation_matrix,
)

VALUES = st.floats(-1000, 1000).map(lambda value: round(value, 3))


def test_values_on_a_line_correlate_fully() -> None:
    assert correlation([1, 2, 3], [10, 20, 30]).r == pytest.approx(1)
    assert correlation([1, 2, 3], [3, 2, 1]).r == pytest.approx(-1)


def test_a_known_correlation() -> None:
    found = correlation([1, 2, 3, 4], [1, 3, 2, 4])

    assert found.r == pytest.approx(0.8)
    assert found.r_squared == pytest.approx(0.64)


def test_pairs_with_an_unknown_side_are_left_out_and_n_says_so() -> None:
    found = correlation([1, 2, None, 3, 5], [2, 4, 9, 6, None])

    assert found.n == 3
    assert found.r == pytest.approx(1)


@pytest.mark.parametrize(
    ("first", "second", "n"),
    [([1, 2], [1, 2], 2), ([], [], 0), ([1, 1, 1], [1, 2, 3], 3), ([1, 2, 3], [4, 4, 4], 3)],
)
def test_without_spread_or_with_two_points_there_is_no_correlation(
    first: list[float], second: list[float], n: int
) -> None:
    assert correlation(first, second) == Correlation(n, None)
    assert correlation(first, second).r_squared is None


def test_columns_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        correlation([1, 2, 3], [1, 2])


@given(st.lists(st.tuples(VALUES, VALUES), max_size=20))
def test_correlation_is_symmetric_and_bounded(pairs: list[tuple[float, float]]) -> None:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]

    found = correlation(first, second)

    assert correlation(second, first).n == found.n == len(pairs)
    assert found.r is None or -1 <= found.r <= 1
    assert correlation(second, first).r == pytest.approx(found.r)


def test_a_matrix_holds_every_couple_over_its_own_pairs() -> None:
    found = correlation_matrix({"en": [1, 2, 3], "th": [2, 4, 6], "vi": [3, None, 1]})

    assert list(found) == [("en", "th"), ("en", "vi"), ("th", "vi")]
    assert found["en", "th"].r == pytest.approx(1)
    assert found["en", "vi"] == Correlation(2, None)


def test_averages_are_unweighted_and_say_what_they_rest_on() -> None:
    found = averages([("a", "en", 1.0), ("a", "th", 0.5), ("a", "th", 1.0), ("b", "th", 0.25)])

    assert found == Averages(
        rows=("a", "b"),
        columns={"en": (1.0, None), "th": (0.75, 0.25)},
        counts={"en": (1, 0), "th": (2, 1)},
    )
