"""Deepgram's speech API: `/speak` and `/listen`.

A voice there is a model of its own, `aura-2-thalia-en`; here it is the voice `thalia-en` of the
model `aura-2`, which prices go by.
"""

from collections.abc import Mapping
from urllib.parse import urlencode

import msgspec

from dragoman.core.audio import Audio, write_wav
from dragoman.models.http.transport import MalformedResponse
from dragoman.models.response_audio import decode_wav
from dragoman.speech.providers.protocol import (
    JSON,
    RATE_HZ,
    WAV,
    AsrProtocol,
    Recording,
    ReportedUsage,
    SpeechEndpoint,
    SpeechReply,
    SpeechRequest,
    TextToSpeak,
    TtsProtocol,
    decode_reply,
    length,
    words,
)


class _Alternative(msgspec.Struct):
    transcript: str


class _Channel(msgspec.Struct):
    alternatives: list[_Alternative]


class _Results(msgspec.Struct):
    channels: list[_Channel]


class _Metadata(msgspec.Struct):
    duration: object = None


class _Listened(msgspec.Struct):
    results: _Results
    metadata: _Metadata | None = None


def speech_request(endpoint: SpeechEndpoint, line: TextToSpeak) -> SpeechRequest:
    """Ask for a text as a WAV file; the voice decides the language."""
    query = {
        **endpoint.settings,
        "model": f"{endpoint.model}-{endpoint.voice}",
        "encoding": "linear16",
        "container": "wav",
        "sample_rate": RATE_HZ,
    }
    headers = {**_key(endpoint), "Content-Type": JSON, "Accept": WAV}
    body = msgspec.json.encode({"text": line.text})
    return SpeechRequest(f"{endpoint.url}/speak?{_query(query)}", headers, body)


def read_speech(body: bytes) -> SpeechReply[Audio]:
    """Read a WAV file."""
    return SpeechReply(decode_wav(body))


def transcription_request(endpoint: SpeechEndpoint, recording: Recording) -> SpeechRequest:
    """Send a WAV file as it is; everything else stands in the address."""
    query = {**endpoint.settings, "model": endpoint.model}
    if endpoint.tells_language:
        query["language"] = recording.language
    headers = {**_key(endpoint), "Content-Type": WAV, "Accept": JSON}
    url = f"{endpoint.url}/listen?{_query(query)}"
    return SpeechRequest(url, headers, write_wav(recording.audio))


def read_transcription(body: bytes) -> SpeechReply[str]:
    """Read the first alternative of the only channel, and the seconds that were listened to."""
    listened = decode_reply(body, _Listened, "a transcript")
    if not listened.results.channels or not listened.results.channels[0].alternatives:
        raise MalformedResponse("a transcript without a channel")
    metadata = listened.metadata or _Metadata()
    text = listened.results.channels[0].alternatives[0].transcript
    return SpeechReply(words(text), ReportedUsage(seconds=length(metadata.duration)))


TTS = TtsProtocol(speech_request, read_speech)
ASR = AsrProtocol(transcription_request, read_transcription)


def _key(endpoint: SpeechEndpoint) -> dict[str, str]:
    return {"Authorization": f"Token {endpoint.key}"} if endpoint.key else {}


def _query(values: Mapping[str, object]) -> str:
    """Return values as a query string.

    True is written as `true`, and a list as one value after another.
    """
    listed = {name: value if isinstance(value, list) else [value] for name, value in values.items()}
    return urlencode([(name, _text(one)) for name, every in listed.items() for one in every])


def _text(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
