"""pass^1 by axis: cells that share the values asked for are one group, whatever else they differ in.

A task counts once in a group: by the mean over the group's cells of its pass^1 there, and only where
each of them has one (`dragoman.analysis.pass_hat`), so that no axis is favoured by what is missing. A
group of one cell has that cell's pass^1. The task is the unit that is drawn.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from dragoman.analysis.cells import Outcome
from dragoman.analysis.intervals import Interval, clustered_interval
from dragoman.analysis.pass_hat import played_rewards
from dragoman.analysis.stated_personas import persona_shown
from dragoman.core.conditions import Condition
from dragoman.core.scores import Verdict, is_success

AGENT = "agent"
"""Stands among axes for who plays."""

PERSONA = "persona"
"""The axis on which tasks may state a value of their own."""


class Group(msgspec.Struct, frozen=True):
    """The cells of a suite that share values.

    Attributes:
        suite: The suite.
        values: What they share: a value on each axis asked for.
        cells: How many cells these are.
        tasks: How many tasks entered the figure.
        left_out: How many did not: in a cell no trial was played, or one was not decided.
        value: The mean of pass^1; None where no task entered.
        interval: Its 95 % interval over tasks.
        assumed: Whether verdicts that were assumed take part.
    """

    suite: str
    values: Mapping[str, str]
    cells: int
    tasks: int
    left_out: int
    value: float | None
    interval: Interval | None
    assumed: bool = False


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
    if axis == AGENT:
        return row.agent
    if axis == PERSONA:
        return persona_shown(row.condition, row.task)
    return row.condition.shown(axis)


def _group(suite: str, values: dict[str, str], rows: Sequence[Outcome]) -> Group:
    cells: dict[tuple[Condition, str], None] = {}
    tasks: dict[str, dict[tuple[Condition, str], list[Verdict | None]]] = {}
    for row in rows:
        cell = row.condition, row.agent
        cells[cell] = None
        tasks.setdefault(row.task, {}).setdefault(cell, []).append(row.reward)
    means = (_mean_over_cells(trials.values()) for trials in tasks.values())
    figures = [mean for mean in means if mean is not None]
    return Group(
        suite,
        values,
        len(cells),
        len(figures),
        len(tasks) - len(figures),
        sum(figures) / len(figures) if figures else None,
        clustered_interval(figures) if figures else None,
        any(row.score is not None and row.score.assumed for row in rows),
    )


def _mean_over_cells(trials: Iterable[Sequence[Verdict | None]]) -> float | None:
    """Return a task's pass^1, the mean over cells; None where one of them has none."""
    played = [played_rewards(row) for row in trials]
    if not all(played):
        return None
    return sum(sum(map(is_success, row)) / len(row) for row in played) / len(played)
