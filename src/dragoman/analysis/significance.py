"""Significance of paired differences: paired permutation test, Holm correction, interactions.

The interaction of two conditions is a difference of differences, task by task: (both - first) -
(second - neither). Below 0 both together cost more than the sum of each; above 0 what one loses
the other can no longer lose.
"""

import sys
from collections.abc import Mapping, Sequence
from math import gcd

import msgspec

from dragoman.analysis.intervals import Interval, clustered_interval


def sign_flip_p(differences: Sequence[int]) -> float:
    """Return the two-sided p of the sign-flip test; 1 where no task differs.

    A p below the smallest number that a float holds is given as that number, never as 0.
    """
    import numpy as np

    unit = gcd(*differences)
    if unit == 0:
        return 1.0
    steps = [abs(value) // unit for value in differences if value]
    most = sum(steps)
    # chances[most + s] is the probability of the sum s, over the tasks that were taken in so far.
    chances = np.zeros(2 * most + 1)
    chances[most] = 1.0
    for step in steps:
        flipped = np.zeros_like(chances)
        flipped[step:] += chances[:-step] / 2
        flipped[:-step] += chances[step:] / 2
        chances = flipped
    seen = abs(sum(differences)) // unit
    if seen == 0:
        return 1.0
    return min(max(2 * float(chances[most + seen :].sum()), sys.float_info.min), 1.0)


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return p-values corrected for their number by Holm's step-down method, in the same order."""
    adjusted = [1.0] * len(p_values)
    highest = 0.0
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return tuple(adjusted)


TaskMeans = Mapping[str, float]
"""The mean score over the trials of each task, 0 to 1."""


class InteractionEffect(msgspec.Struct, frozen=True):
    """An interaction, with how many tasks it rests on.

    Attributes:
        value: From -2 to 2; None if no task was finished in all four cells.
        interval: 95 %, by bootstrap over tasks; None if all tasks agree, which proves nothing.
        tasks: Tasks that were decided in all four cells.
    """

    value: float | None
    interval: Interval | None
    tasks: int


def interaction(
    neither: TaskMeans, first: TaskMeans, second: TaskMeans, both: TaskMeans
) -> InteractionEffect:
    """Return the interaction of two conditions over the tasks that all four cells decided.

    Args:
        neither: Scores without both conditions, by task.
        first: Scores with the first alone.
        second: Scores with the second alone.
        both: Scores with both.
    """
    tasks = sorted(neither.keys() & first.keys() & second.keys() & both.keys())
    values = [(both[t] - first[t]) - (second[t] - neither[t]) for t in tasks]
    if not values:
        return InteractionEffect(None, None, 0)
    value = sum(values) / len(values)
    if min(values) == max(values):
        return InteractionEffect(value, None, len(values))
    return InteractionEffect(value, clustered_interval(values), len(values))
