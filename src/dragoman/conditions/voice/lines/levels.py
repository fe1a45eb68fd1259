"""Levels of speech, and sound mixed in at a ratio to it."""

import math
from typing import TYPE_CHECKING

from dragoman.conditions.voice.lines.signal import Signal, Treated

if TYPE_CHECKING:
    from dragoman.conditions.voice.lines.signal import Mask, Samples

ACTIVE_RANGE_DB = 40.0
"""Frames of clean audio that are less than this below the loudest one count as speech."""


def level(samples: "Samples") -> float:
    """Return the root mean square; 0 where there are no samples."""
    import numpy as np

    return float(np.sqrt(np.mean(samples**2))) if len(samples) else 0.0


def decibels(ratio: float) -> float:
    """Return a ratio of levels in dB, to a hundredth; the ratio must be above 0."""
    return round(20 * math.log10(ratio), 2)


def factor(db: float) -> float:
    """Return the ratio of levels that dB stand for."""
    return float(10 ** (db / 20))


def speech_frames(clean: Signal) -> "Mask":
    """Return which frames of clean audio hold speech: none in digital silence."""
    import numpy as np

    starts = np.arange(0, len(clean.samples), clean.frame_length)
    if not len(starts):
        return np.zeros(0, dtype=np.bool_)
    lengths = np.diff(starts, append=len(clean.samples))
    power = np.add.reduceat(clean.samples**2, starts) / lengths
    loud: Mask = (power > power.max() * factor(-ACTIVE_RANGE_DB) ** 2) & (power > 0)
    return loud


def level_in_speech(samples: "Samples", signal: Signal) -> float:
    """Return the root mean square of samples while somebody speaks in a signal; 0 if nobody does."""
    import numpy as np

    edges = [
        (round(start * signal.rate_hz), round(end * signal.rate_hz)) for start, end in signal.speech
    ]
    return level(np.concatenate([samples[:0], *(samples[start:end] for start, end in edges)]))


def below_full_scale(samples: "Samples") -> tuple["Samples", float]:
    """Return samples turned down until none exceeds full scale, and the factor that took."""
    import numpy as np

    peak = float(np.max(np.abs(samples), initial=0.0))
    down = 1 / peak if peak > 1 else 1.0
    return samples * down, down


def mixed_in(signal: Signal, disturbance: "Samples", snr_db: float) -> Treated:
    """Add a disturbance; both levels are measured while somebody speaks.

    Where there is no speech, or the disturbance is silent during it, no ratio exists: the signal
    stays as it is, and the spans are empty. Where the sum would exceed full scale, all of it is
    turned down.
    """
    speech = level_in_speech(signal.samples, signal)
    noise = level_in_speech(disturbance, signal)
    if not speech or not noise:
        return Treated(signal, [])
    gain = speech / noise * factor(-snr_db)
    samples, down = below_full_scale(signal.samples + gain * disturbance)
    found: dict[str, object] = {
        "speech_dbfs": decibels(speech),
        "disturbance_dbfs": decibels(gain * noise),
        "turned_by_db": decibels(down),
    }
    return Treated(signal.with_samples(samples), signal.whole, found=found)
