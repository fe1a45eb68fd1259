"""The first screen of report and run page: the geometry of its charts and its links.

All lengths are shares of a chart's width, so that a chart fits every window.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol

import msgspec

from dragoman.analysis.cell_summary import PlaceInRun
from dragoman.report import formatting, labels
from dragoman.report.html_parts import percent
from dragoman.report.labels import Stage
from dragoman.report.overview import (
    DropRow,
    Example,
    Failures,
    MatrixCell,
    MatrixRow,
    RunOverview,
    ValueShare,
    points_of,
)

MOST_ROWS = 6
"""Rows of the ranked chart that are open."""

MOST_VALUES = 5
"""Kinds of misrecognized values that are shown."""

_TICKS = (0.05, 0.1, 0.2, 0.25, 0.5)
_MOST_TICKS = 6
_LEVELS = 10


class ScreenLinks(Protocol):
    """Provider of addresses on one surface; "" stands for no address."""

    def failures(self, found: Failures) -> str:
        """Return the address of a list of conversations."""
        ...

    def conversation(self, suite: str, place: PlaceInRun) -> str:
        """Return the address of one conversation."""
        ...

    def cell(self, row: MatrixRow, cell: MatrixCell) -> str:
        """Return the address of the conversations of one cell."""
        ...


class Segment(msgspec.Struct, frozen=True):
    """One stage of a stacked bar: its position, its length and its text."""

    kind: str
    x: str
    width: str
    words: str


class DrawnRow(msgspec.Struct, frozen=True):
    """A row of the ranked chart with its places along the axis."""

    row: DropRow
    segments: tuple[Segment, ...]
    low: str
    high: str
    point: str
    words: str
    amount: str
    interval: str


class Tick(msgspec.Struct, frozen=True):
    """A place on the axis and the change of pass^1 there, in points."""

    x: str
    words: str
    is_zero: bool


class LegendEntry(msgspec.Struct, frozen=True):
    """A stage that occurs, its class in the style sheet, and what it means."""

    stage: Stage
    kind: str
    meaning: str


class FirstScreen(msgspec.Struct, frozen=True):
    """The content of the first screen.

    Attributes:
        overview: The answer of the run.
        rows: The ranked chart.
        further: Its rows behind the open ones.
        folded: Conditions that are not distinguishable from the baseline.
        ticks: The axis of all three.
        legend: The stages that occur.
        values: Misrecognized values under the headline's condition.
        heard: The row of these values; None without speech.
        is_open: Whether the folded rows are open, as no row is distinguishable.
    """

    overview: RunOverview
    rows: tuple[DrawnRow, ...]
    further: tuple[DrawnRow, ...]
    folded: tuple[DrawnRow, ...]
    ticks: tuple[Tick, ...]
    legend: tuple[LegendEntry, ...]
    values: tuple[ValueShare, ...]
    heard: DropRow | None
    is_open: bool

    @property
    def folded_words(self) -> str:
        """The number of folded conditions, and of comparisons that p is corrected for."""
        kind = "further condition" if self.rows else "condition"
        many = formatting.format_count(len(self.folded), kind)
        isare = "is" if len(self.folded) == 1 else "are"
        of = formatting.format_count(self.overview.comparisons, "comparison")
        return f"{many} {isare} not distinguishable from the baseline after correction for {of}"


def first_screen(overview: RunOverview) -> FirstScreen:
    """Return the first screen of a run."""
    every = (*overview.rows, *overview.folded)
    axis = _Axis(every)
    # Without a distinguishable row, those whose own interval excludes zero are open.
    shown = overview.rows or tuple(row for row in overview.folded if row.is_suggestive)
    drawn = tuple(map(axis.row, shown))
    heard = _first_spoken(overview.subject, every)
    return FirstScreen(
        overview=overview,
        rows=drawn[:MOST_ROWS],
        further=drawn[MOST_ROWS:],
        folded=tuple(axis.row(row) for row in overview.folded if row not in shown),
        ticks=axis.ticks,
        legend=tuple(_legend(every)),
        values=() if heard is None else heard.values[:MOST_VALUES],
        heard=heard,
        is_open=not shown,
    )


def stage_kind(stage: Stage) -> str:
    """Return the class of a stage in the style sheet."""
    return stage.replace(" ", "-")


def heat_level(value: float | None) -> str:
    """Return the class of a share in the matrix."""
    return "none" if value is None else str(round(_LEVELS * min(1.0, max(0.0, value))))


def example_words(example: Example) -> str:
    """Return the reason of a failure; without one, the meaning of its stage."""
    return example.why or labels.STAGES[example.stage]


class _Axis:
    """One axis for all rows: points of pass^1, gains left of zero."""

    def __init__(self, rows: Sequence[DropRow]) -> None:
        lows = [min(row.interval.low, _sum(row, -1)) for row in rows]
        highs = [max(row.interval.high, _sum(row, 1)) for row in rows]
        self._low = min([0.0, *lows])
        self._high = max([0.05, *highs])
        self.ticks = tuple(self._ticks())

    def _place(self, value: float) -> float:
        return (value - self._low) / (self._high - self._low)

    def _ticks(self) -> Iterable[Tick]:
        span = self._high - self._low
        step = next((each for each in _TICKS if span / each <= _MOST_TICKS), _TICKS[-1])
        first = -int(-self._low / step)
        for number in range(first, int(self._high / step) + 1):
            value = number * step
            yield Tick(percent(self._place(value)), _tick_words(value), number == 0)

    def row(self, row: DropRow) -> DrawnRow:
        """Return a row with its places."""
        range_words = f"{points_of(row.interval.low)} to {points_of(row.interval.high)}"
        return DrawnRow(
            row=row,
            segments=tuple(self._segments(row)),
            low=percent(self._place(row.interval.low)),
            high=percent(self._place(row.interval.high)),
            point=percent(self._place(row.drop)),
            words=f"drop {points_of(row.drop)} points, 95% CI {range_words}",
            amount=signed_points(-row.drop),
            interval=f"[{signed_points(-row.interval.high)}, {signed_points(-row.interval.low)}]",
        )

    def _segments(self, row: DropRow) -> Iterable[Segment]:
        """Yield the stages, drops to the right of zero and gains to its left."""
        order = list(labels.STAGES)
        ends = {1: 0.0, -1: 0.0}
        for part in sorted(row.parts, key=lambda part: order.index(part.stage)):
            if not part.value:
                continue
            side = 1 if part.value > 0 else -1
            start, ends[side] = ends[side], ends[side] + part.value
            left, right = sorted((start, ends[side]))
            yield Segment(
                stage_kind(part.stage),
                percent(self._place(left)),
                percent(self._place(right) - self._place(left)),
                f"{part.stage}: {points_of(part.value)} points, "
                f"95% CI {points_of(part.interval.low)} to {points_of(part.interval.high)}",
            )


def _tick_words(value: float) -> str:
    """Return the change at a place of the axis: a drop to its right is a negative change."""
    return f"{-100 * value:.0f}".replace("-", "\N{MINUS SIGN}") if value else "0"


def _sum(row: DropRow, side: int) -> float:
    return sum(part.value for part in row.parts if part.value * side > 0)


def signed_points(value: float) -> str:
    """Return points with a true minus sign."""
    return points_of(value).replace("-", "\N{MINUS SIGN}")


def _legend(rows: Iterable[DropRow]) -> Iterable[LegendEntry]:
    used = {part.stage for row in rows for part in row.parts if part.value}
    for stage, meaning in labels.STAGES.items():
        if stage in used:
            yield LegendEntry(stage, stage_kind(stage), meaning)


def _first_spoken(subject: DropRow | None, rows: Iterable[DropRow]) -> DropRow | None:
    """Return the headline's row if it has speech; otherwise the first row with speech."""
    known = [row for row in rows if row.values or row.word_error_rate is not None]
    return subject if subject in known else next(iter(known), None)
