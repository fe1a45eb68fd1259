"""A strict parser of chat completion requests, audio parts included."""

import base64
from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from dragoman.core.audio import Audio, read_wav
from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import DECODING_ERRORS

INPUT_AUDIO = "input_audio"
_FORMATS = ("wav", "mp3")


class _InputAudio(msgspec.Struct):
    data: str
    format: str


class _Part(msgspec.Struct):
    input_audio: _InputAudio


def check_parts(role: str, parts: Sequence[Mapping[str, object]]) -> str:
    """Return the problem with the audio among a message's parts; "" for none."""
    sounds = [part for part in parts if part.get("type") == INPUT_AUDIO]
    if sounds and role != "user":
        return f"a {role} message holds no {INPUT_AUDIO}"
    return next(filter(None, map(_wrong, sounds)), "")


def sounds_in(parts: Sequence[Mapping[str, object]]) -> tuple[Audio, ...]:
    """Return the audio among a message's parts, after `check_parts`."""
    return tuple(_read(part) for part in parts if part.get("type") == INPUT_AUDIO)


def _wrong(part: Mapping[str, object]) -> str:
    try:
        _read(part)
    except (msgspec.ValidationError, ValueError, DataError) as error:
        return f"invalid {INPUT_AUDIO}: {error}"
    return ""


def _read(part: Mapping[str, object]) -> Audio:
    given = msgspec.convert(part, _Part).input_audio
    if given.format not in _FORMATS:
        raise ValueError(f"format {given.format!r}: supported are {' and '.join(_FORMATS)}")
    if given.format != "wav":
        raise ValueError("this server reads wav alone")
    try:
        content = base64.b64decode(given.data, validate=True)
    except ValueError as error:
        raise ValueError(f"data is no base64 ({error})") from error
    return read_wav(content, "data")


MAX_BODY_BYTES = 64 * 1024 * 1024


class Refusal(msgspec.Struct, frozen=True):
    """Reason of a refusal, in the fields of OpenAI's error object."""

    message: str
    param: str | None = None
    code: str | None = None
    status: int = 400
    type: str = "invalid_request_error"


class Function(msgspec.Struct, frozen=True, gc=False):
    """Name and arguments of a call; `arguments` is JSON text as the model wrote it."""

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
        """The text of the message: its text parts, joined.

        Audio is represented by its hash, parts of other kinds by their JSON.
        """
        if isinstance(self.content, list):
            return "".join(map(_part_text, self.content))
        return self.content or ""

    @property
    def sounds(self) -> tuple[Audio, ...]:
        """The parts that are audio."""
        return sounds_in(self.content) if isinstance(self.content, list) else ()


class ToolName(msgspec.Struct, frozen=True, gc=False):
    """The name of an offered tool; its schema is not parsed."""

    name: str


class OfferedTool(msgspec.Struct, frozen=True, gc=False):
    """One tool that the request offers."""

    function: ToolName
    type: Literal["function"]


class StreamOptions(msgspec.Struct, frozen=True):
    """Options of a stream."""

    include_usage: bool = False


class SpokenForm(msgspec.Struct, frozen=True):
    """Voice and audio format of a spoken reply."""

    voice: str
    format: Literal["wav", "mp3", "flac", "opus", "aac", "pcm16"]


class ChatBody(msgspec.Struct, frozen=True):
    """The part of a request's body that answers depend on.

    `content` is the body's hash, as in logs.
    """

    model: str
    messages: tuple[ChatMessage, ...]
    tools: tuple[OfferedTool, ...] | None = None
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    user: str | None = None
    modalities: tuple[Literal["text", "audio"], ...] | None = None
    audio: SpokenForm | None = None
    content: str = ""

    @property
    def is_to_be_spoken(self) -> bool:
        """Whether the reply is to be spoken as well."""
        return "audio" in (self.modalities or ())


class Checks(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Requirements of an endpoint beyond a valid body.

    Args:
        refuses: Parameters that this endpoint rejects, for example `seed`.
        only_streams: Whether `stream` must be true.
        models: Names of the served models; empty for any.
        api_key: Bearer token that every request must carry; empty for none.
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
    except DECODING_ERRORS as error:
        return Refusal(f"the body is not a chat completion request: {error}")
    for name in checks.refuses:
        if name in given:
            return Refusal(f"unknown parameter: '{name}'", name, "unknown_parameter")
    if checks.models and request.model not in checks.models:
        return Refusal(f"no model '{request.model}' here", "model", "model_not_found", 404)
    if checks.only_streams and not request.stream:
        return Refusal("this model only streams: set stream to true", "stream")
    return (
        _check_spoken(request)
        or check_messages(request.messages)
        or msgspec.structs.replace(request, content=content)
    )


def _check_spoken(request: ChatBody) -> Refusal | None:
    """Return the problem with the audio options of a reply."""
    if not request.is_to_be_spoken:
        return None
    if request.audio is None:
        return Refusal("audio is asked for: it needs a voice and a format", "audio")
    if request.stream and request.audio.format != "pcm16":
        return Refusal("streams are spoken as pcm16", "audio.format")
    if request.audio.format not in {"wav", "pcm16"}:
        return Refusal("this server speaks wav and pcm16 alone", "audio.format")
    return None


def check_messages(messages: Sequence[ChatMessage]) -> Refusal | None:
    """Return the problem with a history: every call needs one result, right after its message."""
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
    """Check a result, and remove its call from the unanswered ones."""
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
    parts = message.content if isinstance(message.content, list) else []
    return check_parts(message.role, parts)


def audio_bytes(messages: Sequence[ChatMessage]) -> int:
    """Return the size of the audio in a request's messages, as sent, in bytes."""
    return sum(
        len(msgspec.json.encode(part))
        for message in messages
        if isinstance(message.content, list)
        for part in message.content
        if part.get("type") == INPUT_AUDIO
    )


def _missing(unanswered: Sequence[str]) -> str:
    return f"tool calls without a result: {', '.join(unanswered)}" if unanswered else ""


def _part_text(part: dict[str, object]) -> str:
    text = part.get("text")
    if part.get("type") == INPUT_AUDIO:
        return f"[audio {sounds_in([part])[0].reference().sha256}]"
    return text if isinstance(text, str) else msgspec.json.encode(part).decode()
