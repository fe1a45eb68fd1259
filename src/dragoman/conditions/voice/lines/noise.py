"""Noise around the speaker or on the line, at a ratio to the speech."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import msgspec
from msgspec import Meta

from dragoman.conditions.voice.lines.levels import mixed_in
from dragoman.conditions.voice.lines.signal import Signal, Spans, Treated

if TYPE_CHECKING:
    import numpy as np

    from dragoman.conditions.voice.lines.signal import Samples

SnrDb = Annotated[float, Meta(ge=-40, le=90)]
"""A signal-to-noise ratio over the frames with speech."""

VEHICLES_PER_MINUTE = 12
_RUMBLE_FROM_HZ = 40.0
_TYRES_HZ = 1_000.0


class Noise(msgspec.Struct, frozen=True, tag_field="effect", tag="noise"):
    """Noise is added.

    Attributes:
        snr_db: How far the noise lies below the speech, over the frames with speech.
        colour: `white` has equal power at all frequencies, `pink` in all octaves, and `street` is
            rumble with vehicles that pass.
    """

    draws: ClassVar[bool] = True

    snr_db: SnrDb
    colour: Literal["white", "pink", "street"] = "pink"

    def treat(self, signal: Signal, seed: int) -> Treated:
        """Return the signal with noise; for a street `passing` says when vehicles were near."""
        import numpy as np

        rng = np.random.default_rng(seed)
        if self.colour != "street":
            shape = _pink if self.colour == "pink" else np.ones_like
            return mixed_in(signal, shaped_noise(signal, rng, shape), self.snr_db)
        noise, passing = _street(signal, rng)
        treated = mixed_in(signal, noise, self.snr_db)
        heard = passing if treated.spans else []
        return msgspec.structs.replace(treated, found={**treated.found, "passing": heard})


def shaped_noise(
    like: Signal, rng: "np.random.Generator", amplitude: "Callable[[Samples], Samples]"
) -> "Samples":
    """Draw Gaussian noise, as long as a signal, with an amplitude by frequency in Hz; none at 0 Hz."""
    import numpy as np

    count = len(like.samples)
    if not count:
        return like.samples
    spectrum = np.fft.rfft(rng.standard_normal(count))
    hz = np.fft.rfftfreq(count, 1 / like.rate_hz).astype(np.float64)
    spectrum[0] = 0
    spectrum[1:] *= amplitude(hz[1:])
    return np.fft.irfft(spectrum, count)


def _pink(hz: "Samples") -> "Samples":
    import numpy as np

    return 1 / np.sqrt(hz)


def _street(like: Signal, rng: "np.random.Generator") -> tuple["Samples", Spans]:
    import numpy as np

    rumble = shaped_noise(like, rng, lambda hz: np.where(hz < _RUMBLE_FROM_HZ, 0.0, 1 / hz))
    tyres = shaped_noise(like, rng, lambda hz: np.exp(-(np.log(hz / _TYRES_HZ) ** 2)))
    times = np.arange(len(like.samples)) / like.rate_hz
    nearness = np.zeros_like(times)
    passing: Spans = []
    for _ in range(rng.poisson(like.seconds * VEHICLES_PER_MINUTE / 60)):
        moment, width, loudness = rng.uniform((0, 0.5, 1), (like.seconds, 1.5, 4))
        nearness += loudness * np.exp(-(((times - moment) / width) ** 2) / 2)
        span = max(0.0, moment - 2 * width), min(like.seconds, moment + 2 * width)
        passing.append([round(float(edge), 3) for edge in span])
    return _unit(rumble) * (1 + nearness) + 0.5 * _unit(tyres) * nearness, sorted(passing)


def _unit(samples: "Samples") -> "Samples":
    import numpy as np

    return samples / (np.sqrt(np.mean(samples**2)) or 1.0) if len(samples) else samples
