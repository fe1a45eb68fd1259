"""Calls as values: objects that name a function and its arguments, one or many of them."""

import json
import re
from collections.abc import Mapping

from dragoman.benchmarks.bfcl.text.bounds import UnreadableError
from dragoman.benchmarks.bfcl.text.json_text import check_json_bounds, read_json
from dragoman.benchmarks.bfcl.text.python_text import read_literal
from dragoman.core.tools import ToolCall

NAMES = ("name", "tool_name", "function", "function_name", "tool", "action")
"""The keys under which an object may name its function, the first that it has counts."""

ARGUMENTS = ("arguments", "parameters", "params", "args", "action_input", "input")
"""The keys under which its arguments may stand."""

_NAME = re.compile(r"[^\s()\[\]{}<>\"']{1,500}")
_BETWEEN = " \t\r\n,;"
_decode_at = json.JSONDecoder().raw_decode


def calls_in(text: str) -> tuple[ToolCall, ...]:
    """Return the calls of a text that holds nothing but objects, or lists of them.

    Several may follow one another, with commas or semicolons between them. A text that is no JSON is
    read as one Python literal.

    Raises:
        UnreadableError: Where the text is neither, or an object is no call.
    """
    try:
        values = _json_values(text)
    except UnreadableError:
        values = [read_literal(text.strip())]
    return tuple(call for value in values for call in calls_of(value))


def calls_of(value: object) -> tuple[ToolCall, ...]:
    """Return the calls of an object or a list, or raise UnreadableError where one is no call."""
    if isinstance(value, list | tuple):
        return tuple(_call(item) for item in value)
    if isinstance(value, dict) and isinstance(value.get("tool_calls"), list):
        return tuple(_call(item) for item in value["tool_calls"])
    return (_call(value),)


def call_named(name: str, arguments: object) -> ToolCall:
    """Return the call of a function by name; arguments may be an object, or its JSON text.

    Raises:
        UnreadableError: Where there is no name, or the arguments are no object.
    """
    name = name.strip()
    if _NAME.fullmatch(name) is None:
        raise UnreadableError("a call without the name of a function")
    given = read_json(arguments) if isinstance(arguments, str) else arguments
    if not isinstance(given, dict):
        raise UnreadableError("arguments are no object", is_format=True)
    return ToolCall("", name, {str(key): value for key, value in given.items()})


def value_of(text: str) -> object:
    """Return what a text says as JSON, and the text itself where it is none."""
    try:
        return read_json(text.strip())
    except UnreadableError:
        return text.strip()


def _json_values(text: str) -> list[object]:
    """Return the JSON values that follow one another in a text."""
    check_json_bounds(text)
    values: list[object] = []
    text = text.strip(_BETWEEN)
    position = 0
    while position < len(text):
        try:
            value, position = _decode_at(text, position)
        except (ValueError, RecursionError) as error:
            raise UnreadableError(f"no JSON: {error}") from error
        values.append(value)
        while position < len(text) and text[position] in _BETWEEN:
            position += 1
    return values


def _call(item: object) -> ToolCall:
    if not isinstance(item, dict):
        raise UnreadableError("an item is no call")
    inner = item.get("function")
    fields: dict[object, object] = inner if isinstance(inner, dict) else item
    name, arguments = _first(fields, NAMES), _first(fields, ARGUMENTS)
    if isinstance(name, str) and arguments is not None:
        return call_named(name, arguments)
    if len(fields) == 1:
        ((key, value),) = fields.items()
        return call_named(str(key), value)
    raise UnreadableError("an object names no function with arguments")


def _first(item: Mapping[object, object], keys: tuple[str, ...]) -> object:
    return next((item[key] for key in keys if key in item), None)
