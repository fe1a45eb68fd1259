import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.conditions.voice.audio_effects.presets import apply_effects
from dragoman.conditions.voice.audio_effects.transmission import PacketLoss, lost_packets
from dragoman.core.audio import Audio


def lost(loss: PacketLoss, count: int = 200_000) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.asarray(lost_packets(loss, count, np.random.default_rng(7)))


def bursts(mask: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> int:
    return int(np.sum(mask[1:] & ~mask[:-1]) + mask[0])


@pytest.mark.parametrize(
    "loss",
    [
        PacketLoss(0.01, 2.0),
        PacketLoss(0.05),
        PacketLoss(0.2, 5.0),
        PacketLoss(0.1, 4.0, lost_when_good=0.02, lost_when_bad=0.7),
    ],
)
def test_as_many_packets_are_lost_as_expected(loss: PacketLoss) -> None:
    assert lost(loss).mean() == pytest.approx(loss.share, rel=0.06)


@pytest.mark.parametrize(("share", "burst"), [(0.01, 2.0), (0.05, 1.0), (0.2, 5.0)])
def test_bursts_last_as_long_as_expected(share: float, burst: float) -> None:
    mask = lost(PacketLoss(share, burst))
    assert mask.sum() / bursts(mask) == pytest.approx(burst, rel=0.06)


def test_nothing_and_everything_can_be_lost() -> None:
    assert not lost(PacketLoss(0.0), 1_000).any()
    assert lost(PacketLoss(1.0), 1_000).all()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b'{"share": 0.8, "burst_packets": 1}', "longer bursts"),
        (b'{"share": 0.1, "lost_when_good": 0.2}', "between lost_when_good and lost_when_bad"),
        (b'{"share": 1.2}', "<= 1"),
    ],
)
def test_a_line_that_cannot_be_is_refused(text: bytes, reason: str) -> None:
    document = text.replace(b"{", b'{"effect": "loss", ', 1)
    with pytest.raises(msgspec.ValidationError, match=reason):
        msgspec.json.decode(document, type=PacketLoss)


def test_the_spans_are_where_silence_was_put() -> None:
    loud = Audio(np.full(22_050 * 4, 9_000, "<i2").tobytes(), 22_050)
    heard, (stage,) = apply_effects(loud, [PacketLoss(0.2, 3.0, concealment="silence")], 5)
    silent = np.frombuffer(heard.pcm, "<i2") == 0
    expected = np.zeros_like(silent)
    for start, end in msgspec.convert(stage.settings["spans"], list[tuple[float, float]]):
        expected[round(start * 22_050) : round(end * 22_050)] = True
    assert silent.any()
    assert np.array_equal(silent, expected)
    assert stage.settings["lost_packets"] == silent.sum() / 441


def test_what_is_not_lost_arrives_unchanged() -> None:
    noise = np.random.default_rng(3).integers(-9_000, 9_000, 80_000).astype("<i2")
    heard, (stage,) = apply_effects(Audio(noise.tobytes(), 8_000), [PacketLoss(0.1, 2.0)], 5)
    changed = np.flatnonzero(np.frombuffer(heard.pcm, "<i2") != noise) / 8_000
    spans = msgspec.convert(stage.settings["spans"], list[tuple[float, float]])
    overlap = 0.005
    assert len(changed)
    assert all(any(a <= at <= b + overlap for a, b in spans) for at in changed)


def test_a_steady_voice_goes_on_through_a_lost_packet_and_fades_in_a_long_burst() -> None:
    rate = 16_000
    tone = np.sin(2 * np.pi * 125 * np.arange(rate * 20) / rate) * 8_000
    loss = PacketLoss(0.15, 5.0)
    heard, (stage,) = apply_effects(Audio(tone.astype("<i2").tobytes(), rate), [loss], 2)
    result = np.frombuffer(heard.pcm, "<i2").astype(float)
    spans = msgspec.convert(stage.settings["spans"], list[tuple[float, float]])
    first_packets = [round(start * rate) for start, _ in spans if start > 0.04]
    error = max(np.abs(result[at : at + 320] - tone[at : at + 320]).max() for at in first_packets)
    assert error < 100
    long = [(round(a * rate), round(b * rate)) for a, b in spans if b - a > 0.1]
    assert long
    assert all(not result[start + 960 : end].any() for start, end in long)


@settings(max_examples=settings().max_examples // 5)
@given(
    count=st.integers(0, 3_000),
    rate=st.sampled_from([4_000, 8_000, 11_025, 22_050, 48_000]),
    share=st.floats(0, 0.5),
    seed=st.integers(0, 99),
)
def test_any_length_and_rate_keeps_its_length(
    count: int, rate: int, share: float, seed: int
) -> None:
    audio = Audio(np.arange(count).astype("<i2").tobytes(), rate)
    heard, _ = apply_effects(audio, [PacketLoss(share, 3.0)], seed)
    assert len(heard.pcm) == len(audio.pcm)
