"""All effects between mouth and ear.

Each is a frozen record of its parameters that treats a signal: the same signal and seed give the
same result. Ranges of parameters are checked where effects are read from text.
"""

import msgspec

from dragoman.conditions.voice.lines.babble import Babble
from dragoman.conditions.voice.lines.filters import BandPass, Muffle
from dragoman.conditions.voice.lines.g711 import ALaw, MuLaw
from dragoman.conditions.voice.lines.gain import Clip, Gain
from dragoman.conditions.voice.lines.loss import PacketLoss
from dragoman.conditions.voice.lines.noise import Noise
from dragoman.conditions.voice.lines.opus import Opus
from dragoman.conditions.voice.lines.resampling import Resample
from dragoman.conditions.voice.lines.reverb import Reverb

Effect = (
    ALaw
    | Babble
    | BandPass
    | Clip
    | Gain
    | MuLaw
    | Muffle
    | Noise
    | Opus
    | PacketLoss
    | Resample
    | Reverb
)


def name_of(effect: Effect) -> str:
    """Return the name of an effect's kind, as presets and records of it give it."""
    return str(effect.__struct_config__.tag)


def parameters_of(effect: Effect) -> dict[str, object]:
    """Return the parameters of an effect by name."""
    return msgspec.structs.asdict(effect)
