"""Charts as SVG: bars, heat maps, lines, scatter plots and radar charts."""

import math
import re
from collections.abc import Callable, Mapping, Sequence

import msgspec

from dragoman.report.figure_presets import PAGE, FigurePreset, layout
from dragoman.report.figure_spec import Datum, FigureSpec, Kind
from dragoman.report.svg import (
    TEXT,
    Scale,
    SvgPart,
    axis_title,
    colour,
    dashes,
    element,
    escape_text,
    grid_lines,
    label,
    legend,
    lines_of_text,
    mark,
    scale_of,
    scale_over,
    small,
    text_width,
    tick_text,
    upright_whisker,
    whisker,
    wrap_words,
)

BAR, BETWEEN, AROUND_BARS = 13.0, 3.0, 12.0
BAR_LABEL_WIDTH = 160.0
VALUES = 56.0
AXIS = 3.2 * TEXT

_Row = Callable[[FigureSpec, Sequence[Datum], Scale, float], SvgPart]
"""A function that draws one place's data from a height downwards."""


def bars(drawing: FigureSpec) -> SvgPart:
    """Return groups of bars, one for each place, in which each series has its bar."""
    return _rows(drawing, _group)


def stacked_bars(drawing: FigureSpec) -> SvgPart:
    """Return a bar for each place, in which each series has the part that is its own."""
    return _rows(drawing, _draw_stacked_bar)


def _rows(drawing: FigureSpec, painted: _Row) -> SvgPart:
    named = legend(drawing)
    labels = min(
        BAR_LABEL_WIDTH, 0.3 * drawing.width, max(map(text_width, drawing.places), default=0)
    )
    scale = scale_of(drawing, labels + 10, drawing.width - VALUES)
    y = top = named.height + 6
    body = []
    for place in drawing.places:
        data = [datum for datum in drawing.data if datum.place == place]
        lines = wrap_words(place, labels)
        row = painted(drawing, data, scale, y + AROUND_BARS / 2)
        height = max(row.height, len(lines) * TEXT * 1.2)
        body.append(lines_of_text(lines, labels, y + (AROUND_BARS + height) / 2, "end") + row.body)
        y += height + AROUND_BARS
    return SvgPart(named.body + grid_lines(drawing, scale, top, y) + "".join(body), y + AXIS)


def _group(drawing: FigureSpec, data: Sequence[Datum], scale: Scale, y: float) -> SvgPart:
    body = []
    for datum in data:
        body.append(mark(drawing, datum, _bar(drawing, datum, scale, y)))
        y += BAR + BETWEEN
    return SvgPart("".join(body), len(data) * (BAR + BETWEEN) - BETWEEN)


def _bar(drawing: FigureSpec, datum: Datum, scale: Scale, y: float) -> str:
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
        parts.append(element("circle", class_="point", cx=end, cy=middle, r=3.5))
    shown = drawing.shown(datum.value).removesuffix("\u00a0%")
    return "".join((*parts, small(shown, drawing.width, middle + 4, "end")))


def _draw_stacked_bar(
    drawing: FigureSpec, data: Sequence[Datum], scale: Scale, y: float
) -> SvgPart:
    body, begun = [], 0.0
    for datum in data:
        if datum.value:
            body.append(mark(drawing, datum, _part(drawing, datum, scale, (begun, y))))
            begun += datum.value
    whole = next((datum.n for datum in data if datum.n is not None), None)
    if whole is not None:
        body.append(small(f"of {whole:g}", drawing.width, y + BAR * 0.75 + 4, "end"))
    return SvgPart("".join(body), BAR * 1.5)


def _part(drawing: FigureSpec, datum: Datum, scale: Scale, place: tuple[float, float]) -> str:
    begun, y = place
    x, end = scale.at(begun), scale.at(begun + (datum.value or 0))
    part = element("rect", class_="mark part", x=x, y=y, width=max(end - x, 1.0), height=BAR * 1.5)
    shown = drawing.shown(datum.value).removesuffix("\u00a0%")
    if end - x < text_width(shown):
        return part
    return part + small(shown, (x + end) / 2, y + BAR * 0.75 + 4, "middle")


FIELD = 40.0
FIELD_LABEL_WIDTH = 150.0
MOST_FIELD = 110.0
_DARKEST = 0.55


def heat_map(drawing: FigureSpec) -> SvgPart:
    """Return a row for each place and a column for each column, the darker the more."""
    labels = (
        min(FIELD_LABEL_WIDTH, 0.3 * drawing.width, max(map(text_width, drawing.places), default=0))
        + 10
    )
    columns = drawing.columns
    width = min(MOST_FIELD, (drawing.width - labels) / max(1, len(columns)))
    wrapped = [wrap_words(column, width - 6) for column in columns]
    top = 8 + max(map(len, wrapped), default=1) * TEXT * 1.2
    body = [
        lines_of_text(each, labels + (at + 0.5) * width, top / 2, "middle")
        for at, each in enumerate(wrapped)
    ]
    for at, place in enumerate(drawing.places):
        middle = top + (at + 0.5) * FIELD
        body.append(lines_of_text(wrap_words(place, labels - 10), labels - 10, middle, "end"))
    most = max((abs(datum.value or 0) for datum in drawing.known), default=1) or 1
    whole = 1.0 if drawing.unit in {"share", "r"} else most
    for datum in drawing.data:
        x = labels + columns.index(datum.column) * width
        y = top + drawing.places.index(datum.place) * FIELD
        body.append(mark(drawing, datum, _field(drawing, datum, (x, y, width), whole)))
    return SvgPart("".join(body), top + len(drawing.places) * FIELD + 6)


def _field(
    drawing: FigureSpec, datum: Datum, place: tuple[float, float, float], whole: float
) -> str:
    x, y, width = place
    value = datum.value or 0.0
    shade = element(
        "rect",
        class_="shade less" if value < 0 else "shade",
        x=x + 1,
        y=y + 1,
        width=width - 2,
        height=FIELD - 2,
        fill_opacity=f"{_DARKEST * min(1.0, abs(value) / whole):.3f}",
    )
    middle = x + width / 2
    shown = "none" if datum.value is None else drawing.shown(datum.value)
    n = "" if datum.n is None else f"n {datum.n:g}"
    return (
        shade
        + label(shown, middle, y + FIELD / 2, "middle")
        + small(n, middle, y + FIELD - 8, "middle")
    )


HEIGHT = 240.0
LEFT = 52.0
RIGHT = 16.0
APART = 5.0


def line_chart(drawing: FigureSpec) -> SvgPart:
    """Return a curve for each series: over numbers if every place is one, else over names."""
    named = legend(drawing)
    top, bottom = named.height + 10, named.height + 10 + HEIGHT
    scale = scale_of(drawing, bottom, top)
    over_numbers = all(place.isdecimal() for place in drawing.places)
    along = _numbers(drawing) if over_numbers else None
    foot = (
        _named_places(drawing, bottom)
        if along is None
        else _draw_numbered_axis(drawing, along, top, bottom)
    )
    curves = "".join(
        _curve(drawing, name, scale, _offset(drawing, name, along)) for name in drawing.series
    )
    body = named.body + _levels(drawing, scale) + foot.body + curves
    return SvgPart(body, bottom + foot.height)


def scatter_plot(drawing: FigureSpec) -> SvgPart:
    """Return a dot for each value, `Datum.x` to the right."""
    named = legend(drawing)
    top, bottom = named.height + 10, named.height + 10 + HEIGHT
    scale = scale_of(drawing, bottom, top)
    across = scale_over([datum.x or 0.0 for datum in drawing.known], LEFT, drawing.width - RIGHT)
    if max((datum.x or 0.0 for datum in drawing.known), default=0) <= 1:
        across = Scale(0, 1, LEFT, drawing.width - RIGHT, (0, 0.25, 0.5, 0.75, 1))
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
    foot = _draw_numbered_axis(drawing, across, top, bottom)
    return SvgPart(named.body + _levels(drawing, scale) + foot.body + dots, bottom + foot.height)


def _numbers(drawing: FigureSpec) -> Scale:
    """Return the axis of whole numbers, with lines at whole ones."""
    found = scale_over([float(place) for place in drawing.places], LEFT, drawing.width - RIGHT)
    whole = tuple(tick for tick in found.ticks if tick == int(tick))
    return msgspec.structs.replace(found, ticks=whole)


class _Across:
    """The horizontal positions of a series' values."""

    def __init__(self, drawing: FigureSpec, along: Scale | None, shift: float) -> None:
        self._places, self._along, self._shift = drawing.places, along, shift
        self._width = drawing.width - LEFT - RIGHT

    def __call__(self, place: str) -> float:
        if self._along is not None:
            return self._along.at(float(place))
        width = self._width / len(self._places)
        return LEFT + (self._places.index(place) + 0.5) * width + self._shift


def _offset(drawing: FigureSpec, name: str, along: Scale | None) -> _Across:
    """Return the positions of a series; series are shifted so that intervals do not overlap."""
    series = drawing.series
    shift = (series.index(name) - (len(series) - 1) / 2) * APART
    return _Across(drawing, along, shift)


def _curve(drawing: FigureSpec, name: str, scale: Scale, across: _Across) -> str:
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


def _point(drawing: FigureSpec, datum: Datum, scale: Scale, x: float) -> str:
    y = scale.at(datum.value or 0)
    dot = element("circle", class_="mark", cx=x, cy=y, r=3.5)
    if datum.interval is None:
        return mark(drawing, datum, dot)
    low, high = scale.at(datum.interval.low), scale.at(datum.interval.high)
    return mark(drawing, datum, upright_whisker(x, low, high, 3) + dot)


def _levels(drawing: FigureSpec, scale: Scale) -> str:
    found = []
    for tick in scale.ticks:
        y = scale.at(tick)
        kind = "grid" if round(tick, 9) else "zero"
        found.append(element("line", class_=kind, x1=LEFT, x2=drawing.width - RIGHT, y1=y, y2=y))
        found.append(label(tick_text(drawing, tick), LEFT - 6, y + 4, "end"))
    middle = (scale.start + scale.end) / 2
    turned = label(
        axis_title(drawing), 12.0, middle, "middle", transform=f"rotate(-90 12 {middle:.1f})"
    )
    return "".join(found) + turned


def _named_places(drawing: FigureSpec, bottom: float) -> SvgPart:
    width = (drawing.width - LEFT - RIGHT) / max(1, len(drawing.places))
    wrapped = [wrap_words(place, width - 6) for place in drawing.places]
    rows = max(map(len, wrapped), default=1)
    body = "".join(
        lines_of_text(
            each, LEFT + (at + 0.5) * width, bottom + 6 + len(each) * TEXT * 0.6, "middle"
        )
        for at, each in enumerate(wrapped)
    )
    height = 8 + rows * TEXT * 1.2
    return _along(drawing, bottom, height, body)


def _draw_numbered_axis(drawing: FigureSpec, along: Scale, top: float, bottom: float) -> SvgPart:
    body = "".join(
        element("line", class_="grid", x1=along.at(tick), x2=along.at(tick), y1=top, y2=bottom)
        + label(f"{tick:.3g}", along.at(tick), bottom + TEXT * 1.3, "middle")
        for tick in along.ticks
    )
    return _along(drawing, bottom, 8 + TEXT * 1.2, body)


def _along(drawing: FigureSpec, bottom: float, height: float, body: str) -> SvgPart:
    if not drawing.along:
        return SvgPart(body, height)
    middle = (LEFT + drawing.width - RIGHT) / 2
    title = label(drawing.along, middle, bottom + height + TEXT, "middle")
    return SvgPart(body + title, height + TEXT * 1.6)


RADIUS = 130.0
AROUND_RADAR = 34.0
RINGS = (0.25, 0.5, 0.75, 1.0)
FEWEST = 3
"""The least number of spokes of a polygon."""


def radar_chart(drawing: FigureSpec) -> SvgPart:
    """Return a spoke for each place, from 0 in the middle to 1."""
    named = legend(drawing)
    middle = (drawing.width / 2, named.height + AROUND_RADAR + RADIUS)
    spokes = {place: _direction(drawing, at) for at, place in enumerate(drawing.places)}
    body = [_ring(ring, list(spokes.values()), middle) for ring in RINGS]
    for place, (right, down) in spokes.items():
        x, y = middle[0] + right * RADIUS, middle[1] + down * RADIUS
        body.append(element("line", class_="grid", x1=middle[0], y1=middle[1], x2=x, y2=y))
        # Of a direction.
        anchor = "middle" if abs(right) < 0.3 else "start" if right > 0 else "end"  # noqa: PLR2004
        body.append(label(place, x + right * 12, y + down * 16 + 4, anchor))
    body += [
        label(
            tick_text(drawing, ring), middle[0] + 4, middle[1] - ring * RADIUS + 12, class_="small"
        )
        for ring in RINGS
    ]
    body += [_polygon(drawing, name, spokes, middle) for name in drawing.series]
    lowest = max(down for _, down in spokes.values())
    return SvgPart(named.body + "".join(body), middle[1] + lowest * RADIUS + AROUND_RADAR)


def _direction(drawing: FigureSpec, at: int) -> tuple[float, float]:
    angle = 2 * math.pi * at / len(drawing.places) - math.pi / 2
    return math.cos(angle), math.sin(angle)


def _ring(ring: float, spokes: list[tuple[float, float]], middle: tuple[float, float]) -> str:
    points = " ".join(
        f"{middle[0] + right * ring * RADIUS:.2f},{middle[1] + down * ring * RADIUS:.2f}"
        for right, down in spokes
    )
    return element("polygon", class_="ring", points=points)


def _polygon(
    drawing: FigureSpec,
    name: str,
    spokes: dict[str, tuple[float, float]],
    middle: tuple[float, float],
) -> str:
    data = [datum for datum in drawing.known if datum.series == name]
    number = drawing.series.index(name)
    places = [_at(datum, spokes[datum.place], middle) for datum in data]
    # A value that is missing leaves the polygon open: a closed one would claim it.
    closed = "polygon" if len(data) == len(spokes) else "polyline"
    path = element(
        closed,
        class_=f"curve s{colour(drawing, name)}",
        points=" ".join(f"{x:.2f},{y:.2f}" for x, y in places),
        stroke_dasharray=dashes(number),
        data_series=number,
    )
    dots = (
        mark(drawing, datum, element("circle", class_="mark", cx=x, cy=y, r=3.5))
        for datum, (x, y) in zip(data, places, strict=True)
    )
    return path + "".join(dots)


def _at(
    datum: Datum, direction: tuple[float, float], middle: tuple[float, float]
) -> tuple[float, float]:
    value = min(1.0, max(0.0, datum.value or 0.0))
    right, down = direction
    return middle[0] + right * value * RADIUS, middle[1] + down * value * RADIUS


CHARTS: Mapping[Kind, Callable[[FigureSpec], SvgPart]] = {
    "bars": bars,
    "stack": stacked_bars,
    "lines": line_chart,
    "heat": heat_map,
    "radar": radar_chart,
    "scatter": scatter_plot,
}

_NAMESPACE = "http://www.w3.org/2000/svg"
_VARIABLE = re.compile(r"(--[\w-]+):\s*([^;]+);")
_USED = re.compile(r"var\((--[\w-]+)\)")


def render_svg(drawing: FigureSpec) -> str:
    """Return a figure as SVG for a page.

    It has no style of its own, so that the page's dark mode and print style apply.
    """
    found = CHARTS[drawing.kind](drawing)
    height = found.height + 2
    wrapped = element("title", escape_text(drawing.title)) + element(
        "desc", escape_text(drawing.caption)
    )
    return element(
        "svg",
        wrapped + found.body,
        class_="drawing",
        viewBox=f"-1 -1 {drawing.width + 2:.0f} {height:.0f}",
        role="img",
        aria_label=drawing.title,
    )


def standalone_svg(
    drawing: FigureSpec, style: str, palette: str, preset: FigurePreset = PAGE
) -> str:
    """Return a figure as a standalone file: light colours, on white, with its own styles.

    Args:
        drawing: The figure.
        style: The rules of figures, as the page has them.
        palette: The rules that say which colours their variables are; the first of each holds.
        preset: The preset of the file.
    """
    colours: dict[str, str] = {}
    for name, value in _VARIABLE.findall(palette):
        colours.setdefault(name, value)
    rules = _USED.sub(lambda found: colours[found.group(1)], style)
    sized = msgspec.structs.replace(drawing, width=preset.width)
    page = layout(sized, CHARTS[drawing.kind](sized), preset)
    about = element("title", escape_text(drawing.title)) + element(
        "desc", escape_text(drawing.caption)
    )
    sheet = element("style", escape_text(rules))
    ground = element("rect", width=page.width, height=page.height, fill="#fff")
    return element(
        "svg",
        about + sheet + ground + page.body,
        xmlns=_NAMESPACE,
        width=page.shown_width,
        height=page.shown_height,
        viewBox=f"0 0 {page.width:.0f} {page.height:.0f}",
        font_family="Helvetica, Arial, DejaVu Sans, sans-serif",
        font_size=TEXT,
        class_="drawing",
        role="img",
    )
