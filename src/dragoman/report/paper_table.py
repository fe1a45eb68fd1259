"""Tables for papers: estimates by keys and columns, before any format is chosen.

Every cell of a figure holds the estimate with its interval and number of tasks. What prints it,
in a terminal or by a renderer of `table_markup`, gets texts; CSV and JSON get the numbers.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from dragoman.analysis.intervals import Interval
from dragoman.report.table_markup import NOTHING
from dragoman.report.text_tables import GroupedTable, TextTable

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a text begins that a spreadsheet program would take for a formula."""


class Estimate(msgspec.Struct, frozen=True):
    """A figure with its 95 % interval.

    Attributes:
        value: The figure; None where there is none.
        interval: Its interval; None where there is none.
        tasks: How many tasks entered it.
    """

    value: float | None = None
    interval: Interval | None = None
    tasks: int = 0


class PaperTable(msgspec.Struct, frozen=True):
    """A table of estimates.

    Attributes:
        caption: What it shows, without a number.
        keys: The headings of the first columns, which say what a row is of.
        columns: Of every further column its headings, the widest group first; all as many.
        rows: By row its keys, then its cells: an estimate, or a text such as a number of tasks.
        note: What stands below it.
    """

    caption: str
    keys: tuple[str, ...]
    columns: tuple[tuple[str, ...], ...]
    rows: tuple[tuple[str | Estimate, ...], ...]
    note: str = ""

    def with_texts(self, *, stacked: bool | None = None) -> GroupedTable:
        """Return the table with its estimates as texts.

        Args:
            stacked: Whether an interval stands below its figure; None where there are more than
                three figures in a row.
        """
        figures = max(
            (sum(isinstance(each, Estimate) for each in row) for row in self.rows), default=0
        )
        below = figures > _BESIDE if stacked is None else stacked
        rows = tuple(
            tuple(_text(cell, below) if isinstance(cell, Estimate) else cell for cell in row)
            for row in self.rows
        )
        return GroupedTable(self.caption, self.keys, self.columns, rows, self.note)


_BESIDE = 3
"""So many figures of a row have room for their intervals beside them."""


def _text(found: Estimate, below: bool) -> str:
    if found.value is None:
        return NOTHING
    value = f"{found.value:.3f}"
    if found.interval is None:
        return value
    between = "\n" if below else " "
    return f"{value}{between}[{found.interval.low:.3f}, {found.interval.high:.3f}]"


def csv_table(table: PaperTable) -> str:
    """Return a table as CSV, a row for each figure: its keys, headings, value, interval and tasks.

    Columns without estimates are left out: each estimate has its own number of tasks.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    levels = _level_names(table.columns)
    writer.writerow([*table.keys, *levels, "value", "low", "high", "tasks"])
    writer.writerows(_csv_rows(table))
    return out.getvalue()


def csv_texts(tables: Iterable[TextTable]) -> str:
    """Return tables of texts as CSV, one below another with an empty line between them."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for number, table in enumerate(tables):
        if number:
            out.write("\n")
        writer.writerow(table.headings)
        writer.writerows([_plain(cell) for cell in row] for row in table.rows)
    return out.getvalue()


def _level_names(columns: Sequence[Sequence[str]]) -> list[str]:
    depth = len(columns[0]) if columns else 0
    return [*(f"group {at}" if at > 1 else "group" for at in range(1, depth)), "figure"]


def _csv_rows(table: PaperTable) -> Iterator[list[str | int | float]]:
    for row in table.rows:
        keys = [_plain(str(key)) for key in row[: len(table.keys)]]
        for column, cell in zip(table.columns, row[len(table.keys) :], strict=True):
            if isinstance(cell, Estimate):
                ends = (
                    ("", "") if cell.interval is None else (cell.interval.low, cell.interval.high)
                )
                value = "" if cell.value is None else cell.value
                yield [*keys, *map(_plain, column), value, *ends, cell.tasks]


def _plain(text: str) -> str:
    """Return a text that no spreadsheet program takes for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text
