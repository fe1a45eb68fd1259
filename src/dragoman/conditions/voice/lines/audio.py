"""Audio as a signal that effects can work on, and back."""

from typing import TYPE_CHECKING

from dragoman.conditions.voice.lines.levels import speech_frames
from dragoman.conditions.voice.lines.signal import Signal, frame_spans
from dragoman.core.errors import DataError
from dragoman.core.voice.audio import SAMPLE_BYTES, Audio

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dragoman.conditions.voice.lines.signal import Samples

FULL_SCALE = 32_768
_LOWEST_RATE_HZ, _HIGHEST_RATE_HZ = 4_000, 192_000


def signal_of(audio: Audio) -> Signal:
    """Return clean audio as a signal, with where somebody speaks in it.

    Raises:
        DataError: Where the samples are not whole, or the rate is none of speech.
    """
    import numpy as np

    if len(audio.pcm) % SAMPLE_BYTES:
        raise DataError(f"audio of {len(audio.pcm)} bytes is not whole 16-bit samples")
    if not _LOWEST_RATE_HZ <= audio.rate_hz <= _HIGHEST_RATE_HZ:
        raise DataError(
            f"audio at {audio.rate_hz} Hz: give {_LOWEST_RATE_HZ} to {_HIGHEST_RATE_HZ} Hz"
        )
    sound = Signal(np.frombuffer(audio.pcm, "<i2") / FULL_SCALE, audio.rate_hz, [])
    return Signal(sound.samples, sound.rate_hz, frame_spans(speech_frames(sound), sound))


def pcm_audio(signal: Signal) -> Audio:
    """Return a signal as audio; what is beyond full scale is cut off, as a converter does."""
    return Audio(sixteen_bit(signal.samples).tobytes(), signal.rate_hz)


def sixteen_bit(samples: "Samples") -> "NDArray[np.int16]":
    """Return samples as little-endian 16-bit numbers."""
    import numpy as np

    scaled = np.rint(samples * FULL_SCALE)
    return np.clip(scaled, -FULL_SCALE, FULL_SCALE - 1).astype("<i2")
