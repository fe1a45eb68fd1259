import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.analysis.intervals import (
    MANY_TASKS,
    Interval,
    clustered_interval,
    difference_interval,
    paired_ratio_interval,
    quantile_interval,
)
from dragoman.core.measures import Quantile

RATES = st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 2 / 3, 1.0])


@settings(max_examples=settings().max_examples // 5)
@given(st.lists(RATES, min_size=1, max_size=40), st.integers(0, 2**31))
def test_the_mean_lies_within_its_interval_and_both_within_0_and_1(
    values: list[float], seed: int
) -> None:
    interval = clustered_interval(values, seed)
    mean = sum(values) / len(values)
    assert -1e-9 <= interval.low <= mean + 1e-9
    assert mean - 1e-9 <= interval.high <= 1 + 1e-9


def test_the_same_seed_gives_the_same_interval_and_another_one_may_not() -> None:
    values = [0.0, 1.0, 0.5, 1.0, 1 / 3, 0.25, 0.0, 1.0, 2 / 3]
    assert clustered_interval(values, 7) == clustered_interval(values, 7)
    assert len({clustered_interval(values, seed) for seed in range(20)}) > 1


@pytest.mark.parametrize(
    ("count", "edge"), [(1, 0.025), (2, 0.15811388), (10, 0.69150289), (114, 0.96815935)]
)
def test_agreement_on_one_or_nothing_is_not_certainty(count: int, edge: float) -> None:
    assert tuple_of(clustered_interval([1.0] * count, 0)) == pytest.approx((edge, 1.0))
    assert tuple_of(clustered_interval([0.0] * count, 0)) == pytest.approx((0.0, 1 - edge))


def tuple_of(interval: object) -> tuple[float, float]:
    return getattr(interval, "low"), getattr(interval, "high")  # noqa: B009 - two fields of any interval


def test_more_tasks_make_the_interval_narrower() -> None:
    few, many = clustered_interval([0.0, 1.0] * 5, 1), clustered_interval([0.0, 1.0] * 200, 1)
    assert many.high - many.low < few.high - few.low


def test_tasks_are_drawn_and_not_trials() -> None:
    between = clustered_interval([0.0, 1.0] * 10, 1)
    within = clustered_interval([0.5 - 1e-6, 0.5 + 1e-6] * 10, 1)
    assert between.high - between.low > 0.2
    assert within.high - within.low < 0.01


@pytest.mark.parametrize("values", [[0.5], [1 / 3], [0.5, 0.5, 0.5]])
def test_agreement_on_any_other_rate_is_not_certainty_either(values: list[float]) -> None:
    interval = clustered_interval(values, 0)
    assert interval.high - interval.low > 0.1


VALUES = st.lists(st.floats(0, 100), min_size=1, max_size=6)


@settings(max_examples=settings().max_examples // 5)
@given(st.lists(VALUES, min_size=1, max_size=12), st.sampled_from([0.5, 0.95]), st.integers(0, 9))
def test_the_interval_of_a_quantile_lies_within_the_values(
    tasks: list[list[float]], share: float, seed: int
) -> None:
    interval = quantile_interval(tasks, share, seed)
    values = [value for of_task in tasks for value in of_task]
    assert interval is None or min(values) <= interval.low < interval.high <= max(values)


def test_the_interval_of_a_quantile_draws_tasks_with_all_their_values() -> None:
    tasks = [[1.0, 1.0, 1.0], [2.0], [9.0]]
    assert quantile_interval(tasks, 0.5, 1) == Interval(1.0, 9.0)
    assert quantile_interval(tasks, 0.5, 1) == quantile_interval(tasks, 0.5, 1)


@pytest.mark.parametrize("tasks", [[[1.0, 2.0, 3.0]], [[4.0], [4.0, 4.0]]])
def test_a_quantile_that_no_draw_changes_claims_no_certainty(tasks: list[list[float]]) -> None:
    assert quantile_interval(tasks, 0.5, 1) is None


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
    same = difference_interval([0.0] * 4, 1)
    lost = difference_interval([-1.0] * 4, 1)
    assert (same.low, same.high) == pytest.approx((edge - 1, 1 - edge))
    assert (lost.low, lost.high) == pytest.approx((-1.0, 1 - 2 * edge))


def test_the_interval_of_a_difference_lies_around_it() -> None:
    values = [1.0, -1.0, 0.0, 0.0, 0.5, 0.5, 0.0, 1.0]
    interval = difference_interval(values, 1)
    assert -1 <= interval.low < sum(values) / 8 < interval.high <= 1


def test_tasks_that_are_drawn_together_give_the_interval_of_tasks_drawn_one_by_one() -> None:
    import numpy as np

    values = [1.0] * 60 + [0.5] * 40 + [0.0] * 200
    assert len(values) > MANY_TASKS

    found = clustered_interval(values, 7)

    draws = np.random.default_rng(8).choice(np.asarray(values), (20_000, len(values)))
    low, high = np.quantile(draws.mean(axis=1), [0.025, 0.975])
    assert found.low == pytest.approx(low, abs=0.006)
    assert found.high == pytest.approx(high, abs=0.006)
    mirrored = clustered_interval([1 - value for value in values], 7)
    assert (mirrored.low, mirrored.high) == pytest.approx((1 - found.high, 1 - found.low))


def test_a_paired_ratio_may_have_tasks_with_nothing_below() -> None:
    pairs = [(1.0, 1.0)] * 6 + [(0.0, 1.0)] * 4 + [(1.0, 0.0)] * 2
    found = paired_ratio_interval(pairs, seed=1)
    assert found is not None
    assert found.low < 0.8 < found.high


def test_a_paired_ratio_without_an_upper_end_has_no_interval() -> None:
    assert paired_ratio_interval([(1.0, 1.0), (1.0, 0.0)], seed=1) is None


def test_a_paired_ratio_that_no_draw_changes_has_no_interval() -> None:
    assert paired_ratio_interval([(1.0, 1.0)] * 5, seed=1) is None
