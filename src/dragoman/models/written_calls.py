"""Calls of tools as models write them: what cannot be read is the model's mistake, kept as written."""

from collections.abc import Sequence

import msgspec

from dragoman.core.texts.decoding import UNREADABLE
from dragoman.core.texts.nesting import MOST_DEPTH, TOO_DEEP, is_deep, why_unreadable
from dragoman.core.tools import ToolCall

MAX_ARGUMENT_CHARS = 200_000

_WHAT = "the arguments are"
_NO_ID = (None, "")
_NO_ARGUMENTS = frozenset({"", "null"})
_ARGUMENTS = msgspec.json.Decoder(dict[str, object])
_TEXT = msgspec.json.Decoder(str)


def told_apart(calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    """Return calls that each have an id of their own; one that came twice is one call."""
    apart: dict[str, ToolCall] = {}
    for index, call in enumerate(calls):
        if apart.get(call.id) == call:
            continue
        call_id = call.id
        while call_id in apart:
            call_id = f"{call_id}_{index}"
        own = call if call_id == call.id else msgspec.structs.replace(call, id=call_id)
        apart[call_id] = own
    return tuple(apart.values())


def written_call(given_id: object, given_name: object, given: object, index: int) -> ToolCall:
    """Return a call as it was understood.

    Args:
        given_id: Its id; one is made where there is none.
        given_name: The tool's name; what is no text is no name.
        given: Its arguments, as text or as what they are. Nothing, `null` and spaces are none.
        index: Its place among the calls of a reply.
    """
    # Servers of gpt-oss leave control tokens behind a name: `track<|channel|>commentary`.
    name = given_name.partition("<|")[0].strip() if isinstance(given_name, str) else ""
    call_id = f"call_{index}" if given_id in _NO_ID else str(given_id)
    raw = given if isinstance(given, str) else msgspec.json.encode(given).decode()
    if raw.strip() in _NO_ARGUMENTS:
        return ToolCall(call_id, name, {})
    if len(raw) > MAX_ARGUMENT_CHARS:
        shown = raw[:MAX_ARGUMENT_CHARS]
        return ToolCall(call_id, name, {}, raw=shown, malformed="the arguments are too long")
    try:
        arguments = _ARGUMENTS.decode(_once_encoded(raw))
    except UNREADABLE as error:
        return ToolCall(call_id, name, {}, raw=raw, malformed=why_unreadable(error, _WHAT))
    if raw.count("{") + raw.count("[") > MOST_DEPTH and is_deep(arguments):
        return ToolCall(call_id, name, {}, raw=raw, malformed=f"{_WHAT} {TOO_DEEP}")
    return ToolCall(call_id, name, arguments)


def _once_encoded(raw: str) -> str:
    """Return arguments that were encoded twice, as an object within a text, encoded once."""
    if not raw.lstrip().startswith('"'):
        return raw
    try:
        return _TEXT.decode(raw)
    except UNREADABLE:
        return raw
