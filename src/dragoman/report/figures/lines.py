"""Curves with intervals, over names or over numbers, and dots over two numbers."""

from collections.abc import Sequence

import msgspec

from dragoman.report.figures.frame import (
    WIDTH,
    Painted,
    Scale,
    axis_title,
    colour,
    dashes,
    legend,
    mark,
    scale_of,
    scale_over,
    tick_text,
    upright_whisker,
)
from dragoman.report.figures.records import Datum, Drawing
from dragoman.report.figures.svg import TEXT, element, label, lines_of_text, wrapped

HEIGHT = 240.0
LEFT = 52.0
RIGHT = 16.0
APART = 5.0


def lines(drawing: Drawing) -> Painted:
    """Return a curve for each series: over numbers where every place is one, else over names."""
    named = legend(drawing)
    top, bottom = named.height + 10, named.height + 10 + HEIGHT
    scale = scale_of(drawing, bottom, top)
    over_numbers = all(place.isdecimal() for place in drawing.places)
    along = _numbers(drawing) if over_numbers else None
    foot = (
        _named_places(drawing, bottom) if along is None else _numbered(drawing, along, top, bottom)
    )
    curves = "".join(
        _curve(drawing, name, scale, _offset(drawing, name, along)) for name in drawing.series
    )
    body = named.body + _levels(drawing, scale) + foot.body + curves
    return Painted(body, bottom + foot.height)


def scatter(drawing: Drawing) -> Painted:
    """Return a dot for each value, `Datum.x` to the right."""
    named = legend(drawing)
    top, bottom = named.height + 10, named.height + 10 + HEIGHT
    scale = scale_of(drawing, bottom, top)
    across = scale_over([datum.x or 0.0 for datum in drawing.known], LEFT, WIDTH - RIGHT)
    if max((datum.x or 0.0 for datum in drawing.known), default=0) <= 1:
        across = Scale(0, 1, LEFT, WIDTH - RIGHT, (0, 0.25, 0.5, 0.75, 1))
    dots = "".join(
        mark(
            drawing,
            datum,
            element(
                "circle",
                class_="mark",
                cx=across.at(datum.x or 0),
                cy=scale.at(datum.value or 0),
                r=5,
            ),
        )
        for datum in drawing.known
    )
    foot = _numbered(drawing, across, top, bottom)
    return Painted(named.body + _levels(drawing, scale) + foot.body + dots, bottom + foot.height)


def _numbers(drawing: Drawing) -> Scale:
    """Return the axis of whole numbers, with lines at whole ones."""
    found = scale_over([float(place) for place in drawing.places], LEFT, WIDTH - RIGHT)
    whole = tuple(tick for tick in found.ticks if tick == int(tick))
    return msgspec.structs.replace(found, ticks=whole)


class _Across:
    """Where a series' values lie from left to right."""

    def __init__(self, places: Sequence[str], along: Scale | None, shift: float) -> None:
        self._places, self._along, self._shift = places, along, shift

    def __call__(self, place: str) -> float:
        if self._along is not None:
            return self._along.at(float(place))
        width = (WIDTH - LEFT - RIGHT) / len(self._places)
        return LEFT + (self._places.index(place) + 0.5) * width + self._shift


def _offset(drawing: Drawing, name: str, along: Scale | None) -> _Across:
    """Series lie side by side over names, so that their intervals can be told apart."""
    series = drawing.series
    shift = (series.index(name) - (len(series) - 1) / 2) * APART
    return _Across(drawing.places, along, shift)


def _curve(drawing: Drawing, name: str, scale: Scale, across: _Across) -> str:
    data = [datum for datum in drawing.known if datum.series == name]
    number = drawing.series.index(name)
    points = " ".join(f"{across(each.place):.2f},{scale.at(each.value or 0):.2f}" for each in data)
    path = element(
        "polyline",
        class_=f"curve s{colour(drawing, name)}",
        points=points,
        stroke_dasharray=dashes(number),
        data_series=number,
    )
    return path + "".join(_point(drawing, each, scale, across(each.place)) for each in data)


def _point(drawing: Drawing, datum: Datum, scale: Scale, x: float) -> str:
    y = scale.at(datum.value or 0)
    dot = element("circle", class_="mark", cx=x, cy=y, r=3.5)
    if datum.interval is None:
        return mark(drawing, datum, dot)
    low, high = scale.at(datum.interval.low), scale.at(datum.interval.high)
    return mark(drawing, datum, upright_whisker(x, low, high, 3) + dot)


def _levels(drawing: Drawing, scale: Scale) -> str:
    found = []
    for tick in scale.ticks:
        y = scale.at(tick)
        kind = "grid" if round(tick, 9) else "zero"
        found.append(element("line", class_=kind, x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y))
        found.append(label(tick_text(drawing, tick), LEFT - 6, y + 4, "end"))
    middle = (scale.start + scale.end) / 2
    turned = label(
        axis_title(drawing), 12.0, middle, "middle", transform=f"rotate(-90 12 {middle:.1f})"
    )
    return "".join(found) + turned


def _named_places(drawing: Drawing, bottom: float) -> Painted:
    width = (WIDTH - LEFT - RIGHT) / max(1, len(drawing.places))
    told = [wrapped(place, width - 6) for place in drawing.places]
    rows = max(map(len, told), default=1)
    body = "".join(
        lines_of_text(
            each, LEFT + (at + 0.5) * width, bottom + 6 + len(each) * TEXT * 0.6, "middle"
        )
        for at, each in enumerate(told)
    )
    height = 8 + rows * TEXT * 1.2
    return _along(drawing, bottom, height, body)


def _numbered(drawing: Drawing, along: Scale, top: float, bottom: float) -> Painted:
    body = "".join(
        element("line", class_="grid", x1=along.at(tick), x2=along.at(tick), y1=top, y2=bottom)
        + label(f"{tick:.3g}", along.at(tick), bottom + TEXT * 1.3, "middle")
        for tick in along.ticks
    )
    return _along(drawing, bottom, 8 + TEXT * 1.2, body)


def _along(drawing: Drawing, bottom: float, height: float, body: str) -> Painted:
    if not drawing.along:
        return Painted(body, height)
    middle = (LEFT + WIDTH - RIGHT) / 2
    title = label(drawing.along, middle, bottom + height + TEXT, "middle")
    return Painted(body + title, height + TEXT * 1.6)
