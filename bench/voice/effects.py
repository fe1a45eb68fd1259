"""Speed of each audio effect relative to real time: `python -m bench.voice.effects`."""

import sys

import numpy as np
from bench.measuring import measured

from dragoman.conditions.voice.audio_effects.presets import (
    Effect,
    apply_effects,
    effect_name,
    find_effects,
    preset_names,
)
from dragoman.core.audio import Audio
from dragoman.core.errors import UsageError

RATE_HZ = 16_000
SECONDS = 60
REPEATS = 5


def print_voice_effects() -> None:
    """Print the speed of every effect of the presets, and of the presets, by CPU time."""
    samples = np.random.default_rng(1).normal(0, 3_000, RATE_HZ * SECONDS)
    speech = Audio(samples.clip(-32_768, 32_767).astype("<i2").tobytes(), RATE_HZ)
    lines = {preset: find_effects(preset) for preset in preset_names()}
    kinds: dict[str, tuple[Effect, ...]] = {
        effect_name(effect): (effect,) for effects in lines.values() for effect in effects
    }
    try:
        for name, effects in sorted(kinds.items()) + list(lines.items()):
            print(f"voice, {name}: {_speed(speech, effects):,.0f} x real time")
    except UsageError as error:
        print(f"{error}; effects are not measured", file=sys.stderr)


def _speed(speech: Audio, effects: tuple[Effect, ...]) -> float:
    apply_effects(speech, effects, 1)  # loads libraries and builds tables
    with measured() as spent:
        for seed in range(REPEATS):
            apply_effects(speech, effects, seed)
        _, cpu = spent()
    return SECONDS * REPEATS / cpu


if __name__ == "__main__":
    print_voice_effects()
