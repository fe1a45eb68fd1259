import numpy as np
import pytest

from dragoman.conditions.voice.audio_effects.effects import Reverb, impulse_response
from dragoman.conditions.voice.audio_effects.presets import apply_effects
from dragoman.core.audio import Audio


@pytest.mark.parametrize("rt60_s", [0.2, 0.5, 1.2])
def test_reverberation_falls_by_60_db_in_its_time(rt60_s: float) -> None:
    room = impulse_response(Reverb(rt60_s), 16_000, np.random.default_rng(1))
    left = np.cumsum(room[:0:-1] ** 2)[::-1]
    falls = 10 * np.log10(left / left[0])
    at_5, at_25 = (int(np.argmax(falls < level)) for level in (-5, -25))
    assert (at_25 - at_5) / 16_000 * 3 == pytest.approx(rt60_s, rel=0.1)


@pytest.mark.parametrize("direct_db", [0.0, 6.0, 12.0])
def test_the_direct_sound_lies_that_far_above_all_reflections(direct_db: float) -> None:
    room = impulse_response(Reverb(0.4, direct_db), 16_000, np.random.default_rng(1))
    assert room[0] == 1
    assert not room[1:48].any()
    assert -10 * np.log10(np.sum(room[1:] ** 2)) == pytest.approx(direct_db, abs=0.01)


@pytest.mark.slow
def test_a_room_sounds_on_in_pauses_and_keeps_level_and_length(talk: Audio) -> None:
    heard, (stage,) = apply_effects(talk, [Reverb(0.6, 0.0)], 1)
    before, after = (np.frombuffer(one.pcm, "<i2").astype(float) for one in (talk, heard))
    assert len(after) == len(before)
    spoken, pause = slice(10_000, 20_000), before == 0
    assert np.std(after[spoken]) == pytest.approx(np.std(before[spoken]), rel=0.15)
    assert np.abs(after[pause]).mean() > 30
    assert stage.settings["spans"] == [[0.0, 6.0]]


def test_silence_has_no_echo() -> None:
    silence = Audio(bytes(16_000), 8_000)
    heard, (stage,) = apply_effects(silence, [Reverb()], 1)
    assert heard == silence
    assert stage.settings["spans"] == []
