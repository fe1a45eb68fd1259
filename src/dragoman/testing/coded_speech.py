"""Speech in a code: audio that holds its text, so that what was said can be heard without any engine.

It is no sound that a person or a recogniser would understand, and no channel effect survives in it.
"""

import struct

from dragoman.core.audio import SAMPLE_BYTES, Audio

RATE_HZ = 24_000
SAMPLES_PER_BYTE = 40
"""Gives audio some length: about 0.04 s for twenty letters, far less than speech has."""

_MARK = 12_345
_STEP = 64


def coded_audio(text: str) -> Audio:
    """Return audio from which `decoded_text` reads the text."""
    values = [_MARK]
    for byte in text.encode():
        values += [(byte + 1) * _STEP] * SAMPLES_PER_BYTE
    return Audio(struct.pack(f"<{len(values)}h", *values), RATE_HZ)


def decoded_text(audio: Audio) -> str:
    """Return the text that was coded; "" for any other audio."""
    count = len(audio.pcm) // SAMPLE_BYTES
    mark, *values = struct.unpack(f"<{count}h", audio.pcm[: count * SAMPLE_BYTES]) or (0,)
    codes = values[::SAMPLES_PER_BYTE]
    if mark != _MARK or any(code % _STEP or not _STEP <= code <= 256 * _STEP for code in codes):
        return ""
    return bytes(code // _STEP - 1 for code in codes).decode("utf-8", "replace")
