"""What a realtime endpoint sends, as far as it matters: strict in that, and deaf to anything else.

The names of the protocol's beta mean the same as those of its general availability.
"""

from collections.abc import Mapping
from typing import Literal

import msgspec

from dragoman.core.texts.decoding import UNREADABLE
from dragoman.models.wire.sending import Unreadable

MOST_SHOWN = 300


class Complaint(msgspec.Struct, frozen=True):
    """What an endpoint says is wrong."""

    message: str = ""
    type: str | None = None
    code: str | None = None
    event_id: str | None = None

    @property
    def line(self) -> str:
        """It in one bounded line."""
        words = " ".join(self.message.split())[:MOST_SHOWN]
        return words or (self.code or self.type or "no reason given")[:MOST_SHOWN]


class SessionCreated(msgspec.Struct, frozen=True):
    """The session is open."""


class SessionUpdated(msgspec.Struct, frozen=True):
    """What was set holds."""


class ItemTruncated(msgspec.Struct, frozen=True):
    """What nobody heard of an item is taken back."""

    item_id: str


class Complained(msgspec.Struct, frozen=True):
    """Something went wrong; the session may go on."""

    error: Complaint


class AudioDelta(msgspec.Struct, frozen=True):
    """More samples of a spoken message, in base64."""

    item_id: str
    delta: str


class WordsDelta(msgspec.Struct, frozen=True):
    """More words of a message, said or written."""

    item_id: str
    delta: str


class SpokenPart(msgspec.Struct, frozen=True):
    """A part of a message."""

    text: str | None = None
    transcript: str | None = None


class OutputItem(msgspec.Struct, frozen=True):
    """One item of a response; fields of other kinds of items are left out."""

    id: str
    type: str
    name: object = None
    arguments: object = "{}"
    call_id: str | None = None
    content: tuple[SpokenPart, ...] | None = None
    status: str | None = None


class ItemDone(msgspec.Struct, frozen=True):
    """An item of a response is whole."""

    item: OutputItem


class StatusDetails(msgspec.Struct, frozen=True):
    """Why a response ended as it did."""

    reason: str | None = None
    error: Complaint | None = None


class FinishedResponse(msgspec.Struct, frozen=True):
    """A response that is over; its usage is read by itself, for it must not spoil the reply."""

    status: Literal["completed", "cancelled", "failed", "incomplete"]
    status_details: StatusDetails | None = None
    output: tuple[OutputItem, ...] = ()
    usage: msgspec.Raw = msgspec.Raw(b"null")


class ResponseDone(msgspec.Struct, frozen=True):
    """A response is over."""

    response: FinishedResponse


class Allowance(msgspec.Struct, frozen=True):
    """One limit: what is left of it, and in how many seconds it is whole again."""

    remaining: float = 1.0
    reset_seconds: float = 0.0


class Allowances(msgspec.Struct, frozen=True):
    """What the endpoint allows."""

    rate_limits: tuple[Allowance, ...] = ()

    @property
    def pause(self) -> float:
        """Seconds until what is used up is there again."""
        used_up = [each.reset_seconds for each in self.rate_limits if each.remaining <= 0]
        return max(used_up, default=0.0)


ServerEvent = (
    SessionCreated
    | SessionUpdated
    | ItemTruncated
    | Complained
    | AudioDelta
    | WordsDelta
    | ItemDone
    | ResponseDone
    | Allowances
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
    "error": Complained,
    "response.output_audio.delta": AudioDelta,
    "response.output_audio_transcript.delta": WordsDelta,
    "response.output_text.delta": WordsDelta,
    "response.output_item.done": ItemDone,
    "response.done": ResponseDone,
    "rate_limits.updated": Allowances,
}
_NAME = msgspec.json.Decoder(_Named)
_DECODERS = {name: msgspec.json.Decoder(kind) for name, kind in _KINDS.items()}


def read_event(frame: bytes) -> ServerEvent | None:
    """Read a frame; None for an event that does not matter here.

    Raises:
        Unreadable: Where it is no event, or one that matters is not what it must be.
    """
    try:
        frame.decode()
        name = _NAME.decode(frame).type
        decoder = _DECODERS.get(_BETA.get(name, name))
        return None if decoder is None else decoder.decode(frame)
    except UNREADABLE as error:
        raise Unreadable(f"no event of the realtime protocol ({error})"[:MOST_SHOWN]) from error
