"""Replies of participants: text, tool calls or unparsed output, with audio and latency.

An utterance records a text at every stage between synthesis and recognition.
"""

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from dragoman.core.tools import ToolCall


class Latency(msgspec.Struct, frozen=True, omit_defaults=True):
    """The duration of one reply, from its request.

    Only the answered request counts, without failed attempts and without waiting times before and
    between attempts.

    Attributes:
        seconds: Seconds until the end of the whole reply; None if unknown.
        first_word: Seconds until the first word, if it was observed; None if the reply came in one
            piece.
        is_stated: Whether the reply came from a program of Dragoman, whose own time is meaningless;
            a constant is used wherever time is read.
        overlap: Seconds in which the reply was spoken while the user was speaking; None if nothing
            can overlap.
        is_interrupted: Whether the user cut the reply short; None if no user can.
    """

    seconds: float | None = None
    first_word: float | None = None
    is_stated: bool = False
    overlap: float | None = None
    is_interrupted: bool | None = None


UNKNOWN_LATENCY = Latency()
"""The latency of a reply whose duration is unknown."""

STATED_LATENCY = Latency(is_stated=True)
"""The latency of a reply from a program of Dragoman."""


WORDS = "words"
"""The setting that holds the raw transcript in the record of recognition.

It has the words as recognized.
"""

NORMALIZED = "normalized"
"""The setting for the transcript after inverse text normalization, next to `WORDS`."""

NORMALIZER_SETTING = "normalizer"
"""The setting that names the rules of inverse text normalization, in the same record."""

UNRECORDED_NORMALIZER = "dragoman-itn-1"
"""The rules of inverse text normalization of records that name none."""

TranscriptForm = Literal["normalized", "raw"]
"""The form of the transcript for an agent.

It is the transcript after inverse text normalization, or as recognized.
"""

SYNTHESIS = "synthesis"
"""The name of the stage of speech synthesis."""

ORACLE_ENGINE = "understood"
"""The engine in the record of a listener who understands what was meant."""


class AudioRef(msgspec.Struct, frozen=True):
    """Stored audio: the content hash of its bytes, its length and its sampling rate."""

    sha256: str
    seconds: float
    rate_hz: int


class Stage(msgspec.Struct, frozen=True, omit_defaults=True):
    """One stage between speaker and listener: its name, engine, seed and settings."""

    name: str
    engine: str
    seed: int | None = None
    settings: dict[str, object] = {}


class Utterance(msgspec.Struct, frozen=True, omit_defaults=True):
    """One utterance, at every stage between speaker and listener.

    `intended` is what the speaker meant. `spoken` (after a rewrite for speech) and `heard` (after
    channel and recognizer) are unset in plain text, where all three are one. `heard` is None if the
    listener gets the audio itself. `clean_audio` is the audio before the channel, `audio` the audio
    after it. `stages` tells how one became the other.
    """

    intended: str
    spoken: str | UnsetType = UNSET
    heard: str | UnsetType | None = UNSET
    audio: AudioRef | None = None
    clean_audio: AudioRef | None = None
    stages: tuple[Stage, ...] = ()

    @property
    def received(self) -> str | None:
        """The text that reaches the listener; None if the audio is the message."""
        if self.heard is not UNSET:
            return self.heard
        return self.intended if self.spoken is UNSET else self.spoken


class TextReply(msgspec.Struct, frozen=True, tag="said", omit_defaults=True):
    """A reply in words.

    `clarifies` marks the user's answer to a question about spelling: the turn in which the question
    was asked goes on.
    """

    utterance: Utterance
    clarifies: bool = False

    @property
    def text(self) -> str:
        """The words as the speaker meant them."""
        return self.utterance.intended


class ToolCallReply(msgspec.Struct, frozen=True, tag="called", omit_defaults=True):
    """A reply that calls tools; `text` stays with the caller and goes through no channel."""

    calls: tuple[ToolCall, ...]
    text: str | None = None


class UnparsedReply(msgspec.Struct, frozen=True, tag="unparsed"):
    """A reply that is neither words nor calls, with its raw text and what is wrong with it."""

    raw: str
    error: str


Reply = TextReply | ToolCallReply | UnparsedReply
"""A reply of a participant: words, tool calls, or output that is neither."""


def text_reply(text: str) -> TextReply:
    """Return a reply of plain text."""
    return TextReply(Utterance(text))
