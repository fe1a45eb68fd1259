"""Interaction of language and voice: their joint cost beyond what each costs alone."""

from hypothesis import given
from hypothesis import strategies as st

from dragoman.analysis.significance import InteractionEffect, interaction

TASKS = ["a", "b", "c", "d"]


def means(*values: float) -> dict[str, float]:
    return dict(zip(TASKS, values, strict=True))


def test_costs_that_add_up_have_no_interaction() -> None:
    found = interaction(means(1, 1, 1, 1), means(0, 1, 1, 1), means(1, 0, 1, 1), means(0, 0, 1, 1))
    assert found == InteractionEffect(0.0, None, 4)


def test_a_task_that_only_both_lose_counts_below_zero() -> None:
    found = interaction(means(1, 1, 1, 1), means(1, 1, 1, 1), means(1, 1, 1, 1), means(0, 1, 1, 1))
    assert found.value == -0.25
    assert found.interval is not None
    assert found.interval.low < -0.25 < found.interval.high <= 0


def test_a_task_that_each_loses_is_lost_once() -> None:
    found = interaction(means(1, 1, 1, 1), means(0, 1, 1, 1), means(0, 1, 1, 1), means(0, 1, 1, 1))
    assert found.value == 0.25


def test_only_tasks_of_all_four_cells_count_and_without_any_there_is_no_value() -> None:
    whole = means(1, 1, 1, 1)
    assert interaction(whole, whole, whole, {"a": 0.0}).tasks == 1
    assert interaction(whole, whole, whole, {}) == InteractionEffect(None, None, 0)


SCORES = st.fixed_dictionaries({task: st.sampled_from([0.0, 0.5, 1.0]) for task in TASKS})


@given(SCORES, SCORES, SCORES, SCORES)
def test_it_is_the_difference_of_two_differences_whichever_comes_first(
    neither: dict[str, float],
    first: dict[str, float],
    second: dict[str, float],
    both: dict[str, float],
) -> None:
    one = interaction(neither, first, second, both)
    other = interaction(neither, second, first, both)
    assert one.value is not None
    assert other.value is not None
    assert abs(one.value - other.value) < 1e-9
    assert -2 <= one.value <= 2
