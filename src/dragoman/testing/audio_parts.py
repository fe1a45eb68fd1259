"""Parts of messages that are audio: refused as a real endpoint would, and read for whoever answers."""

import base64
from collections.abc import Mapping, Sequence

import msgspec

from dragoman.core.audio import Audio, read_wav
from dragoman.core.errors import DataError

INPUT_AUDIO = "input_audio"
_FORMATS = ("wav", "mp3")


class _InputAudio(msgspec.Struct):
    data: str
    format: str


class _Part(msgspec.Struct):
    input_audio: _InputAudio


def check_parts(role: str, parts: Sequence[Mapping[str, object]]) -> str:
    """Return what is wrong with the audio among a message's parts; "" for nothing."""
    sounds = [part for part in parts if part.get("type") == INPUT_AUDIO]
    if sounds and role != "user":
        return f"a {role} message holds no {INPUT_AUDIO}"
    return next(filter(None, map(_wrong, sounds)), "")


def sounds_in(parts: Sequence[Mapping[str, object]]) -> tuple[Audio, ...]:
    """Return the audio among a message's parts, which were found sound."""
    return tuple(_read(part) for part in parts if part.get("type") == INPUT_AUDIO)


def _wrong(part: Mapping[str, object]) -> str:
    try:
        _read(part)
    except (msgspec.ValidationError, ValueError, DataError) as error:
        return f"invalid {INPUT_AUDIO}: {error}"
    return ""


def _read(part: Mapping[str, object]) -> Audio:
    given = msgspec.convert(part, _Part).input_audio
    if given.format not in _FORMATS:
        raise ValueError(f"format {given.format!r}: supported are {' and '.join(_FORMATS)}")
    if given.format != "wav":
        raise ValueError("this server reads wav alone")
    try:
        content = base64.b64decode(given.data, validate=True)
    except ValueError as error:
        raise ValueError(f"data is no base64 ({error})") from error
    return read_wav(content, "data")
