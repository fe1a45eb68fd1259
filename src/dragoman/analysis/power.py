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
"""How often a drop that is there is to be found."""

FEWEST_TASKS = 6
"""With fewer the paired test of signs cannot reach 5 %: five tasks that all differ have p 1/16."""

_LEAST_TO_VARY = 2
_HALVINGS = 50
_ROUNDED = 1e-9

SMALL = 0.05
"""The drop of pass^1 of which it is said how many tasks it needs."""


Basis = Literal["stored", "stored within tasks", "assumed"]


class TaskVariance(msgspec.Struct, frozen=True):
    """How much the tasks' differences of pass^1 vary between two conditions.

    Attributes:
        between: The variance between tasks of their true differences.
        within: The variance of one trial of a task, the mean of both conditions; over trials it
            falls.
        basis: Whether both are stored, only `within` is, or both are assumed.
        of: How many tasks what is stored is of, over all couples of conditions.
        trials: The most trials that a task had; with one, `between` holds all of the variance.
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
"""What is assumed where nothing is stored.

Within: the mean of pass^1 - pass^2 over the 153 runs that SEATauBench publishes. Between: true
differences that lie some 22 points apart, as where one task in four loses half of its trials.
"""


class Detectable(msgspec.Struct, frozen=True):
    """What planned tasks and trials can show.

    Attributes:
        suite: The suite.
        tasks: How many tasks.
        trials: How many trials each has.
        drop: The smallest drop of pass^1 (0 to 1) that is found in 80 % of runs; None where none
            is.
        tasks_for_small: How many tasks a drop of 5 points would need with as many trials.
        variance: Of what this follows.
    """

    suite: str
    tasks: int
    trials: int
    drop: float | None
    tasks_for_small: int
    variance: TaskVariance


def detectable(suite: str, tasks: int, trials: int, variance: TaskVariance) -> Detectable:
    """Return what so many tasks and trials can show.

    Args:
        suite: The suite.
        tasks: How many tasks, the same in both conditions; at least 1.
        trials: How many trials of each; at least 1.
        variance: How much tasks differ.
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
    """Return with how many tasks a drop of pass^1 is found in 80 % of runs.

    Args:
        drop: The drop, above 0.
        trials: How many trials each task has.
        variance: How much tasks differ.
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
    """Return the same where cells have been compared already.

    Couples of conditions of one agent are asked, and only where there are none couples of agents;
    each weighs by its tasks. What trials vary within tasks is taken off what is seen between them;
    where every task has one trial that cannot be told apart.

    Args:
        comparisons: Couples of cells of one suite.
        outcomes: The conversations of this suite: where no couple has two tasks, they say what
            trials vary within tasks.
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
