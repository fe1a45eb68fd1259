"""JSON calls: `[{"function": "f", "parameters": {"a": 1}}]`, and stored native calls.

Function-calling models store names with JSON texts, or with objects.
"""

import json
import re

import msgspec

from dragoman.benchmarks.bfcl.call_parsers.limits import (
    MAX_DEPTH,
    UnreadableError,
    check_bounds,
    check_length,
)
from dragoman.benchmarks.bfcl.rules import BfclRules
from dragoman.core.tools import ToolCall

_FIRST_OBJECT = re.compile(r"\[\s*+\{")
_LAST_OBJECT = re.compile(r"\}\s*+\]")


_FEW_BRACKETS = 20
"""So many cannot nest beyond the bounds."""

_decode = msgspec.json.Decoder().decode


def read_json(text: str) -> object:
    """Return the value of a JSON text, or raise UnreadableError.

    If the strict and fast decoder refuses a text, Python's decoder reads it. Python's decoder also
    takes NaN, infinite numbers and lone surrogates.
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
        UnreadableError: If an object is not a call; under our rules also if the text is not JSON.
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
    return tuple(_json_call(item) for item in items if isinstance(item, dict))


def _cut(text: str) -> str:
    """Return the array of objects as far as the reference's pattern sees it."""
    opening, closing = text.find("["), text.rfind("]")
    text = text[opening : closing + 1] if 0 <= opening < closing else text
    first = _FIRST_OBJECT.search(text)
    last = _LAST_OBJECT.search(text, first.end()) if first else None
    return text[first.start() : last.end()] if first and last else text


def _json_call(item: dict[object, object]) -> ToolCall:
    if "function" not in item or "parameters" not in item:
        raise UnreadableError("a call needs function and parameters")
    name, arguments = item["function"], item["parameters"]
    if not isinstance(arguments, dict):
        raise UnreadableError("parameters are not an object", is_format=True)
    return ToolCall("", str(name), arguments, raw=json.dumps(item, ensure_ascii=False))


_NO_OBJECT = "arguments are not an object"


def read_items(stored: object) -> tuple[ToolCall, ...]:
    """Return the calls of a stored list whose arguments are JSON texts.

    A stored text is an answer without calls: an empty text has none, any other is unreadable.

    Raises:
        UnreadableError: For a text, an item that is not a call, and arguments that are not JSON.
    """
    if stored == "":
        return ()
    if not isinstance(stored, list):
        raise UnreadableError("no list of calls")
    return tuple([_stored_call(item) for item in stored])


def _stored_call(item: object) -> ToolCall:
    if not isinstance(item, dict) or not item:
        raise UnreadableError("an item is not a call")
    name = next(iter(item))
    text = item[name]
    if not isinstance(text, str):
        raise UnreadableError("arguments are not JSON text")
    arguments = read_json(text)
    if not isinstance(arguments, dict):
        raise UnreadableError(_NO_OBJECT, is_format=True)
    return ToolCall("", str(name), arguments, raw=text)


def read_object_items(stored: object) -> tuple[ToolCall, ...]:
    """Return the calls of a stored list whose arguments are objects.

    Raises:
        UnreadableError: For anything else; the reference calls that a wrong format.
    """
    if not isinstance(stored, list):
        raise UnreadableError("no list of calls", is_format=True)
    calls: list[ToolCall] = []
    for item in stored:
        if not isinstance(item, dict) or len(item) != 1:
            raise UnreadableError("an item does not name one function", is_format=True)
        ((name, arguments),) = item.items()
        if not isinstance(arguments, dict):
            raise UnreadableError(_NO_OBJECT, is_format=True)
        calls.append(ToolCall("", str(name), arguments))
    return tuple(calls)


def item_strings(stored: object) -> tuple[str, ...]:
    """Return stored calls as texts for an executor: `f(a=1,b='x')`.

    Raises:
        UnreadableError: As `read_items`; an object alone is a list of one item here.
    """
    items = [stored] if isinstance(stored, dict) else stored
    if not isinstance(items, list):
        raise UnreadableError("no list of calls")
    return tuple(
        _item_string(name, arguments) for item in items for name, arguments in _entries(item)
    )


def _entries(item: object) -> list[tuple[object, object]]:
    if not isinstance(item, dict):
        raise UnreadableError("an item is not a call")
    return list(item.items())


def _item_string(name: object, arguments: object) -> str:
    if isinstance(arguments, str):
        arguments = read_json(arguments)
    if not isinstance(arguments, dict):
        raise UnreadableError(_NO_OBJECT)
    return f"{name}({','.join(f'{key}={value!r}' for key, value in arguments.items())})"
