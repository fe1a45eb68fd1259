"""Another sampling rate."""

from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec
from msgspec import Meta

from dragoman.conditions.voice.lines.signal import Signal, Treated

if TYPE_CHECKING:
    from dragoman.conditions.voice.lines.signal import Samples


class Resample(msgspec.Struct, frozen=True, tag_field="effect", tag="resample"):
    """The sound is sampled at another rate; what does not fit below half of it is filtered out."""

    draws: ClassVar[bool] = False

    rate_hz: Annotated[int, Meta(ge=4_000, le=192_000)]

    def treat(self, signal: Signal, _seed: int) -> Treated:
        """Return the signal at the rate."""
        import soxr

        samples = resampled(signal.samples, signal.rate_hz, self.rate_hz)
        changed = signal.whole if signal.rate_hz != self.rate_hz else []
        return Treated(
            Signal(samples, self.rate_hz, signal.speech), changed, f"soxr {soxr.__version__}"
        )


def resampled(samples: "Samples", from_hz: int, to_hz: int) -> "Samples":
    """Return samples at another rate."""
    import numpy as np
    import soxr

    if from_hz == to_hz or not len(samples):
        return samples
    return np.asarray(soxr.resample(samples, from_hz, to_hz), dtype=np.float64)
