import math
import subprocess
import sys
from pathlib import Path
from typing import get_args

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
from dragoman.conditions.voice.audio_effects.presets import (
    Effect,
    ablation_names,
    apply_effects,
    effect_name,
    effect_parameters,
    find_effects,
    preset_names,
    with_voices,
)
from dragoman.conditions.voice.audio_effects.signal import pcm_audio, signal_of
from dragoman.conditions.voice.audio_effects.transmission import ALaw, MuLaw, Opus, PacketLoss
from dragoman.core.audio import Audio
from dragoman.core.errors import DataError, UsageError
from dragoman.core.replies import Stage

EVERY_EFFECT: tuple[Effect, ...] = (
    Gain(-3.0),
    Clip(-9.0),
    Reverb(0.2),
    Babble(15.0, talkers=2),
    Noise(15.0, "street"),
    Noise(25.0, "white"),
    Muffle(3_000),
    Resample(8_000),
    BandPass(),
    MuLaw(),
    ALaw(),
    Opus(16.0),
    PacketLoss(0.2, 2.0),
)
DOCUMENT = Path(__file__).resolve().parents[4] / "docs" / "explanation" / "voice_pipeline.md"
HEADING = "The channel between speaker and recognizer"


def table_rows() -> list[list[str]]:
    section = DOCUMENT.read_text("utf-8").partition(f"\n## {HEADING}\n")[2].partition("\n## ")[0]
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in section.splitlines()
        if line[:1] == "|"
    ]


def test_every_kind_of_effect_is_tried_here() -> None:
    assert {type(effect) for effect in EVERY_EFFECT} == set(get_args(Effect))


def test_the_same_audio_and_seed_give_the_same_bytes_whatever_came_before(talk: Audio) -> None:
    first = apply_effects(talk, EVERY_EFFECT, 7)
    other = apply_effects(talk, EVERY_EFFECT[::-1], 8)
    assert apply_effects(talk, EVERY_EFFECT, 7) == first
    assert first[0] != other[0]


@pytest.mark.slow
def test_the_same_bytes_come_from_another_process(talk: Audio) -> None:
    program = """
import sys
from dragoman.conditions.voice.audio_effects.presets import apply_effects, find_effects
from dragoman.core.audio import Audio
audio = Audio(sys.stdin.buffer.read(), 22_050)
print(apply_effects(audio, find_effects("bad-line"), 3)[0].reference().sha256)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=talk.pcm,
        capture_output=True,
        timeout=120,
        check=True,
    )
    here, _ = apply_effects(talk, find_effects("bad-line"), 3)
    assert done.stdout.decode().strip() == here.reference().sha256


def test_a_line_without_one_effect_draws_the_same_for_the_others(talk: Audio) -> None:
    _, whole = apply_effects(talk, find_effects("street"), 3)
    _, less = apply_effects(talk, find_effects("street-without-babble"), 3)
    assert [stage for stage in whole if stage.name != "babble"] == list(less)


def test_other_audio_and_other_seeds_draw_other_numbers(talk: Audio) -> None:
    shorter = Audio(talk.pcm[:-2], talk.rate_hz)
    seeds = {
        apply_effects(audio, [Noise(9.0)], n)[1][0].seed
        for audio in (talk, shorter)
        for n in (1, 2)
    }
    assert len(seeds) == 4


def test_two_noises_in_one_line_differ(talk: Audio) -> None:
    _, (one, two) = apply_effects(talk, [Noise(9.0), Noise(9.0)], 1)
    assert one.seed != two.seed


@pytest.mark.parametrize("effect", EVERY_EFFECT, ids=effect_name)
def test_a_seed_is_recorded_exactly_where_it_matters(effect: Effect, talk: Audio) -> None:
    (one, (stage,)), (two, _) = apply_effects(talk, [effect], 1), apply_effects(talk, [effect], 2)
    assert (one == two) == (stage.seed is None)


@pytest.mark.slow
@pytest.mark.parametrize("effect", EVERY_EFFECT, ids=effect_name)
def test_the_stage_tells_parameters_and_times_and_survives_storage(
    effect: Effect, talk: Audio
) -> None:
    heard, (stage,) = apply_effects(talk, [effect], 1)
    assert stage.name == effect_name(effect)
    assert msgspec.json.decode(msgspec.json.encode(stage), type=Stage) == stage
    given_back = {name: stage.settings[name] for name in effect_parameters(effect)}
    assert {**given_back, "voices": ()} == {**effect_parameters(effect), "voices": ()}
    spans = msgspec.convert(stage.settings["spans"], list[tuple[float, float]])
    assert spans
    assert all(0 <= start < end <= talk.seconds + 1e-6 for start, end in spans)
    assert heard.seconds == pytest.approx(talk.seconds, abs=1e-3)


@settings(max_examples=settings().max_examples // 5)
@given(
    samples=st.lists(st.integers(-32_768, 32_767), max_size=1_200),
    rate=st.sampled_from([4_000, 8_000, 11_025, 16_000, 22_050, 24_000, 44_100, 48_000]),
    effects=st.lists(st.sampled_from(EVERY_EFFECT), max_size=5),
    seed=st.integers(0, 2**31),
)
def test_any_audio_survives_any_line(
    samples: list[int], rate: int, effects: list[Effect], seed: int
) -> None:
    audio = Audio(np.array(samples, dtype="<i2").tobytes(), rate)
    heard, stages = apply_effects(audio, effects, seed)
    assert abs(heard.seconds - audio.seconds) <= 1 / min(rate, heard.rate_hz)
    assert [stage.name for stage in stages] == [effect_name(effect) for effect in effects]


@given(st.binary(max_size=400).filter(lambda pcm: len(pcm) % 2 == 0))
def test_audio_comes_through_a_line_without_effects_unchanged(pcm: bytes) -> None:
    audio = Audio(pcm, 16_000)
    assert apply_effects(audio, [], 1) == (audio, ())
    assert pcm_audio(signal_of(audio)) == audio


@pytest.mark.parametrize(
    ("audio", "reason"),
    [
        (Audio(b"abc", 8_000), "audio of 3 bytes is not whole 16-bit samples"),
        (Audio(b"ab", 1_000), "audio at 1000 Hz: give 4000 to 192000 Hz"),
    ],
)
def test_what_is_no_audio_of_speech_is_refused(audio: Audio, reason: str) -> None:
    with pytest.raises(DataError, match=reason):
        apply_effects(audio, [], 1)


def test_presets_go_from_the_best_line_to_the_worst() -> None:
    assert preset_names() == ("studio", "laptop", "telephone", "street", "bad-line")


@pytest.mark.parametrize("preset", preset_names())
def test_every_effect_of_a_preset_can_be_taken_out_and_tried_alone(preset: str) -> None:
    names = [effect_name(effect) for effect in find_effects(preset)]
    assert len(set(names)) == len(names)
    assert len(ablation_names(preset)) == 2 * len(names)
    for name in names:
        rest = [effect_name(effect) for effect in find_effects(f"{preset}-without-{name}")]
        assert rest == [other for other in names if other != name]
        assert [effect_name(effect) for effect in find_effects(f"{preset}:{name}")] == [name]


@pytest.mark.slow
@pytest.mark.parametrize("preset", preset_names())
@pytest.mark.parametrize("pcm", [b"", b"\1\2", bytes(8_000)], ids=["empty", "one", "silent"])
def test_presets_take_next_to_nothing(preset: str, pcm: bytes) -> None:
    heard, stages = apply_effects(Audio(pcm, 22_050), find_effects(preset), 1)
    assert heard.seconds == pytest.approx(len(pcm) / 2 / 22_050, abs=1e-3)
    assert len(stages) == len(find_effects(preset))


def test_a_telephone_has_its_band_and_its_rate(talk: Audio) -> None:
    heard, _ = apply_effects(talk, find_effects("telephone-without-noise"), 1)
    power = np.abs(np.fft.rfft(np.frombuffer(heard.pcm, "<i2").astype(float))) ** 2
    hz = np.fft.rfftfreq(len(heard.pcm) // 2, 1 / heard.rate_hz)
    assert heard.rate_hz == 8_000
    inside, below = (
        power[(hz > low) & (hz < high)].sum() for low, high in ((300, 3_400), (20, 200))
    )
    assert 10 * math.log10(inside / below) > 15


def test_voices_for_babble_reach_babble_alone(talk: Audio) -> None:
    effects = with_voices(find_effects("street"), (talk,))
    assert [effect.voices for effect in effects if isinstance(effect, Babble)] == [(talk,)]
    assert with_voices(find_effects("telephone"), (talk,)) == find_effects("telephone")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("phone", "no line is named 'phone': choose one of studio, laptop, telephone,"),
        ("telephone:echo", "line telephone:echo: telephone has no effect 'echo': choose one of"),
        ("telephone-without-opus", "telephone has no effect 'opus'"),
        ("phone-without-loss", "no line is named 'phone'"),
        ("", "no line is named ''"),
    ],
)
def test_a_name_that_is_none_is_refused_with_those_that_are(name: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        find_effects(name)


@pytest.mark.parametrize("library", ["scipy", "soundfile", "soxr"])
def test_without_the_extra_it_is_said_what_to_install(library: str) -> None:
    program = f"""
import sys
sys.modules[{library!r}] = None
from dragoman.conditions.voice.audio_effects.presets import apply_effects
from dragoman.core.audio import Audio
from dragoman.core.errors import UsageError
try:
    apply_effects(Audio(b"", 8_000), [], 1)
except UsageError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "effects on audio are an extra: pip install 'dragoman[voice]'\n"


def test_names_of_lines_are_known_without_any_heavy_library() -> None:
    program = """
import sys
from dragoman.conditions.voice.audio_effects.presets import ablation_names
ablation_names("telephone")
print([name for name in ("numpy", "scipy", "soundfile", "soxr") if name in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "[]\n"


def test_every_effect_and_its_parameters_are_documented() -> None:
    rows = {row[0].strip("`"): row[1] for row in table_rows()}
    for effect in EVERY_EFFECT:
        missing = [
            name
            for name in effect_parameters(effect)
            if f"`{name}`" not in rows[effect_name(effect)]
        ]
        assert missing == []


def test_every_preset_is_documented_with_its_effects_in_their_order() -> None:
    rows = {row[0].strip("`"): row[1] for row in table_rows()}
    for preset in preset_names():
        documented = [part.split(" ")[0].strip("`") for part in rows[preset].split(", ")]
        assert documented == [effect_name(effect) for effect in find_effects(preset)]
