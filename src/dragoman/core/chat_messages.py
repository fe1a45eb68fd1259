"""Encoding of chat messages: audio parts, and histories that are encoded once as they grow."""

import base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

import msgspec

from dragoman.core.audio import Audio, write_wav
from dragoman.core.replies import AudioRef

Message = Mapping[str, object]

DATA_PLACEHOLDER = "{data}"
"""Placeholder of the WAV file, as base64, in the text of a part."""


class PartForm(msgspec.Struct, frozen=True):
    """The wire format of an audio part: the JSON before and after the data."""

    before: bytes
    after: bytes


def part_form(text: str) -> PartForm:
    """Parse the wire format of a part: a JSON object with `{data}` in place of the audio.

    Raises:
        ValueError: If the text does not have this form.
    """
    before, hole, after = text.partition(DATA_PLACEHOLDER)
    if not hole or DATA_PLACEHOLDER in after:
        raise ValueError(f"{text!r} has not one {DATA_PLACEHOLDER}")
    msgspec.json.decode(text, type=dict[str, object])
    return PartForm(before.encode(), after.encode())


OPENAI_PART = part_form('{"type":"input_audio","input_audio":{"data":"{data}","format":"wav"}}')
"""The format of OpenAI's chat completions, and of most compatible endpoints."""


class AudioPart:
    """Speech as a part of a message."""

    __slots__ = ("_data", "reference")

    def __init__(self, audio: Audio) -> None:
        self.reference: AudioRef = audio.reference()
        self._data = base64.b64encode(write_wav(audio))

    def written(self, form: PartForm) -> msgspec.Raw:
        """Return the part in a wire format."""
        return msgspec.Raw(b"".join((form.before, self._data, form.after)))

    def plain(self) -> dict[str, object]:
        """Return the part in OpenAI's format, for code that takes messages as they are sent."""
        part: dict[str, object] = msgspec.json.decode(self.written(OPENAI_PART))
        return part


def message_encoder(form: PartForm = OPENAI_PART) -> msgspec.json.Encoder:
    """Return an encoder of messages that may have audio parts."""

    def written(part: object) -> msgspec.Raw:
        return _sound(part).written(form)

    return msgspec.json.Encoder(enc_hook=written)


def hash_encoder() -> msgspec.json.Encoder:
    """Return an encoder of messages for content keys, with audio as its hash."""

    def hashed(part: object) -> str:
        return _sound(part).reference.sha256

    return msgspec.json.Encoder(enc_hook=hashed)


def plain_message(message: Message) -> dict[str, object]:
    """Return a copy of a message, with audio parts in OpenAI's format."""
    if not _parts(message):
        return dict(message)
    parts = [part.plain() if isinstance(part, AudioPart) else part for part in _parts(message)]
    return {**message, "content": parts}


def _parts(message: Message) -> list[object]:
    content = message.get("content")
    return content if isinstance(content, list) else []


def _sound(part: object) -> AudioPart:
    if isinstance(part, AudioPart):
        return part
    raise TypeError(f"no part of a message: {type(part).__name__}")


_encode = msgspec.json.encode


class MessageForm(Protocol):
    """The form in which an endpoint wants the messages of a history.

    Forms that are equal count as one form.
    """

    @property
    def grows(self) -> bool:
        """Whether the encoded part of a history stays valid when the history grows."""
        ...

    def writer(self) -> Callable[[Sequence[Message]], list[Message]]:
        """Return a function that writes the messages of one history, each once and in order."""
        ...


class _EncodedHistory:
    """The encoded part of a history in one form."""

    __slots__ = ("content", "count", "write")

    def __init__(self, form: MessageForm | None) -> None:
        self.content = bytearray(b"[")
        self.count = 0
        self.write = None if form is None else form.writer()

    def add(self, messages: Sequence[Message]) -> None:
        """Add messages at the end."""
        if messages:
            shaped = messages if self.write is None else self.write(messages)
            self.content += b"," if self.count else b""
            self.content += b",".join(map(_encode, shaped))
            self.count += len(messages)


class ChatHistory(list[Message]):
    """A list of messages that only grows at its end; earlier messages do not change."""

    __slots__ = ("_counted", "_has_sound", "_written")

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        super().__init__(messages)
        self._counted = 0
        self._has_sound = False
        self._written: dict[MessageForm | None, _EncodedHistory] = {}

    @property
    def has_sound(self) -> bool:
        """Whether any part of these messages is audio."""
        if not self._has_sound and self._counted < len(self):
            self._has_sound = any(map(_holds_audio, self[self._counted :]))
            self._counted = len(self)
        return self._has_sound

    def written(self, form: MessageForm | None = None) -> bytes | None:
        """Return the messages as JSON in a form; None for the form stands for no change.

        The result is None if there is audio, since each wire has its own format for it.
        """
        if self.has_sound:
            return None
        if form is not None and not form.grows:
            return _encode(form.writer()(self))
        if form not in self._written:
            self._written[form] = _EncodedHistory(form)
        written = self._written[form]
        written.add(self[written.count :])
        return b"".join((written.content, b"]"))


def has_audio(messages: Iterable[Message]) -> bool:
    """Return whether any part of these messages is audio."""
    if isinstance(messages, ChatHistory):
        return messages.has_sound
    return any(map(_holds_audio, messages))


def encode_messages(
    messages: Iterable[Message],
    encoder: msgspec.json.Encoder,
    form: MessageForm | None = None,
) -> bytes:
    """Return messages as a JSON array in a form; the encoder writes those with audio."""
    known = messages.written(form) if isinstance(messages, ChatHistory) else None
    if known is not None:
        return known
    return encoder.encode(messages if form is None else form.writer()(list(messages)))


def _holds_audio(message: Message) -> bool:
    content = message.get("content")
    return isinstance(content, list) and any(isinstance(part, AudioPart) for part in content)
