"""Groups of cells by axis, such as language or scenario: pass^1, usage and cost.

A task counts once in a group: by the mean over the group's cells of its pass^1 there, and only
where each of them has one (`dragoman.analysis.pass_hat`), so that no axis is favoured by what is
missing. A group of one cell has that cell's pass^1. The task is the unit that is drawn.
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
    """Return a task's pass^1, the mean over cells; None where one of them has none."""
    played = [played_rewards(row) for row in trials]
    if not all(played):
        return None
    return sum(sum(map(is_success, row)) / len(row) for row in played) / len(played)


class AxisLedger(msgspec.Struct, frozen=True):
    """What the cells that share values used.

    Attributes:
        values: What they share: a value on each axis asked for.
        conversations: How many conversations were played in them.
        lines: What each purpose used of each model.
        successes: How many of them earned all; None where one has no verdict.
    """

    values: Mapping[str, str]
    conversations: int
    lines: tuple[LedgerLine, ...]
    successes: int | None = None

    @property
    def cost(self) -> Cost | None:
        """What all of it costs; None where it is empty or one part is not known."""
        return ledger_cost(self.lines)

    @property
    def cost_per_conversation(self) -> Cost | None:
        """What a conversation costs on average; None where there is none or a part is not known."""
        return _cost_per_item(self.cost, self.conversations)

    @property
    def cost_per_success(self) -> Cost | None:
        """The cost of a success, which includes the cost of the failures.

        None if there are no successes or the cost is not known.
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
