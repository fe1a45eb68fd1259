"""Gemini's speech API: `generateContent` with audio as output or as input."""

import re
from functools import cache
from importlib.resources import files
from urllib.parse import quote

import msgspec

from dragoman.core.audio import Audio, write_wav
from dragoman.models.http.transport import MalformedResponse
from dragoman.models.response_audio import decode_pcm
from dragoman.speech.providers.protocol import (
    JSON,
    WAV,
    AsrProtocol,
    Recording,
    ReportedUsage,
    SpeechEndpoint,
    SpeechReply,
    SpeechRequest,
    TextToSpeak,
    TtsProtocol,
    count,
    decode_base64,
    decode_reply,
    encode_base64,
    words,
)

_FINISHED = "STOP"
_SAMPLES = re.compile(r"audio/(?:L16|pcm)\b.*?;\s*rate=(\d{4,6})", re.IGNORECASE)


class _Blob(msgspec.Struct, rename="camel"):
    data: str
    mime_type: str


class _Part(msgspec.Struct, rename="camel"):
    text: str = ""
    inline_data: _Blob | None = None
    thought: bool = False


class _Content(msgspec.Struct):
    parts: list[_Part] = []


class _Candidate(msgspec.Struct, rename="camel"):
    content: _Content | None = None
    finish_reason: str = ""


class _Usage(msgspec.Struct, rename="camel"):
    prompt_token_count: object = None
    candidates_token_count: object = None
    thoughts_token_count: object = None


class _Generated(msgspec.Struct, rename="camel"):
    candidates: list[_Candidate] = []
    usage_metadata: _Usage | None = None


@cache
def transcription_prompt() -> str:
    """Return the instruction of the model for a recording."""
    return (
        (files("dragoman.speech.providers") / "transcription_prompt.txt").read_text("utf-8").strip()
    )


def speech_request(endpoint: SpeechEndpoint, line: TextToSpeak) -> SpeechRequest:
    """Ask for a text as samples, which is the only form that there is."""
    voice: dict[str, object] = {
        "voiceConfig": {"prebuiltVoiceConfig": {"voiceName": endpoint.voice}}
    }
    if endpoint.tells_language:
        voice["languageCode"] = line.language
    generation = {
        **endpoint.settings,
        "seed": line.seed,
        "responseModalities": ["AUDIO"],
        "speechConfig": voice,
    }
    return _request(endpoint, [{"text": line.text}], generation)


def read_speech(body: bytes) -> SpeechReply[Audio]:
    """Read the samples; their rate stands in the type of the data."""
    generated, parts = _parts(body, "audio")
    blobs = [part.inline_data for part in parts if part.inline_data is not None]
    if not blobs:
        raise MalformedResponse("audio without a sound")
    rates = {_rate(blob.mime_type) for blob in blobs}
    if len(rates) > 1:
        raise MalformedResponse("audio whose pieces have different rates")
    pcm = b"".join(decode_base64(blob.data) for blob in blobs)
    return SpeechReply(decode_pcm(pcm, rates.pop()), _read_usage(generated))


def transcription_request(endpoint: SpeechEndpoint, recording: Recording) -> SpeechRequest:
    """Send a WAV file with the prompt; without chance unless the settings want it."""
    prompt = transcription_prompt()
    if endpoint.tells_language:
        prompt += f"\nThe language's code is {recording.language}."
    audio: dict[str, object] = {
        "inlineData": {"mimeType": WAV, "data": encode_base64(write_wav(recording.audio))}
    }
    parts: list[dict[str, object]] = [{"text": prompt}, audio]
    return _request(endpoint, parts, {"temperature": 0, **endpoint.settings})


def read_transcription(body: bytes) -> SpeechReply[str]:
    """Parse the transcript of the model; it is empty if the recording has no words."""
    generated, parts = _parts(body, "a transcript")
    text = "".join(part.text for part in parts if not part.thought)
    return SpeechReply(words(text), _read_usage(generated))


TTS = TtsProtocol(speech_request, read_speech)
ASR = AsrProtocol(transcription_request, read_transcription, transcription_prompt)


def _request(
    endpoint: SpeechEndpoint, parts: list[dict[str, object]], generation: dict[str, object]
) -> SpeechRequest:
    url = f"{endpoint.url}/models/{quote(endpoint.model, safe='')}:generateContent"
    headers = {"Content-Type": JSON, "Accept": JSON}
    if endpoint.key:
        headers["x-goog-api-key"] = endpoint.key
    body = {"contents": [{"role": "user", "parts": parts}], "generationConfig": generation}
    return SpeechRequest(url, headers, msgspec.json.encode(body))


def _parts(body: bytes, what: str) -> tuple[_Generated, list[_Part]]:
    """Return a reply and the parts of its only candidate, which must have been finished."""
    generated = decode_reply(body, _Generated, what)
    if not generated.candidates:
        raise MalformedResponse(f"a reply without {what}")
    candidate = generated.candidates[0]
    if candidate.finish_reason != _FINISHED:
        raise MalformedResponse(
            f"{what} broken off ({candidate.finish_reason[:40] or 'no reason'})"
        )
    return generated, candidate.content.parts if candidate.content else []


def _rate(mime_type: str) -> int:
    found = _SAMPLES.match(mime_type)
    if found is None:
        raise MalformedResponse(f"data of type {mime_type[:60]!r}, where samples were asked for")
    return int(found[1])


def _read_usage(generated: _Generated) -> ReportedUsage:
    usage = generated.usage_metadata or _Usage()
    received = count(usage.candidates_token_count)
    if received is not None:
        received += count(usage.thoughts_token_count) or 0
    return ReportedUsage(count(usage.prompt_token_count), received)
