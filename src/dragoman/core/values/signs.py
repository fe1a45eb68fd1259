"""What the signs in a text are called where they are said, and which only divide."""

import re
from functools import cache

from dragoman.core.values.language_table import common_table

SAID_SIGNS = {
    ".": "dot",
    "_": "underscore",
    "-": "dash",
    "@": "at",
    "+": "plus",
    "/": "slash",
    ":": "colon",
    "=": "equals",
    "&": "and",
    "?": "question mark",
    "~": "tilde",
}
"""The names of signs inside addresses, paths and names of files."""

_OPERATORS = {
    "+": "plus",
    "=": "equals",
    "*": "times",
    "\u00d7": "times",
    "\u00f7": "divided by",
    "<": "less than",
    ">": "greater than",
    "\u00b1": "plus minus",
    "\u221a": "square root of",
}
_ALWAYS = {"%": "percent", "&": "and", "@": "at", "\u00b0": "degree"}
_LEFT_OF_FIGURE = frozenset(" \t\n([{=<>*/^+,:;\"'|~$\u20ac\u00a3\u00a5")
_BEFORE_AMOUNT = frozenset("$\u20ac\u00a3.")
_POWERS = {"2": "squared", "3": "cubed"}
_SAID_ADDRESS = re.compile(r"[\w.-]{1,40}\s+at\s+\S+\.[a-z]")
_TERM_BEFORE = re.compile(r"(?:[0-9)\]]|(?<![^\W_])[A-Za-z]|\^[0-9]|squared)\s*$")
_TERM_AFTER = re.compile(r"\s*(?:[0-9(\[]|-[0-9]|[A-Za-z](?![^\W\d_]))")
_IN_FORMULA = re.compile(r"(?:[0-9][a-z]|\))\s$")
_LOOKED_BACK = 12


def power_name(found: str) -> str:
    """Return what a sign of a power is called, with its exponent where that has a word of its own."""
    return _POWERS.get(found.lstrip("^*").strip(), "to the power of")


def sign_name(text: str, at: int) -> str:
    """Return what a sign is called where it is said; "" where it only divides."""
    sign = text[at]
    always = _ALWAYS.get(sign)
    if always is not None:
        return always
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    reader = _BY_SIGN.get(sign)
    name = "" if reader is None else reader(text, at, before, after)
    if not name and sign in _OPERATORS and _is_between(text, at):
        return _OPERATORS[sign]
    return name


def _minus(text: str, at: int, before: str, after: str) -> str:
    is_free = before == "" or before in _LEFT_OF_FIGURE
    is_minus = is_free and (after.isdigit() or after in _BEFORE_AMOUNT)
    return "minus" if is_minus or _is_between(text, at) else ""


def _plus(text: str, at: int, before: str, after: str) -> str:
    """Name a plus before a number, and both of `C++`."""
    is_doubled = "+" in {before, after} and text[max(0, at - 2) : at].strip("+")[-1:].isalpha()
    return "plus" if after.isdigit() or after == "(" or is_doubled else ""


def _hash(_text: str, _at: int, before: str, after: str) -> str:
    """Name the sign of `C#`; before an id it is not counted."""
    return "sharp" if before.isalpha() and not after.isalnum() else ""


def _dot(text: str, at: int, before: str, after: str) -> str:
    if before.isalnum() and after.islower() and _SAID_ADDRESS.match(text, at + 1):
        return "dot"
    is_name = not before.isascii() or before.isdigit()
    return "dot" if is_name and _known_ending().match(text, at + 1) else ""


def _underscore(_text: str, _at: int, before: str, after: str) -> str:
    return "underscore" if before.isalnum() and after.isalnum() else ""


def _slash(_text: str, _at: int, before: str, after: str) -> str:
    """Name a slash between figures; one between letters is kept for units of measure."""
    if before.isdigit() and after.isdigit():
        return "slash"
    return "/" if before.isalpha() and after.isalpha() else ""


_BY_SIGN = {"-": _minus, "+": _plus, ".": _dot, "_": _underscore, "/": _slash, "#": _hash}


@cache
def _known_ending() -> re.Pattern[str]:
    names = "|".join(sorted(common_table().endings.names, key=len, reverse=True))
    return re.compile(rf"(?:{names})(?![A-Za-z0-9_])", re.IGNORECASE)


def _is_between(text: str, at: int) -> bool:
    """Whether a sign stands between two terms of a formula: figures, lone letters, brackets."""
    before = _TERM_BEFORE.search(text[max(0, at - _LOOKED_BACK) : at])
    if before is None or _TERM_AFTER.match(text, at + 1) is None:
        return False
    if text[at] != "-":
        return True
    is_spaced = text[at - 1].isspace() and text[at + 1 : at + 2].isspace()
    # The last sign before the space ends the text that is looked at: two characters are enough.
    behind = _IN_FORMULA.search(text[max(0, at - _LOOKED_BACK) : at])
    return is_spaced and ("=" in text or "^" in text or behind is not None)
