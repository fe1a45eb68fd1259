from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.analysis.pass_hat import pass_hat, reference_figures, task_pass_hat
from dragoman.core.scores import Scored, Unscored, Verdict, is_success

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
    result = pass_hat({"a": [PASS, PASS], "b": [PASS, FAIL], "c": [FAIL, FAIL]}, 2)
    assert (result.tasks, result.left_out, result.trials) == (3, 0, 2)
    assert [figure.k for figure in result.figures] == [1, 2]
    assert [figure.value for figure in result.figures] == [0.5, 1 / 3]
    for figure in result.figures:
        assert figure.value is not None
        assert figure.bounds.low == figure.bounds.high == pytest.approx(figure.value)


@pytest.mark.parametrize("unknown", [OPEN, FAIL_OPEN, Unscored("infrastructure: cut")])
def test_a_task_with_a_played_trial_that_has_no_verdict_is_left_out(unknown: Verdict) -> None:
    result = pass_hat({"a": [PASS, PASS], "b": [PASS, unknown]}, 2)
    assert (result.tasks, result.left_out) == (1, 1)
    assert [figure.value for figure in result.figures] == [1.0, 1.0]


def test_a_trial_that_was_not_played_takes_no_lower_power_away() -> None:
    first, second = pass_hat({"a": [PASS, PASS], "b": [PASS, None], "c": [FAIL, None]}, 2).figures
    assert (first.value, first.tasks) == (2 / 3, 3)
    assert (second.value, second.tasks) == (1.0, 1)
    assert (first.bounds.low, first.bounds.high) == (1.5 / 3, 2.5 / 3)
    assert (second.bounds.low, second.bounds.high) == (1 / 3, 2 / 3)


def test_one_task_played_twice_leaves_the_others_in() -> None:
    rewards: dict[str, list[Verdict | None]] = {
        **{f"t{n}": [PASS if n < 21 else FAIL] for n in range(39)},
        "twice": [PASS, PASS],
    }
    result = pass_hat(rewards, 2)
    assert (result.tasks, result.left_out, result.trials) == (40, 0, 2)
    first, second = result.figures
    assert (first.value, first.tasks) == (0.55, 40)
    assert first.bounds.low == first.bounds.high == pytest.approx(0.55)
    assert (second.value, second.tasks) == (1.0, 1)
    assert (second.bounds.low, second.bounds.high) == (1 / 40, 22 / 40)
    assert reference_figures(rewards, 2).pass_hat == {1: pytest.approx(0.55)}


def test_bounds_take_what_is_unknown_as_failed_and_as_passed() -> None:
    result = pass_hat({"a": [PASS], "b": [OPEN], "c": [FAIL], "d": [None]}, 1)
    assert result.figures[0].value == 0.5
    assert (result.figures[0].bounds.low, result.figures[0].bounds.high) == (0.25, 0.75)


def test_a_failure_that_no_judge_can_mend_is_a_failure_in_both_bounds() -> None:
    (figure,) = pass_hat({"a": [FAIL_OPEN]}, 1).figures
    assert (figure.value, figure.bounds.low, figure.bounds.high) == (None, 0.0, 0.0)


def test_nothing_scored_is_no_figure_and_not_zero() -> None:
    (figure,) = pass_hat({"a": [None], "b": [OPEN]}, 1).figures
    assert (figure.value, figure.interval) == (None, None)
    assert (figure.bounds.low, figure.bounds.high) == (0.0, 1.0)


def test_no_tasks_are_no_figure() -> None:
    (figure,) = pass_hat({}, 1).figures
    assert (figure.value, figure.bounds.low, figure.bounds.high) == (None, 0.0, 1.0)


TRIALS = 3
VERDICTS = st.sampled_from([PASS, FAIL, OPEN, FAIL_OPEN, None])
ROWS = st.dictionaries(
    st.text("abcdef", min_size=1, max_size=2),
    st.lists(VERDICTS, min_size=TRIALS, max_size=TRIALS),
    min_size=1,
    max_size=6,
)


@settings(max_examples=settings().max_examples // 5)
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
    before = pass_hat(rows, TRIALS).figures
    after = pass_hat(completed, TRIALS).figures
    for open_figure, figure in zip(before, after, strict=True):
        assert figure.value is not None
        assert open_figure.bounds.low - 1e-9 <= figure.value <= open_figure.bounds.high + 1e-9


@settings(max_examples=settings().max_examples // 5)
@given(ROWS)
def test_every_task_is_counted_once_and_a_higher_power_has_no_more_of_them(
    rows: dict[str, list[Verdict | None]],
) -> None:
    result = pass_hat(rows, TRIALS)
    assert result.tasks + result.left_out == len(rows)
    entered = [figure.tasks for figure in result.figures]
    assert entered == sorted(entered, reverse=True)
    assert entered[0] == result.tasks
    assert [figure.value is None for figure in result.figures] == [count == 0 for count in entered]


PLAYED = st.lists(st.sampled_from([PASS, FAIL]), min_size=1, max_size=4)


@settings(max_examples=60, deadline=None)
@given(st.lists(PLAYED, min_size=1, max_size=6), st.integers(0, 3))
def test_trials_that_were_not_played_change_bounds_and_no_figure(
    rows: list[list[Verdict | None]], missing: int
) -> None:
    whole = {str(n): row for n, row in enumerate(rows)}
    cut = {name: [*row, *([None] * missing)] for name, row in whole.items()}
    most = max(map(len, rows))
    pairs = zip(pass_hat(whole, most).figures, pass_hat(cut, most).figures, strict=True)
    for figure, with_missing in pairs:
        assert (figure.value, figure.tasks) == (with_missing.value, with_missing.tasks)
        assert with_missing.bounds.low <= figure.bounds.low + 1e-9
        assert with_missing.bounds.high >= figure.bounds.high - 1e-9


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
    ours = pass_hat(rewards, 3)
    assert (ours.tasks, ours.left_out) == (1, 2)
    assert ours.figures[0].bounds.low == pytest.approx((1 / 3 + 2 / 3) / 3)


def test_a_lone_success_among_faults_reads_one_in_the_reference_and_not_with_us() -> None:
    rewards: dict[str, list[Verdict | None]] = {"a": [Scored(1.0)], "b": [Unscored("cut")]}
    assert reference_figures(rewards, 1).pass_hat == {1: 1.0}
    (ours,) = pass_hat(rewards, 1).figures
    assert (ours.value, ours.bounds.low, ours.bounds.high) == (1.0, 0.5, 1.0)


def test_where_nothing_is_scored_the_reference_prints_nothing() -> None:
    theirs = reference_figures({"a": [Unscored("cut")]}, 1)
    assert (theirs.average_reward, theirs.pass_hat) == (None, {})
