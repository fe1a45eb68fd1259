"""Reads the body of an OpenAI-shaped chat completion.

A well-formed body whose arguments are not a JSON object is the model's mistake, kept raw and marked
on the call; a body that is not a completion at all is the provider's.
"""

import msgspec

from dragoman.core.decoding import UNREADABLE
from dragoman.core.errors import ParticipantError
from dragoman.core.protocols import Completion
from dragoman.core.speech import Called, Reply, Unparsed, say
from dragoman.core.tools import ToolCall
from dragoman.core.usage import Usage

MAX_ARGUMENT_CHARS = 200_000


class _Function(msgspec.Struct):
    name: str
    arguments: object = "{}"


class _ToolCall(msgspec.Struct):
    function: _Function
    id: str = ""


class _Message(msgspec.Struct):
    content: str | None = None
    tool_calls: list[_ToolCall] | None = None


class _Choice(msgspec.Struct):
    message: _Message


class _Tokens(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Body(msgspec.Struct):
    choices: list[_Choice]
    usage: _Tokens | None = None


_BODY = msgspec.json.Decoder(_Body)
_ARGUMENTS = msgspec.json.Decoder(dict[str, object])


def decode_completion(body: bytes, model: str, purpose: str) -> Completion:
    """Decode a chat completion's body.

    Raises:
        ParticipantError: Where the body is not a chat completion.
    """
    try:
        body.decode("utf-8")
        decoded = _BODY.decode(body)
    except UNREADABLE as error:
        raise ParticipantError(f"{model}: the reply is not a chat completion ({error})") from error
    if not decoded.choices:
        raise ParticipantError(f"{model}: the reply has no choices")
    tokens = decoded.usage or _Tokens()
    return Completion(
        reply=_reply(decoded.choices[0].message),
        raw=msgspec.Raw(body),
        usage=Usage(purpose, model, 1, tokens.prompt_tokens, tokens.completion_tokens),
    )


def _reply(message: _Message) -> Reply:
    text = message.content if message.content and message.content.strip() else None
    if message.tool_calls:
        calls = tuple(_call(call, index) for index, call in enumerate(message.tool_calls))
        return Called(calls, text)
    if text is None:
        return Unparsed(message.content or "", "the reply has neither words nor calls")
    return say(text)


def _call(call: _ToolCall, index: int) -> ToolCall:
    given, name = call.function.arguments, call.function.name
    call_id = call.id or f"call_{index}"
    raw = given if isinstance(given, str) else msgspec.json.encode(given).decode()
    if len(raw) > MAX_ARGUMENT_CHARS:
        shown = raw[:MAX_ARGUMENT_CHARS]
        return ToolCall(call_id, name, {}, raw=shown, malformed="the arguments are too long")
    try:
        return ToolCall(call_id, name, _ARGUMENTS.decode(raw or "{}"))
    except UNREADABLE as error:
        return ToolCall(call_id, name, {}, raw=raw, malformed=str(error))
