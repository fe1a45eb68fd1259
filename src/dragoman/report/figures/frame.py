"""What kinds of figures share: the legend, marks that can be pointed at, scales and their lines."""

import math
from collections.abc import Sequence

import msgspec

from dragoman.report.figures.records import MAX_SERIES, Datum, Drawing
from dragoman.report.figures.svg import SMALL, TEXT, element, escaped, label, text_width

WIDTH = 540
"""How wide figures are."""

GAP = 18
_TICKS = 4
_DASHES = ("", "7 3", "2 3", "9 3 2 3")


class Painted(msgspec.Struct, frozen=True):
    """Elements and how high they are together."""

    body: str
    height: float


class Scale(msgspec.Struct, frozen=True):
    """Values along an axis: from `low` at `start` to `high` at `end`, with lines at `ticks`."""

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]

    def at(self, value: float) -> float:
        """Return where a value lies; one beyond the ends lies at the end."""
        held = min(max(value, self.low), self.high)
        return self.start + (held - self.low) / (self.high - self.low) * (self.end - self.start)


def scale_of(drawing: Drawing, start: float, end: float) -> Scale:
    """Return the axis of a figure's values."""
    match drawing.unit:
        case "share":
            return Scale(0, 1, start, end, (0, 0.25, 0.5, 0.75, 1))
        case "r":
            return Scale(-1, 1, start, end, (-1, -0.5, 0, 0.5, 1))
        case "points":
            most = max(map(abs, _ends(drawing)), default=0.1) or 0.1
            return scale_over((-most, most), start, end)
        case _:
            return scale_over(_ends(drawing), start, end)


def scale_over(values: Sequence[float], start: float, end: float) -> Scale:
    """Return an axis that holds values and zero, with round numbers at its lines."""
    low, high = min(0.0, *values, 0.0), max(0.0, *values, 0.0)
    step = _step((high - low) or 1.0)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    last = max(last, first + 1)
    ticks = tuple(at * step for at in range(first, last + 1))
    return Scale(ticks[0], ticks[-1], start, end, ticks)


def _ends(drawing: Drawing) -> list[float]:
    values = [datum.value or 0.0 for datum in drawing.known]
    ends = [(each.low, each.high) for datum in drawing.known if (each := datum.interval)]
    return [*values, *(end for couple in ends for end in couple)]


def _step(span: float) -> float:
    """Return the round number that parts a span into about four."""
    raw = span / _TICKS
    power = 10.0 ** math.floor(math.log10(raw))
    return next(power * times for times in (1, 2, 2.5, 5, 10) if power * times >= raw - 1e-12)


def tick_text(drawing: Drawing, tick: float) -> str:
    """Return what stands at a line of the axis."""
    if drawing.unit in {"share", "rate"}:
        return f"{100 * tick:.3g}"
    if drawing.unit == "points":
        return f"{100 * tick:+.3g}" if round(tick, 9) else "0"
    return f"{tick:.3g}"


def axis_title(drawing: Drawing) -> str:
    """Return what stands beside the axis of values."""
    units = {"share": "%", "rate": "%", "points": "points", "number": "", "r": ""}
    unit = units[drawing.unit]
    return f"{drawing.axis}, {unit}" if unit else drawing.axis


def colour(drawing: Drawing, series: str) -> int:
    """Return the number of a series' colour."""
    return drawing.series.index(series) % MAX_SERIES


def dashes(number: int) -> str | None:
    """Return how a series' line is broken, so that lines are told apart without colours too."""
    return _DASHES[number % len(_DASHES)] or None


def legend(drawing: Drawing) -> Painted:
    """Return the names of the series with their colours; nothing for one without a name."""
    series = drawing.series
    if series == ("",):
        return Painted("", 0)
    keys, x, y = [], 0.0, float(TEXT)
    for number, name in enumerate(series):
        shown = name if len(name) <= 90 else f"{name[:89]}…"  # noqa: PLR2004 - a line of them
        width = 18 + text_width(shown) + GAP
        if x and x + width > WIDTH:
            x, y = 0.0, y + TEXT * 1.6
        sample = element(
            "rect", class_="mark", x=x, y=y - TEXT * 0.8, width=11.0, height=11.0, rx=2
        )
        keys.append(
            element(
                "g",
                sample + label(shown, x + 16, y),
                class_=f"key s{number % MAX_SERIES}",
                data_series=number,
            )
        )
        x += width
    return Painted("".join(keys), y + TEXT)


def mark(drawing: Drawing, datum: Datum, body: str) -> str:
    """Return what is drawn of a value as one mark that says what it is."""
    return element(
        "g",
        element("title", escaped(drawing.words(datum))) + body,
        class_=f"datum s{colour(drawing, datum.series)}",
        data_series=drawing.series.index(datum.series),
        data_cell=datum.cell,
    )


def grid_lines(drawing: Drawing, scale: Scale, top: float, bottom: float) -> str:
    """Return upright lines at the ticks of an axis from left to right, with their numbers below."""
    lines = []
    for tick in scale.ticks:
        kind = "zero" if not round(tick, 9) else "grid"
        x = scale.at(tick)
        lines.append(element("line", class_=kind, x1=x, x2=x, y1=top, y2=bottom))
        lines.append(label(tick_text(drawing, tick), x, bottom + TEXT * 1.2, "middle"))
    middle = (scale.start + scale.end) / 2
    return "".join(lines) + label(axis_title(drawing), middle, bottom + TEXT * 2.6, "middle")


def whisker(x1: float, x2: float, y: float, half: float = 4) -> str:
    """Return an interval from left to right."""
    path = f"M{x1:.2f} {y:.2f}H{x2:.2f}M{x1:.2f} {y - half:.2f}V{y + half:.2f}M{x2:.2f} {y - half:.2f}V{y + half:.2f}"
    return element("path", class_="whisker", d=path)


def upright_whisker(x: float, y1: float, y2: float, half: float = 4) -> str:
    """Return an interval from top to bottom."""
    path = f"M{x:.2f} {y1:.2f}V{y2:.2f}M{x - half:.2f} {y1:.2f}h{2 * half:.2f}M{x - half:.2f} {y2:.2f}h{2 * half:.2f}"
    return element("path", class_="whisker", d=path)


def small(words: str, x: float, y: float, anchor: str = "start") -> str:
    """Return a text in small letters."""
    return label(words, x, y, anchor, class_="small", font_size=SMALL)
