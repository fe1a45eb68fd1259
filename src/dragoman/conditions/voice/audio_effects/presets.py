"""Presets of audio effects: named chains such as a telephone line, and their ablations.

Each effect is a frozen record of its parameters that treats a signal: the same signal and seed
give the same result. Ranges of parameters are checked when effects are read from text.
"""

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from importlib.util import find_spec

import msgspec

from dragoman.conditions.voice.audio_effects.effects import (
    Babble,
    BandPass,
    Clip,
    Gain,
    Muffle,
    Noise,
    Resample,
    Reverb,
)
from dragoman.conditions.voice.audio_effects.signal import TreatedSignal, pcm_audio, signal_of
from dragoman.conditions.voice.audio_effects.transmission import ALaw, MuLaw, Opus, PacketLoss
from dragoman.core.audio import Audio
from dragoman.core.content_keys import content_key, derive_seed
from dragoman.core.errors import UsageError
from dragoman.core.replies import Stage

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


def effect_name(effect: Effect) -> str:
    """Return the name of an effect's kind, as presets and records of it give it."""
    return str(effect.__struct_config__.tag)


def effect_parameters(effect: Effect) -> dict[str, object]:
    """Return the parameters of an effect by name."""
    return msgspec.structs.asdict(effect)


_LIBRARIES = ("scipy", "soundfile", "soxr")
_WITHOUT = "-without-"
_ONLY = ":"


def preset_names() -> tuple[str, ...]:
    """Return the names of all presets, from the best line to the worst."""
    return tuple(_presets())


def ablation_names(preset: str) -> tuple[str, ...]:
    """Return the names of a preset without each of its effects, and with each of them alone.

    Raises:
        UsageError: If the preset does not exist.
    """
    names = [effect_name(effect) for effect in _preset(preset)]
    without = [f"{preset}{_WITHOUT}{name}" for name in names]
    return (*without, *(f"{preset}{_ONLY}{name}" for name in names))


def find_effects(name: str) -> tuple[Effect, ...]:
    """Return the effects of a preset, or of an ablation of one.

    Args:
        name: For example `telephone`, `telephone-without-loss` or `telephone:mu_law`.

    Raises:
        UsageError: If the preset does not exist, or has no such effect.
    """
    for mark in (_WITHOUT, _ONLY):
        preset, found, chosen = name.partition(mark)
        if found:
            effects = _preset(preset)
            known = [effect_name(effect) for effect in effects]
            if chosen not in known:
                raise UsageError(
                    f"line {name}: {preset} has no effect {chosen!r}: choose one of "
                    f"{', '.join(known)}"
                )
            return tuple(one for one in effects if (effect_name(one) == chosen) == (mark == _ONLY))
    return _preset(name)


def with_voices(effects: Sequence[Effect], voices: tuple[Audio, ...]) -> tuple[Effect, ...]:
    """Return effects in which babble is made of the voices."""
    return tuple(
        msgspec.structs.replace(effect, voices=voices) if isinstance(effect, Babble) else effect
        for effect in effects
    )


def apply_effects(
    audio: Audio, effects: Sequence[Effect], seed: int
) -> tuple[Audio, tuple[Stage, ...]]:
    """Apply a chain of effects to audio.

    Every effect has its own random numbers, which depend on the audio, the seed and the effect's
    name, so that a chain without one of its effects draws the same numbers for all others.

    Returns:
        The audio at the rate of the last resampling, and one stage per effect: its parameters, the
        times when it was active (`spans`, pairs of start and end in seconds), and its measurements.

    Raises:
        UsageError: If the extra `voice` is not installed.
        DataError: If the audio is not whole samples, or its rate is not a rate of speech.
    """
    _require_libraries()
    signal = signal_of(audio)
    key = content_key(seed, audio.reference().sha256)
    met: Counter[str] = Counter()
    stages = []
    for effect in effects:
        name = effect_name(effect)
        met[name] += 1
        own_seed = derive_seed(key, f"{name}/{met[name]}")
        treated = effect.treat(signal, own_seed)
        stages.append(_stage(effect, own_seed, treated))
        signal = treated.signal
    return pcm_audio(signal), tuple(stages)


def _stage(effect: Effect, seed: int, treated: TreatedSignal) -> Stage:
    settings = {**effect_parameters(effect), **treated.found, "spans": treated.spans}
    return Stage(effect_name(effect), treated.engine, seed if effect.draws else None, settings)


def _require_libraries() -> None:
    if any(find_spec(library) is None for library in _LIBRARIES):
        raise UsageError("effects on audio are an extra: pip install 'dragoman[voice]'")


def _preset(name: str) -> tuple[Effect, ...]:
    presets = _presets()
    if name not in presets:
        raise UsageError(f"no line is named {name!r}: choose one of {', '.join(presets)}")
    return presets[name]


@cache
def _presets() -> Mapping[str, tuple[Effect, ...]]:
    text = (files("dragoman.conditions.voice.audio_effects") / "presets.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, tuple[Effect, ...]])
