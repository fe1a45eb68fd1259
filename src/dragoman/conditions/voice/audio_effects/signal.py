"""Signals for audio effects: conversion from and to PCM audio, speech levels, SNR mixing."""

import math
from typing import TYPE_CHECKING

import msgspec

from dragoman.core.audio import SAMPLE_BYTES, Audio
from dragoman.core.errors import DataError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


if TYPE_CHECKING:
    Samples = NDArray[np.float64]
    Mask = NDArray[np.bool_]

FRAME_S = 0.02
"""Packets, and the frames that speech is looked for in, last 20 ms."""

Spans = list[list[float]]
"""Pairs of start and end in seconds; lists, because that is what a stored record gives back."""


class Signal(msgspec.Struct, frozen=True, eq=False):
    """A mono audio signal.

    Attributes:
        samples: The samples; 1 is full scale, and larger values are not cut off.
        rate_hz: Samples per second.
        speech: Times of speech in the clean audio: once noise is added, they can no longer be
            determined.
    """

    samples: "Samples"
    rate_hz: int
    speech: Spans

    @property
    def seconds(self) -> float:
        """Duration in seconds."""
        return len(self.samples) / self.rate_hz

    @property
    def whole(self) -> Spans:
        """One span from beginning to end; none without samples."""
        return [[0.0, round(self.seconds, 6)]] if len(self.samples) else []

    @property
    def frame_length(self) -> int:
        """Number of samples in a frame."""
        return round(self.rate_hz * FRAME_S)

    def with_samples(self, samples: "Samples") -> "Signal":
        """Return other samples at the same rate."""
        return Signal(samples, self.rate_hz, self.speech)


class TreatedSignal(msgspec.Struct, frozen=True, eq=False):
    """Result of an effect on a signal.

    Attributes:
        signal: The result.
        spans: Times when the effect was active; empty if it changed nothing.
        engine: Software that computed the result, with its version if it is not Dragoman itself.
        found: Measured or drawn values, by name.
    """

    signal: Signal
    spans: Spans
    engine: str = "dragoman"
    found: dict[str, object] = {}


def frame_spans(chosen: "Mask", signal: Signal) -> Spans:
    """Return when chosen frames play; neighbours are joined, the last ends with the signal."""
    import numpy as np

    edges = np.flatnonzero(np.diff(chosen.astype(np.int8), prepend=0, append=0))
    places = np.minimum(edges * signal.frame_length, len(signal.samples))
    seconds = np.round(places / signal.rate_hz, 6)
    return [[float(start), float(end)] for start, end in seconds.reshape(-1, 2)]


def frame_count(signal: Signal) -> int:
    """Return how many frames a signal has, the last of which may be cut short."""
    return math.ceil(len(signal.samples) / signal.frame_length)


ACTIVE_RANGE_DB = 40.0
"""Frames of clean audio that are less than this below the loudest one count as speech."""


def level(samples: "Samples") -> float:
    """Return the root mean square; 0 without samples."""
    import numpy as np

    return float(np.sqrt(np.mean(samples**2))) if len(samples) else 0.0


def decibels(ratio: float) -> float:
    """Return a ratio of levels in dB, to a hundredth; the ratio must be above 0."""
    return round(20 * math.log10(ratio), 2)


def amplitude_ratio(db: float) -> float:
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
    loud: Mask = (power > power.max() * amplitude_ratio(-ACTIVE_RANGE_DB) ** 2) & (power > 0)
    return loud


def level_in_speech(samples: "Samples", signal: Signal) -> float:
    """Return the root mean square of samples during speech in a signal.

    It is 0 if nobody speaks.
    """
    import numpy as np

    edges = [
        (round(start * signal.rate_hz), round(end * signal.rate_hz)) for start, end in signal.speech
    ]
    return level(np.concatenate([samples[:0], *(samples[start:end] for start, end in edges)]))


def limit_to_full_scale(samples: "Samples") -> tuple["Samples", float]:
    """Return samples turned down until none exceeds full scale, and the factor that took."""
    import numpy as np

    peak = float(np.max(np.abs(samples), initial=0.0))
    down = 1 / peak if peak > 1 else 1.0
    return samples * down, down


def mix_at_snr(signal: Signal, disturbance: "Samples", snr_db: float) -> TreatedSignal:
    """Add a disturbance; both levels are measured while somebody speaks.

    Without speech, or with a disturbance that is silent during it, a ratio does not exist: the
    signal stays as it is, and the spans are empty. If the sum would exceed full scale, all of it is
    turned down.
    """
    speech = level_in_speech(signal.samples, signal)
    noise = level_in_speech(disturbance, signal)
    if not speech or not noise:
        return TreatedSignal(signal, [])
    gain = speech / noise * amplitude_ratio(-snr_db)
    samples, down = limit_to_full_scale(signal.samples + gain * disturbance)
    found: dict[str, object] = {
        "speech_dbfs": decibels(speech),
        "disturbance_dbfs": decibels(gain * noise),
        "turned_by_db": decibels(down),
    }
    return TreatedSignal(signal.with_samples(samples), signal.whole, found=found)


FULL_SCALE = 32_768
_LOWEST_RATE_HZ, _HIGHEST_RATE_HZ = 4_000, 192_000


def signal_of(audio: Audio) -> Signal:
    """Return clean audio as a signal with the times of speech.

    Raises:
        DataError: If the samples are not whole, or the rate is not a rate of speech.
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
