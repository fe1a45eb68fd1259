"""Recordings of users' messages: audio, speaker, and the transcripts of recognizers."""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

import msgspec

from dragoman.core.audio import Audio
from dragoman.core.clarifications import Whitelist
from dragoman.core.replies import AudioRef, Stage

SPEAKER = "speaker"
"""The setting in the record of synthesis that holds a voice's name, as `--speaker` takes it."""


class RecordedTranscript(msgspec.Struct, frozen=True):
    """The transcript of one recognizer: raw, and after inverse text normalization."""

    words: str
    text: str


class RecordedMessage(msgspec.Struct, frozen=True):
    """One message of a user, spoken once and heard by every recognizer.

    Attributes:
        suite: The suite of its task, which is its category: of BFCL such as `bfcl:parallel`.
        task: The task's id.
        turn: The turn, from 0.
        place: Which message of the turn, from 0.
        text: As it was typed.
        said: As it was said.
        audio: What reached the ear; None where only simulated recognizers heard it.
        stages: Who spoke it, with which seed, and what the line did.
        heard: What was heard, by the recognizer's name.
        whitelist: What the user may be asked to confirm of it.
    """

    suite: str
    task: str
    turn: int
    place: int
    text: str
    said: str
    audio: AudioRef | None
    stages: tuple[Stage, ...]
    heard: Mapping[str, RecordedTranscript]
    whitelist: Whitelist

    @property
    def speaker(self) -> str:
        """Who spoke it, as `--speaker` takes it; "" where nobody did."""
        return next(
            (str(each.settings[SPEAKER]) for each in self.stages if SPEAKER in each.settings), ""
        )


class Recordings(Protocol):
    """All that was recorded of one suite or of several."""

    @property
    def digest(self) -> str:
        """The content key of everything recorded."""
        ...

    @property
    def recognizers(self) -> Sequence[str]:
        """The names of the recognizers that heard everything, as `--asr` takes them."""
        ...

    @property
    def speakers(self) -> Sequence[str]:
        """The voices that spoke, as `--speaker` takes them; none where nobody spoke."""
        ...

    @property
    def line(self) -> str:
        """The line that was spoken over, as `--voice` takes it; "" where nobody spoke."""
        ...

    @property
    def normalizer(self) -> str:
        """The rules of inverse text normalization by which its transcripts were written."""
        ...

    @property
    def tasks(self) -> Collection[str]:
        """The ids of the tasks whose users' words were recorded."""
        ...

    def of(self, task: str) -> Sequence[RecordedMessage]:
        """Return the recordings of a task, in the order of its turns.

        The result is empty for an unknown task.
        """
        ...

    def sound(self, audio: AudioRef) -> Audio:
        """Return recorded audio.

        Raises:
            DataError: Where its file is missing or damaged.
        """
        ...
