"""Protocol records of speech APIs: plain functions that build requests and parse replies."""

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

import msgspec

from dragoman.core.audio import Audio
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.usage import Usage
from dragoman.models.http.transport import MalformedResponse

T = TypeVar("T")

JSON = "application/json"
WAV = "audio/wav"
RATE_HZ = 24_000
"""The sampling rate that is requested of voices."""

MOST_WORDS = 50_000
"""The most characters of a transcript; ten minutes of speech have fewer."""


class SpeechEndpoint(msgspec.Struct, frozen=True):
    """Address and parameters of a speech API.

    Attributes:
        url: The address that the paths of the protocol are added to.
        key: API key for a header; "" for none.
        model: The model's name at the provider.
        voice: The voice's name at the provider; "" for a recognizer.
        settings: Parameters of every call.
        tells_language: Whether the language is sent.
    """

    url: str
    key: str
    model: str
    voice: str
    settings: Mapping[str, object]
    tells_language: bool

    @property
    def bearer(self) -> dict[str, str]:
        """The header in which most providers expect the key."""
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}


class TextToSpeak(msgspec.Struct, frozen=True):
    """Text to speak, its language, and a seed for voices that take one."""

    text: str
    language: str
    seed: int


class Recording(msgspec.Struct, frozen=True):
    """Audio to transcribe, and its language."""

    audio: Audio
    language: str


class SpeechRequest(msgspec.Struct, frozen=True):
    """An HTTP POST request."""

    url: str
    headers: Mapping[str, str]
    body: bytes


class ReportedUsage(msgspec.Struct, frozen=True):
    """Usage as the provider reports it; None if it is not reported."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    seconds: float | None = None
    characters: int | None = None


class SpeechReply(msgspec.Struct, Generic[T], frozen=True):
    """The result of a request, and the usage that the provider reported."""

    value: T
    counted: ReportedUsage = ReportedUsage()


class TtsProtocol(msgspec.Struct, frozen=True):
    """The protocol of a voice.

    `read` raises MalformedResponse for a body without the requested audio.
    """

    request: Callable[[SpeechEndpoint, TextToSpeak], SpeechRequest]
    read: Callable[[bytes], SpeechReply[Audio]]


def no_prompt() -> str:
    """Return nothing: most ears need not be told what to do."""
    return ""


class AsrProtocol(msgspec.Struct, frozen=True):
    """The protocol of a recognizer.

    `read` raises MalformedResponse for a body that is not a transcript.

    `prompt` returns the instructions of the recognizer, which are part of its identity.
    """

    request: Callable[[SpeechEndpoint, Recording], SpeechRequest]
    read: Callable[[bytes], SpeechReply[str]]
    prompt: Callable[[], str] = no_prompt


def primary_language(language: str) -> str:
    """Return a language's code without its region, for providers that take no more."""
    return language.partition("-")[0].lower()


def decode_reply(body: bytes, kind: type[T], what: str) -> T:
    """Decode a JSON body.

    Raises:
        MalformedResponse: If it is not of that kind.
    """
    try:
        body.decode()
        return msgspec.json.decode(body, type=kind)
    except DECODING_ERRORS as error:
        raise MalformedResponse(f"not {what} ({error})") from error


def decode_base64(data: str) -> bytes:
    """Decode base64 data.

    Raises:
        MalformedResponse: If it is not base64.
    """
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError) as error:
        raise MalformedResponse(f"damaged base64 ({error})") from error


def encode_base64(data: bytes) -> str:
    """Return bytes as base64."""
    return base64.b64encode(data).decode()


def words(text: str) -> str:
    """Return a transcript's words, without the white space around them.

    Raises:
        MalformedResponse: If the transcript is longer than any possible speech.
    """
    if len(text) > MOST_WORDS:
        raise MalformedResponse(
            f"a transcript of {len(text):,} characters, read are {MOST_WORDS:,}"
        )
    return text.strip()


def count(value: object) -> int | None:
    """Return a count that a provider told; None if it makes no sense."""
    return value if isinstance(value, int) and value >= 0 and not isinstance(value, bool) else None


def length(value: object) -> float | None:
    """Return seconds that a provider told; None if they make no sense."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < float("inf") else None


def usage_of(purpose: str, model: str, counted: ReportedUsage) -> Usage:
    """Return what one call consumed."""
    return Usage(
        purpose,
        model,
        input_tokens=counted.input_tokens,
        output_tokens=counted.output_tokens,
        audio_seconds=counted.seconds,
        characters=counted.characters,
    )
