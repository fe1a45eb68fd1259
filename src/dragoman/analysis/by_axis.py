"""pass^1 by axis: cells that share the values asked for are one group, whatever else they differ in.

A task counts once in a group: by the mean of its rewards in all of the group's cells, and only where
every one of them is decided, so that no axis is favoured by what is missing. The task is the unit that
is drawn.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from dragoman.analysis.cells import Outcome
from dragoman.analysis.intervals import Interval, clustered_interval
from dragoman.analysis.pass_hat import is_success
from dragoman.core.conditions import Condition
from dragoman.core.keys import content_key, derive_seed
from dragoman.core.scores import Scored

AGENT = "agent"
"""Stands among axes for who plays."""


class Group(msgspec.Struct, frozen=True):
    """The cells of a suite that share values.

    Attributes:
        suite: The suite.
        values: What they share: a value on each axis asked for.
        cells: How many cells these are.
        tasks: How many tasks entered the figure.
        left_out: How many did not, since a conversation on them is missing or not decided.
        value: The mean of pass^1; None where no task entered.
        interval: Its 95 % interval over tasks.
    """

    suite: str
    values: Mapping[str, str]
    cells: int
    tasks: int
    left_out: int
    value: float | None
    interval: Interval | None


def by_axes(outcomes: Iterable[Outcome], axes: Sequence[str]) -> tuple[Group, ...]:
    """Return the figures of conversations by these axes, in the order of first appearance.

    Args:
        outcomes: Conversations, those too that are missing.
        axes: Names of axes, and `agent`.
    """
    groups: dict[tuple[str, ...], list[Outcome]] = {}
    for row in outcomes:
        shared = tuple(_value(row, axis) for axis in axes)
        groups.setdefault((row.suite, *shared), []).append(row)
    return tuple(
        _group(suite, dict(zip(axes, shared, strict=True)), rows)
        for (suite, *shared), rows in groups.items()
    )


def _value(row: Outcome, axis: str) -> str:
    return row.agent if axis == AGENT else row.condition.axis(axis)


def _group(suite: str, values: dict[str, str], rows: Sequence[Outcome]) -> Group:
    cells: dict[tuple[Condition, str], None] = {}
    tasks: dict[str, list[float | None]] = {}
    for row in rows:
        cells[row.condition, row.agent] = None
        tasks.setdefault(row.task, []).append(_success(row))
    means = {
        task: sum(known) / len(known)
        for task, found in tasks.items()
        if len(known := [value for value in found if value is not None]) == len(found)
    }
    seed = derive_seed(content_key(suite, values), "by axis")
    figures = list(means.values())
    return Group(
        suite,
        values,
        len(cells),
        len(figures),
        len(tasks) - len(figures),
        sum(figures) / len(figures) if figures else None,
        clustered_interval(figures, seed) if figures else None,
    )


def _success(row: Outcome) -> float | None:
    if not isinstance(row.reward, Scored) or row.reward.undecided:
        return None
    return float(is_success(row.reward.value))
