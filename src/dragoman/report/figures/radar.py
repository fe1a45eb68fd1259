"""Polygons over spokes, one for each series; values of different spokes are not compared by area."""

import math

from dragoman.report.figures.frame import WIDTH, Painted, colour, dashes, legend, mark, tick_text
from dragoman.report.figures.records import Datum, Drawing
from dragoman.report.figures.svg import element, label

RADIUS = 130.0
AROUND = 34.0
RINGS = (0.25, 0.5, 0.75, 1.0)
FEWEST = 3
"""With fewer spokes there is no polygon."""


def radar(drawing: Drawing) -> Painted:
    """Return a spoke for each place, from 0 in the middle to 1."""
    named = legend(drawing)
    middle = (WIDTH / 2, named.height + AROUND + RADIUS)
    spokes = {place: _direction(drawing, at) for at, place in enumerate(drawing.places)}
    body = [_ring(ring, list(spokes.values()), middle) for ring in RINGS]
    for place, (right, down) in spokes.items():
        x, y = middle[0] + right * RADIUS, middle[1] + down * RADIUS
        body.append(element("line", class_="grid", x1=middle[0], y1=middle[1], x2=x, y2=y))
        anchor = "middle" if abs(right) < 0.3 else "start" if right > 0 else "end"  # noqa: PLR2004 - of a direction
        body.append(label(place, x + right * 12, y + down * 16 + 4, anchor))
    body += [
        label(
            tick_text(drawing, ring), middle[0] + 4, middle[1] - ring * RADIUS + 12, class_="small"
        )
        for ring in RINGS
    ]
    body += [_polygon(drawing, name, spokes, middle) for name in drawing.series]
    lowest = max(down for _, down in spokes.values())
    return Painted(named.body + "".join(body), middle[1] + lowest * RADIUS + AROUND)


def _direction(drawing: Drawing, at: int) -> tuple[float, float]:
    angle = 2 * math.pi * at / len(drawing.places) - math.pi / 2
    return math.cos(angle), math.sin(angle)


def _ring(ring: float, spokes: list[tuple[float, float]], middle: tuple[float, float]) -> str:
    points = " ".join(
        f"{middle[0] + right * ring * RADIUS:.2f},{middle[1] + down * ring * RADIUS:.2f}"
        for right, down in spokes
    )
    return element("polygon", class_="ring", points=points)


def _polygon(
    drawing: Drawing,
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
