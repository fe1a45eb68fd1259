from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.analysis.pass_hat import is_success, pass_hat, reference_figures, task_pass_hat
from dragoman.core.scores import Scored, Unscored, Verdict

PASS, FAIL, OPEN = Scored(1.0), Scored(0.0), Unscored("no judge")
FAIL_OPEN = Scored(0.0, ("NL_ASSERTION",))


@pytest.mark.parametrize(
    ("trials", "successes", "values"),
    [
        (1, 0, [0.0]),
        (1, 1, [1.0]),
        (4, 2, [0.5, 1 / 6, 0.0, 0.0]),
        (4, 3, [0.75, 0.5, 0.25, 0.0]),
        (4, 4, [1.0, 1.0, 1.0, 1.0]),
        (3, 1, [1 / 3, 0.0, 0.0]),
        (8, 5, [5 / 8, 10 / 28, 10 / 56, 5 / 70, 1 / 56, 0.0, 0.0, 0.0]),
    ],
)
def test_a_task_passes_by_the_share_of_draws_that_all_succeed(
    trials: int, successes: int, values: list[float]
) -> None:
    assert [task_pass_hat(trials, successes, k) for k in range(1, trials + 1)] == values


@pytest.mark.parametrize("k", [0, -1, 4])
def test_k_lies_between_one_and_the_trials(k: int) -> None:
    with pytest.raises(ValueError, match="between 1 and 3"):
        task_pass_hat(3, 1, k)


@pytest.mark.parametrize(
    ("reward", "success"),
    [(1.0, True), (1 - 5e-7, True), (1 + 5e-7, True), (0.99999, False), (0.0, False)],
)
def test_a_success_is_a_reward_of_one(reward: float, *, success: bool) -> None:
    assert is_success(reward) == success


def test_the_figure_is_the_mean_over_tasks() -> None:
    result = pass_hat({"a": [PASS, PASS], "b": [PASS, FAIL], "c": [FAIL, FAIL]}, 2, 0)
    assert (result.tasks, result.left_out, result.trials) == (3, 0, 2)
    assert [figure.k for figure in result.figures] == [1, 2]
    assert [figure.value for figure in result.figures] == [0.5, 1 / 3]
    for figure in result.figures:
        assert figure.value is not None
        assert figure.bounds.low == figure.bounds.high == pytest.approx(figure.value)


@pytest.mark.parametrize("unknown", [OPEN, None, FAIL_OPEN])
def test_a_task_with_anything_unknown_is_left_out(unknown: Verdict | None) -> None:
    result = pass_hat({"a": [PASS, PASS], "b": [PASS, unknown]}, 2, 0)
    assert (result.tasks, result.left_out) == (1, 1)
    assert [figure.value for figure in result.figures] == [1.0, 1.0]


def test_a_task_with_trials_missing_at_the_end_is_left_out() -> None:
    result = pass_hat({"a": [PASS, PASS], "b": [PASS]}, 2, 0)
    assert (result.tasks, result.left_out) == (1, 1)
    assert [(f.bounds.low, f.bounds.high) for f in result.figures] == [(0.75, 1.0), (0.5, 1.0)]


def test_bounds_take_what_is_unknown_as_failed_and_as_passed() -> None:
    result = pass_hat({"a": [PASS], "b": [OPEN], "c": [FAIL], "d": [None]}, 1, 0)
    assert result.figures[0].value == 0.5
    assert (result.figures[0].bounds.low, result.figures[0].bounds.high) == (0.25, 0.75)


def test_a_failure_that_no_judge_can_mend_is_a_failure_in_both_bounds() -> None:
    (figure,) = pass_hat({"a": [FAIL_OPEN]}, 1, 0).figures
    assert (figure.value, figure.bounds.low, figure.bounds.high) == (None, 0.0, 0.0)


def test_nothing_scored_is_no_figure_and_not_zero() -> None:
    (figure,) = pass_hat({"a": [None], "b": [OPEN]}, 1, 0).figures
    assert (figure.value, figure.interval) == (None, None)
    assert (figure.bounds.low, figure.bounds.high) == (0.0, 1.0)


def test_no_tasks_are_no_figure() -> None:
    (figure,) = pass_hat({}, 1, 0).figures
    assert (figure.value, figure.bounds.low, figure.bounds.high) == (None, 0.0, 1.0)


TRIALS = 3
VERDICTS = st.sampled_from([PASS, FAIL, OPEN, FAIL_OPEN, None])
ROWS = st.dictionaries(
    st.text("abcdef", min_size=1, max_size=2),
    st.lists(VERDICTS, min_size=TRIALS, max_size=TRIALS),
    min_size=1,
    max_size=6,
)


@settings(max_examples=60, deadline=None)
@given(ROWS, st.randoms(use_true_random=False))
def test_however_the_unknown_comes_out_the_figure_lies_within_the_bounds(
    rows: dict[str, list[Verdict | None]], random: object
) -> None:
    choose = getattr(random, "choice")  # noqa: B009 - hypothesis gives it no type
    completed: dict[str, list[Verdict | None]] = {
        task: [
            verdict
            if verdict in {PASS, FAIL}
            else FAIL
            if verdict == FAIL_OPEN
            else choose([PASS, FAIL])
            for verdict in row
        ]
        for task, row in rows.items()
    }
    before = pass_hat(rows, TRIALS, 0).figures
    after = pass_hat(completed, TRIALS, 0).figures
    for open_figure, figure in zip(before, after, strict=True):
        assert figure.value is not None
        assert open_figure.bounds.low - 1e-9 <= figure.value <= open_figure.bounds.high + 1e-9


@settings(max_examples=60, deadline=None)
@given(ROWS)
def test_every_task_is_counted_once(rows: dict[str, list[Verdict | None]]) -> None:
    result = pass_hat(rows, TRIALS, 0)
    assert result.tasks + result.left_out == len(rows)
    values = [figure.value for figure in result.figures if figure.value is not None]
    assert values == sorted(values, reverse=True)
    assert len(values) in {0, TRIALS}


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 12), st.data())
def test_pass_hat_is_the_share_of_subsets_without_a_failure(
    trials: int, data: st.DataObject
) -> None:
    successes = data.draw(st.integers(0, trials))
    k = data.draw(st.integers(1, trials))
    assert task_pass_hat(trials, successes, k) == comb(successes, k) / comb(trials, k)


def test_the_references_figures_drop_faults_and_stop_at_the_fewest_trials() -> None:
    fault = Unscored("infrastructure: cut")
    rewards: dict[str, list[Verdict | None]] = {
        "a": [Scored(1.0), fault, fault],
        "b": [fault, fault, fault],
        "c": [Scored(1.0), Scored(0.0), Scored(1.0)],
    }
    theirs = reference_figures(rewards, 3)
    assert (theirs.simulations, theirs.dropped) == (4, 5)
    assert theirs.average_reward == 0.75
    assert theirs.pass_hat == {1: pytest.approx((1 + 2 / 3) / 2)}
    ours = pass_hat(rewards, 3, seed=1)
    assert (ours.tasks, ours.left_out) == (1, 2)
    assert ours.figures[0].bounds.low == pytest.approx((1 / 3 + 2 / 3) / 3)


def test_a_lone_success_among_faults_reads_one_in_the_reference_and_not_with_us() -> None:
    rewards: dict[str, list[Verdict | None]] = {"a": [Scored(1.0)], "b": [Unscored("cut")]}
    assert reference_figures(rewards, 1).pass_hat == {1: 1.0}
    (ours,) = pass_hat(rewards, 1, seed=1).figures
    assert (ours.value, ours.bounds.low, ours.bounds.high) == (1.0, 0.5, 1.0)


def test_where_nothing_is_scored_the_reference_prints_nothing() -> None:
    theirs = reference_figures({"a": [Unscored("cut")]}, 1)
    assert (theirs.average_reward, theirs.pass_hat) == (None, {})
