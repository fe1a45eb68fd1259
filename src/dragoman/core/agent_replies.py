"""Parser of custom agents' answers: a function's return value, or JSON from an HTTP agent.

An answer has `content`, `tool_calls` and `usage`, all optional. A call has `name`, `arguments` (an
object, or JSON text) and optionally `id`; OpenAI's nesting under `function` is accepted too.
"""

import json
import reprlib
from typing import Annotated, Generic, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from dragoman.core.replies import Reply, ToolCallReply, UnparsedReply, text_reply
from dragoman.core.texts.decoding import (
    DECODING_ERRORS,
    MOST_DEPTH,
    TOO_DEEP,
    escape_surrogates,
    is_nested_too_deeply,
    why_unreadable,
)
from dragoman.core.tools import ToolCall

MAX_SHOWN_CHARS = 100_000

_SHORTENED = reprlib.Repr()
"""Formatter of objects that are nested too deeply to be shown whole."""

Arguments = TypeVar("Arguments")
"""Type of a call's arguments: any object from a function, raw JSON from an HTTP agent."""

Tokens = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class RawFunction(msgspec.Struct, Generic[Arguments]):
    """The nested part of a call in OpenAI's shape; only a text counts as a name."""

    name: object = None
    arguments: Arguments | UnsetType = UNSET


class RawCall(msgspec.Struct, Generic[Arguments]):
    """A call as given, flat or nested; only a text counts as a name."""

    name: object = UNSET
    arguments: Arguments | UnsetType = UNSET
    id: str | int | None = None
    function: RawFunction[Arguments] | None = None

    def __post_init__(self) -> None:
        if self.name is not UNSET and self.function is not None:
            raise ValueError("a call has a `name`, or a `function` with one")


class RawUsage(msgspec.Struct):
    """The token counts that an agent reports."""

    input_tokens: Tokens | None = None
    output_tokens: Tokens | None = None


class RawAnswer(msgspec.Struct, Generic[Arguments]):
    """An answer as given; its usage is parsed separately, so as not to spoil the reply."""

    content: str | UnsetType | None = UNSET
    tool_calls: list[RawCall[Arguments]] | UnsetType | None = UNSET
    usage: object = None


class ParsedAgentReply(msgspec.Struct, frozen=True):
    """A parsed answer; token counts are None if the agent does not report them.

    `odd_usage` says what is wrong with impossible token counts, which are then unknown.
    """

    reply: Reply
    input_tokens: int | None = None
    output_tokens: int | None = None
    odd_usage: str = ""


def parse_agent_reply(answer: object, position: int) -> ParsedAgentReply:
    """Parse a function's answer: a string, or an object with the fields of an answer.

    Values that JSON cannot carry could be neither sent, nor stored, nor compared. In words they
    make the reply unusable, in arguments they make the call malformed.

    Args:
        answer: The return value of the function.
        position: The number of messages so far; it determines the ids of calls without one.
    """
    try:
        given = RawAnswer[object](answer) if isinstance(answer, str) else _convert_answer(answer)
        if isinstance(given.content, str):
            # Frameworks have string types of their own, which cannot be stored.
            given.content = given.content.encode().decode()
    except _NOT_JSON as error:
        return ParsedAgentReply(
            UnparsedReply(
                format_bounded(answer), format_bounded(why_unreadable(error, "the answer is"))
            )
        )
    return parse_raw_answer(given, position)


def parse_raw_answer(given: RawAnswer[Arguments], position: int) -> ParsedAgentReply:
    """Return the parsed form of an answer; unusable arguments make a malformed call."""
    reply = _reply(given, position)
    try:
        usage = msgspec.convert(given.usage, RawUsage | None, from_attributes=True)
    except _NOT_JSON as error:
        return ParsedAgentReply(reply, odd_usage=format_bounded(why_unreadable(error, "they are")))
    if usage is None:
        return ParsedAgentReply(reply)
    return ParsedAgentReply(reply, usage.input_tokens, usage.output_tokens)


def format_bounded(value: object) -> str:
    """Return a text of bounded length for any object, fit to be stored."""
    try:
        text = str(value) if isinstance(value, str | Exception) else repr(value)
    except RecursionError:
        text = _SHORTENED.repr(value)
    except Exception as error:  # noqa: BLE001 - an object of one's own may refuse to be shown
        text = f"a {type(value).__name__} that cannot be shown: {type(error).__name__}"
    return escape_surrogates(text[:MAX_SHOWN_CHARS])


NOTHING = "it returned None: an answer is text, or an object with `content` or `tool_calls`"
_WHAT = "the arguments are"
_NO_ID = (None, "")
_NOT_JSON = (*DECODING_ERRORS, TypeError, ValueError)
_ARGUMENTS = msgspec.json.Decoder(dict[str, object])


def _convert_answer(answer: object) -> RawAnswer[object]:
    if answer is None:
        raise TypeError(NOTHING)
    return msgspec.convert(answer, RawAnswer[object], from_attributes=True)


def _reply(given: RawAnswer[Arguments], position: int) -> Reply:
    content = None if given.content is UNSET else given.content
    if given.tool_calls is UNSET or not given.tool_calls:
        return text_reply(content or "")
    calls = [_call(call, f"call_{position}_{at}") for at, call in enumerate(given.tool_calls)]
    return ToolCallReply(tuple(calls), content)


def _call(call: RawCall[Arguments], fallback: str) -> ToolCall:
    named = call if call.function is None else call.function
    call_id = format_bounded(str(call.id) if call.id not in _NO_ID else fallback)
    name = format_bounded(named.name) if isinstance(named.name, str) else ""
    if named.arguments is UNSET:
        return ToolCall(call_id, name, {})
    raw: object = named.arguments
    try:
        raw = _json_text(named.arguments)
        arguments = _ARGUMENTS.decode(raw)
    except _NOT_JSON as error:
        why = format_bounded(why_unreadable(error, _WHAT))
        return ToolCall(call_id, name, {}, raw=format_bounded(raw), malformed=why)
    if raw.count("{") + raw.count("[") > MOST_DEPTH and is_nested_too_deeply(arguments):
        return ToolCall(call_id, name, {}, raw=format_bounded(raw), malformed=f"{_WHAT} {TOO_DEEP}")
    return ToolCall(call_id, name, arguments)


def _json_text(arguments: object) -> str:
    if isinstance(arguments, str):
        return arguments
    if isinstance(arguments, msgspec.Raw):
        text = bytes(arguments).decode()
        return msgspec.json.decode(text, type=str) if text.startswith('"') else text
    return json.dumps(arguments, allow_nan=False, ensure_ascii=False)
