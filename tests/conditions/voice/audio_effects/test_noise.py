import math

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from dragoman.conditions.voice.audio_effects.effects import Babble, Noise
from dragoman.conditions.voice.audio_effects.presets import Effect, apply_effects
from dragoman.core.audio import Audio
from dragoman.core.errors import DataError

COLOURS: list[Noise] = [Noise(10.0, "white"), Noise(10.0, "pink"), Noise(10.0, "street")]


def samples_of(audio: Audio) -> NDArray[np.float64]:
    return np.frombuffer(audio.pcm, "<i2").astype(np.float64)


def measured_snr(clean: Audio, noisy: Audio) -> float:
    """Return the ratio over the samples in which the clean audio, in frames of 20 ms, is loud."""
    frame = clean.rate_hz // 50
    speech = samples_of(clean)
    speech = speech[: len(speech) // frame * frame].reshape(-1, frame)
    noise = samples_of(noisy)[: speech.size].reshape(-1, frame) - speech
    loud = (speech**2).mean(axis=1) > (speech**2).mean(axis=1).max() / 10_000
    assert 0.5 < loud.mean() < 0.8
    return 10 * math.log10((speech[loud] ** 2).mean() / (noise[loud] ** 2).mean())


def tone(hz: float, seconds: float, rate: int) -> Audio:
    times = np.arange(round(seconds * rate)) / rate
    return Audio((np.sin(2 * np.pi * hz * times) * 9_000).astype("<i2").tobytes(), rate)


@pytest.mark.parametrize("snr_db", [0.0, 10.0, 25.0])
@pytest.mark.parametrize("colour", ["white", "pink", "street"])
def test_noise_lies_that_far_below_the_speech(talk: Audio, colour: str, snr_db: float) -> None:
    noise = msgspec.convert({"effect": "noise", "colour": colour, "snr_db": snr_db}, Noise)
    quiet, _ = apply_effects(talk, [noise], 3)
    assert measured_snr(talk, quiet) == pytest.approx(snr_db, abs=0.1)


@pytest.mark.parametrize("voices", [(), (tone(300, 0.7, 16_000), tone(500, 1.1, 8_000))])
def test_babble_lies_that_far_below_the_speech(talk: Audio, voices: tuple[Audio, ...]) -> None:
    heard, _ = apply_effects(talk, [Babble(12.0, voices=voices)], 3)
    assert measured_snr(talk, heard) == pytest.approx(12.0, abs=0.1)


def test_a_second_disturbance_is_measured_against_the_speech_alone(talk: Audio) -> None:
    first, _ = apply_effects(talk, [Noise(3.0)], 1)
    _, (one, two) = apply_effects(talk, [Noise(3.0), Babble(3.0)], 1)
    assert two.settings["speech_dbfs"] == pytest.approx(one.settings["speech_dbfs"], abs=2.0)
    paused = samples_of(talk) == 0
    assert np.abs(samples_of(first)[paused]).mean() > 300


def test_noise_goes_on_in_the_pauses(talk: Audio) -> None:
    heard, (stage,) = apply_effects(talk, [Noise(20.0)], 1)
    pauses = samples_of(talk)[: 22_050 * 2] == 0
    assert np.abs(samples_of(heard)[: 22_050 * 2][pauses]).mean() > 20
    assert stage.settings["spans"] == [[0.0, 6.0]]


@pytest.mark.parametrize(("noise", "per_octave"), [(COLOURS[0], 3.0), (COLOURS[1], 0.0)])
def test_white_noise_gains_3_db_an_octave_and_pink_none(noise: Noise, per_octave: float) -> None:
    audio = tone(1_000, 20, 16_000)
    heard, _ = apply_effects(audio, [noise], 1)
    power = np.abs(np.fft.rfft(samples_of(heard) - samples_of(audio))) ** 2
    hz = np.fft.rfftfreq(len(samples_of(heard)), 1 / 16_000)
    low, high = (power[(hz > f) & (hz < 2 * f)].sum() for f in (200, 3_200))
    assert 10 * math.log10(high / low) / 4 == pytest.approx(per_octave, abs=0.2)


def test_a_street_says_when_vehicles_pass_and_is_louder_then() -> None:
    audio = tone(1_000, 60, 8_000)
    heard, (stage,) = apply_effects(audio, [Noise(10.0, "street")], 4)
    passing = msgspec.convert(stage.settings["passing"], list[tuple[float, float]])
    assert 3 < len(passing) < 30
    assert all(0 <= start < end <= 60 for start, end in passing)
    times = np.arange(60 * 8_000) / 8_000
    near = np.any([(times > a) & (times < b) for a, b in passing], axis=0)
    power = (samples_of(heard) - samples_of(audio)) ** 2
    assert power[near].mean() > 2 * power[~near].mean()


@pytest.mark.parametrize("effect", [*COLOURS, Babble(10.0), Babble(9, 2, (tone(300, 1, 8_000),))])
def test_silence_has_no_ratio_and_stays_as_it_is(effect: Effect) -> None:
    silence = Audio(bytes(16_000), 8_000)
    heard, (stage,) = apply_effects(silence, [effect], 1)
    assert heard == silence
    assert stage.settings["spans"] == []
    assert "speech_dbfs" not in stage.settings
    assert not stage.settings.get("passing")


def test_a_sum_beyond_full_scale_is_turned_down_and_says_so() -> None:
    loud = Audio(np.full(8_000, 32_000, "<i2").tobytes(), 8_000)
    heard, (stage,) = apply_effects(loud, [Noise(6.0, "white")], 1)
    down = stage.settings["turned_by_db"]
    assert isinstance(down, float)
    assert -12 < down < -3
    assert (np.abs(samples_of(heard)) >= 32_767).sum() <= 1
    assert samples_of(heard).mean() == pytest.approx(32_000 * 10 ** (down / 20), rel=0.02)


def test_babble_holds_the_voices_that_were_given_and_names_them(talk: Audio) -> None:
    voices = (tone(440, 0.5, 22_050), tone(910, 0.5, 8_000))
    heard, (stage,) = apply_effects(talk, [Babble(0.0, talkers=2, voices=voices)], 1)
    spectrum = np.abs(np.fft.rfft(samples_of(heard) - samples_of(talk)))
    hz = np.fft.rfftfreq(len(samples_of(talk)), 1 / 22_050)
    in_tones = np.any([np.abs(hz - f) < 10 for f in (440, 910)], axis=0)
    assert (spectrum[in_tones] ** 2).sum() > 0.9 * (spectrum**2).sum()
    assert stage.settings["voices"] == [voice.reference().sha256 for voice in voices]
    assert "pcm" not in msgspec.json.encode(stage).decode()


def test_a_silent_voice_in_babble_is_refused(talk: Audio) -> None:
    with pytest.raises(DataError, match=r"a voice of 1\.0 s is silent: leave it out"):
        apply_effects(talk, [Babble(10.0, voices=(Audio(bytes(16_000), 8_000),))], 1)
