"""Messages of speech worker processes: jobs, outcomes and their length-prefixed framing."""

import struct
from typing import BinaryIO

import msgspec

from dragoman.core.audio import Audio

_LENGTH = struct.Struct(">I")


class SpeakJob(msgspec.Struct, frozen=True, tag="speak"):
    """Say a text in a voice; answered by `Audio`."""

    text: str
    engine_voice: str
    words_per_minute: int
    seed: int


class DecoderFiles(msgspec.Struct, frozen=True):
    """The files that a decoder reads: paths of what it knows about sounds, words and their order.

    Attributes:
        language_model: The n-grams, in ARPA or binary form.
        dictionary: The words and their phones.
        acoustics: A folder of means, variances, mixture weights and transitions that take the place
            of the stock model's; "" leaves that as it is.
    """

    language_model: str
    dictionary: str
    acoustics: str


class HearJob(msgspec.Struct, frozen=True, tag="hear"):
    """Transcribe audio; answered by `str`."""

    audio: Audio
    files: DecoderFiles


class MixJob(msgspec.Struct, frozen=True, tag="mix"):
    """Write a language model mixed from a suite's sentences and the generic one; answered by `str`.

    If both files already exist, they stay as they are.

    Attributes:
        sentences: Verbalized sentences, each with its weight.
        share: The weight of the suite's own n-grams, between 0 and 1.
        language_model: Path of the n-grams.
        dictionary: Path of the words and their phones.
    """

    sentences: tuple[tuple[int, tuple[str, ...]], ...]
    share: float
    language_model: str
    dictionary: str


Job = SpeakJob | HearJob | MixJob


class JobDone(msgspec.Struct, frozen=True, tag="done"):
    """A job's encoded answer."""

    answer: bytes


class JobFailed(msgspec.Struct, frozen=True, tag="broke"):
    """Reason why a job has no answer; `is_usage` says whether the user can fix it."""

    reason: str
    is_usage: bool = False


Outcome = JobDone | JobFailed


def frame_message(content: bytes) -> bytes:
    """Return a message with its length before it."""
    return _LENGTH.pack(len(content)) + content


def frame_length(head: bytes) -> int:
    """Return how many bytes follow the head of a frame."""
    (length,) = _LENGTH.unpack(head)
    return int(length)


def read_frame(source: BinaryIO) -> bytes | None:
    """Return the next message, or None if the other side is gone."""
    head = source.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    length = frame_length(head)
    content = source.read(length)
    return content if len(content) == length else None


HEAD_BYTES = _LENGTH.size
