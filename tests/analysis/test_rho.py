import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.analysis.pass_hat import rho_hat, rho_of
from dragoman.core.scores import Scored, Unscored, Verdict


def test_rho_is_the_ratio_of_means_over_tasks() -> None:
    found = rho_of([(3, 3), (3, 3), (3, 1), (3, 0)], 3)

    assert found.value == pytest.approx(2 / (7 / 3))
    assert (found.q, found.tasks, found.solved) == (3, 4, 3)


def test_rho_is_not_defined_where_nothing_was_solved() -> None:
    found = rho_of([(3, 0), (3, 0)], 3)

    assert (found.value, found.interval, found.tasks, found.solved) == (None, None, 2, 0)
    assert rho_of([], 3).value is None


def test_only_tasks_with_all_their_grades_enter() -> None:
    rewards: dict[str, list[Verdict | None]] = {
        "a": [Scored(1.0), Scored(1.0)],
        "b": [Scored(1.0), Scored(0.0)],
        "c": [Scored(1.0), Unscored("judge failed")],
    }

    (found,) = rho_hat(rewards, trials=2)

    assert found.value == pytest.approx(0.5 / 0.75)
    assert (found.q, found.tasks) == (2, 2)


def test_a_task_with_fewer_trials_is_no_part_of_a_higher_power() -> None:
    played: dict[str, list[Verdict | None]] = {
        "a": [Scored(1.0), Scored(1.0), Scored(0.0)],
        "b": [Scored(1.0), Scored(1.0), None],
        "c": [Scored(0.0)],
    }

    second, third = rho_hat(played, trials=3)

    assert (second.tasks, third.tasks) == (2, 1)
    assert second.value == pytest.approx((1 / 3 + 1) / (2 / 3 + 1))
    assert third.value == 0


def test_one_solved_task_claims_no_certainty() -> None:
    found = rho_of([(3, 3), (3, 0), (3, 0)], 3)

    assert found.interval is not None
    assert found.interval.low == pytest.approx(0.025)
    assert found.interval.high == 1


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=30).filter(any),
    st.integers(2, 4),
)
def test_rho_and_its_interval_lie_between_0_and_1_and_repeat(successes: list[int], q: int) -> None:
    found = rho_of([(4, count) for count in successes], q)

    assert found.value is not None
    assert found.interval is not None
    assert 0 <= found.interval.low <= found.interval.high <= 1 + 1e-12
    assert 0 <= found.value <= 1
    assert rho_of([(4, count) for count in successes], q) == found
