"""Calls and answers written in the form that `read_calls` and `read_answer` read."""

import math
import re
from collections.abc import Iterable

import msgspec

from dragoman.core.apis.tasks import ApiCall
from dragoman.core.apis.written.answers import ACTION, THOUGHT

_PLAIN_NAME = re.compile(r"[^\W\d]\w{0,99}")
_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def written_calls(calls: Iterable[ApiCall]) -> str:
    """Return calls as a list in text."""
    return f"[{', '.join(map(_call, calls))}]"


def written_answer(thought: str, calls: Iterable[ApiCall]) -> str:
    """Return a thought and calls as the JSON object that agents are asked for."""
    return msgspec.json.encode({THOUGHT: thought, ACTION: written_calls(calls)}).decode()


def _call(call: ApiCall) -> str:
    arguments = (f"{_name(name)}={_value(value)}" for name, value in call.arguments.items())
    return f"{call.tool}({', '.join(arguments)})"


def _name(name: str) -> str:
    return name if _PLAIN_NAME.fullmatch(name) else _value(name)


def _value(value: object) -> str:
    match value:
        case list() | tuple():
            return f"[{', '.join(map(_value, value))}]"
        case dict():
            inner = (f"{_value(str(key))}: {_value(each)}" for key, each in value.items())
            return f"{{{', '.join(inner)}}}"
        case None | bool() | int() | float():
            return _scalar(value)
        case _:
            return f"'{''.join(_ESCAPES.get(letter, letter) for letter in str(value))}'"


def _scalar(value: float | bool | None) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    is_number = value is not None and math.isfinite(value)
    return str(value) if is_number else "null"
