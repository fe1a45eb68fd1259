"""Audio in model responses: WAV and PCM decoding, and chat replies that the model speaks.

Requests ask every provider for 16-bit mono samples, so no codec has to be installed. Chat
completions hold the audio in base64 with its transcript; stored records hold the hash of the audio.
"""

import base64
import binascii
import struct
from collections.abc import Iterator, Sequence

import msgspec

from dragoman.core.audio import MAX_SECONDS, SAMPLE_BYTES, Audio, write_wav
from dragoman.core.errors import ParticipantError
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.models.http.transport import MalformedResponse

_NOT_KNOWN = 0x7FFF0000
"""A sender that streams a file writes 0 or a number above this as its length."""

_HEAD, _CHUNK, _FORM = 12, 8, 16
_PCM, _EXTENSIBLE = 1, 0xFFFE
MOST_HZ = 192_000


class _Form(msgspec.Struct, frozen=True):
    tag: int
    channels: int
    rate_hz: int
    bits: int


def decode_wav(body: bytes) -> Audio:
    """Decode a WAV file; its header may not know the length.

    Raises:
        MalformedResponse: If the file is not WAV, truncated, empty, too long, or not 16-bit mono.
    """
    if len(body) < _HEAD or body[:4] != b"RIFF" or body[8:12] != b"WAVE":
        raise MalformedResponse("no audio (not a WAV file)" if body else "no audio (nothing came)")
    form: _Form | None = None
    for name, content in _chunks(body):
        if name == b"fmt ":
            form = _form(content)
        elif name == b"data":
            if form is None:
                raise MalformedResponse("a WAV file that does not say what its samples are")
            return decode_pcm(content, form.rate_hz)
    raise MalformedResponse("a WAV file without samples")


def decode_pcm(pcm: bytes, rate_hz: int) -> Audio:
    """Return samples as audio.

    Raises:
        MalformedResponse: If samples are missing, incomplete or too many, or the rate is invalid.
    """
    if not 0 < rate_hz <= MOST_HZ:
        raise MalformedResponse(f"audio at {rate_hz} Hz")
    if not pcm:
        raise MalformedResponse("audio without a sound")
    if len(pcm) % SAMPLE_BYTES:
        raise MalformedResponse("audio that ends within a sample")
    audio = Audio(pcm, rate_hz)
    if audio.seconds > MAX_SECONDS:
        raise MalformedResponse(
            f"audio of {audio.seconds:,.0f} seconds, taken are {MAX_SECONDS:.0f}"
        )
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
            raise MalformedResponse("a WAV file that stops before its end")
        yield name, body[start : start + size]
        start += size + size % 2


def _form(content: bytes) -> _Form:
    if len(content) < _FORM:
        raise MalformedResponse("a damaged WAV file")
    tag, channels, rate_hz, _, _, bits = struct.unpack("<HHIIHH", content[:_FORM])
    form = _Form(tag, channels, rate_hz, bits)
    if form.tag not in {_PCM, _EXTENSIBLE} or form.channels != 1 or form.bits != 8 * SAMPLE_BYTES:
        raise MalformedResponse(
            f"audio of {form.channels} channels and {form.bits} bits (form {form.tag}): 16-bit "
            "mono "
            "samples were asked for"
        )
    return form


FORMATS = ("wav", "pcm16")
"""Audio formats of spoken replies."""

BARE_RATE_HZ = 24_000
"""Sample rate of audio without a header: OpenAI's `pcm16` and Qwen's `wav`."""


class _Given(msgspec.Struct):
    data: str | None = None
    transcript: str | None = None


class SpokenReply(msgspec.Struct, frozen=True):
    """Speech of a model: its words ("" without a transcript) and its audio."""

    transcript: str = ""
    sound: Audio | None = None


NOT_SPOKEN = SpokenReply()


def decode_spoken_reply(audio: msgspec.Raw) -> SpokenReply:
    """Parse the `audio` of a message.

    Raises:
        ParticipantError: If the audio is damaged, or has no transcript, so that its words are
            unknown.
    """
    try:
        given = msgspec.json.decode(audio, type=_Given | None) or _Given()
        sound = _sound(given.data) if given.data else None
    except (*DECODING_ERRORS, binascii.Error, MalformedResponse) as error:
        raise ParticipantError(f"the spoken reply is damaged ({error})") from error
    transcript = (given.transcript or "").strip()
    return SpokenReply(transcript, sound)


def without_sound(body: bytes, sound: Audio) -> bytes:
    """Return a completion's body with a hash in place of each audio."""
    return _with_audio(body, {"sha256": sound.reference().sha256})


def with_sound(body: bytes, sound: Audio) -> bytes:
    """Return a completion's body with its audio restored."""
    return _with_audio(body, {"data": base64.b64encode(write_wav(sound)).decode()})


def join_base64(pieces: Sequence[str]) -> str:
    """Join the data of a stream; each piece may be encoded separately.

    Raises:
        MalformedResponse: If a piece is damaged.
    """
    whole = "".join(pieces)
    try:
        if "=" not in whole.rstrip("="):
            return whole
        return base64.b64encode(
            b"".join(base64.b64decode(piece, validate=True) for piece in pieces)
        ).decode()
    except ValueError as error:
        raise MalformedResponse(f"a piece of the spoken reply is damaged ({error})") from error


def _sound(data: str) -> Audio:
    content = base64.b64decode(data, validate=True)
    return decode_wav(content) if content.startswith(b"RIFF") else decode_pcm(content, BARE_RATE_HZ)


def _with_audio(body: bytes, fields: dict[str, str]) -> bytes:
    completion = msgspec.json.decode(body)
    for choice in completion["choices"]:
        audio = choice["message"].get("audio")
        if isinstance(audio, dict):
            kept = {name: value for name, value in audio.items() if name not in {"data", "sha256"}}
            choice["message"]["audio"] = {**kept, **fields}
    return msgspec.json.encode(completion)
