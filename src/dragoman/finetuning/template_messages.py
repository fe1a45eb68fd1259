"""Messages in the form that chat templates take."""

import json
from collections.abc import Mapping


def for_template(message: Mapping[str, object]) -> dict[str, object]:
    """Return a message as templates want it: some text, and arguments that are no text."""
    shown = {"content": "", **{key: each for key, each in message.items() if each is not None}}
    calls = shown.get("tool_calls")
    if isinstance(calls, list | tuple):
        shown["tool_calls"] = [_with_object(call) for call in calls]
    return shown


def _with_object(call: object) -> object:
    match call:
        case {"function": {"arguments": str() as written, **function}, **others}:
            try:
                arguments = json.loads(written)
            except ValueError:
                return call
            return {**others, "function": {**function, "arguments": arguments}}
        case _:
            return call
