"""The columns by which frames of one run are joined."""

from collections.abc import Sequence

import polars as pl

from dragoman.core.conditions import axis_names, axis_values
from dragoman.store.run_store import StoredCell

Columns = dict[str, pl.DataType]

CONVERSATION: Columns = {
    "suite": pl.String(),
    "condition": pl.String(),
    "agent": pl.String(),
    "task": pl.String(),
    "trial": pl.Int64(),
    "key": pl.String(),
    "attempt": pl.Int64(),
}
"""What every frame begins with that tells of single conversations: `key` names one planned
conversation, `attempt` counts from 0 how often it was played anew."""


def with_axes(columns: Columns, names: Sequence[str]) -> Columns:
    """Return the columns of a frame with one for each axis behind the condition."""
    place = list(columns).index("condition") + 1
    pairs = list(columns.items())
    return dict([*pairs[:place], *((name, pl.String()) for name in names), *pairs[place:]])


class PlanFrame:
    """The planned conversations of a run, whose columns rows of other frames are given.

    Args:
        cells: The plan.
        attempts: By key the attempt that counts; those without were not played.
    """

    def __init__(self, cells: Sequence[StoredCell], attempts: dict[str, int]) -> None:
        self.cells = cells
        self.places = {cell.key: place for place, cell in enumerate(cells)}
        self.axes = axis_names(cell.condition for cell in cells)
        self._frame = self._made(attempts)

    def _made(self, attempts: dict[str, int]) -> pl.DataFrame:
        by_condition = {
            cell.condition: (cell.condition.label, *axis_values(cell.condition, self.axes).values())
            for cell in self.cells
        }
        rows = [
            (
                *(cell.suite, *by_condition[cell.condition], cell.agent, cell.task, cell.trial),
                *(cell.key, attempts.get(cell.key)),
            )
            for cell in self.cells
        ]
        return columnar(rows, with_axes(CONVERSATION, self.axes))

    def framed(self, rows: Sequence[tuple[object, ...]], columns: Columns) -> pl.DataFrame:
        """Return rows as a frame, with the columns of their conversations before their own.

        Args:
            rows: Each with the place of its conversation in the plan before its values.
            columns: What the values are.
        """
        own = columnar(rows, {"place": pl.Int64(), **columns})
        return self._frame[own["place"]].hstack(own.drop("place"))


def columnar(rows: Sequence[tuple[object, ...]], columns: Columns) -> pl.DataFrame:
    """Return rows as a frame; column by column, which takes a fraction of the time."""
    values = zip(*rows, strict=True) if rows else ([] for _ in columns)
    return pl.DataFrame(dict(zip(columns, map(list, values), strict=True)), schema=columns)
