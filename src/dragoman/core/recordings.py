"""Recordings of users' messages: audio, speaker, and the transcripts of recognizers."""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

import msgspec

from dragoman.core.audio import Audio
from dragoman.core.clarifications import Whitelist
from dragoman.core.replies import AudioRef, Stage

SPEAKER = "speaker"
"""The setting in the record of synthesis with the voice's name, as in `--speaker`."""


class RecordedTranscript(msgspec.Struct, frozen=True):
    """The transcript of one recognizer: raw, and after inverse text normalization."""

    words: str
    text: str


class RecordedMessage(msgspec.Struct, frozen=True):
    """One message of a user, spoken once and transcribed by every recognizer.

    Attributes:
        suite: The suite of its task, which is its category; in BFCL for example `bfcl:parallel`.
        task: The task's id.
        turn: The turn, from 0.
        place: The message's number in the turn, from 0.
        text: The message as typed.
        said: The message as spoken.
        audio: The audio behind the channel; None if only ASR error simulation was used.
        stages: The voice with its seed, and the effects of the channel.
        heard: The transcripts by the recognizer's name.
        whitelist: The values of the message that the user may be asked to confirm.
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
        """The voice, as in `--speaker`; "" if the message was not spoken."""
        return next(
            (str(each.settings[SPEAKER]) for each in self.stages if SPEAKER in each.settings), ""
        )


class Recordings(Protocol):
    """The recordings of one suite or of several."""

    @property
    def digest(self) -> str:
        """The content key of all recordings."""
        ...

    @property
    def recognizers(self) -> Sequence[str]:
        """The recognizers that transcribed every message, as in `--asr`."""
        ...

    @property
    def speakers(self) -> Sequence[str]:
        """The voices, as in `--speaker`; empty if the messages were not spoken."""
        ...

    @property
    def line(self) -> str:
        """The channel, as in `--voice`; "" if the messages were not spoken."""
        ...

    @property
    def normalizer(self) -> str:
        """The rules of inverse text normalization that made the transcripts."""
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
            DataError: If its file is missing or damaged.
        """
        ...
