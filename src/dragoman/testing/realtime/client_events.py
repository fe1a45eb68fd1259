"""A strict parser of the client events of a realtime session."""

import base64
import binascii
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from dragoman.core.audio import SAMPLE_BYTES
from dragoman.core.texts.decoding import DECODING_ERRORS

MOST_APPENDED_BYTES = 15 * 1024 * 1024
MOST_ID_CHARS = 512

Id = Annotated[str, Meta(max_length=MOST_ID_CHARS)]


class RefusedEvent(Exception):  # noqa: N818 - says what the server does
    """An event that the server refuses; the session continues."""

    def __init__(self, message: str, code: str | None = None, param: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.param = param


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    pass


class PcmFormat(_Strict, frozen=True, kw_only=True):
    """The only served format: 16-bit samples at 24 kHz."""

    type: Literal["audio/pcm"]
    rate: Literal[24_000]


class InputSettings(_Strict, frozen=True, kw_only=True):
    """Audio input; the client decides where turns end."""

    format: PcmFormat | UnsetType = UNSET
    turn_detection: UnsetType | None = UNSET


class OutputSettings(_Strict, frozen=True, kw_only=True):
    """Audio output."""

    format: PcmFormat | UnsetType = UNSET
    voice: str | UnsetType = UNSET
    speed: Annotated[float, Meta(ge=0.25, le=1.5)] | UnsetType = UNSET


class AudioSettings(_Strict, frozen=True, kw_only=True):
    """Both directions."""

    input: InputSettings | UnsetType = UNSET
    output: OutputSettings | UnsetType = UNSET


class FlatTool(_Strict, frozen=True, kw_only=True):
    """A tool in the form of realtime sessions."""

    type: Literal["function"]
    name: str
    description: str = ""
    parameters: dict[str, object] = {}


class SessionSettings(_Strict, frozen=True, kw_only=True):
    """Settings that a client may change; omitted ones stay."""

    type: Literal["realtime"]
    instructions: str | UnsetType = UNSET
    tools: tuple[FlatTool, ...] | UnsetType = UNSET
    tool_choice: Literal["auto", "none", "required"] | UnsetType = UNSET
    output_modalities: tuple[Literal["audio", "text"]] | UnsetType = UNSET
    audio: AudioSettings | UnsetType = UNSET
    max_output_tokens: Annotated[int, Meta(ge=1, le=4_096)] | Literal["inf"] | UnsetType = UNSET
    reasoning: dict[str, str] | UnsetType = UNSET
    truncation: Literal["auto", "disabled"] | UnsetType = UNSET


class _Event(_Strict, frozen=True, kw_only=True, tag_field="type"):
    event_id: Id | None = None


class SessionUpdate(_Event, frozen=True, kw_only=True, tag="session.update"):
    """Configures the session."""

    session: SessionSettings


class AudioAppended(_Event, frozen=True, kw_only=True, tag="input_audio_buffer.append"):
    """Adds samples to the buffer."""

    audio: str


class AudioCommitted(_Event, frozen=True, kw_only=True, tag="input_audio_buffer.commit"):
    """Turns the buffer into a message."""


class AudioCleared(_Event, frozen=True, kw_only=True, tag="input_audio_buffer.clear"):
    """Empties the buffer."""


class InputText(_Strict, frozen=True, kw_only=True, tag_field="type", tag="input_text"):
    """Words of a user or of the system."""

    text: str


class OutputText(_Strict, frozen=True, kw_only=True, tag_field="type", tag="output_text"):
    """Words of the model."""

    text: str


class MessageItem(_Strict, frozen=True, kw_only=True, tag_field="type", tag="message"):
    """A message; what it may hold depends on its role."""

    role: Literal["user", "assistant", "system"]
    content: tuple[InputText | OutputText, ...]
    id: Id | None = None


class CallItem(_Strict, frozen=True, kw_only=True, tag_field="type", tag="function_call"):
    """A call of the model."""

    call_id: Id
    name: str
    arguments: str
    id: Id | None = None


class CallOutput(_Strict, frozen=True, kw_only=True, tag_field="type", tag="function_call_output"):
    """Result of a call."""

    call_id: Id
    output: str
    id: Id | None = None


class ItemCreated(_Event, frozen=True, kw_only=True, tag="conversation.item.create"):
    """Adds an item."""

    item: MessageItem | CallItem | CallOutput
    previous_item_id: None = None


class ItemCut(_Event, frozen=True, kw_only=True, tag="conversation.item.truncate"):
    """Removes the unheard part of a message."""

    item_id: Id
    content_index: Literal[0]
    audio_end_ms: Annotated[int, Meta(ge=0)]


class ResponseAsked(_Event, frozen=True, kw_only=True, tag="response.create"):
    """Asks for a response."""


class ResponseCancelled(_Event, frozen=True, kw_only=True, tag="response.cancel"):
    """Cancels the current response."""

    response_id: Id | None = None


ReceivedEvent = (
    SessionUpdate
    | AudioAppended
    | AudioCommitted
    | AudioCleared
    | ItemCreated
    | ItemCut
    | ResponseAsked
    | ResponseCancelled
)
_DECODER = msgspec.json.Decoder(ReceivedEvent)
_EVENT_ID = msgspec.json.Decoder(dict[str, msgspec.Raw])


def read_client_event(text: str) -> ReceivedEvent:
    """Parse one event.

    Raises:
        RefusedEvent: If the text is not an event.
    """
    try:
        event: ReceivedEvent = _DECODER.decode(text)
    except DECODING_ERRORS as error:
        raise RefusedEvent(f"no event that is known: {error}", "invalid_event") from error
    if isinstance(event, ItemCreated) and isinstance(event.item, MessageItem):
        wanted = OutputText if event.item.role == "assistant" else InputText
        if not event.item.content or not all(isinstance(p, wanted) for p in event.item.content):
            raise RefusedEvent(
                f"no content for a message of the {event.item.role}", "invalid_value"
            )
    return event


def appended_samples(event: AudioAppended) -> bytes:
    """Return the samples of an event.

    Raises:
        RefusedEvent: If the data are not samples, or too long.
    """
    try:
        pcm = base64.b64decode(event.audio, validate=True)
    except (binascii.Error, ValueError) as error:
        raise RefusedEvent(f"audio is no base64: {error}", "invalid_value", "audio") from error
    if len(pcm) > MOST_APPENDED_BYTES:
        raise RefusedEvent(f"audio of {len(pcm):,} bytes", "invalid_value", "audio")
    if len(pcm) % SAMPLE_BYTES:
        raise RefusedEvent("audio ends within a sample", "invalid_value", "audio")
    return pcm


def event_id_of(text: str) -> str | None:
    """Return the id that a client gave an event, even if the event is refused."""
    try:
        given = _EVENT_ID.decode(text).get("event_id")
        return None if given is None else msgspec.json.decode(given, type=str)
    except DECODING_ERRORS:
        return None
