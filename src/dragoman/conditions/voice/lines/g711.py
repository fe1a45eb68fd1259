"""G.711, the codec of telephones: 8 bits a sample, in steps that grow with the level.

Recommendation ITU-T G.711 gives both laws as tables of decision values and of output values. They
follow from the widths of the steps: eight segments of sixteen equal steps, with the output in the
middle of each. A sample on a decision value belongs to the interval above it, also below 0.
"""

from functools import cache
from typing import TYPE_CHECKING, ClassVar

import msgspec

from dragoman.conditions.voice.lines.audio import FULL_SCALE, sixteen_bit
from dragoman.conditions.voice.lines.signal import Signal, Treated

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_STEPS_PER_SEGMENT = 16
_SIGN_BIT = 0x80


class Law(msgspec.Struct, frozen=True):
    """One of the laws of the recommendation.

    Attributes:
        steps: How wide the steps of each segment are, in the law's own units.
        first: Where the first step begins.
        spare_bits: How many bits 16-bit samples have more than the law's own units.
        inverted_bits: The bits of a code that are inverted on the line.
    """

    steps: tuple[int, ...]
    first: int
    spare_bits: int
    inverted_bits: int


MU_LAW = Law((2, 4, 8, 16, 32, 64, 128, 256), first=-1, spare_bits=2, inverted_bits=0x7F)
A_LAW = Law((2, 2, 4, 8, 16, 32, 64, 128), first=0, spare_bits=3, inverted_bits=0x55)


class MuLaw(msgspec.Struct, frozen=True, tag_field="effect", tag="mu_law"):
    """Every sample is coded as on telephone lines of North America and Japan, and decoded."""

    draws: ClassVar[bool] = False

    def treat(self, signal: Signal, _seed: int) -> Treated:
        """Return what the decoder gives."""
        return _coded(signal, MU_LAW)


class ALaw(msgspec.Struct, frozen=True, tag_field="effect", tag="a_law"):
    """Every sample is coded as on telephone lines elsewhere, and decoded."""

    draws: ClassVar[bool] = False

    def treat(self, signal: Signal, _seed: int) -> Treated:
        """Return what the decoder gives."""
        return _coded(signal, A_LAW)


def encode(samples: "NDArray[np.int16]", law: Law) -> "NDArray[np.uint8]":
    """Return the codes of 16-bit samples."""
    codes: NDArray[np.uint8] = _codes(law)[samples.astype("i4") + FULL_SCALE]
    return codes


def decode(codes: "NDArray[np.uint8]", law: Law) -> "NDArray[np.int16]":
    """Return the 16-bit samples of codes."""
    samples: NDArray[np.int16] = _outputs(law)[codes]
    return samples


def _coded(signal: Signal, law: Law) -> Treated:
    samples = decode(encode(sixteen_bit(signal.samples), law), law) / FULL_SCALE
    return Treated(signal.with_samples(samples), signal.whole)


def _decisions_and_outputs(law: Law) -> tuple["NDArray[np.int64]", "NDArray[np.int64]"]:
    import numpy as np

    steps = np.repeat(np.array(law.steps), _STEPS_PER_SEGMENT)
    decisions = law.first + np.cumsum(steps) - steps
    return decisions, decisions + steps // 2


@cache
def _codes(law: Law) -> "NDArray[np.uint8]":
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
def _outputs(law: Law) -> "NDArray[np.int16]":
    """Return the 16-bit sample of every code."""
    import numpy as np

    codes = np.arange(2 * _SIGN_BIT) ^ law.inverted_bits
    _, outputs = _decisions_and_outputs(law)
    magnitudes = outputs[codes & ~_SIGN_BIT] << law.spare_bits
    samples: NDArray[np.int16] = np.where(codes & _SIGN_BIT, magnitudes, -magnitudes)
    return samples.astype(np.int16)
