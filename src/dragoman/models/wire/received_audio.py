"""Reads the audio that providers send: WAV files, also streamed ones, and bare samples.

Every provider is asked for 16-bit mono samples, so nothing is decoded and nothing is installed for it.
"""

import struct
from collections.abc import Iterator

import msgspec

from dragoman.core.voice.audio import MAX_SECONDS, SAMPLE_BYTES, Audio
from dragoman.models.wire.sending import Unreadable

_NOT_KNOWN = 0x7FFF0000
"""Who sends a file while making it writes 0 or a number above this as its length."""

_HEAD, _CHUNK, _FORM = 12, 8, 16
_PCM, _EXTENSIBLE = 1, 0xFFFE
MOST_HZ = 192_000


class _Form(msgspec.Struct, frozen=True):
    tag: int
    channels: int
    rate_hz: int
    bits: int


def wav_audio(body: bytes) -> Audio:
    """Read a WAV file, whose length may be unknown to its own header.

    Raises:
        Unreadable: Where it is none, is truncated, empty, too long, or not 16-bit mono.
    """
    if len(body) < _HEAD or body[:4] != b"RIFF" or body[8:12] != b"WAVE":
        raise Unreadable("no audio (not a WAV file)" if body else "no audio (nothing came)")
    form: _Form | None = None
    for name, content in _chunks(body):
        if name == b"fmt ":
            form = _form(content)
        elif name == b"data":
            if form is None:
                raise Unreadable("a WAV file that does not say what its samples are")
            return pcm_audio(content, form.rate_hz)
    raise Unreadable("a WAV file without samples")


def pcm_audio(pcm: bytes, rate_hz: int) -> Audio:
    """Return samples as audio.

    Raises:
        Unreadable: Where there are none, half of one, too many, or at no possible rate.
    """
    if not 0 < rate_hz <= MOST_HZ:
        raise Unreadable(f"audio at {rate_hz} Hz")
    if not pcm:
        raise Unreadable("audio without a sound")
    if len(pcm) % SAMPLE_BYTES:
        raise Unreadable("audio that ends within a sample")
    audio = Audio(pcm, rate_hz)
    if audio.seconds > MAX_SECONDS:
        raise Unreadable(f"audio of {audio.seconds:,.0f} seconds, taken are {MAX_SECONDS:.0f}")
    return audio


def _chunks(body: bytes) -> Iterator[tuple[bytes, bytes]]:
    start = _HEAD
    while start + _CHUNK <= len(body):
        name = body[start : start + 4]
        size = int.from_bytes(body[start + 4 : start + _CHUNK], "little")
        start += _CHUNK
        if name == b"data" and (size == 0 or size >= _NOT_KNOWN):
            size = len(body) - start
        if size > len(body) - start:
            raise Unreadable("a WAV file that stops before its end")
        yield name, body[start : start + size]
        start += size + size % 2


def _form(content: bytes) -> _Form:
    if len(content) < _FORM:
        raise Unreadable("a damaged WAV file")
    tag, channels, rate_hz, _, _, bits = struct.unpack("<HHIIHH", content[:_FORM])
    form = _Form(tag, channels, rate_hz, bits)
    if form.tag not in {_PCM, _EXTENSIBLE} or form.channels != 1 or form.bits != 8 * SAMPLE_BYTES:
        raise Unreadable(
            f"audio of {form.channels} channels and {form.bits} bits (form {form.tag}): 16-bit mono "
            "samples were asked for"
        )
    return form
