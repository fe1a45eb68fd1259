"""The room around the speaker."""

from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec
from msgspec import Meta

from dragoman.conditions.voice.lines.levels import (
    below_full_scale,
    decibels,
    factor,
    level_in_speech,
)
from dragoman.conditions.voice.lines.signal import Signal, Treated

if TYPE_CHECKING:
    import numpy as np

    from dragoman.conditions.voice.lines.signal import Samples

_FIRST_REFLECTION_S = 0.003
_DECAY_DB = 60


class Reverb(msgspec.Struct, frozen=True, tag_field="effect", tag="reverb"):
    """The sound comes back from the walls of a room that is drawn at random.

    The level of the speech stays as it was, unless that would exceed full scale; what would sound
    after its end is cut off.

    Attributes:
        rt60_s: After how many seconds the reverberation has fallen by 60 dB.
        direct_db: How far the direct sound lies above all reflections together.
    """

    draws: ClassVar[bool] = True

    rt60_s: Annotated[float, Meta(ge=0.05, le=5)] = 0.4
    direct_db: Annotated[float, Meta(ge=-20, le=40)] = 6.0

    def treat(self, signal: Signal, seed: int) -> Treated:
        """Return the sound in the room."""
        import numpy as np
        import scipy
        from scipy.signal import fftconvolve

        before = level_in_speech(signal.samples, signal)
        if not before:
            return Treated(signal, [], f"scipy {scipy.__version__}")
        room = impulse_response(self, signal.rate_hz, np.random.default_rng(seed))
        reflected: Samples = fftconvolve(signal.samples, room)[: len(signal.samples)]
        after = level_in_speech(reflected, signal)
        samples, down = below_full_scale(reflected * before / after)
        found: dict[str, object] = {"turned_by_db": decibels(down)}
        engine = f"scipy {scipy.__version__}"
        return Treated(signal.with_samples(samples), signal.whole, engine, found)


def impulse_response(reverb: Reverb, rate_hz: int, rng: "np.random.Generator") -> "Samples":
    """Draw what a room makes of a single click: the click, and noise that decays exponentially."""
    import numpy as np

    times = np.arange(round(reverb.rt60_s * rate_hz)) / rate_hz
    room = rng.standard_normal(len(times)) * 10 ** (-_DECAY_DB / 20 * times / reverb.rt60_s)
    room[times < _FIRST_REFLECTION_S] = 0
    room *= factor(-reverb.direct_db) / np.sqrt(np.sum(room**2))
    room[0] = 1
    return room
