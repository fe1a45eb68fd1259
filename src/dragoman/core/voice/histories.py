"""The messages of one conversation with a chat model: all are sent each time, each is written once."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

import msgspec

from dragoman.core.voice.sound_parts import SoundPart

Message = Mapping[str, object]

_encode = msgspec.json.encode


class MessageForm(Protocol):
    """How an endpoint wants the messages of a history; equal ones are one form."""

    @property
    def grows(self) -> bool:
        """Whether a history that grows keeps what was written of it."""
        ...

    def writer(self) -> Callable[[Sequence[Message]], list[Message]]:
        """Return what writes the messages of one history, each once and in order."""
        ...


class _Written:
    """A history as it is written in one form so far."""

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


class History(list[Message]):
    """Messages to which others are added at the end; those that are in it stay as they are."""

    __slots__ = ("_counted", "_has_sound", "_written")

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        super().__init__(messages)
        self._counted = 0
        self._has_sound = False
        self._written: dict[MessageForm | None, _Written] = {}

    @property
    def has_sound(self) -> bool:
        """Whether any part of these messages is audio."""
        if not self._has_sound and self._counted < len(self):
            self._has_sound = any(map(_holds_sound, self[self._counted :]))
            self._counted = len(self)
        return self._has_sound

    def written(self, form: MessageForm | None = None) -> bytes | None:
        """Return the messages as JSON in a form, as they are where it is None.

        Returns None where there is audio: wires write that in their own ways.
        """
        if self.has_sound:
            return None
        if form is not None and not form.grows:
            return _encode(form.writer()(self))
        if form not in self._written:
            self._written[form] = _Written(form)
        written = self._written[form]
        written.add(self[written.count :])
        return b"".join((written.content, b"]"))


def has_sound(messages: Iterable[Message]) -> bool:
    """Return whether any part of these messages is audio."""
    if isinstance(messages, History):
        return messages.has_sound
    return any(map(_holds_sound, messages))


def written(
    messages: Iterable[Message],
    encoder: msgspec.json.Encoder,
    form: MessageForm | None = None,
) -> bytes:
    """Return messages as a JSON array in a form; the encoder writes those with audio."""
    known = messages.written(form) if isinstance(messages, History) else None
    if known is not None:
        return known
    return encoder.encode(messages if form is None else form.writer()(list(messages)))


def _holds_sound(message: Message) -> bool:
    content = message.get("content")
    return isinstance(content, list) and any(isinstance(part, SoundPart) for part in content)
