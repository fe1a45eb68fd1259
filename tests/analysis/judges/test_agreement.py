"""RaterAgreement between raters, against examples of the literature and by its own laws."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.analysis.rater_agreement import (
    agreement,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    percent_agreement,
    split_items,
)

# Two raters on 50 proposals: both yes 20, only the first 5, only the second 10, both no 15.
TWO = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15

# Fleiss (1971), as often reprinted: 10 items, 14 raters, 5 categories.
FLEISS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]

# Krippendorff's example of four observers with gaps, nominal.
GAPS = list(
    zip(
        [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
        strict=True,
    )
)


def test_cohens_kappa_of_two_raters() -> None:
    assert cohen_kappa(TWO) == pytest.approx(0.4)
    assert percent_agreement(TWO) == pytest.approx(0.7)


def test_cohens_kappa_is_of_two_raters_only() -> None:
    with pytest.raises(ValueError, match="two raters"):
        cohen_kappa([("y", "y", "n")])


def test_fleiss_kappa_of_fourteen_raters() -> None:
    rows = [[label for label, count in enumerate(row) for _ in range(count)] for row in FLEISS]
    assert fleiss_kappa(rows) == pytest.approx(0.210, abs=0.0005)


def test_krippendorffs_alpha_bears_gaps() -> None:
    assert krippendorff_alpha(GAPS) == pytest.approx(0.743, abs=0.0005)


def test_where_only_one_label_was_ever_given_nothing_is_known_beyond_chance() -> None:
    same = [("y", "y")] * 9
    assert percent_agreement(same) == 1
    assert [f(same) for f in (cohen_kappa, fleiss_kappa, krippendorff_alpha)] == [None] * 3


def test_nobody_agrees_where_nobody_rated_twice() -> None:
    alone = [("y", None), (None, "n")]
    found = agreement(percent_agreement, alone)
    assert (found.value, found.interval, found.items) == (None, None, 0)
    assert krippendorff_alpha(alone) is None


def test_an_interval_is_over_items_and_holds_the_value() -> None:
    found = agreement(cohen_kappa, TWO)
    assert found.items == 50
    assert found.interval is not None
    assert found.interval.low == pytest.approx(0.15, abs=0.03)
    assert found.interval.high == pytest.approx(0.64, abs=0.03)


def test_split_verdicts_are_told_by_their_places() -> None:
    assert split_items([(True, True), (True, False), (None, True), (False, True)]) == (1, 3)


LABELS = st.sampled_from([True, False, None])


@given(st.lists(st.tuples(LABELS, LABELS, LABELS), max_size=12), st.permutations([0, 1, 2]))
def test_neither_the_order_of_raters_nor_of_items_matters(
    rows: list[tuple[bool | None, ...]], order: list[int]
) -> None:
    turned = [tuple(row[place] for place in order) for row in reversed(rows)]
    for coefficient in (percent_agreement, fleiss_kappa, krippendorff_alpha):
        found, same = coefficient(rows), coefficient(turned)
        assert found == pytest.approx(same)
        assert found is None or -1 <= found <= 1


@given(st.lists(st.lists(st.sampled_from("abc"), min_size=3, max_size=3), max_size=30))
def test_items_drawn_together_have_the_same_kappa(ratings: list[list[str]]) -> None:
    found = agreement(fleiss_kappa, ratings)
    assert found.value == fleiss_kappa(ratings)
    assert found.items == len(ratings)
    if found.interval is not None and found.value is not None:
        assert found.interval.low <= found.interval.high


def test_kappas_of_many_items_have_narrow_intervals() -> None:
    found = agreement(fleiss_kappa, [["a", "a"], ["b", "b"], ["a", "b"], ["a", "a"]] * 5_000)
    few = agreement(fleiss_kappa, [["a", "a"], ["b", "b"], ["a", "b"], ["a", "a"]] * 50)
    assert found.value == pytest.approx(few.value, abs=1e-9)
    assert found.interval is not None
    assert found.interval.high - found.interval.low < 0.06
