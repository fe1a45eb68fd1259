"""Replies that a model speaks itself: what it says, its sound, and its body without the sound.

Chat completions hold the sound in base64 beside its transcript. Records keep the hash in its place.
"""

import base64
import binascii
from collections.abc import Sequence

import msgspec

from dragoman.core.errors import ParticipantError
from dragoman.core.texts.decoding import UNREADABLE
from dragoman.core.voice.audio import Audio, wav_of
from dragoman.models.wire.received_audio import pcm_audio, wav_audio
from dragoman.models.wire.sending import Unreadable

FORMATS = ("wav", "pcm16")
"""The forms in which spoken replies are read."""

BARE_RATE_HZ = 24_000
"""Of samples that come without a header, in OpenAI's `pcm16` as in Qwen's `wav`."""


class _Given(msgspec.Struct):
    data: str | None = None
    transcript: str | None = None


class SpokenReply(msgspec.Struct, frozen=True):
    """What a model spoke: its words ("" where it tells none) and their sound."""

    transcript: str = ""
    sound: Audio | None = None


NOT_SPOKEN = SpokenReply()


def spoken_reply(audio: msgspec.Raw) -> SpokenReply:
    """Read the `audio` of a message.

    Raises:
        ParticipantError: Where it is damaged, or there is sound but no transcript: nobody could tell
            what was said.
    """
    try:
        given = msgspec.json.decode(audio, type=_Given | None) or _Given()
        sound = _sound(given.data) if given.data else None
    except (*UNREADABLE, binascii.Error, Unreadable) as error:
        raise ParticipantError(f"the spoken reply is damaged ({error})") from error
    transcript = (given.transcript or "").strip()
    return SpokenReply(transcript, sound)


def without_sound(body: bytes, sound: Audio) -> bytes:
    """Return a completion's body with the hash of the sound in the place of all sound."""
    return _with_audio(body, {"sha256": sound.reference().sha256})


def with_sound(body: bytes, sound: Audio) -> bytes:
    """Return a completion's body with its sound again."""
    return _with_audio(body, {"data": base64.b64encode(wav_of(sound)).decode()})


def joined(pieces: Sequence[str]) -> str:
    """Return the data of a stream as one; each piece may be encoded by itself.

    Raises:
        Unreadable: Where a piece is damaged.
    """
    whole = "".join(pieces)
    try:
        if "=" not in whole.rstrip("="):
            return whole
        return base64.b64encode(
            b"".join(base64.b64decode(piece, validate=True) for piece in pieces)
        ).decode()
    except ValueError as error:
        raise Unreadable(f"a piece of the spoken reply is damaged ({error})") from error


def _sound(data: str) -> Audio:
    content = base64.b64decode(data, validate=True)
    return wav_audio(content) if content.startswith(b"RIFF") else pcm_audio(content, BARE_RATE_HZ)


def _with_audio(body: bytes, fields: dict[str, str]) -> bytes:
    completion = msgspec.json.decode(body)
    for choice in completion["choices"]:
        audio = choice["message"].get("audio")
        if isinstance(audio, dict):
            kept = {name: value for name, value in audio.items() if name not in {"data", "sha256"}}
            choice["message"]["audio"] = {**kept, **fields}
    return msgspec.json.encode(completion)
