import io

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from dragoman.conditions.voice.audio_effects.presets import apply_effects
from dragoman.conditions.voice.audio_effects.transmission import (
    A_LAW,
    MU_LAW,
    ALaw,
    CompandingLaw,
    MuLaw,
    decode,
    encode,
)
from dragoman.core.audio import Audio

MILLIWATT_A_LAW = bytes.fromhex("34 21 21 34 b4 a1 a1 b4")
MILLIWATT_MU_LAW = bytes.fromhex("1e 0b 0b 1e 9e 8b 8b 9e")
ALL_CODES = np.arange(256, dtype=np.uint8)
LAWS = pytest.mark.parametrize("law", [MU_LAW, A_LAW], ids=["mu", "A"])


def codes_of(samples: list[int], law: CompandingLaw) -> list[int]:
    return [int(code) for code in encode(np.array(samples, dtype=np.int16), law)]


def samples_of(codes: list[int], law: CompandingLaw) -> list[int]:
    return [int(sample) for sample in decode(np.array(codes, dtype=np.uint8), law)]


def test_mu_law_codes_known_points() -> None:
    assert codes_of([0, -1, 32_767, -32_768], MU_LAW) == [0xFF, 0x7F, 0x80, 0x00]
    assert codes_of([3, 4, 11, 12, -4, -5], MU_LAW) == [0xFF, 0xFE, 0xFE, 0xFD, 0x7F, 0x7E]
    assert codes_of([123, 124, 379, 380], MU_LAW) == [0xF0, 0xEF, 0xE0, 0xDF]


def test_a_law_codes_known_points() -> None:
    assert codes_of([0, -1, 32_767, -32_768], A_LAW) == [0xD5, 0x55, 0xAA, 0x2A]
    assert codes_of([15, 16, -16, -17], A_LAW) == [0xD5, 0xD4, 0x55, 0x54]
    assert codes_of([511, 512, 1_023, 1_024], A_LAW) == [0xCA, 0xF5, 0xFA, 0xE5]


def test_mu_law_gives_the_output_values_of_the_recommendation() -> None:
    edges = [0xFF, 0xFE, 0xF0, 0xEF, 0xDF, 0xCF, 0xBF, 0xAF, 0x9F, 0x8F, 0x80]
    values = [0, 2, 30, 33, 99, 231, 495, 1_023, 2_079, 4_191, 8_031]
    assert samples_of(edges, MU_LAW) == [4 * value for value in values]
    assert samples_of([0x7F, 0x00], MU_LAW) == [0, -32_124]


def test_a_law_gives_the_output_values_of_the_recommendation() -> None:
    edges = [0xD5, 0xD4, 0xC5, 0xF5, 0xE5, 0x95, 0x85, 0xB5, 0xA5, 0xAA]
    values = [1, 3, 33, 66, 132, 264, 528, 1_056, 2_112, 4_032]
    assert samples_of(edges, A_LAW) == [8 * value for value in values]
    assert samples_of([0x55, 0x2A], A_LAW) == [-8, -32_256]


@pytest.mark.parametrize(
    ("line", "law"), [(MILLIWATT_MU_LAW, MU_LAW), (MILLIWATT_A_LAW, A_LAW)], ids=["mu", "A"]
)
def test_the_sequence_of_a_milliwatt_is_a_tone_of_one_kilohertz(
    line: bytes, law: CompandingLaw
) -> None:
    samples = decode(np.frombuffer(line, np.uint8), law)
    assert encode(samples, law).tobytes() == line
    tone = -np.sin(2 * np.pi * (np.arange(8) + 0.5) / 8)
    assert np.corrcoef(samples, tone)[0, 1] > 0.999
    overload = {MU_LAW: 3.17, A_LAW: 3.14}[law]
    full_scale = {MU_LAW: 8_159 * 4, A_LAW: 4_096 * 8}[law]
    below = -20 * np.log10(np.sqrt(np.mean(samples.astype(float) ** 2) * 2) / full_scale)
    assert below == pytest.approx(overload, abs=0.05)


@pytest.mark.parametrize(("law", "subtype"), [(MU_LAW, "ULAW"), (A_LAW, "ALAW")])
def test_every_code_is_decoded_as_another_implementation_does(
    law: CompandingLaw, subtype: str
) -> None:
    theirs, _ = soundfile.read(
        io.BytesIO(ALL_CODES.tobytes()),
        dtype="int16",
        samplerate=8_000,
        channels=1,
        format="RAW",
        subtype=subtype,
    )
    assert decode(ALL_CODES, law).tolist() == theirs.tolist()


@LAWS
def test_what_was_decoded_is_coded_as_it_was(law: CompandingLaw) -> None:
    again = encode(decode(ALL_CODES, law), law)
    negative_zero = [0x7F] if law is MU_LAW else []
    assert ALL_CODES[again != ALL_CODES].tolist() == negative_zero


@LAWS
@given(sample=st.integers(-32_768, 32_767))
def test_no_sample_moves_by_more_than_half_a_step(law: CompandingLaw, sample: int) -> None:
    (result,) = samples_of(codes_of([sample], law), law)
    assert abs(result - sample) <= (abs(sample) + 264) / 32 + 4


def test_silence_stays_silence_by_mu_law_and_a_hum_of_one_step_by_a_law() -> None:
    silence = Audio(bytes(200), 8_000)
    assert apply_effects(silence, [MuLaw()], 1)[0].pcm == bytes(200)
    assert set(np.frombuffer(apply_effects(silence, [ALaw()], 1)[0].pcm, "<i2")) == {8}
