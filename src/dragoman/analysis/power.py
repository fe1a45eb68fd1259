"""Power analysis: the smallest drop that a comparison can detect with given tasks and trials."""

from collections.abc import Iterable, Sequence
from math import ceil, sqrt
from statistics import NormalDist, fmean, variance
from typing import Literal

import msgspec

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.comparison import Comparison, TaskPair, comparable, compare, group_cells
from dragoman.analysis.intervals import LEVEL
from dragoman.analysis.pass_hat import trial_counts
from dragoman.core.scores import Verdict

POWER = 0.8
"""Probability of detecting a drop that exists."""

FEWEST_TASKS = 6
"""Smallest number of tasks with which the paired sign test can reach 5 %.

Five tasks that all differ have p = 1/16.
"""

_LEAST_TO_VARY = 2
_HALVINGS = 50
_ROUNDED = 1e-9

SMALL = 0.05
"""The drop of pass^1 of which it is said how many tasks it needs."""


Basis = Literal["stored", "stored within tasks", "assumed"]


class TaskVariance(msgspec.Struct, frozen=True):
    """Variance of the tasks' differences of pass^1 between two conditions.

    Attributes:
        between: The variance between tasks of their true differences.
        within: The variance of one trial of a task, as the mean of both conditions; more trials
            average it out.
        basis: The source: both variances come from stored results, only `within` does, or both are
            assumed.
        of: Number of tasks behind the stored variances, over all pairs of conditions.
        trials: Largest number of trials of a task; if it is 1, `between` holds all of the variance.
    """

    between: float
    within: float
    basis: Basis = "assumed"
    of: int = 0
    trials: int = 0

    def of_difference(self, trials: int) -> float:
        """Return the variance of a task's difference with so many trials in each condition."""
        return self.between + 2 * self.within / trials


ASSUMED = TaskVariance(between=0.05, within=0.13)
"""Variances that are assumed if nothing is stored.

Within: the mean of pass^1 - pass^2 over the 153 runs that SEATauBench publishes. Between: true
differences with a standard deviation of some 22 points, as if one task in four lost half of its
trials.
"""


class Detectable(msgspec.Struct, frozen=True):
    """Smallest drop that planned tasks and trials can detect.

    Attributes:
        suite: The suite.
        tasks: Number of tasks.
        trials: Number of trials of each task.
        drop: The smallest drop of pass^1 (0 to 1) that is detected in 80 % of runs; None if no drop
            is.
        tasks_for_small: Number of tasks that a drop of 5 points would need with the same number of
            trials.
        variance: The variances that the result follows from.
    """

    suite: str
    tasks: int
    trials: int
    drop: float | None
    tasks_for_small: int
    variance: TaskVariance


def detectable(suite: str, tasks: int, trials: int, variance: TaskVariance) -> Detectable:
    """Return the smallest drop that a number of tasks and trials can detect.

    Args:
        suite: The suite.
        tasks: Number of tasks, the same in both conditions; at least 1.
        trials: Number of trials of each task; at least 1.
        variance: Variances of the tasks.
    """
    drop = smallest_drop(tasks, trials, variance)
    return Detectable(suite, tasks, trials, drop, tasks_needed(SMALL, trials, variance), variance)


def smallest_drop(tasks: int, trials: int, variance: TaskVariance) -> float | None:
    """Return the smallest drop of pass^1 that is detected in 80 % of runs.

    None if not even a drop of 1 is detected.
    """
    if tasks < FEWEST_TASKS:
        return None
    of_task = variance.of_difference(trials)
    low, high = 0.0, 1.0
    if _scaled_drop(high, of_task) / sqrt(tasks) + _step(tasks, trials) > high:
        return None
    for _ in range(_HALVINGS):
        drop = (low + high) / 2
        is_found = _scaled_drop(drop, of_task) / sqrt(tasks) + _step(tasks, trials) <= drop
        low, high = (low, drop) if is_found else (drop, high)
    return high


def tasks_needed(drop: float, trials: int, variance: TaskVariance) -> int:
    """Return the number of tasks with which a drop of pass^1 is detected in 80 % of runs.

    Args:
        drop: The drop, above 0.
        trials: Number of trials of each task.
        variance: Variances of the tasks.
    """
    asked = _scaled_drop(drop, variance.of_difference(trials))
    root = (asked + sqrt(asked**2 + 2 * drop / trials)) / (2 * drop)
    return max(FEWEST_TASKS, ceil(root**2 - _ROUNDED))


def variance_of(outcomes: Iterable[ConversationResult]) -> TaskVariance:
    """Return the variance of tasks' differences in the conversations of one suite.

    The variance is assumed if the conversations do not show it.
    """
    rows = tuple(outcomes)
    return variance_of_compared(compare(comparable(group_cells("", rows, {}))), rows)


def variance_of_compared(
    comparisons: Iterable[Comparison], outcomes: Iterable[ConversationResult]
) -> TaskVariance:
    """Return the same as `variance_of`, from comparisons that already exist.

    Pairs of conditions of one agent are used; if there are none, pairs of agents are used. The
    weight of a pair is its number of tasks. The variance of trials within tasks is subtracted from
    the observed variance between tasks; with one trial per task the two cannot be separated.

    Args:
        comparisons: Comparisons of pairs of cells of one suite.
        outcomes: The conversations of this suite; if no pair has two tasks, the variance within
            tasks is computed from them.
    """
    cell_pairs = [each for each in comparisons if len(each.pairs) >= _LEAST_TO_VARY]
    of_conditions = [each for each in cell_pairs if each.a.agent == each.b.agent]
    found = [_estimate_pair_variance(each.pairs) for each in of_conditions or cell_pairs]
    if not found:
        return _within_cells(outcomes)
    count = sum(each.of for each in found)
    return TaskVariance(
        sum(each.of * each.between for each in found) / count,
        sum(each.of * each.within for each in found) / count,
        "stored",
        count,
        max(each.trials for each in found),
    )


def _within_cells(outcomes: Iterable[ConversationResult]) -> TaskVariance:
    cells: dict[object, dict[str, list[Verdict | None]]] = {}
    for row in outcomes:
        tasks = cells.setdefault((row.condition, row.agent), {})
        tasks.setdefault(row.task, []).append(row.reward)
    counts = [each for tasks in cells.values() for each in trial_counts(tasks) if each[0] > 1]
    if not counts:
        return ASSUMED
    within = fmean(_within(won, trials) for trials, won in counts)
    most = max(trials for trials, _ in counts)
    return TaskVariance(ASSUMED.between, within, "stored within tasks", len(counts), most)


def _estimate_pair_variance(pairs: Sequence[TaskPair]) -> TaskVariance:
    seen = variance(
        _rate(pair.b, won_b) - _rate(pair.a, won_a)
        for pair, won_a, won_b in _pairs_with_successes(pairs)
    )
    most = max(max(len(pair.a), len(pair.b)) for pair in pairs)
    sides = [
        (_within(won, len(side)), len(side))
        for pair, won_a, won_b in _pairs_with_successes(pairs)
        for side, won in ((pair.a, won_a), (pair.b, won_b))
        if len(side) > 1
    ]
    if not sides:
        return TaskVariance(seen, 0.0, "stored", len(pairs), most)
    within = fmean(each for each, _ in sides)
    by_chance = 2 * fmean(each / trials for each, trials in sides)
    return TaskVariance(max(seen - by_chance, 0.0), within, "stored", len(pairs), most)


def _pairs_with_successes(pairs: Iterable[TaskPair]) -> Iterable[tuple[TaskPair, int, int]]:
    return ((pair, *pair.successes) for pair in pairs)


def _rate(side: Sequence[float], won: int) -> float:
    return won / len(side)


def _within(won: int, trials: int) -> float:
    """Return the variance of a task's trials, without bias."""
    return won * (trials - won) / (trials * (trials - 1))


def _scaled_drop(drop: float, of_task: float) -> float:
    """Return the drop that is asked for times the root of the number of tasks, but for the step."""
    sure, found = map(NormalDist().inv_cdf, ((1 + LEVEL) / 2, POWER))
    return sure * sqrt(of_task + drop**2) + found * sqrt(of_task)


def _step(tasks: int, trials: int) -> float:
    """Return half of what one success is of the mean difference."""
    return 1 / (2 * trials * tasks)
