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
"""Longer audio is refused: no utterance lasts ten minutes."""


class Audio(msgspec.Struct, frozen=True):
    """Mono sound: little-endian 16-bit samples at a rate."""

    pcm: bytes
    rate_hz: int

    @property
    def seconds(self) -> float:
        """How long it lasts."""
        return len(self.pcm) / SAMPLE_BYTES / self.rate_hz

    def reference(self) -> AudioRef:
        """Return what records keep of it: the hash of its WAV file, its length and its rate."""
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
        DataError: Where it is truncated, of another form, or too long; the line begins with
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


class NullAudioStore:
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


NULL_AUDIO_STORE: AudioStore = NullAudioStore()


class MemoryAudioStore:
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
