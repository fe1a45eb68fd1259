"""Bars from left to right: groups of bars with intervals, and bars that are parts of a whole."""

from collections.abc import Callable, Sequence

from dragoman.report.figures.frame import (
    WIDTH,
    Painted,
    Scale,
    grid_lines,
    legend,
    mark,
    scale_of,
    small,
    whisker,
)
from dragoman.report.figures.records import Datum, Drawing
from dragoman.report.figures.svg import TEXT, element, lines_of_text, text_width, wrapped

BAR, BETWEEN, AROUND = 13.0, 3.0, 12.0
MOST_LABEL = 160.0
VALUES = 56.0
AXIS = 3.2 * TEXT

_Row = Callable[[Drawing, Sequence[Datum], Scale, float], Painted]
"""Paints one place's data from a height downwards."""


def bars(drawing: Drawing) -> Painted:
    """Return groups of bars, one for each place, in which each series has its bar."""
    return _rows(drawing, _group)


def stack(drawing: Drawing) -> Painted:
    """Return a bar for each place, in which each series has the part that is its own."""
    return _rows(drawing, _stacked)


def _rows(drawing: Drawing, painted: _Row) -> Painted:
    named = legend(drawing)
    labels = min(MOST_LABEL, max(map(text_width, drawing.places), default=0))
    scale = scale_of(drawing, labels + 10, WIDTH - VALUES)
    y = top = named.height + 6
    body = []
    for place in drawing.places:
        data = [datum for datum in drawing.data if datum.place == place]
        lines = wrapped(place, labels)
        row = painted(drawing, data, scale, y + AROUND / 2)
        height = max(row.height, len(lines) * TEXT * 1.2)
        body.append(lines_of_text(lines, labels, y + (AROUND + height) / 2, "end") + row.body)
        y += height + AROUND
    return Painted(named.body + grid_lines(drawing, scale, top, y) + "".join(body), y + AXIS)


def _group(drawing: Drawing, data: Sequence[Datum], scale: Scale, y: float) -> Painted:
    body = []
    for datum in data:
        body.append(mark(drawing, datum, _bar(drawing, datum, scale, y)))
        y += BAR + BETWEEN
    return Painted("".join(body), len(data) * (BAR + BETWEEN) - BETWEEN)


def _bar(drawing: Drawing, datum: Datum, scale: Scale, y: float) -> str:
    middle = y + BAR / 2
    if datum.value is None:
        return small(datum.note or "none", scale.at(0) + 4, middle + 4)
    zero, end = scale.at(0), scale.at(datum.value)
    parts = [
        element(
            "rect",
            class_="mark",
            x=min(zero, end),
            y=y,
            width=max(abs(end - zero), 1.0),
            height=BAR,
        )
    ]
    if datum.interval is not None:
        low, high = scale.at(datum.interval.low), scale.at(datum.interval.high)
        parts.append(whisker(low, high, middle))
    shown = drawing.shown(datum.value).removesuffix("\u00a0%")
    return "".join((*parts, small(shown, float(WIDTH), middle + 4, "end")))


def _stacked(drawing: Drawing, data: Sequence[Datum], scale: Scale, y: float) -> Painted:
    body, begun = [], 0.0
    for datum in data:
        if datum.value:
            body.append(mark(drawing, datum, _part(drawing, datum, scale, (begun, y))))
            begun += datum.value
    whole = next((datum.n for datum in data if datum.n is not None), None)
    if whole is not None:
        body.append(small(f"of {whole:g}", float(WIDTH), y + BAR * 0.75 + 4, "end"))
    return Painted("".join(body), BAR * 1.5)


def _part(drawing: Drawing, datum: Datum, scale: Scale, place: tuple[float, float]) -> str:
    begun, y = place
    x, end = scale.at(begun), scale.at(begun + (datum.value or 0))
    part = element("rect", class_="mark part", x=x, y=y, width=max(end - x, 1.0), height=BAR * 1.5)
    shown = drawing.shown(datum.value).removesuffix("\u00a0%")
    if end - x < text_width(shown):
        return part
    return part + small(shown, (x + end) / 2, y + BAR * 0.75 + 4, "middle")
