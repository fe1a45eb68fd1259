"""Specifications of figures: data points, units and the kind of chart, ready to draw or export."""

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from dragoman.analysis.intervals import Interval
from dragoman.report.formatting import format_count

Kind = Literal["bars", "stack", "lines", "heat", "radar", "scatter"]
"""Bars with intervals; shares of a whole; curves; a grid of shades; polygons; dots."""

Unit = Literal["share", "rate", "points", "number", "r"]
"""The unit of a figure's values.

`share` is a share of 1. `rate` is a rate that is read in per cent and is small, or exceeds 1.
`points` is a difference of shares. `number` is a number. `r` is a coefficient between -1 and 1.
"""

Section = str
"""The part of a report that has a figure: `summary`, `languages`, or the key of a section."""

MAX_SERIES = 8
"""Maximum number of series with distinct colours; a figure with more series is split."""


WIDTH = 540.0
"""The width of figures without a preset, in pixels."""


class Datum(msgspec.Struct, frozen=True):
    """One value of a figure.

    Attributes:
        place: Its position: a group of bars, a place along a line, a row, a spoke.
        value: The value; None where it is not known, for the reason in `note`.
        interval: Its 95 % interval.
        n: The size of its basis, in the figure's `of`.
        series: The series, which has its own colour.
        column: Of a grid, the column.
        x: Of dots, how far to the right.
        note: A remark on the value.
        cell: The number of the one cell whose conversations it is made of; None for several.
    """

    place: str
    value: float | None
    interval: Interval | None = None
    n: float | None = None
    series: str = ""
    column: str = ""
    x: float | None = None
    note: str = ""
    cell: int | None = None


class DatumBasis(msgspec.Struct, frozen=True):
    """The numbers of intervals and of unknown values of a figure, and the basis of all values."""

    intervals: int
    unknown: int
    words: str


class FigureSpec(msgspec.Struct, frozen=True):
    """One figure.

    Attributes:
        name: The name of its file: letters, digits and hyphens.
        section: The section of the report.
        kind: The kind of chart.
        title: The title.
        caption: Of what, over what, and where its form is from.
        data: Its values, in their order.
        unit: The unit of the values.
        axis: The title of the axis of values.
        along: The title of the other axis.
        of: The unit that `n` counts, in the singular; empty where that differs.
        width: The drawn width, in pixels at full size.
    """

    name: str
    section: Section
    kind: Kind
    title: str
    caption: str
    data: tuple[Datum, ...]
    unit: Unit = "share"
    axis: str = "pass^1"
    along: str = ""
    of: str = "task"
    width: float = WIDTH

    @property
    def series(self) -> tuple[str, ...]:
        """Its series, in order of first appearance."""
        return distinct_names(datum.series for datum in self.data)

    @property
    def places(self) -> tuple[str, ...]:
        """Its places, in order of first appearance."""
        return distinct_names(datum.place for datum in self.data)

    @property
    def columns(self) -> tuple[str, ...]:
        """Its columns, in order of first appearance."""
        return distinct_names(datum.column for datum in self.data)

    @property
    def known(self) -> tuple[Datum, ...]:
        """The data that have a value."""
        return tuple(datum for datum in self.data if datum.value is not None)

    @property
    def rests(self) -> "DatumBasis":
        """The basis of its values."""
        counts = [datum.n for datum in self.data if datum.n is not None]
        return DatumBasis(
            sum(datum.interval is not None for datum in self.data),
            len(self.data) - len(self.known),
            self._counts(min(counts), max(counts)) if counts else "none",
        )

    def _counts(self, least: float, most: float) -> str:
        of = f" {self.of}s" if self.of else ""
        return f"{least:g}{of}" if least == most else f"{least:g} to {most:g}{of}"

    def shown(self, value: float | None) -> str:
        """Return a value as text in the figure's unit."""
        if value is None:
            return "none"
        match self.unit:
            case "share" | "rate":
                return f"{100 * value:.1f}\u00a0%"
            case "points":
                return f"{100 * value:+.1f}"
            case "r":
                return f"{value:+.2f}"
            case _:
                return f"{value:.3g}"

    def words(self, datum: Datum) -> str:
        """Return a value in words, for screen readers and tooltips."""
        unit = " points" if self.unit == "points" and datum.value is not None else ""
        across = "" if datum.x is None else f" at {datum.x:.3g} {self.along}"
        where = ", ".join(filter(None, (datum.place, datum.column, datum.series)))
        parts = [f"{where}: {self.shown(datum.value)}{unit}{across}"]
        if datum.interval is not None:
            low, high = self.shown(datum.interval.low), self.shown(datum.interval.high)
            parts.append(f"95 % interval {low} to {high}")
        if datum.n is not None:
            parts.append(self.counted(datum))
        return ", ".join((*parts, *([datum.note] if datum.note else [])))

    def counted(self, datum: Datum) -> str:
        """Return the basis of a value."""
        if datum.n is None:
            return "none"
        is_whole = self.of and datum.n == int(datum.n)
        return format_count(int(datum.n), self.of) if is_whole else f"n {datum.n:g}"


def distinct_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return names once each, in order of first appearance."""
    return tuple(dict.fromkeys(names))


def file_name(*parts: str) -> str:
    """Return parts as a file name of lower-case letters, digits and hyphens.

    The name has at most a hundred characters.
    """
    joined = "-".join(parts).casefold()
    kept = "".join(sign if sign.isascii() and sign.isalnum() else "-" for sign in joined)
    return "-".join(filter(None, kept.split("-")))[:100]


def split_by_colour(drawing: FigureSpec) -> Iterator[FigureSpec]:
    """Yield a figure, or several so that each series has its own colour."""
    series = drawing.series
    if len(series) <= MAX_SERIES or drawing.kind in {"heat", "stack"}:
        yield drawing
        return
    parts = range(0, len(series), MAX_SERIES)
    for number, begun in enumerate(parts, 1):
        some = set(series[begun : begun + MAX_SERIES])
        yield msgspec.structs.replace(
            drawing,
            name=f"{drawing.name}-part-{number}",
            title=f"{drawing.title}, part {number} of {len(parts)}",
            data=tuple(datum for datum in drawing.data if datum.series in some),
        )


def with_unique_names(drawings: Iterable[FigureSpec]) -> tuple[FigureSpec, ...]:
    """Return drawable figures with unique file names."""
    seen: dict[str, int] = {}
    found = []
    for drawing in (part for each in drawings for part in split_by_colour(each)):
        times = seen[drawing.name] = seen.get(drawing.name, 0) + 1
        name = drawing.name if times == 1 else f"{drawing.name}-{times}"
        found.append(msgspec.structs.replace(drawing, name=name))
    return tuple(found)
