import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.analysis.intervals import (
    MOST_SHARED,
    Interval,
    clustered_interval,
    difference_interval,
    drawn_counts,
    drawn_sums,
    paired_ratio_interval,
    quantile_interval,
    ratio_interval,
)
from dragoman.core.measures import Quantile

RATES = st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 2 / 3, 1.0])


@settings(max_examples=settings().max_examples // 5)
@given(st.lists(RATES, min_size=1, max_size=40))
def test_the_mean_lies_within_its_interval_and_both_within_0_and_1(values: list[float]) -> None:
    interval = clustered_interval(values)
    mean = sum(values) / len(values)
    assert -1e-9 <= interval.low <= mean + 1e-9
    assert mean - 1e-9 <= interval.high <= 1 + 1e-9


@given(
    st.lists(RATES, min_size=1, max_size=40).flatmap(
        lambda each: st.tuples(st.just(each), st.permutations(each))
    )
)
def test_the_same_tasks_in_another_order_have_the_same_interval(
    orders: tuple[list[float], list[float]],
) -> None:
    values, permuted = orders
    assert clustered_interval(values) == clustered_interval(permuted)
    assert difference_interval(values) == difference_interval(permuted)


@given(st.lists(RATES, min_size=1, max_size=40))
def test_a_difference_and_its_opposite_have_mirrored_intervals(values: list[float]) -> None:
    there, back = difference_interval(values), difference_interval([-value for value in values])
    assert (back.low, back.high) == pytest.approx((-there.high, -there.low), abs=1e-11)


@given(st.lists(st.tuples(st.integers(0, 4), st.just(4)), min_size=1, max_size=40))
def test_a_share_of_equally_many_trials_has_the_interval_of_the_mean_of_the_tasks(
    pairs: list[tuple[int, int]],
) -> None:
    mean = clustered_interval([above / below for above, below in pairs])
    assert ratio_interval(pairs, is_share=True) == mean


def test_a_share_that_is_computed_in_another_order_has_the_same_interval() -> None:
    assert clustered_interval([1 - 2 / 3, 0.0]) == clustered_interval([1 / 3, 0.0])


def test_draws_are_of_all_tasks_and_of_each_as_often_on_average() -> None:
    import numpy as np

    for tasks in (3, 100, MOST_SHARED + 1):
        drawn = drawn_counts([1, tasks - 2, 1])
        first, _, last = drawn.T
        assert set(drawn.sum(axis=1)) == {float(tasks)}
        assert np.mean(first) == pytest.approx(1, abs=0.1)
        assert sorted(first) == sorted(last)


def test_sums_of_many_kinds_are_those_of_the_draws_of_each() -> None:
    import numpy as np

    rows = [(float(place), float(place**2 % 17)) for place in range(120)]
    kinds = np.asarray(sorted(rows))
    assert np.allclose(drawn_sums(rows), drawn_counts([1] * 120) @ kinds)


@pytest.mark.parametrize(
    ("count", "edge"), [(1, 0.025), (2, 0.15811388), (10, 0.69150289), (114, 0.96815935)]
)
def test_agreement_on_one_or_nothing_is_not_certainty(count: int, edge: float) -> None:
    assert tuple_of(clustered_interval([1.0] * count)) == pytest.approx((edge, 1.0))
    assert tuple_of(clustered_interval([0.0] * count)) == pytest.approx((0.0, 1 - edge))


def tuple_of(interval: object) -> tuple[float, float]:
    return getattr(interval, "low"), getattr(interval, "high")  # noqa: B009 - two fields of any interval


def test_more_tasks_make_the_interval_narrower() -> None:
    few, many = clustered_interval([0.0, 1.0] * 5), clustered_interval([0.0, 1.0] * 200)
    assert many.high - many.low < few.high - few.low


def test_tasks_are_drawn_and_not_trials() -> None:
    between = clustered_interval([0.0, 1.0] * 10)
    within = clustered_interval([0.5 - 1e-6, 0.5 + 1e-6] * 10)
    assert between.high - between.low > 0.2
    assert within.high - within.low < 0.01


@pytest.mark.parametrize("values", [[0.5], [1 / 3], [0.5, 0.5, 0.5]])
def test_agreement_on_any_other_rate_is_not_certainty_either(values: list[float]) -> None:
    interval = clustered_interval(values)
    assert interval.high - interval.low > 0.1


VALUES = st.lists(st.floats(0, 100), min_size=1, max_size=6)


@settings(max_examples=settings().max_examples // 5)
@given(st.lists(VALUES, min_size=1, max_size=12), st.sampled_from([0.5, 0.95]))
def test_the_interval_of_a_quantile_lies_within_the_values(
    tasks: list[list[float]], share: float
) -> None:
    interval = quantile_interval(tasks, share)
    values = [value for of_task in tasks for value in of_task]
    assert interval is None or min(values) <= interval.low < interval.high <= max(values)


def test_the_interval_of_a_quantile_draws_tasks_with_all_their_values() -> None:
    tasks = [[1.0, 1.0, 1.0], [2.0], [9.0]]
    assert quantile_interval(tasks, 0.5) == Interval(1.0, 9.0)
    assert quantile_interval(tasks, 0.5) == quantile_interval(tasks, 0.5)


@pytest.mark.parametrize("share", [0.05, 0.5, 0.95])
def test_the_interval_of_a_quantile_is_that_of_the_values_of_each_draw(share: float) -> None:
    import numpy as np

    tasks = [(float(task), float(task**2 % 11), 3.5, 0.25)[: task % 4 + 1] for task in range(13)]
    kinds = sorted(tuple(sorted(task)) for task in tasks)
    drawn = [
        Quantile("q", "wait", share).of(
            [value for kind, many in zip(kinds, draw, strict=True) for value in kind * int(many)]
        )
        for draw in drawn_counts([1] * 13)
    ]
    assert quantile_interval(tasks, share) == Interval(*np.quantile(drawn, [0.025, 0.975]))


@pytest.mark.parametrize("tasks", [[[1.0, 2.0, 3.0]], [[4.0], [4.0, 4.0]]])
def test_a_quantile_that_no_draw_changes_claims_no_certainty(tasks: list[list[float]]) -> None:
    assert quantile_interval(tasks, 0.5) is None


@pytest.mark.parametrize(
    ("count", "share", "rank"),
    [
        (1, 0.5, 1),
        (2, 0.5, 1),
        (3, 0.5, 2),
        (20, 0.95, 19),
        (21, 0.95, 20),
        (100, 0.07, 7),
        (4, 0.0, 1),
    ],
)
def test_a_quantile_is_the_nearest_rank(count: int, share: float, rank: int) -> None:
    assert Quantile("q", "wait", share).of([float(each) for each in range(1, count + 1)]) == rank


def test_the_interval_of_a_difference_claims_no_certainty_where_all_tasks_agree() -> None:
    edge = 0.025 ** (1 / 4)
    same = difference_interval([0.0] * 4)
    lost = difference_interval([-1.0] * 4)
    assert (same.low, same.high) == pytest.approx((edge - 1, 1 - edge))
    assert (lost.low, lost.high) == pytest.approx((-1.0, 1 - 2 * edge))


def test_the_interval_of_a_difference_lies_around_it() -> None:
    values = [1.0, -1.0, 0.0, 0.0, 0.5, 0.5, 0.0, 1.0]
    interval = difference_interval(values)
    assert -1 <= interval.low < sum(values) / 8 < interval.high <= 1


@pytest.mark.parametrize("times", [1, 8])
def test_shared_draws_give_the_interval_of_tasks_that_are_drawn_one_by_one(times: int) -> None:
    import numpy as np

    values = ([1.0] * 60 + [0.5] * 40 + [0.0] * 200) * times
    assert (len(values) > MOST_SHARED) is (times > 1)

    found = clustered_interval(values)

    draws = np.random.default_rng(8).choice(np.asarray(values), (4_000, len(values)))
    low, high = np.quantile(draws.mean(axis=1), [0.025, 0.975])
    assert found.low == pytest.approx(low, abs=0.006)
    assert found.high == pytest.approx(high, abs=0.006)
    mirrored = clustered_interval([1 - value for value in values])
    assert (mirrored.low, mirrored.high) == pytest.approx((1 - found.high, 1 - found.low))


def test_a_paired_ratio_may_have_tasks_with_nothing_below() -> None:
    pairs = [(1.0, 1.0)] * 6 + [(0.0, 1.0)] * 4 + [(1.0, 0.0)] * 2
    found = paired_ratio_interval(pairs)
    assert found is not None
    assert found.low < 0.8 < found.high


def test_a_paired_ratio_without_an_upper_end_has_no_interval() -> None:
    assert paired_ratio_interval([(1.0, 1.0), (1.0, 0.0)]) is None


def test_a_paired_ratio_that_no_draw_changes_has_no_interval() -> None:
    assert paired_ratio_interval([(1.0, 1.0)] * 5) is None
