"""Replies of participants: text, tool calls or unparsed output, with audio and latency.

An utterance records a text at every stage between synthesis and recognition.
"""

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from dragoman.core.tools import ToolCall


class Latency(msgspec.Struct, frozen=True, omit_defaults=True):
    """How long one reply took, from when it was asked for.

    Only what was answered counts: neither failed attempts, nor what was waited for before and
    between.

    Attributes:
        seconds: To the end of the whole reply; None where nobody knows.
        first_word: To its first word, in seconds, where it was seen to come; None where the reply
            came in one piece.
        is_stated: Whether who replied is a program of ours, whose own time says nothing: a constant
            stands for it wherever time is read.
        overlap: For how many seconds it was spoken while the user was speaking; None where nothing
            can overlap.
        is_interrupted: Whether the user cut it short; None where no user can.
    """

    seconds: float | None = None
    first_word: float | None = None
    is_stated: bool = False
    overlap: float | None = None
    is_interrupted: bool | None = None


UNKNOWN_LATENCY = Latency()
"""A reply of which nobody knows how long it took."""

STATED_LATENCY = Latency(is_stated=True)
"""A reply of a program of ours."""


WORDS = "words"
"""The setting that holds the raw transcript in the record of recognition.

It has the words as recognized.
"""

NORMALIZED = "normalized"
"""The setting beside it that holds the transcript after inverse text normalization."""

NORMALIZER_SETTING = "normalizer"
"""The setting beside them that names the rules of inverse text normalization."""

UNRECORDED_NORMALIZER = "dragoman-itn-1"
"""The rules of inverse text normalization where a record names none."""

TranscriptForm = Literal["normalized", "raw"]
"""The form of the transcript for an agent.

It is the transcript after inverse text normalization, or as recognized.
"""

SYNTHESIS = "synthesis"
"""The name of the stage in which somebody speaks."""

ORACLE_ENGINE = "understood"
"""The engine in the record of a listener who understands what was meant."""


class AudioRef(msgspec.Struct, frozen=True):
    """Stored audio: the content hash of its bytes, its length and its sampling rate."""

    sha256: str
    seconds: float
    rate_hz: int


class Stage(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one stage between mouth and ear did: its name, who did it, its seed and its settings."""

    name: str
    engine: str
    seed: int | None = None
    settings: dict[str, object] = {}


class Utterance(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing said, at every stage between mouth and ear.

    `intended` is what the speaker meant. `spoken` (after a rewrite for speech) and `heard`
    (after channel and recogniser) are unset in plain text, where all three are one. `heard` is
    None where the listener is given the audio itself. `clean_audio` left the mouth, `audio` reached
    the ear; `stages` tells how one became the other.
    """

    intended: str
    spoken: str | UnsetType = UNSET
    heard: str | UnsetType | None = UNSET
    audio: AudioRef | None = None
    clean_audio: AudioRef | None = None
    stages: tuple[Stage, ...] = ()

    @property
    def received(self) -> str | None:
        """The text that reaches the listener; None where the audio is the message."""
        if self.heard is not UNSET:
            return self.heard
        return self.intended if self.spoken is UNSET else self.spoken


class TextReply(msgspec.Struct, frozen=True, tag="said", omit_defaults=True):
    """A reply in words.

    `clarifies` marks the user's answer to a question about how something is written: the turn in
    which the question was asked goes on.
    """

    utterance: Utterance
    clarifies: bool = False

    @property
    def text(self) -> str:
        """The words as the speaker meant them."""
        return self.utterance.intended


class ToolCallReply(msgspec.Struct, frozen=True, tag="called", omit_defaults=True):
    """A reply that calls tools; `text` stays with the caller and is not carried over."""

    calls: tuple[ToolCall, ...]
    text: str | None = None


class UnparsedReply(msgspec.Struct, frozen=True, tag="unparsed"):
    """A reply that is neither words nor calls, with its raw text and what is wrong with it."""

    raw: str
    error: str


Reply = TextReply | ToolCallReply | UnparsedReply
"""A reply of a participant: words, tool calls, or output that is neither."""


def text_reply(text: str) -> TextReply:
    """Return the reply that says a plain text."""
    return TextReply(Utterance(text))
