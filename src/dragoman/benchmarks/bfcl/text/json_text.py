"""Calls in JSON: `[{"function": "f", "parameters": {"a": 1}}]`, and arguments in JSON."""

import json
import re

import msgspec

from dragoman.benchmarks.bfcl.rules import BfclRules
from dragoman.benchmarks.bfcl.text.bounds import (
    MAX_DEPTH,
    UnreadableError,
    check_bounds,
    check_length,
)
from dragoman.core.tools import ToolCall

_FIRST_OBJECT = re.compile(r"\[\s*+\{")
_LAST_OBJECT = re.compile(r"\}\s*+\]")


_FEW_BRACKETS = 20
"""So many cannot nest beyond the bounds."""

_decode = msgspec.json.Decoder().decode


def read_json(text: str) -> object:
    """Return the value of a JSON text, or raise UnreadableError.

    What the strict and fast decoder refuses is left to Python's, which takes NaN, infinite numbers
    and halves of characters as well.
    """
    check_json_bounds(text)
    try:
        return _decode(text)
    except (ValueError, RecursionError):
        return _read_leniently(text)


def check_json_bounds(text: str) -> None:
    """Raise UnreadableError for a JSON text that is too long, or that may nest too deeply."""
    if len(text) > MAX_DEPTH:
        check_length(text)
        if text.count("[") + text.count("{") > _FEW_BRACKETS:
            check_bounds(text)


def _read_leniently(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"no JSON: {error}") from error


def read_json_calls(text: str, rules: BfclRules) -> tuple[ToolCall, ...]:
    """Return the calls of a JSON array of objects.

    Raises:
        UnreadableError: Where an object is no call, and under our rules where it is no JSON.
    """
    check_bounds(text)
    if rules.json_is_read_whole:
        items = read_json(text)
    else:
        try:
            items = read_json(_cut(text))
        except UnreadableError:
            return ()
    if not isinstance(items, list):
        raise UnreadableError("no array of calls", is_format=True)
    return tuple(_call(item) for item in items if isinstance(item, dict))


def _cut(text: str) -> str:
    """Return the array of objects as far as the reference's pattern sees it."""
    opening, closing = text.find("["), text.rfind("]")
    text = text[opening : closing + 1] if 0 <= opening < closing else text
    first = _FIRST_OBJECT.search(text)
    last = _LAST_OBJECT.search(text, first.end()) if first else None
    return text[first.start() : last.end()] if first and last else text


def _call(item: dict[object, object]) -> ToolCall:
    if "function" not in item or "parameters" not in item:
        raise UnreadableError("a call needs function and parameters")
    name, arguments = item["function"], item["parameters"]
    if not isinstance(arguments, dict):
        raise UnreadableError("parameters are no object", is_format=True)
    return ToolCall("", str(name), arguments, raw=json.dumps(item, ensure_ascii=False))
