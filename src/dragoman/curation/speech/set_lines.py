"""The lines of a set of texts: one message each, as it is said, with its whitelist."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from dragoman.core.usage import Usage
from dragoman.curation.speech.messages import UserMessage
from dragoman.curation.speech.settling import SpokenMessage
from dragoman.store.audio_set_format import TEXTS, MessageWhitelist, encoded, intact_lines


class SetLine(msgspec.Struct, frozen=True):
    """One message as it is said, what may be confirmed of it, and what naming that consumed."""

    spoken: SpokenMessage
    whitelist: MessageWhitelist
    usage: tuple[Usage, ...] = ()


def kept_texts(folder: Path, messages: Sequence[UserMessage]) -> Iterator[SetLine]:
    """Yield the texts that are already there, up to the first that is torn or of another message.

    Raises:
        DataError: Where the file cannot be read.
    """
    for line, message in zip(intact_lines(folder / TEXTS, SetLine), messages, strict=False):
        if line.spoken.message != message:
            return
        yield line


def digest_of(lines: Sequence[SetLine]) -> str:
    """Return the SHA-256 of lines as they are written."""
    digest = hashlib.sha256()
    for line in lines:
        digest.update(encoded(line))
    return digest.hexdigest()
