"""Audio as a part of a message to a model that hears: written out where it is sent, known by its hash."""

import base64
from collections.abc import Mapping

import msgspec

from dragoman.core.speech import AudioRef
from dragoman.core.voice.audio import Audio, wav_of

Message = Mapping[str, object]

HOLE = "{data}"
"""Stands in the text of a part where the WAV file in base64 belongs."""


class PartForm(msgspec.Struct, frozen=True):
    """How a wire writes a part that is audio: the JSON before and after the data."""

    before: bytes
    after: bytes


def part_form(text: str) -> PartForm:
    """Read how a part is written: a JSON object with `{data}` where the audio belongs.

    Raises:
        ValueError: Where it is none.
    """
    before, hole, after = text.partition(HOLE)
    if not hole or HOLE in after:
        raise ValueError(f"{text!r} has not one {HOLE}")
    msgspec.json.decode(text, type=dict[str, object])
    return PartForm(before.encode(), after.encode())


OPENAI_PART = part_form('{"type":"input_audio","input_audio":{"data":"{data}","format":"wav"}}')
"""How OpenAI's chat completions take it, and most that speak like them."""


class SoundPart:
    """What somebody said, as a part of a message."""

    __slots__ = ("_data", "reference")

    def __init__(self, audio: Audio) -> None:
        self.reference: AudioRef = audio.reference()
        self._data = base64.b64encode(wav_of(audio))

    def written(self, form: PartForm) -> msgspec.Raw:
        """Return the part as it is sent."""
        return msgspec.Raw(b"".join((form.before, self._data, form.after)))

    def plain(self) -> dict[str, object]:
        """Return the part as OpenAI's, for code that takes messages as they are sent."""
        part: dict[str, object] = msgspec.json.decode(self.written(OPENAI_PART))
        return part


def message_encoder(form: PartForm = OPENAI_PART) -> msgspec.json.Encoder:
    """Return what encodes messages whose parts may be audio."""

    def written(part: object) -> msgspec.Raw:
        return _sound(part).written(form)

    return msgspec.json.Encoder(enc_hook=written)


def hash_encoder() -> msgspec.json.Encoder:
    """Return what encodes messages for a content key: audio as its hash."""

    def hashed(part: object) -> str:
        return _sound(part).reference.sha256

    return msgspec.json.Encoder(enc_hook=hashed)


def plain_message(message: Message) -> dict[str, object]:
    """Return a message of its own, with parts as OpenAI's."""
    if not _parts(message):
        return dict(message)
    parts = [part.plain() if isinstance(part, SoundPart) else part for part in _parts(message)]
    return {**message, "content": parts}


def _parts(message: Message) -> list[object]:
    content = message.get("content")
    return content if isinstance(content, list) else []


def _sound(part: object) -> SoundPart:
    if isinstance(part, SoundPart):
        return part
    raise TypeError(f"no part of a message: {type(part).__name__}")
