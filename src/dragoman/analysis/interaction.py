"""The interaction of two conditions: what both cost together beyond what each costs alone.

A difference of differences, task by task: (both - first) - (second - neither). Below 0 both together
cost more than the sum of each; above 0 what one loses the other can no longer lose.
"""

from collections.abc import Mapping

import msgspec

from dragoman.analysis.intervals import Interval, clustered_interval

TaskMeans = Mapping[str, float]
"""The mean score over the trials of each task, 0 to 1."""


class InteractionEffect(msgspec.Struct, frozen=True):
    """An interaction, with how many tasks it rests on.

    Attributes:
        value: From -2 to 2; None where no task was finished in all four cells.
        interval: 95 %, by bootstrap over tasks; None where all tasks agree, which proves nothing.
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
