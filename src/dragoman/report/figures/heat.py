"""A grid of shades: each field says its value, and what it rests on."""

from dragoman.report.figures.frame import WIDTH, Painted, mark, small
from dragoman.report.figures.records import Datum, Drawing
from dragoman.report.figures.svg import TEXT, element, label, lines_of_text, text_width, wrapped

FIELD = 40.0
MOST_LABEL = 150.0
MOST_FIELD = 110.0
_DARKEST = 0.55


def heat(drawing: Drawing) -> Painted:
    """Return a row for each place and a column for each column, the darker the more."""
    labels = min(MOST_LABEL, max(map(text_width, drawing.places), default=0)) + 10
    columns = drawing.columns
    width = min(MOST_FIELD, (WIDTH - labels) / max(1, len(columns)))
    told = [wrapped(column, width - 6) for column in columns]
    top = 8 + max(map(len, told), default=1) * TEXT * 1.2
    body = [
        lines_of_text(each, labels + (at + 0.5) * width, top / 2, "middle")
        for at, each in enumerate(told)
    ]
    for at, place in enumerate(drawing.places):
        middle = top + (at + 0.5) * FIELD
        body.append(lines_of_text(wrapped(place, labels - 10), labels - 10, middle, "end"))
    most = max((abs(datum.value or 0) for datum in drawing.known), default=1) or 1
    whole = 1.0 if drawing.unit in {"share", "r"} else most
    for datum in drawing.data:
        x = labels + columns.index(datum.column) * width
        y = top + drawing.places.index(datum.place) * FIELD
        body.append(mark(drawing, datum, _field(drawing, datum, (x, y, width), whole)))
    return Painted("".join(body), top + len(drawing.places) * FIELD + 6)


def _field(drawing: Drawing, datum: Datum, place: tuple[float, float, float], whole: float) -> str:
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
