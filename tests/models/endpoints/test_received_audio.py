"""WAV files and samples as providers send them."""

import contextlib
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.core.audio import Audio, write_wav
from dragoman.models.http.transport import MalformedResponse
from dragoman.models.response_audio import decode_pcm, decode_wav
from dragoman.testing.speech.server import streamed_wav

SOUND = Audio(struct.pack("<6h", 0, 1, -1, 300, 32_767, -32_768), 16_000)


def wav(form: tuple[int, int, int, int], data: bytes = SOUND.pcm) -> bytes:
    tag, channels, rate, bits = form
    head = struct.pack("<HHIIHH", tag, channels, rate, 0, 0, bits)
    chunks = b"fmt " + struct.pack("<I", 16) + head + b"data" + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks


SAMPLES = st.lists(st.integers(-32_768, 32_767), min_size=1, max_size=50)


@settings(max_examples=settings().max_examples // 5)
@given(SAMPLES, st.sampled_from([8_000, 16_000, 24_000, 44_100]))
def test_a_wav_file_is_read_as_it_was_written(samples: list[int], rate_hz: int) -> None:
    audio = Audio(struct.pack(f"<{len(samples)}h", *samples), rate_hz)
    assert decode_wav(write_wav(audio)) == audio
    assert decode_wav(streamed_wav(audio)) == audio


@pytest.mark.parametrize("length", [b"\x00\x00\x00\x00", b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f"])
def test_a_length_that_the_sender_did_not_know_is_that_of_the_body(length: bytes) -> None:
    content = bytearray(write_wav(SOUND))
    content[40:44] = length
    assert decode_wav(bytes(content)) == SOUND


def test_chunks_before_the_samples_are_passed_over() -> None:
    content = write_wav(SOUND)
    noted = content[:36] + b"LIST" + struct.pack("<I", 3) + b"abc\0" + content[36:]
    assert decode_wav(noted) == SOUND


def test_the_extensible_form_is_read_too() -> None:
    assert decode_wav(wav((0xFFFE, 1, 16_000, 16))) == SOUND


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "nothing came"),
        (b"<!doctype html><title>Gateway</title>", "not a WAV file"),
        (b'{"error": {"message": "no"}}', "not a WAV file"),
        (b"ID3\x04 an mp3 file, not asked for", "not a WAV file"),
        (write_wav(SOUND)[:-4], "stops before its end"),
        (write_wav(SOUND)[:30], "stops before its end"),
        (b"RIFF\0\0\0\0WAVE", "without samples"),
        (write_wav(SOUND)[:36], "without samples"),
        (wav((1, 1, 16_000, 16), b""), "without a sound"),
        (b"RIFF\0\0\0\0WAVEdata\x02\0\0\0ab", "does not say what its samples are"),
        (wav((1, 2, 16_000, 16)), "of 2 channels and 16 bits"),
        (wav((3, 1, 16_000, 32)), "of 1 channels and 32 bits"),
        (wav((7, 1, 8_000, 8)), "16-bit mono"),
        (wav((1, 1, 0, 16)), "at 0 Hz"),
        (wav((1, 1, 16_000, 16), b"abc"), "within a sample"),
    ],
)
def test_what_is_no_audio_of_the_form_asked_for_is_unreadable(body: bytes, reason: str) -> None:
    with pytest.raises(MalformedResponse, match=reason):
        decode_wav(body)


def test_more_than_ten_minutes_are_refused() -> None:
    assert decode_pcm(bytes(600 * 2 * 100), 100).seconds == 600
    with pytest.raises(MalformedResponse, match="audio of 601 seconds, taken are 600"):
        decode_pcm(bytes(601 * 2 * 100), 100)


@given(st.binary(max_size=200))
def test_no_bytes_break_the_reader(body: bytes) -> None:
    for content in (body, write_wav(SOUND)[:12] + body, write_wav(SOUND)[:40] + body):
        with contextlib.suppress(MalformedResponse):
            assert decode_wav(content).pcm
