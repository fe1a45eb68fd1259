"""Transmission effects: G.711 and Opus codecs, and packet loss with concealment.

Recommendation ITU-T G.711 gives both laws as tables of decision values and of output values. They
follow from the widths of the steps: eight segments of sixteen equal steps, with the output in the
middle of each. A sample on a decision value belongs to the interval above it, also below 0.

Packet loss follows the model of Gilbert and Elliott: the connection changes between a good and a
bad state, so that losses come in bursts.
"""

import io
from functools import cache
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import msgspec
from msgspec import Meta

from dragoman.conditions.voice.audio_effects.effects import resample
from dragoman.conditions.voice.audio_effects.signal import (
    FRAME_S,
    FULL_SCALE,
    Signal,
    TreatedSignal,
    frame_count,
    frame_spans,
    sixteen_bit,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dragoman.conditions.voice.audio_effects.signal import Mask, Samples


_STEPS_PER_SEGMENT = 16
_SIGN_BIT = 0x80


class CompandingLaw(msgspec.Struct, frozen=True):
    """One of the two companding laws of the recommendation.

    Attributes:
        steps: Widths of the steps of each segment, in the law's own units.
        first: Start of the first step.
        spare_bits: Number of bits that 16-bit samples have in addition to the law's own units.
        inverted_bits: The bits of a code that are inverted on the line.
    """

    steps: tuple[int, ...]
    first: int
    spare_bits: int
    inverted_bits: int


MU_LAW = CompandingLaw((2, 4, 8, 16, 32, 64, 128, 256), first=-1, spare_bits=2, inverted_bits=0x7F)
A_LAW = CompandingLaw((2, 2, 4, 8, 16, 32, 64, 128), first=0, spare_bits=3, inverted_bits=0x55)


class MuLaw(msgspec.Struct, frozen=True, tag_field="effect", tag="mu_law"):
    """Every sample is coded as on telephone lines of North America and Japan, and decoded."""

    draws: ClassVar[bool] = False

    def treat(self, signal: Signal, _seed: int) -> TreatedSignal:
        """Return what the decoder gives."""
        return _compand_signal(signal, MU_LAW)


class ALaw(msgspec.Struct, frozen=True, tag_field="effect", tag="a_law"):
    """Every sample is coded as on telephone lines elsewhere, and decoded."""

    draws: ClassVar[bool] = False

    def treat(self, signal: Signal, _seed: int) -> TreatedSignal:
        """Return what the decoder gives."""
        return _compand_signal(signal, A_LAW)


def encode(samples: "NDArray[np.int16]", law: CompandingLaw) -> "NDArray[np.uint8]":
    """Return the codes of 16-bit samples."""
    codes: NDArray[np.uint8] = _codes(law)[samples.astype("i4") + FULL_SCALE]
    return codes


def decode(codes: "NDArray[np.uint8]", law: CompandingLaw) -> "NDArray[np.int16]":
    """Return the 16-bit samples of codes."""
    samples: NDArray[np.int16] = _outputs(law)[codes]
    return samples


def _compand_signal(signal: Signal, law: CompandingLaw) -> TreatedSignal:
    samples = decode(encode(sixteen_bit(signal.samples), law), law) / FULL_SCALE
    return TreatedSignal(signal.with_samples(samples), signal.whole)


def _decisions_and_outputs(law: CompandingLaw) -> tuple["NDArray[np.int64]", "NDArray[np.int64]"]:
    import numpy as np

    steps = np.repeat(np.array(law.steps), _STEPS_PER_SEGMENT)
    decisions = law.first + np.cumsum(steps) - steps
    return decisions, decisions + steps // 2


@cache
def _codes(law: CompandingLaw) -> "NDArray[np.uint8]":
    """Return the code of every 16-bit sample, from the lowest on."""
    import numpy as np

    samples = np.arange(-FULL_SCALE, FULL_SCALE)
    negative = samples < 0
    magnitudes = np.where(negative, ~samples, samples) >> law.spare_bits
    decisions, _ = _decisions_and_outputs(law)
    numbers = np.searchsorted(decisions, magnitudes, side="right") - 1
    codes = np.where(negative, numbers, numbers | _SIGN_BIT) ^ law.inverted_bits
    return codes.astype(np.uint8)


@cache
def _outputs(law: CompandingLaw) -> "NDArray[np.int16]":
    """Return the 16-bit sample of every code."""
    import numpy as np

    codes = np.arange(2 * _SIGN_BIT) ^ law.inverted_bits
    _, outputs = _decisions_and_outputs(law)
    magnitudes = outputs[codes & ~_SIGN_BIT] << law.spare_bits
    samples: NDArray[np.int16] = np.where(codes & _SIGN_BIT, magnitudes, -magnitudes)
    return samples.astype(np.int16)


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

    def treat(self, signal: Signal, _seed: int) -> TreatedSignal:
        """Return what the decoder gives, without the codec's delay."""
        import soundfile

        engine = f"libsndfile {soundfile.__libsndfile_version__}"
        rate = next((rate for rate in RATES_HZ if rate >= signal.rate_hz), RATES_HZ[-1])
        coded = _opus_coded(resample(signal.samples, signal.rate_hz, rate), rate, self.kbps)
        samples = _of_length(resample(coded, rate, signal.rate_hz), len(signal.samples))
        return TreatedSignal(signal.with_samples(samples), signal.whole, engine)


def _opus_coded(samples: "Samples", rate_hz: int, kbps: float) -> "Samples":
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


Share = Annotated[float, Meta(ge=0, le=1)]

_SHORTEST_PERIOD_S, _LONGEST_PERIOD_S = 0.0025, 0.015
_FADED_AFTER_FRAMES = 3
_OVERLAP_S = 0.005


class PacketLoss(msgspec.Struct, frozen=True, tag_field="effect", tag="loss"):
    """Packets of 20 ms are lost.

    Attributes:
        share: The share of packets that is expected to be lost.
        burst_packets: Mean number of packets that the bad state lasts.
        lost_when_good: The share that is lost in the good state.
        lost_when_bad: The share that is lost in the bad state.
        concealment: Replacement of a lost packet: `repeat` goes on with the last period of the
            voice and fades out within 60 ms, `silence` plays nothing.

    Raises:
        ValueError: If no connection with these two states loses that share.
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

    def treat(self, signal: Signal, seed: int) -> TreatedSignal:
        """Return what the receiver plays; the spans are the bursts of lost packets."""
        import numpy as np

        count = frame_count(signal)
        lost = lost_packets(self, count, np.random.default_rng(seed))
        samples = _drop_lost_frames(signal, lost, repeats=self.concealment == "repeat")
        spans = frame_spans(lost, signal)
        found: dict[str, object] = {"packets": count, "lost_packets": int(lost.sum())}
        return TreatedSignal(signal.with_samples(samples), spans, found=found)


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


def _drop_lost_frames(signal: Signal, lost: "Mask", *, repeats: bool) -> "Samples":
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
    """Return the period, in samples, in which the end of the received audio repeats best."""
    import numpy as np

    shortest, longest = round(rate_hz * _SHORTEST_PERIOD_S), round(rate_hz * _LONGEST_PERIOD_S)
    earlier: NDArray[np.float64] = np.lib.stride_tricks.sliding_window_view(
        before[-frame - longest : -shortest], frame
    )
    similarity = earlier @ before[-frame:] / np.sqrt((earlier**2).sum(axis=1) + 1e-12)
    return longest - int(np.argmax(similarity))
