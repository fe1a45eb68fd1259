"""Groups of cells by axis, such as language or scenario: pass^1, usage and cost.

A task counts once in a group, with the mean of its pass^1 over the group's cells. It counts only if
each of these cells has a pass^1 of the task (`dragoman.analysis.pass_hat`), so that missing results
favour no axis. A group of one cell has the pass^1 of that cell. Tasks are the resampling unit.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from dragoman.analysis.cell_summary import (
    CellSummary,
    ConversationResult,
    LedgerLine,
    ledger_cost,
    merge_ledgers,
)
from dragoman.analysis.intervals import Interval, clustered_interval
from dragoman.analysis.pass_hat import persona_shown, played_rewards
from dragoman.core.conditions import Condition
from dragoman.core.costs import Cost
from dragoman.core.scores import Verdict, is_success

AGENT = "agent"
"""Stands among axes for who plays."""

PERSONA = "persona"
"""The axis on which tasks may state a value of their own."""


class Group(msgspec.Struct, frozen=True):
    """A group of cells of a suite that share values.

    Attributes:
        suite: The suite.
        values: The shared values: one on each requested axis.
        cells: Number of cells in the group.
        tasks: Number of tasks that the figure is computed from.
        left_out: Number of excluded tasks: in a cell no trial was played, or a trial was not
            decided.
        value: The mean of pass^1; None if every task is excluded.
        interval: Its 95 % interval over tasks.
        assumed: Whether assumed verdicts are included.
    """

    suite: str
    values: Mapping[str, str]
    cells: int
    tasks: int
    left_out: int
    value: float | None
    interval: Interval | None
    assumed: bool = False


def by_axes(outcomes: Iterable[ConversationResult], axes: Sequence[str]) -> tuple[Group, ...]:
    """Return the figures of conversations by these axes, in the order of first appearance.

    Args:
        outcomes: Conversations, those too that are missing.
        axes: Names of axes, and `agent`.
    """
    groups: dict[tuple[str, ...], list[ConversationResult]] = {}
    for row in outcomes:
        shared = tuple(_value(row, axis) for axis in axes)
        groups.setdefault((row.suite, *shared), []).append(row)
    return tuple(
        _group(suite, dict(zip(axes, shared, strict=True)), rows)
        for (suite, *shared), rows in groups.items()
    )


def _value(row: ConversationResult, axis: str) -> str:
    if axis == AGENT:
        return row.agent
    if axis == PERSONA:
        return persona_shown(row.condition, row.task)
    return row.condition.shown(axis)


def _group(suite: str, values: dict[str, str], rows: Sequence[ConversationResult]) -> Group:
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
    """Return a task's pass^1, the mean over cells; None if one of them has none."""
    played = [played_rewards(row) for row in trials]
    if not all(played):
        return None
    return sum(sum(map(is_success, row)) / len(row) for row in played) / len(played)


class AxisLedger(msgspec.Struct, frozen=True):
    """Usage of the cells that share values.

    Attributes:
        values: The shared values: one on each requested axis.
        conversations: Number of conversations that were played in the cells.
        lines: Usage of each model for each purpose.
        successes: Number of conversations with the full reward; None if the number of a cell is
            not known.
    """

    values: Mapping[str, str]
    conversations: int
    lines: tuple[LedgerLine, ...]
    successes: int | None = None

    @property
    def cost(self) -> Cost | None:
        """Cost of all usage; None without usage, or if the cost of a part is not known."""
        return ledger_cost(self.lines)

    @property
    def cost_per_conversation(self) -> Cost | None:
        """Mean cost of a conversation; None without a conversation or if a part is not known."""
        return _cost_per_item(self.cost, self.conversations)

    @property
    def cost_per_success(self) -> Cost | None:
        """Cost per success; it includes the cost of the failures.

        None without a success, or if the cost is not known.
        """
        return _cost_per_item(self.cost, self.successes)


def ledgers_by(
    cells: Iterable[CellSummary], axes: Sequence[str], purposes: Sequence[str] = ()
) -> tuple[AxisLedger, ...]:
    """Add ledgers up by axes, in the order of first appearance.

    Args:
        cells: The cells, of several runs too.
        axes: Names of axes, and `agent`.
        purposes: Only what was used for these; all where none is named.
    """
    groups: dict[tuple[str, ...], list[CellSummary]] = {}
    for cell in cells:
        shared = tuple(cell.agent if axis == AGENT else cell.condition.shown(axis) for axis in axes)
        groups.setdefault(shared, []).append(cell)
    return tuple(
        AxisLedger(
            dict(zip(axes, shared, strict=True)),
            sum(cell.episodes for cell in members),
            merge_ledgers(
                line
                for cell in members
                for line in cell.ledger
                if not purposes or line.usage.purpose in purposes
            ),
            _all_successes(members),
        )
        for shared, members in groups.items()
    )


def _all_successes(cells: Sequence[CellSummary]) -> int | None:
    known = [cell.successes for cell in cells if cell.successes is not None]
    return sum(known) if len(known) == len(cells) else None


def _cost_per_item(cost: Cost | None, count: int | None) -> Cost | None:
    return Cost(cost.nominal / count, cost.paid / count) if cost and count else None
