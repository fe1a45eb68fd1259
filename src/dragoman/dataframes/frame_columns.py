"""Columns that the data frames of a run share: keys for joins, and usage of a model."""

from collections.abc import Iterable, Sequence

import msgspec
import polars as pl

from dragoman.analysis.cell_summary import LedgerLine
from dragoman.core.conditions import axis_names, axis_values
from dragoman.store.run_plan import StoredCell

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
"""First columns of every frame about single conversations.

`key` names one planned conversation, `attempt` counts its repetitions from 0.
"""


def with_axes(columns: Columns, names: Sequence[str]) -> Columns:
    """Return the columns of a frame with one for each axis behind the condition."""
    place = list(columns).index("condition") + 1
    pairs = list(columns.items())
    return dict([*pairs[:place], *((name, pl.String()) for name in names), *pairs[place:]])


_ROWS_OF_PART = 20_000
"""Rows that become a part of a frame together."""


class PlanFrame:
    """The planned conversations of a run; their columns are added to rows of other frames.

    Args:
        cells: The plan.
        attempts: The counted attempt by key; conversations without one were not played.
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
        return frame_of_rows(rows, with_axes(CONVERSATION, self.axes))

    def framed(self, rows: Sequence[tuple[object, ...]], columns: Columns) -> pl.DataFrame:
        """Return rows as a frame, with the columns of their conversations before their own.

        Args:
            rows: Rows, each with the place of its conversation in the plan before its values.
            columns: The columns of the values.
        """
        own = frame_of_rows(rows, {"place": pl.Int64(), **columns})
        return self._frame[own["place"]].hstack(own.drop("place"))


class GrowingFrame:
    """A frame of conversations that is built in parts, so that few rows are Python objects at once.

    Args:
        plan: The columns of the conversations.
        columns: The columns of the values.
    """

    def __init__(self, plan: PlanFrame, columns: Columns) -> None:
        self._plan, self._columns = plan, columns
        self._rows: list[tuple[object, ...]] = []
        self._parts: list[pl.DataFrame] = []

    def extend(self, rows: Iterable[tuple[object, ...]]) -> None:
        """Add rows, each with the place of its conversation in the plan before its values."""
        self._rows.extend(rows)
        if len(self._rows) >= _ROWS_OF_PART:
            self._parts.append(self._plan.framed(self._rows, self._columns))
            self._rows = []

    def finished(self) -> pl.DataFrame:
        """Return the frame of all rows."""
        return pl.concat([*self._parts, self._plan.framed(self._rows, self._columns)])


def frame_of_rows(rows: Sequence[tuple[object, ...]], columns: Columns) -> pl.DataFrame:
    """Return rows as a frame; column by column, which takes a fraction of the time."""
    values = zip(*rows, strict=True) if rows else ([] for _ in columns)
    return pl.DataFrame(dict(zip(columns, map(list, values), strict=True)), schema=columns)


USAGE_COLUMNS: Columns = {
    "purpose": pl.String(),
    "model": pl.String(),
    "calls": pl.Int64(),
    "replayed": pl.Int64(),
    "input_tokens": pl.Int64(),
    "output_tokens": pl.Int64(),
    "cached_tokens": pl.Int64(),
    "reasoning_tokens": pl.Int64(),
    "audio_seconds": pl.Float64(),
    "characters": pl.Int64(),
    "faults": pl.Int64(),
    "seconds": pl.Float64(),
    "cost_usd": pl.Float64(),
    "paid_usd": pl.Float64(),
}
"""Unknown is null."""


def usage_row(line: LedgerLine) -> dict[str, object]:
    """Return a line of a ledger by column."""
    values = {
        **msgspec.structs.asdict(line.usage),
        "faults": sum(line.usage.faults.values()),
        "cost_usd": None if line.cost is None else float(line.cost.nominal),
        "paid_usd": None if line.cost is None else float(line.cost.paid),
    }
    return {name: values[name] for name in USAGE_COLUMNS}
