"""Frequencies that do not come through."""

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import msgspec
from msgspec import Meta

from dragoman.conditions.voice.lines.signal import Signal, Treated

if TYPE_CHECKING:
    from dragoman.conditions.voice.lines.signal import Samples

_BAND_ORDER = 4
_MUFFLE_ORDER = 2
_HIGHEST_SHARE = 0.99
"""An edge above this share of half the sampling rate filters nothing that could be heard."""


class BandPass(msgspec.Struct, frozen=True, tag_field="effect", tag="band_pass"):
    """Only a band of frequencies comes through (Butterworth, fourth order at each edge)."""

    draws: ClassVar[bool] = False

    low_hz: Annotated[float, Meta(ge=20, le=1_500)] = 300.0
    high_hz: Annotated[float, Meta(ge=2_000, le=96_000)] = 3_400.0

    def treat(self, signal: Signal, _seed: int) -> Treated:
        """Return what lies in the band."""
        high_passed = _filtered(signal, "highpass", _BAND_ORDER, self.low_hz)
        samples = _filtered(high_passed, "lowpass", _BAND_ORDER, self.high_hz).samples
        return Treated(signal.with_samples(samples), signal.whole, _engine())


class Muffle(msgspec.Struct, frozen=True, tag_field="effect", tag="muffle"):
    """The sound is dull, as through a scarf or a pocket (Butterworth, second order)."""

    draws: ClassVar[bool] = False

    cutoff_hz: Annotated[float, Meta(ge=200, le=96_000)] = 1_500.0

    def treat(self, signal: Signal, _seed: int) -> Treated:
        """Return what lies below the cut-off."""
        muffled = _filtered(signal, "lowpass", _MUFFLE_ORDER, self.cutoff_hz)
        return Treated(muffled, [] if muffled is signal else signal.whole, _engine())


def _filtered(
    signal: Signal, kind: Literal["lowpass", "highpass"], order: int, edge_hz: float
) -> Signal:
    import scipy.signal

    if edge_hz >= signal.rate_hz / 2 * _HIGHEST_SHARE or not len(signal.samples):
        return signal
    sections = scipy.signal.butter(order, edge_hz, kind, fs=signal.rate_hz, output="sos")
    samples: Samples = scipy.signal.sosfilt(sections, signal.samples)
    return signal.with_samples(samples)


def _engine() -> str:
    import scipy

    return f"scipy {scipy.__version__}"
