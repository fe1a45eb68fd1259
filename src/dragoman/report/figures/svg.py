"""Elements of SVG as texts: every attribute and every text from data is escaped."""

import unicodedata
from collections.abc import Iterable

from markupsafe import escape

from dragoman.core.texts.visible import visible

TEXT = 12
"""The size of letters; the width of a figure is in the same unit, pixels at full size."""

SMALL = 10.5
"""The size of what stands at marks."""

_WIDTHS = {
    "narrow": (frozenset("iljtfrI.,:;'|!()[]/ "), 0.42),
    "wide": (frozenset("mwMW%@"), 0.98),
}


def element(tag: str, content: str = "", **attributes: object) -> str:
    """Return an element; `content` is SVG. A name ends in `_` where Python has the word, `_` stands for `-`."""
    told = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(_number(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{tag}{told}>{content}</{tag}>" if content else f"<{tag}{told}/>"


def label(words: str, x: float, y: float, anchor: str = "start", **attributes: object) -> str:
    """Return a text; `y` is the line that it stands on."""
    return element("text", escaped(words), x=x, y=y, text_anchor=anchor, **attributes)


def escaped(words: str) -> str:
    """Return a text as it stands between tags: no sign acts."""
    return str(escape(visible(words)))


def lines_of_text(lines: Iterable[str], x: float, y: float, anchor: str = "start") -> str:
    """Return lines one below another, `y` being in the middle of them all."""
    found = tuple(lines)
    top = y - (len(found) - 1) * TEXT * 0.6 + TEXT * 0.35
    return "".join(label(line, x, top + at * TEXT * 1.2, anchor) for at, line in enumerate(found))


def text_width(words: str, size: float = TEXT) -> float:
    """Return about how wide a text is, rather too wide than too narrow: no font is looked at."""
    return size * sum(map(_width, words))


def wrapped(words: str, width: float, most: int = 3) -> tuple[str, ...]:
    """Return a text in lines of about this width, at most so many; what is cut ends in an ellipsis."""
    lines: list[str] = []
    for word in visible(words).split():
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
