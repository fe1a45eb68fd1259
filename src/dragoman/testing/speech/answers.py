"""Encodes audio and transcripts as their providers do."""

import base64
from collections.abc import Mapping, Sequence

import msgspec

from dragoman.core.audio import Audio, write_wav
from dragoman.testing.completions import event
from dragoman.testing.http_answers import EVENTS, HttpAnswer
from dragoman.testing.speech.requests import Protocol

WAV = "audio/wav"
PIECES = 4
_UNKNOWN = b"\xff\xff\xff\xff"
_SIZE, _DATA_SIZE = slice(4, 8), slice(40, 44)


def speech_answer(protocol: Protocol, audio: Audio, text: str) -> HttpAnswer:
    """Return the answer that carries audio."""
    match protocol:
        case "openai" | "deepgram":
            return HttpAnswer(200, (streamed_wav(audio),), WAV)
        case "elevenlabs" | "cartesia":
            return HttpAnswer(200, (write_wav(audio),), WAV)
        case "gemini":
            return HttpAnswer(200, (_gemini_speech(audio),))
        case "qwen":
            return HttpAnswer(200, _qwen_speech(audio, text), EVENTS)


def transcript_answer(protocol: Protocol, text: str, audio: Audio) -> HttpAnswer:
    """Return the answer that carries a transcript."""
    body: object
    match protocol:
        case "openai":
            usage = {"type": "duration", "seconds": audio.seconds}
            body = {"text": text, "usage": usage}
        case "elevenlabs":
            body = {"language_code": "und", "language_probability": 1.0, "text": text, "words": []}
        case "deepgram":
            alternative = {"transcript": text, "confidence": 0.9, "words": []}
            body = {
                "metadata": {"duration": audio.seconds, "channels": 1},
                "results": {"channels": [{"alternatives": [alternative]}]},
            }
        case "cartesia":
            body = {"type": "transcript", "text": text, "duration": audio.seconds}
        case "gemini":
            parts = [{"text": text}] if text else []
            body = _gemini(parts)
        case "qwen":
            message = {"role": "assistant", "content": [{"text": text}] if text else []}
            choice = {"finish_reason": "stop", "message": message}
            body = {"output": {"choices": [choice]}, "usage": {"seconds": audio.seconds}}
    return HttpAnswer(200, (msgspec.json.encode(body),))


def streamed_wav(audio: Audio) -> bytes:
    """Return a WAV file as it is sent while it is made: without its length."""
    content = bytearray(write_wav(audio))
    content[_SIZE] = content[_DATA_SIZE] = _UNKNOWN
    return bytes(content)


def _gemini_speech(audio: Audio) -> bytes:
    blob = {
        "mimeType": f"audio/L16;codec=pcm;rate={audio.rate_hz}",
        "data": base64.b64encode(audio.pcm).decode(),
    }
    return msgspec.json.encode(_gemini([{"inlineData": blob}] if audio.pcm else []))


def _gemini(parts: Sequence[Mapping[str, object]]) -> dict[str, object]:
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 20, "candidatesTokenCount": 30, "totalTokenCount": 50}
    return {"candidates": [candidate], "usageMetadata": usage}


def _qwen_speech(audio: Audio, text: str) -> tuple[bytes, ...]:
    size = -(-len(audio.pcm) // PIECES) or 1
    data = [audio.pcm[start : start + size] for start in range(0, len(audio.pcm), size)]
    usage = {"characters": len(text)}
    events = [
        _qwen_event({"data": base64.b64encode(piece).decode(), "url": ""}, "null", usage)
        for piece in data
    ]
    return (*events, _qwen_event({"data": "", "url": "http://localhost/not-here"}, "stop", usage))


def _qwen_event(audio: dict[str, str], finished: str, usage: dict[str, int]) -> bytes:
    output = {"audio": audio, "finish_reason": finished}
    return event(msgspec.json.encode({"output": output, "usage": usage}))
