"""What agents of users answer, and how it is read: a function's object, or JSON from a wire.

An answer has `content`, `tool_calls` and `usage`, all optional. A call has `name`, `arguments` (an
object, or JSON text) and optionally `id`; OpenAI's nesting under `function` is understood as well.
"""

import json
import reprlib
from typing import Annotated, Generic, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from dragoman.core.speech import Called, Reply, Unparsed, say
from dragoman.core.texts.carried import carried
from dragoman.core.texts.decoding import UNREADABLE
from dragoman.core.texts.nesting import MOST_DEPTH, TOO_DEEP, is_deep, why_unreadable
from dragoman.core.tools import ToolCall

MAX_SHOWN_CHARS = 100_000

_SHORTENED = reprlib.Repr()
"""Shows what is nested too deeply to be shown whole."""

Arguments = TypeVar("Arguments")
"""How arguments arrive: any object from a function, raw JSON from a wire."""

Tokens = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class GivenFunction(msgspec.Struct, Generic[Arguments]):
    """The nested part of a call in OpenAI's shape; what is no text is no name."""

    name: object = None
    arguments: Arguments | UnsetType = UNSET


class GivenCall(msgspec.Struct, Generic[Arguments]):
    """A call as it was given, flat or nested; what is no text is no name."""

    name: object = UNSET
    arguments: Arguments | UnsetType = UNSET
    id: str | int | None = None
    function: GivenFunction[Arguments] | None = None

    def __post_init__(self) -> None:
        if self.name is not UNSET and self.function is not None:
            raise ValueError("a call has a `name`, or a `function` with one")


class GivenUsage(msgspec.Struct):
    """The tokens that an agent tells."""

    input_tokens: Tokens | None = None
    output_tokens: Tokens | None = None


class GivenAnswer(msgspec.Struct, Generic[Arguments]):
    """An answer as it was given; its usage is read by itself, for it must not spoil the reply."""

    content: str | UnsetType | None = UNSET
    tool_calls: list[GivenCall[Arguments]] | UnsetType | None = UNSET
    usage: object = None


class AgentAnswer(msgspec.Struct, frozen=True):
    """What was understood of an answer; tokens are None where the agent does not tell them.

    `odd_usage` says what is wrong with tokens that make no sense; they are unknown then.
    """

    reply: Reply
    input_tokens: int | None = None
    output_tokens: int | None = None
    odd_usage: str = ""


def read_answer(answer: object, position: int) -> AgentAnswer:
    """Read a function's answer: a string, or an object with the fields of an answer.

    What JSON cannot carry could be neither sent, nor stored, nor compared: in words it makes the
    reply unusable, in arguments the call malformed.

    Args:
        answer: Whatever the function returned.
        position: The number of messages so far; it makes ids of calls that have none.
    """
    try:
        given = GivenAnswer[object](answer) if isinstance(answer, str) else _converted(answer)
        if isinstance(given.content, str):
            # Frameworks have kinds of strings of their own, which could not be stored.
            given.content = given.content.encode().decode()
    except _NOT_JSON as error:
        return AgentAnswer(Unparsed(shown(answer), shown(why_unreadable(error, "the answer is"))))
    return understood(given, position)


def understood(given: GivenAnswer[Arguments], position: int) -> AgentAnswer:
    """Return what an answer of the right shape says; unusable arguments make a malformed call."""
    reply = _reply(given, position)
    try:
        usage = msgspec.convert(given.usage, GivenUsage | None, from_attributes=True)
    except _NOT_JSON as error:
        return AgentAnswer(reply, odd_usage=shown(why_unreadable(error, "they are")))
    if usage is None:
        return AgentAnswer(reply)
    return AgentAnswer(reply, usage.input_tokens, usage.output_tokens)


def shown(value: object) -> str:
    """Return a bounded text of anything, fit to be stored."""
    try:
        text = str(value) if isinstance(value, str | Exception) else repr(value)
    except RecursionError:
        text = _SHORTENED.repr(value)
    except Exception as error:  # noqa: BLE001 - an object of one's own may refuse to be shown
        text = f"a {type(value).__name__} that cannot be shown: {type(error).__name__}"
    return carried(text[:MAX_SHOWN_CHARS])


NOTHING = "it returned None: an answer is text, or an object with `content` or `tool_calls`"
_WHAT = "the arguments are"
_NO_ID = (None, "")
_NOT_JSON = (*UNREADABLE, TypeError, ValueError)
_ARGUMENTS = msgspec.json.Decoder(dict[str, object])


def _converted(answer: object) -> GivenAnswer[object]:
    if answer is None:
        raise TypeError(NOTHING)
    return msgspec.convert(answer, GivenAnswer[object], from_attributes=True)


def _reply(given: GivenAnswer[Arguments], position: int) -> Reply:
    content = None if given.content is UNSET else given.content
    if given.tool_calls is UNSET or not given.tool_calls:
        return say(content or "")
    calls = [_call(call, f"call_{position}_{at}") for at, call in enumerate(given.tool_calls)]
    return Called(tuple(calls), content)


def _call(call: GivenCall[Arguments], fallback: str) -> ToolCall:
    named = call if call.function is None else call.function
    call_id = shown(str(call.id) if call.id not in _NO_ID else fallback)
    name = shown(named.name) if isinstance(named.name, str) else ""
    if named.arguments is UNSET:
        return ToolCall(call_id, name, {})
    raw: object = named.arguments
    try:
        raw = _json_text(named.arguments)
        arguments = _ARGUMENTS.decode(raw)
    except _NOT_JSON as error:
        why = shown(why_unreadable(error, _WHAT))
        return ToolCall(call_id, name, {}, raw=shown(raw), malformed=why)
    if raw.count("{") + raw.count("[") > MOST_DEPTH and is_deep(arguments):
        return ToolCall(call_id, name, {}, raw=shown(raw), malformed=f"{_WHAT} {TOO_DEEP}")
    return ToolCall(call_id, name, arguments)


def _json_text(arguments: object) -> str:
    if isinstance(arguments, str):
        return arguments
    if isinstance(arguments, msgspec.Raw):
        text = bytes(arguments).decode()
        return msgspec.json.decode(text, type=str) if text.startswith('"') else text
    return json.dumps(arguments, allow_nan=False, ensure_ascii=False)
