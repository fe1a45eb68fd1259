"""Java values as the reference converts them: regular expressions for some spellings of a type."""

import re
from collections.abc import Callable, Mapping

from dragoman.benchmarks.bfcl.verdicts import UndecidableError

_NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_INTEGER = re.compile(r"-?\d+\n?")
_LONG = re.compile(r"-?\d+[lL]\n?")
_DOUBLE = re.compile(_NUMBER + r"\n?")
_FLOAT = re.compile(_NUMBER + r"[fF]\n?")
_ARRAY = re.compile(r"new\s++\w++\[\]\s*+\{")
_LIST = re.compile(r"new\s++ArrayList<\w*+>\(")
_LIST_OF = re.compile(_LIST.pattern + r"Arrays\.asList\(")
_LIST_EMPTY = re.compile(_LIST.pattern + r"\)")
_LIST_BLOCK = re.compile(_LIST.pattern + r"\)\s*+\{\s*+\{")
_MAP = re.compile(r"new\s++HashMap<")
_MAP_BLOCK = re.compile(r"\s*+\{\s*+\{?([^}]*+)\}")
_ADD = re.compile(r"add\(([^)\n]++)\)")
_PUT = re.compile(r'put\(\s*+"([^"\n]*+)"\s*+,\s*+([^)\n]*+)\)')
_UNSUPPORTED = frozenset({"Set", "Hashtable", "Queue", "Stack"})
_MAX_DIGITS = 4_000


def convert(text: str, kind: str, element: str | None) -> object:
    """Return the value of a source text, or the text where no pattern fits.

    `element` is the type of a collection's elements, if one is given.

    Raises:
        UndecidableError: For types on which the reference breaks.
    """
    if kind in _SCALARS:
        pattern, read = _SCALARS[kind]
        return read(text) if _fits(pattern, text) else text
    if kind == "Array":
        return _array(text, element)
    if kind == "ArrayList":
        return _list(text, element)
    if kind == "HashMap":
        return _map(text)
    if kind in {"char", "String", "any"}:
        return text
    why = "supports no" if kind in _UNSUPPORTED else "knows no"
    raise UndecidableError(f"the reference {why} java type {kind!r}")


def _fits(pattern: re.Pattern[str], text: str) -> bool:
    return len(text) <= _MAX_DIGITS and pattern.fullmatch(text) is not None


def _without_suffix(text: str) -> int:
    return int(text.rstrip()[:-1])


def _float_without_suffix(text: str) -> float:
    return float(text.rstrip()[:-1])


def _is_true(text: str) -> bool:
    return text == "true"


_SCALARS: Mapping[str, tuple[re.Pattern[str], Callable[[str], object]]] = {
    "byte": (_INTEGER, int),
    "short": (_INTEGER, int),
    "integer": (_INTEGER, int),
    "long": (_LONG, _without_suffix),
    "float": (_FLOAT, _float_without_suffix),
    "double": (_DOUBLE, float),
    "boolean": (re.compile("true|false"), _is_true),
}


def _array(text: str, element: str | None) -> object:
    body = _body(_ARRAY, text, "}")
    if body is None:
        return text
    parts = [part for part in map(str.strip, body.split(",")) if part]
    return [_element(part, element) for part in parts]


def _list(text: str, element: str | None) -> object:
    body = _body(_LIST_OF, text, "))")
    if body:
        parts = body.split(",")
    elif (body := _body(_LIST_BLOCK, text, "}")) is not None:
        parts = _ADD.findall(body)
    else:
        return [] if _LIST_EMPTY.search(text) else text
    if element in {"char", "String"}:
        return [part.strip()[1:-1] for part in parts]
    return [_element(part.strip(), element) for part in parts]


def _map(text: str) -> object:
    end = _map_end(text)
    if end is None:
        return text
    block = _MAP_BLOCK.match(text, end)
    if block is None or "\n" in block.group(1).strip():
        return {}
    return {key: guess(value.strip()) for key, value in _PUT.findall(block.group(1))}


def _map_end(text: str) -> int | None:
    """Return where the first new map ends whose type and brackets stand on one line."""
    for found in _MAP.finditer(text):
        end = text.find(">()", found.end() - 1)
        if end < 0:
            return None
        if "\n" not in text[found.end() : end]:
            return end + 3
    return None


def _body(opening: re.Pattern[str], text: str, closing: str) -> str | None:
    """Return what stands on one line between an opening and its first closing."""
    for found in opening.finditer(text):
        end = text.find(closing, found.end())
        if end < 0:
            return None
        body = text[found.end() : end].strip()
        if "\n" not in body:
            return body
    return None


def _element(text: str, element: str | None) -> object:
    return guess(text) if element is None else convert(text, element, None)


def guess(text: str) -> object:
    """Return the value that a text of unknown type looks like, or the text."""
    if text in {"true", "false"}:
        return text == "true"
    if text.startswith('"') and text.endswith('"') and len(text) > 1:
        return text[1:-1]
    for kind in ("long", "float", "integer", "double"):
        pattern, read = _SCALARS[kind]
        if _fits(pattern, text):
            return read(text)
    return text
