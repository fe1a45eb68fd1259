"""The sound of conversations: kept by content while they are played, and given to those who can hear."""

from typing import Protocol, runtime_checkable

from dragoman.core.errors import DataError
from dragoman.core.speech import AudioRef
from dragoman.core.voice.audio import Audio


class Sounds(Protocol):
    """The audio of one run."""

    def keep(self, audio: Audio) -> AudioRef:
        """Store audio and return its reference.

        Raises:
            StoreError: Where it cannot be written.
        """
        ...

    def sound(self, audio: AudioRef) -> Audio:
        """Return audio that was kept.

        Raises:
            DataError: Where it was not kept, or is damaged.
            StoreError: Where it cannot be read.
        """
        ...


class NoSounds:
    """Keeps nothing: for conversations in which nobody hears audio."""

    def keep(self, audio: Audio) -> AudioRef:
        """Return the reference of audio."""
        return audio.reference()

    def sound(self, audio: AudioRef) -> Audio:
        """Refuse, as nothing was kept.

        Raises:
            DataError: Always.
        """
        raise DataError(f"audio {audio.sha256:.8} was not kept")


NO_SOUNDS: Sounds = NoSounds()


class HeldSounds:
    """Keeps audio in memory."""

    def __init__(self) -> None:
        self._held: dict[str, Audio] = {}

    def keep(self, audio: Audio) -> AudioRef:
        """Hold audio and return its reference."""
        reference = audio.reference()
        self._held[reference.sha256] = audio
        return reference

    def sound(self, audio: AudioRef) -> Audio:
        """Return audio that is held.

        Raises:
            DataError: Where it is not.
        """
        if audio.sha256 not in self._held:
            raise DataError(f"audio {audio.sha256:.8} was not kept")
        return self._held[audio.sha256]

    def all(self) -> tuple[Audio, ...]:
        """Return everything held, in the order in which it came first."""
        return tuple(self._held.values())


@runtime_checkable
class HearsAudio(Protocol):
    """What a participant, a model or a function has besides, where it can be given audio itself."""

    @property
    def hears_audio(self) -> bool:
        """Whether it can."""
        ...


def hears_audio(listener: object) -> bool:
    """Return whether somebody can be given audio in place of words."""
    return isinstance(listener, HearsAudio) and listener.hears_audio is True
