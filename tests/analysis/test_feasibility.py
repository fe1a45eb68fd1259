from itertools import product
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.analysis.pass_hat_feasibility import (
    ClaimedRates,
    Ungraded,
    fewest_ungraded,
    fitting_ratio,
    nearest_figures,
    possible_counts,
)


def figures(solved: tuple[int, ...]) -> dict[int, float]:
    """Return pass^k of tasks, given the numbers of tasks solved 0, 1, ... times."""
    trials, tasks = len(solved) - 1, sum(solved)
    return {
        k: round(
            sum(count * comb(times, k) for times, count in enumerate(solved))
            / (tasks * comb(trials, k)),
            3,
        )
        for k in range(1, trials + 1)
    }


@given(st.lists(st.integers(0, 60), min_size=2, max_size=5).filter(any))
def test_figures_of_real_counts_are_always_possible(solved: list[int]) -> None:
    printed = figures(tuple(solved))
    claim = ClaimedRates(printed, sum(solved), len(solved) - 1, 0.0005)

    found = possible_counts(claim)

    assert found.solved is not None
    assert sum(found.solved) == sum(solved)
    again = figures(found.solved)
    assert all(abs(again[k] - printed[k]) < 0.0011 for k in printed)


@given(
    tasks=st.integers(1, 7),
    printed=st.lists(st.integers(0, 1000), min_size=1, max_size=3, unique=True),
)
def test_the_search_agrees_with_trying_everything(tasks: int, printed: list[int]) -> None:
    claim = ClaimedRates({k: value / 1000 for k, value in enumerate(printed, 1)}, tasks, 3, 0.02)
    every = [solved for solved in product(range(tasks + 1), repeat=4) if sum(solved) == tasks]

    def fits(solved: tuple[int, ...]) -> bool:
        return all(
            abs(sum(n * comb(c, k) for c, n in enumerate(solved)) * 1000
                - printed[k - 1] * tasks * comb(3, k)) <= 20 * tasks * comb(3, k)
            for k in claim.figures
        )  # fmt: skip

    assert (possible_counts(claim).solved is not None) == any(map(fits, every))


def test_the_tolerance_includes_its_ends() -> None:
    assert possible_counts(ClaimedRates({1: 0.501}, 2, 1, 0.001)).solved == (1, 1)
    assert possible_counts(ClaimedRates({1: 0.501}, 2, 1, 0.0009)).solved is None


def test_a_printed_decimal_is_taken_as_it_is_written() -> None:
    # 0.1 + 0.2 is the float above 0.3; three of ten tasks are exactly 0.3, and the sum is not.
    assert possible_counts(ClaimedRates({1: 0.3}, 10, 1, 0)).solved == (7, 3)
    assert possible_counts(ClaimedRates({1: 0.1 + 0.2}, 10, 1, 0)).solved is None


def test_a_figure_between_two_counts_cannot_be() -> None:
    claim = ClaimedRates({1: 0.607, 2: 0.45, 3: 0.366}, 114, 3, 0.001)

    assert possible_counts(claim).solved is None
    assert possible_counts(claim).is_decided
    assert fewest_ungraded(claim) == 2
    assert nearest_figures(claim) == pytest.approx({1: 69 / 114, 2: 154 / 342, 3: 42 / 114})


def test_the_nearest_reading_changes_one_figure_where_one_is_enough() -> None:
    claim = ClaimedRates({1: 0.997, 2: 0.953, 3: 0.93}, 114, 3, 0.001)

    nearest = nearest_figures(claim)

    assert nearest is not None
    assert {k: round(value, 3) for k, value in nearest.items()} == {1: 0.977, 2: 0.953, 3: 0.93}
    assert fewest_ungraded(claim) is None


def test_an_ungraded_trial_counts_where_the_others_of_its_task_do() -> None:
    # Two tasks with two trials; of the second task one trial was graded, and passed.
    claim = ClaimedRates({1: 1.0, 2: 0.0}, 2, 2, 0)

    assert possible_counts(claim, (Ungraded(1, 1),)).solved is None
    assert possible_counts(ClaimedRates({1: 0.75, 2: 0}, 2, 2, 0), (Ungraded(1, 1),)).solved == (
        0,
        1,
        0,
    )
    assert possible_counts(ClaimedRates({1: 1, 2: 1}, 2, 2, 0), (Ungraded(0, 0),)).solved == (
        0,
        0,
        1,
    )


def test_a_search_without_end_is_given_up_and_says_so() -> None:
    claim = ClaimedRates({1: 0.5, 2: 0.5, 3: 0.4}, 3000, 8, 0.001)

    found = possible_counts(claim)

    assert (found.solved, found.is_decided) == (None, False)


def test_a_ratio_may_be_that_of_unrounded_figures() -> None:
    # 7 of 114 over 53 of 342 is 0.396, though 0.061 / 0.155 is 0.394.
    claim = ClaimedRates({1: 0.155, 3: 0.061}, 114, 3, 0.0005)

    assert fitting_ratio(claim, 0.396, 3)
    assert not fitting_ratio(claim, 0.391, 3)


@pytest.mark.parametrize(
    "claim",
    [
        ClaimedRates({1: 0.5}, 0, 1, 0),
        ClaimedRates({2: 0.5}, 1, 1, 0),
        ClaimedRates({0: 0.5}, 1, 1, 0),
    ],
)
def test_a_claim_without_sense_is_refused(claim: ClaimedRates) -> None:
    with pytest.raises(ValueError, match="trials"):
        possible_counts(claim)
    with pytest.raises(ValueError, match="trials"):
        nearest_figures(claim)
