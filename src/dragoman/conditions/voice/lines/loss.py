"""Packets of 20 ms that get lost, and what the receiver plays instead.

The line changes between a good and a bad state (the model of Gilbert and Elliott), so that losses
come in bursts.
"""

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import msgspec
from msgspec import Meta

from dragoman.conditions.voice.lines.signal import (
    FRAME_S,
    Signal,
    Treated,
    frame_count,
    frame_spans,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dragoman.conditions.voice.lines.signal import Mask, Samples

Share = Annotated[float, Meta(ge=0, le=1)]

_SHORTEST_PERIOD_S, _LONGEST_PERIOD_S = 0.0025, 0.015
_FADED_AFTER_FRAMES = 3
_OVERLAP_S = 0.005


class PacketLoss(msgspec.Struct, frozen=True, tag_field="effect", tag="loss"):
    """Packets of 20 ms are lost.

    Attributes:
        share: The share of packets that is expected to be lost.
        burst_packets: How many packets the bad state lasts on average.
        lost_when_good: The share that is lost in the good state.
        lost_when_bad: The share that is lost in the bad state.
        concealment: What is played for a lost packet: `repeat` goes on with the last period of the
            voice and fades out within 60 ms, `silence` plays nothing.

    Raises:
        ValueError: Where no line of two states loses that share.
    """

    draws: ClassVar[bool] = True

    share: Share
    burst_packets: Annotated[float, Meta(ge=1, le=500)] = 1.0
    lost_when_good: Share = 0.0
    lost_when_bad: Share = 1.0
    concealment: Literal["repeat", "silence"] = "repeat"

    def __post_init__(self) -> None:
        if not self.lost_when_good <= self.share <= self.lost_when_bad:
            raise ValueError("share must lie between lost_when_good and lost_when_bad")
        if not 0 <= self.turns_bad <= 1:
            raise ValueError(f"a share of {self.share} needs longer bursts")

    @property
    def bad_share(self) -> float:
        """The share of time that the line is in the bad state."""
        if self.lost_when_bad == self.lost_when_good:
            return 0.0
        return (self.share - self.lost_when_good) / (self.lost_when_bad - self.lost_when_good)

    @property
    def turns_bad(self) -> float:
        """The chance that a good line is bad at the next packet; 1 where it is always bad."""
        if self.bad_share == 1:
            return 1.0
        return self.bad_share / (1 - self.bad_share) / self.burst_packets

    @property
    def turns_good(self) -> float:
        """The chance that a bad line is good at the next packet."""
        return 0.0 if self.bad_share == 1 else 1 / self.burst_packets

    def treat(self, signal: Signal, seed: int) -> Treated:
        """Return what the receiver plays; the spans are the bursts of lost packets."""
        import numpy as np

        count = frame_count(signal)
        lost = lost_packets(self, count, np.random.default_rng(seed))
        samples = _received(signal, lost, repeats=self.concealment == "repeat")
        spans = frame_spans(lost, signal)
        found: dict[str, object] = {"packets": count, "lost_packets": int(lost.sum())}
        return Treated(signal.with_samples(samples), spans, found=found)


def lost_packets(loss: PacketLoss, count: int, rng: "np.random.Generator") -> "Mask":
    """Draw which of a number of packets are lost."""
    import numpy as np

    turns, losses = rng.random((2, count))
    is_bad = bool(rng.random() < loss.bad_share)
    bad = np.zeros(count, dtype=np.bool_)
    turns_good, turns_bad = loss.turns_good, loss.turns_bad
    for packet, turn in enumerate(turns):
        bad[packet] = is_bad
        is_bad = turn >= turns_good if is_bad else turn < turns_bad
    lost: Mask = losses < np.where(bad, loss.lost_when_bad, loss.lost_when_good)
    return lost


def _received(signal: Signal, lost: "Mask", *, repeats: bool) -> "Samples":
    import numpy as np

    samples = signal.samples.copy()
    edges = np.flatnonzero(np.diff(lost.astype(np.int8), prepend=0, append=0))
    for first, behind in edges.reshape(-1, 2):
        start, end = int(first) * signal.frame_length, int(behind) * signal.frame_length
        samples[start:end] = 0
        if repeats:
            _conceal(samples, start, end, signal.rate_hz)
    return samples


def _conceal(samples: "Samples", start: int, end: int, rate_hz: int) -> None:
    """Fill lost samples with what came before them, and lead over into what comes after."""
    import numpy as np

    frame = round(rate_hz * FRAME_S)
    before = samples[max(0, start - 2 * frame) : start]
    if len(before) < 2 * frame:
        return
    overlap = round(rate_hz * _OVERLAP_S)
    filled = samples[start : end + overlap]
    period = before[-_period(before, frame, rate_hz) :]
    places = np.arange(len(filled))
    fade = np.interp(places, [frame, _FADED_AFTER_FRAMES * frame], [1.0, 0.0])
    continued = np.resize(period, len(filled)) * fade
    kept = np.clip((places - (end - start)) / overlap, 0, 1)
    filled[:] = continued * (1 - kept) + filled * kept


def _period(before: "Samples", frame: int, rate_hz: int) -> int:
    """Return after how many samples a voice repeats itself best at the end of what was heard."""
    import numpy as np

    shortest, longest = round(rate_hz * _SHORTEST_PERIOD_S), round(rate_hz * _LONGEST_PERIOD_S)
    earlier: NDArray[np.float64] = np.lib.stride_tricks.sliding_window_view(
        before[-frame - longest : -shortest], frame
    )
    likeness = earlier @ before[-frame:] / np.sqrt((earlier**2).sum(axis=1) + 1e-12)
    return longest - int(np.argmax(likeness))
