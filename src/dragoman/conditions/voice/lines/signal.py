"""Sound while it is worked on, and what an effect made of it."""

import math
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Samples = NDArray[np.float64]
    Mask = NDArray[np.bool_]

FRAME_S = 0.02
"""Packets, and the frames that speech is looked for in, last 20 ms."""

Spans = list[list[float]]
"""Pairs of start and end in seconds; lists, because that is what a stored record gives back."""


class Signal(msgspec.Struct, frozen=True, eq=False):
    """Mono sound on its way.

    Attributes:
        samples: Where 1 is full scale; what exceeds it is not cut off.
        rate_hz: How many of them make a second.
        speech: When somebody speaks, as it was in the clean audio: once noise is added, it could
            no longer be told.
    """

    samples: "Samples"
    rate_hz: int
    speech: Spans

    @property
    def seconds(self) -> float:
        """How long it lasts."""
        return len(self.samples) / self.rate_hz

    @property
    def whole(self) -> Spans:
        """One span from beginning to end; none where there is no sound."""
        return [[0.0, round(self.seconds, 6)]] if len(self.samples) else []

    @property
    def frame_length(self) -> int:
        """How many samples a frame has."""
        return round(self.rate_hz * FRAME_S)

    def with_samples(self, samples: "Samples") -> "Signal":
        """Return other samples at the same rate."""
        return Signal(samples, self.rate_hz, self.speech)


class Treated(msgspec.Struct, frozen=True, eq=False):
    """What an effect made of a signal.

    Attributes:
        signal: The result.
        spans: When the effect was at work; empty where it changed nothing.
        engine: What computed it, with its version where that is not our own code.
        found: What was measured or drawn, by name.
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
