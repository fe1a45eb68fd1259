"""Cartesia's speech API: `/tts/bytes` and `/stt`."""

import msgspec

from dragoman.core.audio import Audio, write_wav
from dragoman.models.http.http_request import FormFile, encode_form
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
    primary_language,
    words,
)

VERSION = "2025-04-16"
"""The version of the protocol, which every request names."""


class _Transcription(msgspec.Struct):
    text: str
    duration: object = None


def speech_request(endpoint: SpeechEndpoint, line: TextToSpeak) -> SpeechRequest:
    """Ask for a text as a WAV file."""
    body: dict[str, object] = {
        **endpoint.settings,
        "model_id": endpoint.model,
        "transcript": line.text,
        "voice": {"mode": "id", "id": endpoint.voice},
        "output_format": {"container": "wav", "encoding": "pcm_s16le", "sample_rate": RATE_HZ},
    }
    if endpoint.tells_language:
        body["language"] = primary_language(line.language)
    headers = {**_headers(endpoint), "Content-Type": JSON, "Accept": WAV}
    return SpeechRequest(f"{endpoint.url}/tts/bytes", headers, msgspec.json.encode(body))


def read_speech(body: bytes) -> SpeechReply[Audio]:
    """Read a WAV file."""
    return SpeechReply(decode_wav(body))


def transcription_request(endpoint: SpeechEndpoint, recording: Recording) -> SpeechRequest:
    """Send a WAV file in a form."""
    fields = {**endpoint.settings, "model": endpoint.model}
    if endpoint.tells_language:
        fields["language"] = primary_language(recording.language)
    content_type, body = encode_form(
        fields, FormFile("file", "audio.wav", WAV, write_wav(recording.audio))
    )
    headers = {**_headers(endpoint), "Content-Type": content_type, "Accept": JSON}
    return SpeechRequest(f"{endpoint.url}/stt", headers, body)


def read_transcription(body: bytes) -> SpeechReply[str]:
    """Read a transcript and the seconds that were listened to."""
    said = decode_reply(body, _Transcription, "a transcript")
    return SpeechReply(words(said.text), ReportedUsage(seconds=length(said.duration)))


TTS = TtsProtocol(speech_request, read_speech)
ASR = AsrProtocol(transcription_request, read_transcription)


def _headers(endpoint: SpeechEndpoint) -> dict[str, str]:
    return {**endpoint.bearer, "Cartesia-Version": VERSION}
