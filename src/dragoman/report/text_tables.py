"""Tables as text that fit the width of a terminal, and tables with grouped columns."""

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from dragoman.analysis.intervals import Interval
from dragoman.core.texts.characters import escape_controls

if TYPE_CHECKING:
    from rich.console import Console


_GAP = "  "

_ARROW = "-> "
"""Prefix of the second line of a cell that names two things."""


class TextTable(msgspec.Struct, frozen=True):
    """A table of texts; a cell may have several lines.

    Attributes:
        headings: The headings of the columns.
        rows: Its cells, as many in each row as there are headings.
        title: The text above it.
        note: The text below it.
        numbers: The headings of columns that are aligned on the right.
        is_spaced: Whether an empty line follows each row.
        keys: The number of first columns that name the subject of a row. They are repeated in each
            part of a table that is too wide; 0 for a table that is not parted.
    """

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    note: str = ""
    numbers: frozenset[str] = frozenset()
    is_spaced: bool = False
    keys: int = 0


def print_table(table: TextTable, console: "Console | None" = None) -> None:
    """Print a table with an empty line before it, on standard output by default."""
    from rich.console import Console
    from rich.text import Text

    console = console or Console()
    for line in ("", *lines(table, console.width)):
        console.print(Text(line), soft_wrap=True)


def lines(table: TextTable, width: int) -> list[str]:
    """Return the lines of a table; none is wider than `width`, except for a word that is."""
    rows = [[escape_controls(cell).split("\n") for cell in row] for row in table.rows]
    fitting = (grid for grid in _grids(table, rows) if _widest(grid) <= width)
    body = next(fitting, None)
    if body is None:
        body = _fit_to_width(table, rows, width)
    while body and not body[-1]:
        body.pop()
    note = ["", *_wrap_text(table.note, width)] if table.note else []
    return [*_wrap_text(table.title, width), *body, *note]


Row = Sequence[Sequence[str]]
"""The lines of each cell of a row."""


def _fit_to_width(table: TextTable, rows: Sequence[Row], width: int) -> list[str]:
    """Return a table that is too wide, in parts or row by row."""
    blocks = list(_blocks(table.headings, rows, width))
    parts = _parts(table, rows, width) if table.keys else []
    return parts if parts and len(parts) < len(blocks) else blocks


def _parts(table: TextTable, rows: Sequence[Row], width: int) -> list[str]:
    """Return a table as several tables with some of its columns each.

    The result is empty if one column has no room.
    """
    keys = table.keys
    made: list[str] = []
    shown: list[str] = []
    columns = list(range(keys))
    for at in range(keys, len(table.headings)):
        wider = _with_columns(table, rows, [*columns, at], width)
        if not wider:
            made += [*shown, ""] if shown and shown[-1] else shown
            columns = list(range(keys))
            wider = _with_columns(table, rows, [*columns, at], width)
        if not wider:
            return []
        columns.append(at)
        shown = wider
    return [*made, *shown]


def _with_columns(
    table: TextTable, rows: Sequence[Row], columns: Sequence[int], width: int
) -> list[str]:
    """Return some columns of a table; empty if they have no room."""
    headings = tuple(table.headings[at] for at in columns)
    some = msgspec.structs.replace(table, headings=headings)
    chosen = [[row[at] for at in columns] for row in rows]
    return next((grid for grid in _grids(some, chosen) if _widest(grid) <= width), [])


def _grids(table: TextTable, rows: Sequence[Row]) -> Iterator[list[str]]:
    """Yield the table in columns: as it is, and with its headings on several lines."""
    yield _grid(table, [[heading] for heading in table.headings], rows)
    columns = zip(*rows, strict=True) if rows else ([] for _ in table.headings)
    narrow = [
        textwrap.wrap(heading, max(_widths(heading.split(), *cells)), break_long_words=False)
        or [""]
        for heading, cells in zip(table.headings, columns, strict=True)
    ]
    yield _grid(table, narrow, rows)


def _grid(table: TextTable, headings: Row, rows: Sequence[Row]) -> list[str]:
    widths = [max(_widths(*column)) for column in zip(headings, *rows, strict=True)]
    is_number = [heading in table.numbers for heading in table.headings]
    body = list(_row(headings, widths, is_number))
    body.append("─" * (sum(widths) + len(_GAP) * (len(widths) - 1)))
    for row in rows:
        body += _row(row, widths, is_number)
        if table.is_spaced:
            body.append("")
    return body


def _row(row: Row, widths: Sequence[int], is_number: Sequence[bool]) -> Iterator[str]:
    for at in range(max(map(len, row))):
        cells = [cell[at] if at < len(cell) else "" for cell in row]
        padded = map(_pad_text, cells, widths, is_number)
        yield _GAP.join(padded).rstrip()


def _blocks(headings: Sequence[str], rows: Sequence[Row], width: int) -> Iterator[str]:
    """Yield every row as a block of lines.

    Each cell has one line, or more if one line has no room.
    """
    label = max(map(_width, headings))
    for row in rows:
        for heading, cell in zip(headings, row, strict=True):
            room = width - label - len(_GAP)
            joined = cell[0] + "".join(map(_joined, cell[1:]))
            parts = [joined] if _width(joined) <= room else cell
            texts = [text for part in parts for text in _wrap_text(part, room)]
            for at, text in enumerate(texts):
                yield f"{_pad_text(heading if at == 0 else '', label)}{_GAP}{text}"
        yield ""


def _joined(text: str) -> str:
    """Return a further line of a cell as it continues the first; an interval needs no comma."""
    return f" {text}" if text.startswith((_ARROW, "[")) else f", {text}"


def _wrap_text(text: str, width: int) -> list[str]:
    """Return a text in lines of whole words."""
    return textwrap.wrap(
        escape_controls(text), max(width, 1), break_long_words=False, break_on_hyphens=False
    )


def _pad_text(text: str, width: int, is_number: bool = False) -> str:
    blank = " " * (width - _width(text))
    return blank + text if is_number else text + blank


def _widest(texts: Sequence[str]) -> int:
    return max(map(_width, texts), default=0)


def _widths(*cells: Sequence[str]) -> Iterator[int]:
    return (_width(text) for cell in cells for text in cell)


def _width(text: str) -> int:
    """Return how many columns of a terminal a text takes; East Asian letters take two."""
    from rich.cells import cell_len

    return cell_len(text)


BEST = " *"
"""Mark of the best value of a row, if text cannot be bold."""


class GroupedTable(msgspec.Struct, frozen=True):
    """A table of texts under headings of several levels; a cell may have several lines.

    Attributes:
        title: The text above it.
        keys: The headings of the first columns, which say what a row is of.
        columns: Of every further column its headings, the widest group first; all as many.
        rows: Its cells, as many in each row as there are keys and columns.
        note: The text below it.
        best: Cells that are set off as the best of their group, by row and column from 0.
    """

    title: str
    keys: tuple[str, ...]
    columns: tuple[tuple[str, ...], ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    best: frozenset[tuple[int, int]] = frozenset()

    @property
    def levels(self) -> tuple[tuple[tuple[str, int], ...], ...]:
        """The headings of each level, with the number of columns that each spans."""
        depth = len(self.columns[0]) if self.columns else 0
        return tuple(self._level(at) for at in range(depth))

    def flat(self) -> TextTable:
        """Return the table with one heading for each column.

        Headings that all columns share are omitted.
        """
        depth = len(self.columns[0]) if self.columns else 0
        telling = [at for at in range(depth) if len({column[at] for column in self.columns}) > 1]
        kept = telling or list(range(depth))
        headings = (", ".join(column[at] for at in kept if column[at]) for column in self.columns)
        rows = (
            tuple(_mark_best(text, (row, at) in self.best) for at, text in enumerate(cells))
            for row, cells in enumerate(self.rows)
        )
        return TextTable(
            (*self.keys, *headings), tuple(rows), self.title, self.note, keys=len(self.keys)
        )

    def _level(self, at: int) -> tuple[tuple[str, int], ...]:
        """Return runs of columns that share this heading and all above it."""
        found: list[tuple[tuple[str, ...], int]] = []
        for column in self.columns:
            path = column[: at + 1]
            if found and found[-1][0] == path:
                found[-1] = (path, found[-1][1] + 1)
            else:
                found.append((path, 1))
        return tuple((path[-1], width) for path, width in found)


def _mark_best(text: str, is_best: bool) -> str:
    first, *rest = text.split("\n")
    return "\n".join((first + BEST, *rest)) if is_best else text


NOTHING = "-"
"""A cell without a figure."""


class Estimate(msgspec.Struct, frozen=True):
    """A figure with its 95 % interval.

    Attributes:
        value: The figure; None where there is none.
        interval: Its interval; None where there is none.
        tasks: The number of tasks behind it.
        bounds: The figure with all tasks without a result counted as failed, and as passed; None
            for a missing cell.
        shows_bounds: Whether a text shows the bounds in addition to the figure. Without a figure
            they are always shown.
        stored: The stored values of the cell, by the column that `cells.csv` has for each; empty
            for a missing cell.
    """

    value: float | None = None
    interval: Interval | None = None
    tasks: int = 0
    bounds: Interval | None = None
    shows_bounds: bool = False
    stored: dict[str, str | int] = {}

    @property
    def shown_bounds(self) -> Interval | None:
        """The bounds that a text shows; None for none."""
        return self.bounds if self.value is None or self.shows_bounds else None


class PaperTable(msgspec.Struct, frozen=True):
    """A table of estimates.

    Attributes:
        caption: The caption, without a number.
        keys: The headings of the first columns, which say what a row is of.
        columns: Of every further column its headings, the widest group first; all as many.
        rows: By row its keys, then its cells: an estimate, or a text such as a number of tasks.
        note: The text below it.
        best: Cells that are set off as the best of their group, by row and column from 0.
        level_names: The name of each level of headings, such as `language`; empty without names.
    """

    caption: str
    keys: tuple[str, ...]
    columns: tuple[tuple[str, ...], ...]
    rows: tuple[tuple[str | Estimate, ...], ...]
    note: str = ""
    best: frozenset[tuple[int, int]] = frozenset()
    level_names: tuple[str, ...] = ()

    def with_texts(self, *, stacked: bool | None = None, is_narrow: bool = False) -> GroupedTable:
        """Return the table with its estimates as texts.

        Args:
            stacked: Whether an interval stands below its figure; None where there are more than
                three figures in a row.
            is_narrow: Whether an interval has a line for each end.
        """
        figures = max(
            (sum(isinstance(each, Estimate) for each in row) for row in self.rows), default=0
        )
        below = figures > _BESIDE if stacked is None else stacked
        breaks = ("\n", "\n") if is_narrow else ("\n" if below else " ", " ")
        rows = tuple(
            tuple(_text(cell, *breaks) if isinstance(cell, Estimate) else cell for cell in row)
            for row in self.rows
        )
        # The caption says what all columns share, such as pass^1.
        depth = len(self.columns[0]) if self.columns else 0
        telling = [at for at in range(depth) if len({each[at] for each in self.columns}) > 1]
        columns = tuple(tuple(each[at] for at in telling) for each in self.columns)
        shown = columns if telling else self.columns
        return GroupedTable(self.caption, self.keys, shown, rows, self.note, self.best)


_BESIDE = 3
"""The number of figures in a row that have room for their intervals on the same line."""


def _text(found: Estimate, before: str, between: str) -> str:
    """Return an estimate as text.

    Args:
        found: The estimate.
        before: The separator of the figure and its interval.
        between: The separator of the ends of the interval.
    """
    bounds, value = found.shown_bounds, ""
    if found.value is not None:
        value = f"{found.value:.3f}"
        if found.interval is not None:
            low, high = found.interval.low, found.interval.high
            value += f"{before}[{low:.3f},{between}{high:.3f}]"
    limits = "" if bounds is None else f"{bounds.low:.3f} to{between}{bounds.high:.3f}"
    return "\n".join(filter(None, (value, limits))) or NOTHING
