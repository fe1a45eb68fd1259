"""Messages in tau2-bench's format: decode them to events, and encode events as messages."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from dragoman.core.episodes import Event, Message
from dragoman.core.errors import DataError
from dragoman.core.replies import Reply, TextReply, ToolCallReply, UnparsedReply, text_reply
from dragoman.core.texts.decoding import TranslatedErrors
from dragoman.core.tools import Role, ToolCall, ToolResult

Speaker = Literal["assistant", "user"]
"""The format's names of the two sides."""

ROLES: Mapping[Speaker, Role] = {"assistant": "agent", "user": "user"}
SPEAKERS: Mapping[Role, Speaker] = {"agent": "assistant", "user": "user"}

_NULL = msgspec.Raw(b"null")


class _Call(msgspec.Struct):
    name: str
    arguments: dict[str, object] | None
    id: str | None = None
    requestor: Speaker | None = None
    raw: str = ""
    malformed: str = ""


class _Spoken(msgspec.Struct, tag_field="role"):
    content: str | None = None
    tool_calls: list[_Call] | None = None
    raw_data: msgspec.Raw = _NULL


class _Assistant(_Spoken, tag="assistant"):
    pass


class _User(_Spoken, tag="user"):
    pass


class _Result(msgspec.Struct, tag_field="role", tag="tool"):
    id: str | None
    content: str | None = None
    requestor: Speaker | None = None
    error: bool | None = None


_MESSAGE = msgspec.json.Decoder(_Assistant | _User | _Result)


def decode_messages(records: Sequence[msgspec.Raw], where: str) -> tuple[Event, ...]:
    """Decode messages, each a JSON object, in their order.

    A result that answers no call has no name; replaying it says so.

    Raises:
        DataError: Naming the message that is damaged, after `where`.
    """
    events: list[Event] = []
    unanswered: list[ToolCall] = []
    for number, record in enumerate(records, 1):
        with TranslatedErrors(DataError, f"{where}: message {number} is damaged"):
            message = _MESSAGE.decode(record)
        if isinstance(message, _Result):
            events.append(_result(message, unanswered))
            continue
        reply = _reply(message)
        unanswered = list(reply.calls) if isinstance(reply, ToolCallReply) else []
        by: Role = "agent" if isinstance(message, _Assistant) else "user"
        raw = msgspec.UNSET if bytes(message.raw_data) == b"null" else message.raw_data.copy()
        events.append(Message(by, reply, raw=raw))
    return tuple(events)


def _reply(message: _Spoken) -> Reply:
    if message.tool_calls:
        return ToolCallReply(tuple(map(_call, message.tool_calls)), message.content)
    if message.content is None or not message.content.strip():
        return UnparsedReply(message.content or "", "the message has neither words nor calls")
    return text_reply(message.content)


def _call(record: _Call) -> ToolCall:
    return ToolCall(
        record.id or "",
        record.name,
        record.arguments or {},
        ROLES[record.requestor or "assistant"],
        raw=record.raw,
        malformed=record.malformed,
    )


def _result(message: _Result, unanswered: list[ToolCall]) -> ToolResult:
    """Return the result with the name of the call that it answers, which is then answered."""
    call = next((call for call in unanswered if call.id == (message.id or "")), None)
    if call is not None:
        unanswered.remove(call)
    return ToolResult(
        message.id or "",
        "" if call is None else call.name,
        message.content or "",
        ROLES[message.requestor or "assistant"],
        bool(message.error),
    )


def encode_messages(events: Sequence[Event]) -> list[dict[str, object]]:
    """Return events as records of the format; what is not known of a message is null."""
    return [_record(event, events, turn) for turn, event in enumerate(events)]


def _record(event: Event, events: Sequence[Event], turn: int) -> dict[str, object]:
    if isinstance(event, ToolResult):
        return {
            "id": event.call_id,
            "role": "tool",
            "content": event.content,
            "requestor": SPEAKERS[event.by],
            "error": event.error,
            "turn_idx": turn,
            "timestamp": None,
        }
    text, calls = _parts(event.reply)
    return {
        "role": SPEAKERS[event.by],
        "content": text,
        "tool_calls": list(_calls(calls, events[turn + 1 :])) if calls else None,
        "turn_idx": turn,
        "timestamp": None,
        "cost": None,
        "usage": None,
        "raw_data": None if event.raw is msgspec.UNSET else event.raw,
        "generation_time_seconds": None,
    }


def _parts(reply: Reply) -> tuple[str | None, tuple[ToolCall, ...]]:
    match reply:
        case TextReply():
            return reply.text, ()
        case ToolCallReply(calls=calls, text=text):
            return text, calls
        case UnparsedReply(raw=raw):
            return raw or None, ()


def _calls(calls: tuple[ToolCall, ...], following: Sequence[Event]) -> Iterator[dict[str, object]]:
    """Yield calls with the arguments that were executed, for those are what a replay repeats."""
    for index, call in enumerate(calls):
        result = following[index] if index < len(following) else None
        answered = isinstance(result, ToolResult) and result.call_id == call.id
        executed = result.executed if answered and isinstance(result, ToolResult) else None
        record: dict[str, object] = {
            "id": call.id,
            "name": call.name,
            "arguments": call.arguments if executed is None else executed,
            "requestor": SPEAKERS[call.by],
        }
        if call.malformed:
            record |= {"raw": call.raw, "malformed": call.malformed}
        yield record
