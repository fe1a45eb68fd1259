"""Audio as it passes between mouth and ear: 16-bit mono samples and their rate."""

import hashlib
import io
import wave

import msgspec

from dragoman.core.errors import DataError
from dragoman.core.speech import AudioRef

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
        return AudioRef(hashlib.sha256(wav_of(self)).hexdigest(), self.seconds, self.rate_hz)


def wav_of(audio: Audio) -> bytes:
    """Return audio as a WAV file; equal audio gives equal bytes."""
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(SAMPLE_BYTES)
        file.setframerate(audio.rate_hz)
        file.writeframes(audio.pcm)
    return buffer.getvalue()


def audio_of(content: bytes, where: str) -> Audio:
    """Read a WAV file of 16-bit mono samples.

    Raises:
        DataError: Where it is truncated, of another form, or too long; the line begins with `where`.
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
