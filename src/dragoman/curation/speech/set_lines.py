"""The lines of a set of texts: one message each, as it is said, with its whitelist."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import UNREADABLE, OutsideErrors
from dragoman.core.usage import Usage
from dragoman.curation.speech.messages import UserMessage
from dragoman.curation.speech.settling import SpokenMessage
from dragoman.curation.speech.whitelists import MessageWhitelist

TEXTS = "texts.jsonl"
SETTINGS = "settings.json"
CARD = "card.json"

_encode = msgspec.json.Encoder().encode


class SetLine(msgspec.Struct, frozen=True):
    """One message as it is said, what may be confirmed of it, and what naming that consumed."""

    spoken: SpokenMessage
    whitelist: MessageWhitelist
    usage: tuple[Usage, ...] = ()


_decode = msgspec.json.Decoder(SetLine).decode


def encoded(line: SetLine) -> bytes:
    """Return a line as it is written."""
    return _encode(line) + b"\n"


def kept_lines(folder: Path, messages: Sequence[UserMessage]) -> Iterator[SetLine]:
    """Yield the lines that are already there, up to the first that is torn or of another message.

    Raises:
        DataError: Where the file cannot be read.
    """
    path = folder / TEXTS
    if not path.is_file():
        return
    with OutsideErrors(DataError, f"{path}: cannot be read"):
        content = path.read_bytes()
    for written, message in zip(content.splitlines(keepends=True), messages, strict=False):
        line = _line(written)
        if line is None or line.spoken.message != message:
            return
        yield line


def read_lines(folder: Path) -> tuple[SetLine, ...]:
    """Return the lines of a whole set.

    Raises:
        DataError: Where the file is missing, or a line is damaged.
    """
    path = folder / TEXTS
    with OutsideErrors(DataError, f"{path}: cannot be read"):
        content = path.read_bytes()
    lines = []
    for number, written in enumerate(content.splitlines(keepends=True), 1):
        line = _line(written)
        if line is None:
            raise DataError(f"{path}, line {number}: no line of a set: it was changed or cut off")
        lines.append(line)
    return tuple(lines)


def digest_of(lines: Sequence[SetLine]) -> str:
    """Return the SHA-256 of lines as they are written."""
    digest = hashlib.sha256()
    for line in lines:
        digest.update(encoded(line))
    return digest.hexdigest()


def _line(written: bytes) -> SetLine | None:
    """Return a line; None where it is torn, or not as it would be written."""
    try:
        line = _decode(written)
    except UNREADABLE:
        return None
    return line if encoded(line) == written else None
