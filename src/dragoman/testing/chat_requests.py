"""Reads the body of a chat completion request and refuses what a strict endpoint would refuse."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from dragoman.core.texts.decoding import UNREADABLE

MAX_BODY_BYTES = 64 * 1024 * 1024


class Refusal(msgspec.Struct, frozen=True):
    """Why a request gets no completion, in the terms of OpenAI's error object."""

    message: str
    param: str | None = None
    code: str | None = None
    status: int = 400
    type: str = "invalid_request_error"


class Function(msgspec.Struct, frozen=True, gc=False):
    """What a call names; `arguments` is JSON text as the model wrote it."""

    name: str
    arguments: str


class Call(msgspec.Struct, frozen=True, gc=False):
    """One tool call of an assistant's message."""

    id: str
    function: Function
    type: Literal["function"] = "function"


class ChatMessage(msgspec.Struct, frozen=True, gc=False):
    """One message of a history; `content` is text or a list of parts."""

    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[dict[str, object]] | None = None
    tool_calls: tuple[Call, ...] | None = None
    tool_call_id: str | None = None

    @property
    def text(self) -> str:
        """The words, text parts joined; parts of another kind enter as their JSON."""
        if isinstance(self.content, list):
            return "".join(map(_part_text, self.content))
        return self.content or ""


class ToolName(msgspec.Struct, frozen=True, gc=False):
    """The name of an offered tool; its schema is not looked at."""

    name: str


class OfferedTool(msgspec.Struct, frozen=True, gc=False):
    """One tool that the request offers."""

    function: ToolName
    type: Literal["function"]


class StreamOptions(msgspec.Struct, frozen=True):
    """How a stream is wanted."""

    include_usage: bool = False


class ChatBody(msgspec.Struct, frozen=True):
    """A request's body as far as answers depend on it; `content` is its hash, as logs have it."""

    model: str
    messages: tuple[ChatMessage, ...]
    tools: tuple[OfferedTool, ...] | None = None
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    user: str | None = None
    content: str = ""


class Checks(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an endpoint insists on, beyond a sound body.

    Args:
        refuses: Parameters that this endpoint does not know, for example `seed`.
        only_streams: Whether `stream` must be true.
        models: The names served; none given serves any.
        api_key: The bearer token that every request must carry; none needed where empty.
    """

    refuses: tuple[str, ...] = ()
    only_streams: bool = False
    models: tuple[str, ...] = ()
    api_key: str = ""


_BODY = msgspec.json.Decoder(ChatBody)
_PARAMETERS = msgspec.json.Decoder(dict[str, msgspec.Raw])


def read_request(body: bytes, checks: Checks, content: str = "") -> ChatBody | Refusal:
    """Decode and check a request's body, whose hash is `content`."""
    try:
        request = _BODY.decode(body)
        given = _PARAMETERS.decode(body) if checks.refuses else {}
    except UNREADABLE as error:
        return Refusal(f"the body is not a chat completion request: {error}")
    for name in checks.refuses:
        if name in given:
            return Refusal(f"unknown parameter: '{name}'", name, "unknown_parameter")
    if checks.models and request.model not in checks.models:
        return Refusal(f"no model '{request.model}' here", "model", "model_not_found", 404)
    if checks.only_streams and not request.stream:
        return Refusal("this model only streams: set stream to true", "stream")
    return check_messages(request.messages) or msgspec.structs.replace(request, content=content)


def check_messages(messages: Sequence[ChatMessage]) -> Refusal | None:
    """Return what is wrong with a history: every call has one result, right after its message."""
    unanswered: list[str] = []
    for index, message in enumerate(messages):
        if message.role == "tool":
            wrong = _check_result(message, unanswered)
        else:
            wrong = _missing(unanswered) or _check_words(message)
        if wrong:
            return Refusal(wrong, f"messages[{index}]")
        if message.tool_calls:
            unanswered = [call.id for call in message.tool_calls]
    missing = _missing(unanswered) if messages else "messages is empty"
    return Refusal(missing, "messages") if missing else None


def _check_result(message: ChatMessage, unanswered: list[str]) -> str:
    """Check a result and cross the call that it answers off."""
    if message.content is None:
        return "a tool message needs content"
    if message.tool_calls is not None:
        return "a tool message cannot call tools"
    if message.tool_call_id not in unanswered:
        return f"a tool message answers no call of the message before: {message.tool_call_id!r}"
    unanswered.remove(message.tool_call_id)
    return ""


def _check_words(message: ChatMessage) -> str:
    if message.tool_calls is not None and message.role != "assistant":
        return f"a {message.role} message cannot call tools"
    if message.tool_calls == ():
        return "tool_calls is an empty list"
    if message.content is None and not message.tool_calls:
        return f"this {message.role} message needs content"
    return ""


def _missing(unanswered: Sequence[str]) -> str:
    return f"tool calls without a result: {', '.join(unanswered)}" if unanswered else ""


def _part_text(part: dict[str, object]) -> str:
    text = part.get("text")
    return text if isinstance(text, str) else msgspec.json.encode(part).decode()
