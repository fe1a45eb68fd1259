"""Audio samples (16-bit mono), WAV encoding, and the audio storage of conversations."""

import hashlib
import io
import wave
from typing import Protocol, runtime_checkable

import msgspec

from dragoman.core.errors import DataError
from dragoman.core.replies import AudioRef

SAMPLE_BYTES = 2
MAX_SECONDS = 600.0
"""Longest audio in seconds; longer audio is refused, as no utterance lasts ten minutes."""


class Audio(msgspec.Struct, frozen=True):
    """Mono sound: little-endian 16-bit samples at a rate."""

    pcm: bytes
    rate_hz: int

    @property
    def seconds(self) -> float:
        """The duration in seconds."""
        return len(self.pcm) / SAMPLE_BYTES / self.rate_hz

    def reference(self) -> AudioRef:
        """Return the reference that records keep: hash of the WAV file, duration and rate."""
        return AudioRef(hashlib.sha256(write_wav(self)).hexdigest(), self.seconds, self.rate_hz)


def write_wav(audio: Audio) -> bytes:
    """Return audio as a WAV file; equal audio gives equal bytes."""
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(SAMPLE_BYTES)
        file.setframerate(audio.rate_hz)
        file.writeframes(audio.pcm)
    return buffer.getvalue()


def read_wav(content: bytes, where: str) -> Audio:
    """Read a WAV file of 16-bit mono samples.

    Raises:
        DataError: If it is truncated, of another form, or too long; the message begins with
            `where`.
    """
    try:
        with wave.open(io.BytesIO(content)) as file:
            form = (file.getnchannels(), file.getsampwidth())
            rate, count = file.getframerate(), file.getnframes()
            pcm = file.readframes(count) if count <= MAX_SECONDS * rate else b""
    except (wave.Error, EOFError) as error:
        raise DataError(f"{where}: no readable WAV file ({error})") from error
    if form != (1, SAMPLE_BYTES) or rate <= 0:
        raise DataError(f"{where}: not 16-bit mono")
    if len(pcm) != count * SAMPLE_BYTES:
        raise DataError(f"{where}: truncated, or longer than {MAX_SECONDS:.0f} seconds")
    return Audio(pcm, rate)


class AudioStore(Protocol):
    """The audio of one run."""

    def keep(self, audio: Audio) -> AudioRef:
        """Store audio and return its reference.

        Raises:
            StoreError: If it cannot be written.
        """
        ...

    def sound(self, audio: AudioRef) -> Audio:
        """Return stored audio.

        Raises:
            DataError: If it was not stored, or is damaged.
            StoreError: If it cannot be read.
        """
        ...


class NullAudioStore:
    """Audio store that keeps nothing, for conversations in which nobody hears audio."""

    def keep(self, audio: Audio) -> AudioRef:
        """Return the reference of audio without storing it."""
        return audio.reference()

    def sound(self, audio: AudioRef) -> Audio:
        """Raise DataError, as nothing was stored.

        Raises:
            DataError: Always.
        """
        raise DataError(f"audio {audio.sha256:.8} was not kept")


NULL_AUDIO_STORE: AudioStore = NullAudioStore()


class MemoryAudioStore:
    """Audio store in memory."""

    def __init__(self) -> None:
        self._held: dict[str, Audio] = {}

    def keep(self, audio: Audio) -> AudioRef:
        """Keep audio in memory and return its reference."""
        reference = audio.reference()
        self._held[reference.sha256] = audio
        return reference

    def sound(self, audio: AudioRef) -> Audio:
        """Return audio from memory.

        Raises:
            DataError: If it was not stored.
        """
        if audio.sha256 not in self._held:
            raise DataError(f"audio {audio.sha256:.8} was not kept")
        return self._held[audio.sha256]

    def all(self) -> tuple[Audio, ...]:
        """Return all stored audio, in the order of first storage."""
        return tuple(self._held.values())


@runtime_checkable
class HearsAudio(Protocol):
    """Optional interface of participants, models and functions that can receive audio."""

    @property
    def hears_audio(self) -> bool:
        """Whether it can receive audio in place of words."""
        ...


def hears_audio(listener: object) -> bool:
    """Return whether an object can receive audio in place of words."""
    return isinstance(listener, HearsAudio) and listener.hears_audio is True
