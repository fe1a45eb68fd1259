"""Opus, the codec of calls over the internet."""

import io
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec
from msgspec import Meta

from dragoman.conditions.voice.lines.resampling import resampled
from dragoman.conditions.voice.lines.signal import Signal, Treated

if TYPE_CHECKING:
    from dragoman.conditions.voice.lines.signal import Samples

RATES_HZ = (8_000, 12_000, 16_000, 24_000, 48_000)
"""The sampling rates that the codec takes; others are brought to the next higher one and back."""

LOWEST_KBPS, HIGHEST_KBPS = 6.0, 256.0


class Opus(msgspec.Struct, frozen=True, tag_field="effect", tag="opus"):
    """The sound is coded as on a call over the internet, and decoded.

    Attributes:
        kbps: The bit rate in thousands of bits a second that the encoder aims at.
    """

    draws: ClassVar[bool] = False

    kbps: Annotated[float, Meta(ge=LOWEST_KBPS, le=HIGHEST_KBPS)] = 24.0

    def treat(self, signal: Signal, _seed: int) -> Treated:
        """Return what the decoder gives, without the codec's delay."""
        import soundfile

        engine = f"libsndfile {soundfile.__libsndfile_version__}"
        rate = next((rate for rate in RATES_HZ if rate >= signal.rate_hz), RATES_HZ[-1])
        coded = _coded(resampled(signal.samples, signal.rate_hz, rate), rate, self.kbps)
        samples = _of_length(resampled(coded, rate, signal.rate_hz), len(signal.samples))
        return Treated(signal.with_samples(samples), signal.whole, engine)


def _coded(samples: "Samples", rate_hz: int, kbps: float) -> "Samples":
    import soundfile

    if not len(samples):
        return samples
    # The library takes a bit rate as a position between the highest and the lowest.
    compression = (HIGHEST_KBPS - kbps) / (HIGHEST_KBPS - LOWEST_KBPS)
    file = io.BytesIO()
    soundfile.write(
        file, samples, rate_hz, format="OGG", subtype="OPUS", compression_level=compression
    )
    file.seek(0)
    decoded: Samples
    decoded, _ = soundfile.read(file, dtype="float64")
    return decoded


def _of_length(samples: "Samples", count: int) -> "Samples":
    import numpy as np

    return np.pad(samples[:count], (0, max(0, count - len(samples))))
