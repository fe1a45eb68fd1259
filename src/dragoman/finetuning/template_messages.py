"""Messages in the form that chat templates take."""

import json
from collections.abc import Mapping

from dragoman.core.texts.model_output import WHOLE_CONTENT
from dragoman.models.history_format import ensure_json_object


def for_template(message: Mapping[str, object]) -> dict[str, object]:
    """Return a message as templates want it: some text, and arguments that are no text."""
    given = {key: each for key, each in message.items() if each is not None}
    given.pop(WHOLE_CONTENT, None)
    shown = {"content": "", **given}
    calls = shown.get("tool_calls")
    if isinstance(calls, list | tuple):
        shown["tool_calls"] = [_with_object(call) for call in calls]
    return shown


def _with_object(call: object) -> object:
    match call:
        case {"function": {"arguments": str() as written, **function}, **others}:
            arguments = json.loads(ensure_json_object(written))
            return {**others, "function": {**function, "arguments": arguments}}
        case _:
            return call
