"""JavaScript values as the reference converts them: by patterns, splitting at every comma."""

import re
from collections.abc import Callable, Mapping

from dragoman.benchmarks.bfcl.verdicts import UndecidableError

_INTEGER = re.compile(r"-?\d+\n?")
_FLOAT = re.compile(r"-?\d+(?:\.\d+)?\n?")
_BIGINT = re.compile(r"-?\d+n\n?")
_OPENINGS = (("[", "]"), ("new Array(", ")"))
_ROW = re.compile(r"\s*+\[([^\]\n]*+)\]\s*+")
_MAX_DIGITS = 4_000
_MAX_DEPTH = 20


def convert(text: str, kind: str, element: str | None) -> object:
    """Return the value of a source text, or the text where no pattern fits.

    `element` is the type of an array's elements, if one is given.

    Raises:
        UndecidableError: For types on which the reference breaks.
    """
    if kind == "String":
        return _strip_quotes(text)
    if kind in _SCALARS:
        pattern, read = _SCALARS[kind]
        fits = len(text) <= _MAX_DIGITS and pattern.fullmatch(text)
        return read(text) if fits else text
    if kind == "array":
        return _array(text.strip(), element)
    if kind == "dict":
        return _object(text.strip(), 0)
    if kind == "any":
        return text
    raise UndecidableError(f"the reference knows no javascript type {kind!r}")


def _bigint(text: str) -> int:
    return int(text.rstrip()[:-1])


def _is_true(text: str) -> bool:
    return text == "true"


_SCALARS: Mapping[str, tuple[re.Pattern[str], Callable[[str], object]]] = {
    "integer": (_INTEGER, int),
    "float": (_FLOAT, float),
    "Bigint": (_BIGINT, _bigint),
    "Boolean": (re.compile("true|false"), _is_true),
}


def _strip_quotes(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return text


def _array(text: str, element: str | None) -> object:
    for opening, closing in _OPENINGS:
        if not text.startswith(opening):
            continue
        rows = _rows(text, len(opening), closing)
        if rows is not None:
            return [[guess(part.strip()) for part in row.split(",")] for row in rows]
        end = text.find(closing, len(opening))
        body = text[len(opening) : end]
        if end >= 0 and "\n" not in body:
            return _elements(body, element, text)
    return text


def _rows(text: str, start: int, closing: str) -> list[str] | None:
    """Return the insides of an array that consists of arrays, or None."""
    rows = []
    while found := _ROW.match(text, start):
        rows.append(found.group(1))
        start = found.end()
        if text.startswith(closing, start):
            return rows
        if not text.startswith(",", start):
            return None
        start += 1
    return None


def _elements(body: str, element: str | None, text: str) -> object:
    if not body.strip():
        return []
    parts = map(str.strip, body.split(","))
    if element is None:
        return [guess(part) for part in parts]
    try:
        return [convert(part, element, None) for part in parts]
    except UndecidableError:
        return text


def _object(text: str, depth: int) -> object:
    if not text.startswith("{"):
        return text
    end = text.find("}")
    body = text[1:end]
    if end < 0 or "\n" in body or depth > _MAX_DEPTH:
        return text
    return {
        _strip_quotes(key.strip()): _entry(value.strip(), depth)
        for key, _, value in (pair.partition(":") for pair in _pairs(body))
    }


def _pairs(body: str) -> list[str]:
    """Split at the commas that a key with its colon follows before the next comma."""
    pairs: list[str] = []
    for part in body.split(","):
        if ":" in part:
            pairs.append(part)
        elif pairs:
            pairs[-1] += f",{part}"
    return pairs


def _entry(text: str, depth: int) -> object:
    if text.startswith("[") and text.endswith("]"):
        return _array(text, None)
    if text.startswith("{") and text.endswith("}"):
        return _object(text, depth + 1)
    return guess(text.strip("\"'"))


def guess(text: str) -> object:
    """Return the value that a text of unknown type looks like, or the text."""
    for kind in ("Boolean", "integer", "float"):
        pattern, read = _SCALARS[kind]
        if len(text) <= _MAX_DIGITS and pattern.fullmatch(text):
            return read(text)
    return _strip_quotes(text)
