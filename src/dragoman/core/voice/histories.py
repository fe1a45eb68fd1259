"""The messages of one conversation with a chat model: all are sent each time, each is written once."""

from collections.abc import Iterable, Mapping

import msgspec

from dragoman.core.voice.sound_parts import SoundPart

Message = Mapping[str, object]

_encode = msgspec.json.encode


class History(list[Message]):
    """Messages to which others are added at the end; those that are in it stay as they are."""

    __slots__ = ("_counted", "_has_sound", "_written", "_written_count")

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        super().__init__(messages)
        self._counted = 0
        self._has_sound = False
        self._written = bytearray(b"[")
        self._written_count = 0

    @property
    def has_sound(self) -> bool:
        """Whether any part of these messages is audio."""
        if not self._has_sound and self._counted < len(self):
            self._has_sound = any(map(_holds_sound, self[self._counted :]))
            self._counted = len(self)
        return self._has_sound

    def written(self) -> bytes | None:
        """Return the messages as JSON, or None where there is audio: wires write that in their own ways."""
        if self.has_sound:
            return None
        if added := self[self._written_count :]:
            self._written += b"," if self._written_count else b""
            self._written += b",".join(map(_encode, added))
            self._written_count = len(self)
        return b"".join((self._written, b"]"))


def has_sound(messages: Iterable[Message]) -> bool:
    """Return whether any part of these messages is audio."""
    if isinstance(messages, History):
        return messages.has_sound
    return any(map(_holds_sound, messages))


def written(messages: Iterable[Message], encoder: msgspec.json.Encoder) -> bytes:
    """Return messages as a JSON array; the encoder writes those with audio."""
    known = messages.written() if isinstance(messages, History) else None
    return encoder.encode(messages) if known is None else known


def _holds_sound(message: Message) -> bool:
    content = message.get("content")
    return isinstance(content, list) and any(isinstance(part, SoundPart) for part in content)
