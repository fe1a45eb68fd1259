"""Foreign FLAC files: a length that the header claims takes no memory."""

import pytest

from dragoman.core.audio import Audio
from dragoman.core.errors import DataError
from dragoman.store.audio_set import decode_flac, encode_flac

BEEP = Audio(b"\x00\x01" * 800, 16_000)


def claiming(rate_hz: int, samples: int) -> bytes:
    """Return a short FLAC file whose head tells of another rate and length."""
    content = bytearray(encode_flac(BEEP))
    # Of the 64 bits from byte 18: 20 of the rate, 8 of channels and width, 36 of the length.
    packed = int.from_bytes(content[18:26], "big")
    kept = packed >> 36 & 0xFF
    content[18:26] = (rate_hz << 44 | kept << 36 | samples).to_bytes(8, "big")
    return bytes(content)


def test_audio_comes_back_as_it_was() -> None:
    assert decode_flac(encode_flac(BEEP), "here") == BEEP
    assert decode_flac(claiming(16_000, 800), "here") == BEEP


@pytest.mark.parametrize(
    ("rate_hz", "samples"), [(655_350, 2**28), (16_000, 2**36 - 1), (192_000, 2**27)]
)
def test_a_length_that_no_utterance_has_is_refused(rate_hz: int, samples: int) -> None:
    with pytest.raises(DataError, match="here: "):
        decode_flac(claiming(rate_hz, samples), "here")
