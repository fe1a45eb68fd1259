import math

import numpy as np
import pytest

from dragoman.conditions.voice.audio_effects.effects import BandPass, Clip, Gain, Muffle, Resample
from dragoman.conditions.voice.audio_effects.presets import Effect, apply_effects
from dragoman.conditions.voice.audio_effects.transmission import Opus
from dragoman.core.audio import Audio


def tone(hz: float, rate: int, size: float = 8_000) -> Audio:
    times = np.arange(rate) / rate
    return Audio((np.sin(2 * np.pi * hz * times) * size).astype("<i2").tobytes(), rate)


def change_db(hz: float, effect: Effect, rate: int = 16_000) -> float:
    """Return by how much a tone gets louder, its first tenth aside."""
    before = tone(hz, rate)
    after, _ = apply_effects(before, [effect], 1)
    return 20 * math.log10((size_of(after) + 1e-3) / size_of(before))


def size_of(audio: Audio) -> float:
    samples = np.frombuffer(audio.pcm, "<i2").astype(float)
    return float(np.sqrt(np.mean(samples[audio.rate_hz // 10 :] ** 2)))


@pytest.mark.slow
@pytest.mark.parametrize("rate", [8_000, 16_000, 22_050])
def test_a_band_pass_keeps_the_telephone_band(rate: int) -> None:
    telephone = BandPass(300, 3_400)
    assert change_db(1_000, telephone, rate) == pytest.approx(0, abs=0.1)
    assert change_db(300, telephone, rate) == pytest.approx(-3, abs=0.2)
    assert change_db(3_400, telephone, rate) == pytest.approx(-3, abs=0.2)
    assert change_db(100, telephone, rate) < -35


def test_an_edge_that_the_rate_does_not_reach_filters_nothing() -> None:
    assert change_db(1_900, BandPass(300, 3_400), 4_000) == pytest.approx(0, abs=0.1)
    heard, (stage,) = apply_effects(tone(500, 4_000), [Muffle(2_000)], 1)
    assert heard == tone(500, 4_000)
    assert stage.settings["spans"] == []


def test_muffling_takes_the_heights() -> None:
    assert change_db(200, Muffle(1_500)) == pytest.approx(0, abs=0.1)
    assert change_db(1_500, Muffle(1_500)) == pytest.approx(-3, abs=0.2)
    assert change_db(6_000, Muffle(1_500)) < -24


def test_resampling_keeps_length_and_tones_below_half_the_rate() -> None:
    heard, (stage,) = apply_effects(tone(1_000, 22_050), [Resample(8_000)], 1)
    assert (heard.rate_hz, heard.seconds) == (8_000, 1.0)
    assert change_db(1_000, Resample(8_000)) == pytest.approx(0, abs=0.1)
    assert change_db(5_000, Resample(8_000)) < -55
    assert stage.engine.startswith("soxr ")


def test_resampling_to_the_same_rate_changes_nothing() -> None:
    heard, (stage,) = apply_effects(tone(1_000, 8_000), [Resample(8_000)], 1)
    assert heard == tone(1_000, 8_000)
    assert stage.settings["spans"] == []


@pytest.mark.parametrize("rate", [8_000, 11_025, 22_050, 48_000, 96_000])
def test_opus_keeps_length_place_and_most_of_a_voice(talk: Audio, rate: int) -> None:
    clean, _ = apply_effects(talk, [Resample(rate)], 1)
    coded, (stage,) = apply_effects(clean, [Opus(kbps=48)], 1)
    assert (len(coded.pcm), coded.rate_hz) == (len(clean.pcm), rate)
    before, after = (np.frombuffer(one.pcm, "<i2").astype(float) for one in (clean, coded))
    assert 0.95 < np.corrcoef(before, after)[0, 1] < 0.99999
    assert stage.engine.startswith("libsndfile ")


def test_opus_loses_more_with_fewer_bits(talk: Audio) -> None:
    clean, _ = apply_effects(talk, [Resample(16_000)], 1)
    before = np.frombuffer(clean.pcm, "<i2").astype(float)

    def error(kbps: float) -> float:
        coded, _ = apply_effects(clean, [Opus(kbps)], 1)
        return float(np.mean((np.frombuffer(coded.pcm, "<i2") - before) ** 2))

    assert error(6) > 1.2 * error(16) > 1.2 * error(64)


def test_gain_is_in_decibels_and_full_scale_is_its_end() -> None:
    assert change_db(1_000, Gain(-6)) == pytest.approx(-6, abs=0.01)
    heard, _ = apply_effects(tone(1_000, 8_000, 30_000), [Gain(20)], 1)
    samples = np.frombuffer(heard.pcm, "<i2")
    assert (samples.min(), samples.max()) == (-32_768, 32_767)


@pytest.mark.parametrize("size", [30_000, 300])
def test_quiet_and_loud_voices_are_clipped_alike(size: float) -> None:
    heard, (stage,) = apply_effects(tone(10, 8_000, size), [Clip(-6)], 1)
    samples = np.frombuffer(heard.pcm, "<i2")
    assert samples.max() == pytest.approx(size / 2, rel=0.01)
    assert np.mean(samples == samples.max()) == pytest.approx(1 / 3, abs=0.01)
    assert stage.settings["clipped_samples"] == pytest.approx(8_000 * 2 / 3, rel=0.02)


def test_the_spans_of_clipping_are_the_loud_frames() -> None:
    samples = np.full(8_000, 1_000, "<i2")
    samples[4_000:4_160] = 9_000
    _, (stage,) = apply_effects(Audio(samples.tobytes(), 8_000), [Clip(-6)], 1)
    assert stage.settings["spans"] == [[0.5, 0.52]]
