"""SVG elements with escaped text, and the parts that charts share: scales, legends and axes."""

import math
import unicodedata
from collections.abc import Iterable, Sequence

import msgspec
from markupsafe import escape

from dragoman.core.texts.characters import escape_controls
from dragoman.report.figure_spec import MAX_SERIES, Datum, FigureSpec

TEXT = 12
"""The size of letters; the width of a figure is in the same unit, pixels at full size."""

SMALL = 10.5
"""The size of what stands at marks."""

_WIDTHS = {
    "narrow": (frozenset("iljtfrI.,:;'|!()[]/ "), 0.42),
    "wide": (frozenset("mwMW%@"), 0.98),
}


def element(tag: str, content: str = "", **attributes: object) -> str:
    """Return an SVG element.

    `content` is SVG. A name ends in `_` if it is a keyword in Python, and `_` stands for `-`.
    """
    reported = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(_number(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{tag}{reported}>{content}</{tag}>" if content else f"<{tag}{reported}/>"


def label(words: str, x: float, y: float, anchor: str = "start", **attributes: object) -> str:
    """Return a text; `y` is the line that it stands on."""
    return element("text", escape_text(words), x=x, y=y, text_anchor=anchor, **attributes)


def escape_text(words: str) -> str:
    """Return a text as it stands between tags: no sign acts."""
    return str(escape(escape_controls(words)))


def lines_of_text(lines: Iterable[str], x: float, y: float, anchor: str = "start") -> str:
    """Return lines one below another, `y` being in the middle of them all."""
    found = tuple(lines)
    top = y - (len(found) - 1) * TEXT * 0.6 + TEXT * 0.35
    return "".join(label(line, x, top + at * TEXT * 1.2, anchor) for at, line in enumerate(found))


def text_width(words: str, size: float = TEXT) -> float:
    """Return about how wide a text is, rather too wide than too narrow: no font is looked at."""
    return size * sum(map(_width, words))


def wrap_words(words: str, width: float, most: int = 3) -> tuple[str, ...]:
    """Return a text in lines of about a given width.

    At most `most` lines are kept; a text that was cut ends in an ellipsis.
    """
    lines: list[str] = []
    for word in escape_controls(words).split():
        if lines and text_width(f"{lines[-1]} {word}") <= width:
            lines[-1] += f" {word}"
        else:
            lines += _pieces(word, width)
    kept = lines[:most]
    if len(lines) > most:
        kept[-1] = kept[-1][:-1] + "…"
    return tuple(kept) or ("",)


def _pieces(word: str, width: float) -> list[str]:
    """Return a word in pieces that fit: one with no space in it may be longer than a line."""
    pieces = [""]
    for sign in word:
        if pieces[-1] and text_width(pieces[-1] + sign) > width:
            pieces.append("")
        pieces[-1] += sign
    return pieces


def _width(sign: str) -> float:
    if unicodedata.combining(sign):
        return 0
    if unicodedata.east_asian_width(sign) in {"W", "F"}:
        return 1.05
    usual = 0.75 if sign.isupper() else 0.64
    return next((width for signs, width in _WIDTHS.values() if sign in signs), usual)


def _number(value: object) -> object:
    """Return numbers with two decimals: more are smaller than any eye sees."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else value


GAP = 18
_TICKS = 4
_DASHES = ("", "7 3", "2 3", "9 3 2 3")


class SvgPart(msgspec.Struct, frozen=True):
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


def scale_of(drawing: FigureSpec, start: float, end: float) -> Scale:
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


def _ends(drawing: FigureSpec) -> list[float]:
    values = [datum.value or 0.0 for datum in drawing.known]
    ends = [(each.low, each.high) for datum in drawing.known if (each := datum.interval)]
    return [*values, *(end for pair in ends for end in pair)]


def _step(span: float) -> float:
    """Return the round number that parts a span into about four."""
    raw = span / _TICKS
    power = 10.0 ** math.floor(math.log10(raw))
    return next(power * times for times in (1, 2, 2.5, 5, 10) if power * times >= raw - 1e-12)


def tick_text(drawing: FigureSpec, tick: float) -> str:
    """Return what stands at a line of the axis."""
    if drawing.unit in {"share", "rate"}:
        return f"{100 * tick:.3g}"
    if drawing.unit == "points":
        return f"{100 * tick:+.3g}" if round(tick, 9) else "0"
    return f"{tick:.3g}"


def axis_title(drawing: FigureSpec) -> str:
    """Return the title of the axis of values."""
    units = {"share": "%", "rate": "%", "points": "points", "number": "", "r": ""}
    unit = units[drawing.unit]
    return f"{drawing.axis}, {unit}" if unit else drawing.axis


def colour(drawing: FigureSpec, series: str) -> int:
    """Return the number of a series' colour."""
    return drawing.series.index(series) % MAX_SERIES


def dashes(number: int) -> str | None:
    """Return how a series' line is broken, so that lines are told apart without colours too."""
    return _DASHES[number % len(_DASHES)] or None


def legend(drawing: FigureSpec) -> SvgPart:
    """Return the names of the series with their colours; nothing for one without a name."""
    series = drawing.series
    if series == ("",):
        return SvgPart("", 0)
    keys, x, y = [], 0.0, float(TEXT)
    for number, name in enumerate(series):
        shown = name if len(name) <= 90 else f"{name[:89]}…"  # noqa: PLR2004 - a line of them
        width = 18 + text_width(shown) + GAP
        if x and x + width > drawing.width:
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
    return SvgPart("".join(keys), y + TEXT)


def mark(drawing: FigureSpec, datum: Datum, body: str) -> str:
    """Return what is drawn of a value as one mark that says what it is."""
    return element(
        "g",
        element("title", escape_text(drawing.words(datum))) + body,
        class_=f"datum s{colour(drawing, datum.series)}",
        data_series=drawing.series.index(datum.series),
        data_cell=datum.cell,
    )


def grid_lines(drawing: FigureSpec, scale: Scale, top: float, bottom: float) -> str:
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
    path = (
        f"M{x1:.2f} {y:.2f}H{x2:.2f}M{x1:.2f} {y - half:.2f}V{y + half:.2f}M{x2:.2f} "
        f"{y - half:.2f}V{y + half:.2f}"
    )
    return element("path", class_="whisker", d=path)


def upright_whisker(x: float, y1: float, y2: float, half: float = 4) -> str:
    """Return an interval from top to bottom."""
    path = (
        f"M{x:.2f} {y1:.2f}V{y2:.2f}M{x - half:.2f} {y1:.2f}h{2 * half:.2f}M{x - half:.2f} "
        f"{y2:.2f}h{2 * half:.2f}"
    )
    return element("path", class_="whisker", d=path)


def small(words: str, x: float, y: float, anchor: str = "start") -> str:
    """Return a text in small letters."""
    return label(words, x, y, anchor, class_="small", font_size=SMALL)
