"""Shapes of ids: what the ids of a field have in common, so that one nobody has seen is known too."""

import re
from collections.abc import Iterable

_LETTERS_THEN_DIGITS = re.compile(r"[A-Z]+\d+")
_CODE = re.compile(r"[A-Z0-9]+")
_LEAST_DIGITS = 7
"""Shorter numbers are amounts, years and house numbers as often as ids."""


def shape_of(text: str) -> str | None:
    """Return the shape of a word, or None where it says nothing: words, short numbers.

    Digits are `9` and letters `A` or `a`, one for one; where digits and capitals are mixed, any of
    them may stand in any place and each is `X`: `HAT001` is `AAA999`, `4WQ150` is `XXXXXX`.
    """
    if not any(sign.isdecimal() for sign in text):
        return None
    if text.isdecimal():
        return "9" * len(text) if len(text) >= _LEAST_DIGITS else None
    return "".join(map(_chunk_shape, re.split(r"([^A-Za-z0-9])", text)))


def shapes_of(ids: Iterable[str]) -> frozenset[str]:
    """Return the shapes of ids."""
    return frozenset(shape for each in ids if (shape := shape_of(each)) is not None)


def fits(text: str, shapes: frozenset[str]) -> bool:
    """Whether a word has one of the shapes."""
    shape = shape_of(text)
    return shape is not None and (shape in shapes or _mixed(text, shape) in shapes)


def _mixed(text: str, shape: str) -> str:
    return "X" * len(shape) if _CODE.fullmatch(text) and not text.isdecimal() else shape


def _chunk_shape(chunk: str) -> str:
    if _CODE.fullmatch(chunk) and not chunk.isdecimal() and not chunk.isalpha():
        return _signs(chunk) if _LETTERS_THEN_DIGITS.fullmatch(chunk) else "X" * len(chunk)
    return _signs(chunk)


def _signs(chunk: str) -> str:
    return "".join(map(_sign, chunk))


def _sign(sign: str) -> str:
    if sign.isdecimal():
        return "9"
    if "A" <= sign <= "Z":
        return "A"
    return "a" if "a" <= sign <= "z" else sign
