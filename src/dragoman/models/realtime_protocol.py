"""Events of OpenAI's realtime protocol, sent and received, with their 24 kHz PCM audio.

Client events have the form of the protocol's general availability. Only the server events that
matter here are decoded, strictly; names of the protocol's beta have the meaning of the later names.
"""

import base64
import binascii
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Literal

import msgspec

from dragoman.core.audio import SAMPLE_BYTES, Audio
from dragoman.core.errors import UsageError
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.tools import ToolCall, Toolset
from dragoman.models.http.transport import MalformedResponse

RATE_HZ = 24_000
BYTES_PER_SECOND = RATE_HZ * SAMPLE_BYTES
CHUNK_SECONDS = 2
SHORTEST_SECONDS = 0.1
"""Shortest audio that endpoints accept, in seconds; shorter audio is padded with silence."""


def resample_for_realtime(audio: Audio) -> Audio:
    """Return audio in the protocol's format; equal audio gives equal samples.

    Raises:
        UsageError: If another rate is needed and the package for it is missing.
    """
    if audio.rate_hz == RATE_HZ:
        return audio
    try:
        import soxr
    except ImportError as error:
        raise UsageError(
            "audio of another rate than 24 kHz needs pip install 'dragoman[voice]'"
        ) from error
    import numpy as np

    samples = np.frombuffer(audio.pcm, dtype="<i2")
    resampled = soxr.resample(samples, audio.rate_hz, RATE_HZ)
    return Audio(np.asarray(resampled, dtype="<i2").tobytes(), RATE_HZ)


def prepare_audio(audio: Audio) -> Audio:
    """Return audio for an endpoint: at the protocol's rate, and padded to the shortest length.

    Raises:
        UsageError: As `resample_for_realtime`.
    """
    pcm = resample_for_realtime(audio).pcm
    missing = int(SHORTEST_SECONDS * BYTES_PER_SECOND) - len(pcm)
    return Audio(pcm + bytes(max(0, missing)), RATE_HZ)


def encode_audio_chunks(audio: Audio) -> Iterator[str]:
    """Yield audio as the base64 texts that are appended to an endpoint's buffer."""
    pcm = prepare_audio(audio).pcm
    size = CHUNK_SECONDS * BYTES_PER_SECOND
    for start in range(0, len(pcm), size):
        yield base64.b64encode(pcm[start : start + size]).decode()


def decode_samples(text: str) -> bytes:
    """Return the samples in a text.

    Raises:
        MalformedResponse: If the text is not base64, or does not hold whole samples.
    """
    try:
        pcm = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise MalformedResponse("audio that is no base64") from error
    if len(pcm) % SAMPLE_BYTES:
        raise MalformedResponse("audio that ends within a sample")
    return pcm


Item = Mapping[str, object]
"""One item of a conversation: a message, a call or the output of one."""

FORMAT = {"type": "audio/pcm", "rate": RATE_HZ}


class UpdateSession(msgspec.Struct, frozen=True, tag_field="type", tag="session.update"):
    """Changes settings of the session; omitted settings stay."""

    session: Mapping[str, object]


class AppendAudio(msgspec.Struct, frozen=True, tag_field="type", tag="input_audio_buffer.append"):
    """Adds samples, in base64, to the input buffer."""

    audio: str


class CommitAudio(msgspec.Struct, frozen=True, tag_field="type", tag="input_audio_buffer.commit"):
    """Turns the samples in the buffer into a message of the user."""


class CreateItem(msgspec.Struct, frozen=True, tag_field="type", tag="conversation.item.create"):
    """Adds an item to the conversation."""

    item: Item


class TruncateItem(msgspec.Struct, frozen=True, tag_field="type", tag="conversation.item.truncate"):
    """Removes the unheard part of a spoken message, from this time in milliseconds on."""

    item_id: str
    audio_end_ms: int
    content_index: int = 0


class CreateResponse(msgspec.Struct, frozen=True, tag_field="type", tag="response.create"):
    """Asks for a response."""


class CancelResponse(msgspec.Struct, frozen=True, tag_field="type", tag="response.cancel"):
    """Cancels the current response; `event_id` appears in the endpoint's error if there is none."""

    event_id: str


ClientEvent = (
    UpdateSession
    | AppendAudio
    | CommitAudio
    | CreateItem
    | TruncateItem
    | CreateResponse
    | CancelResponse
)


def user_text_item(text: str) -> Item:
    """Return an item with the user's words as text."""
    return _message("user", "input_text", text)


def assistant_text_item(text: str) -> Item:
    """Return an item with the model's words from before the session."""
    return _message("assistant", "output_text", text)


def function_call_item(call: ToolCall) -> Item:
    """Return an item with a call of the model from before the session."""
    arguments = call.raw or msgspec.json.encode(call.arguments).decode()
    return {
        "type": "function_call",
        "call_id": call.id,
        "name": call.name,
        "arguments": arguments,
    }


def function_output_item(call_id: str, output: str) -> Item:
    """Return an item with the result of a call."""
    return {"type": "function_call_output", "call_id": call_id, "output": output}


@lru_cache(maxsize=64)
def encode_realtime_tools(tools: Toolset) -> msgspec.Raw:
    """Return the tools in the protocol's form, encoded.

    The result is cached for shared toolsets.
    """
    return msgspec.Raw(
        msgspec.json.encode(
            [
                {
                    "type": "function",
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters,
                }
                for tool in tools
            ]
        )
    )


def _message(role: str, kind: str, text: str) -> Item:
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


MOST_SHOWN = 300


class RealtimeError(msgspec.Struct, frozen=True):
    """An error that an endpoint reports."""

    message: str = ""
    type: str | None = None
    code: str | None = None
    event_id: str | None = None

    @property
    def line(self) -> str:
        """The error in one line of bounded length."""
        words = " ".join(self.message.split())[:MOST_SHOWN]
        return words or (self.code or self.type or "no reason given")[:MOST_SHOWN]


class SessionCreated(msgspec.Struct, frozen=True):
    """The session is open."""


class SessionUpdated(msgspec.Struct, frozen=True):
    """The settings of the session have changed."""


class ItemTruncated(msgspec.Struct, frozen=True):
    """The unheard part of an item has been removed."""

    item_id: str


class ErrorEvent(msgspec.Struct, frozen=True):
    """An error has occurred; the session may continue."""

    error: RealtimeError


class AudioDelta(msgspec.Struct, frozen=True):
    """More samples of a spoken message, in base64."""

    item_id: str
    delta: str


class TextDelta(msgspec.Struct, frozen=True):
    """More text of a message, spoken or written."""

    item_id: str
    delta: str


class ContentPart(msgspec.Struct, frozen=True):
    """A part of a message."""

    text: str | None = None
    transcript: str | None = None


class OutputItem(msgspec.Struct, frozen=True):
    """One item of a response; fields of other kinds of items are ignored."""

    id: str
    type: str
    name: object = None
    arguments: object = "{}"
    call_id: str | None = None
    content: tuple[ContentPart, ...] | None = None
    status: str | None = None


class ItemDone(msgspec.Struct, frozen=True):
    """An item of a response is complete."""

    item: OutputItem


class StatusDetails(msgspec.Struct, frozen=True):
    """The reason of a response's status."""

    reason: str | None = None
    error: RealtimeError | None = None


class FinishedResponse(msgspec.Struct, frozen=True):
    """A finished response; its usage is parsed separately, because it must not spoil the reply."""

    status: Literal["completed", "cancelled", "failed", "incomplete"]
    status_details: StatusDetails | None = None
    output: tuple[OutputItem, ...] = ()
    usage: msgspec.Raw = msgspec.Raw(b"null")


class ResponseDone(msgspec.Struct, frozen=True):
    """A response is finished."""

    response: FinishedResponse


class ServerRateLimit(msgspec.Struct, frozen=True):
    """One rate limit: the remaining amount, and the seconds until it is full again."""

    remaining: float = 1.0
    reset_seconds: float = 0.0


class RateLimitsUpdated(msgspec.Struct, frozen=True):
    """The rate limits of the endpoint have changed."""

    rate_limits: tuple[ServerRateLimit, ...] = ()

    @property
    def pause(self) -> float:
        """Seconds until an exhausted limit is renewed."""
        used_up = [each.reset_seconds for each in self.rate_limits if each.remaining <= 0]
        return max(used_up, default=0.0)


ServerEvent = (
    SessionCreated
    | SessionUpdated
    | ItemTruncated
    | ErrorEvent
    | AudioDelta
    | TextDelta
    | ItemDone
    | ResponseDone
    | RateLimitsUpdated
)


class _Named(msgspec.Struct):
    type: str


_BETA = {
    "response.audio.delta": "response.output_audio.delta",
    "response.audio_transcript.delta": "response.output_audio_transcript.delta",
    "response.text.delta": "response.output_text.delta",
}
_KINDS: Mapping[str, type[ServerEvent]] = {
    "session.created": SessionCreated,
    "session.updated": SessionUpdated,
    "conversation.item.truncated": ItemTruncated,
    "error": ErrorEvent,
    "response.output_audio.delta": AudioDelta,
    "response.output_audio_transcript.delta": TextDelta,
    "response.output_text.delta": TextDelta,
    "response.output_item.done": ItemDone,
    "response.done": ResponseDone,
    "rate_limits.updated": RateLimitsUpdated,
}
_NAME = msgspec.json.Decoder(_Named)
_DECODERS = {name: msgspec.json.Decoder(kind) for name, kind in _KINDS.items()}


def read_event(frame: bytes) -> ServerEvent | None:
    """Parse a frame; None for an event that is ignored here.

    Raises:
        MalformedResponse: If the frame is not an event, or a relevant event is malformed.
    """
    try:
        frame.decode()
        name = _NAME.decode(frame).type
        decoder = _DECODERS.get(_BETA.get(name, name))
        return None if decoder is None else decoder.decode(frame)
    except DECODING_ERRORS as error:
        raise MalformedResponse(
            f"no event of the realtime protocol ({error})"[:MOST_SHOWN]
        ) from error
