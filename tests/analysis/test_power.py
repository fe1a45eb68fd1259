from collections.abc import Sequence

import pytest

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.power import ASSUMED, TaskVariance, smallest_drop, tasks_needed, variance_of
from dragoman.analysis.significance import sign_flip_p
from dragoman.core.conditions import PLAIN, Condition
from dragoman.core.scores import Score, Scored

PHONE = PLAIN.with_axes(voice="telephone")


def row(task: str, trial: int, value: float, condition: Condition = PLAIN) -> ConversationResult:
    score = Score("rules", "none", Scored(value), ())
    return ConversationResult("suite", condition, "gold", task, trial, None, score)


def rows(condition: Condition, won: Sequence[int], trials: int) -> list[ConversationResult]:
    return [
        row(str(task), trial, float(trial < count), condition)
        for task, count in enumerate(won)
        for trial in range(trials)
    ]


@pytest.mark.parametrize(("tasks", "trials"), [(30, 1), (33, 3), (80, 2)])
def test_the_smallest_drop_is_found_in_four_of_five_simulated_runs(tasks: int, trials: int) -> None:
    import numpy as np

    draws = np.random.default_rng(11)
    runs = 400
    # Tasks pass 0.55 to 0.95 of their trials in text, and lose more or less around the drop by voice.
    in_text = 0.55 + 0.4 * draws.random((runs, tasks))
    apart = 0.3 * (draws.random((runs, tasks)) - 0.5)
    drop, by_voice = 0.2, in_text
    for _ in range(5):
        by_voice = in_text - drop + apart
        within = np.mean([p * (1 - p) for p in (in_text, by_voice)])
        found = smallest_drop(tasks, trials, TaskVariance(float(apart.var()), float(within)))
        assert found is not None
        drop = found
    differences = draws.binomial(trials, by_voice) - draws.binomial(trials, in_text)
    shown = sum(sign_flip_p([int(each) for each in run]) <= 0.05 for run in differences)
    assert 0.74 <= shown / runs <= 0.86


def test_more_tasks_and_more_trials_show_smaller_drops() -> None:
    drops = [smallest_drop(*plan, ASSUMED) for plan in ((20, 1), (40, 1), (40, 4), (160, 4))]
    assert drops == sorted([each for each in drops if each is not None], reverse=True)


def test_the_tasks_that_a_drop_needs_show_it_and_one_fewer_do_not() -> None:
    for drop in (0.02, 0.1, 0.4):
        tasks = tasks_needed(drop, 3, ASSUMED)
        enough, fewer = (smallest_drop(many, 3, ASSUMED) for many in (tasks, tasks - 1))
        assert enough is not None
        assert enough <= drop
        assert fewer is None or fewer > drop


def test_so_few_tasks_that_no_test_can_reach_five_per_cent_show_nothing() -> None:
    assert sign_flip_p([-1] * 5) > 0.05
    assert sign_flip_p([-1] * 6) <= 0.05
    assert smallest_drop(5, 100, TaskVariance(0.0001, 0.0)) is None
    assert smallest_drop(6, 100, TaskVariance(0.0001, 0.0)) is not None


def test_a_drop_beyond_all_of_the_scale_is_none() -> None:
    assert smallest_drop(6, 1, TaskVariance(1.0, 0.25)) is None


def test_variances_are_taken_apart_into_those_of_tasks_and_of_trials() -> None:
    found = variance_of([*rows(PLAIN, [4, 4, 2, 2], 4), *rows(PHONE, [4, 4, 2, 0], 4)])
    assert (found.basis, found.of, found.trials) == ("stored", 4, 4)
    assert found.within == pytest.approx(3 * (4 / 12) / 8)
    assert found.between == pytest.approx(1 / 16 - 2 * found.within / 4)


def test_without_a_second_trial_all_variance_is_taken_to_be_between_tasks() -> None:
    found = variance_of([*rows(PLAIN, [1, 1, 1, 0], 1), *rows(PHONE, [1, 0, 0, 0], 1)])
    assert (found.within, found.basis, found.of, found.trials) == (0.0, "stored", 4, 1)
    assert found.between == pytest.approx(1 / 3)


def test_one_condition_says_what_trials_vary_and_the_rest_is_assumed() -> None:
    found = variance_of(rows(PLAIN, [2, 1, 0], 2))
    assert (found.between, found.basis) == (ASSUMED.between, "stored within tasks")
    assert (found.of, found.trials) == (3, 2)
    assert found.within == pytest.approx(0.5 / 3)
    assert variance_of(rows(PLAIN, [1, 0], 1)) == ASSUMED


def test_cell_pairs_of_conditions_say_more_of_a_drop_than_pairs_of_agents() -> None:
    import msgspec

    text, phone = rows(PLAIN, [2, 2, 2, 1], 2), rows(PHONE, [2, 2, 1, 1], 2)
    silent = [msgspec.structs.replace(each, agent="silent") for each in rows(PLAIN, [0] * 4, 2)]
    assert variance_of([*text, *phone, *silent]) == variance_of([*text, *phone])
