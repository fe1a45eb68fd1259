"""Requests to each provider, and the reading of their replies."""

import base64
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from dragoman.core.audio import Audio, write_wav
from dragoman.core.errors import UsageError
from dragoman.models.http.transport import MalformedResponse
from dragoman.speech.providers import cartesia, deepgram, elevenlabs, gemini, openai, qwen
from dragoman.speech.providers.protocol import (
    AsrProtocol,
    Recording,
    ReportedUsage,
    SpeechEndpoint,
    SpeechReply,
    SpeechRequest,
    TextToSpeak,
)

SOUND = Audio(b"\x01\x00\x02\x00", 24_000)
LINE = TextToSpeak("Grüße, order W2378156.", "en-US", 7)
HEARD = Recording(SOUND, "tl")
DATA = base64.b64encode(SOUND.pcm).decode()


def endpoint(
    settings: Mapping[str, object] | None = None, *, tells_language: bool = True
) -> SpeechEndpoint:
    return SpeechEndpoint(
        "http://h/v1", "key", "model-1", "voice/1", settings or {}, tells_language
    )


def sent(request: SpeechRequest) -> Any:  # noqa: ANN401 - JSON of any shape
    assert request.headers["Content-Type"] == "application/json"
    return json.loads(request.body)


def fields(request: SpeechRequest) -> dict[str, str]:
    """Return the fields of a form, without the file's bytes."""
    boundary = request.headers["Content-Type"].partition("boundary=")[2].encode()
    parts = request.body.split(b"--" + boundary)[1:-1]
    found = [part.strip(b"\r\n").partition(b"\r\n\r\n") for part in parts]
    return {
        head.partition(b'name="')[2].partition(b'"')[0].decode(): body.decode("latin-1")
        for head, _, body in found
    }


def test_openai_is_asked_for_a_wav_file() -> None:
    request = openai.speech_request(endpoint({"speed": 1.25}), LINE)
    assert request.url == "http://h/v1/audio/speech"
    assert request.headers["Authorization"] == "Bearer key"
    assert sent(request) == {
        "speed": 1.25,
        "model": "model-1",
        "voice": "voice/1",
        "input": "Grüße, order W2378156.",
        "response_format": "wav",
    }


def test_openai_is_sent_a_form() -> None:
    request = openai.transcription_request(endpoint({"temperature": 0}), HEARD)
    assert request.url == "http://h/v1/audio/transcriptions"
    assert fields(request) == {
        "temperature": "0",
        "model": "model-1",
        "response_format": "json",
        "language": "tl",
        "file": write_wav(SOUND).decode("latin-1"),
    }


def test_openai_tells_tokens_or_seconds() -> None:
    read = openai.read_transcription
    tokens = (
        b'{"text": " Hello. ", "usage": {"type": "tokens", "input_tokens": 14, "output_tokens": 5}}'
    )
    seconds = b'{"text": "", "usage": {"type": "duration", "seconds": 9}}'
    assert read(tokens) == SpeechReply("Hello.", ReportedUsage(14, 5))
    assert read(seconds) == SpeechReply("", ReportedUsage(seconds=9.0))
    assert read(b'{"text": "x", "usage": {"seconds": -1, "input_tokens": "many"}}') == SpeechReply(
        "x"
    )


def test_elevenlabs_gets_its_settings_where_it_wants_them() -> None:
    settings = {"stability": 0.4, "apply_text_normalization": "off"}
    request = elevenlabs.speech_request(endpoint(settings), LINE)
    assert request.url == "http://h/v1/text-to-speech/voice%2F1?output_format=wav_24000"
    assert request.headers["xi-api-key"] == "key"
    assert "Authorization" not in request.headers
    assert sent(request) == {
        "apply_text_normalization": "off",
        "text": "Grüße, order W2378156.",
        "model_id": "model-1",
        "seed": 7,
        "voice_settings": {"stability": 0.4},
        "language_code": "en",
    }


def test_elevenlabs_is_not_to_write_noises_down() -> None:
    request = elevenlabs.transcription_request(endpoint(), HEARD)
    given = fields(request)
    assert given.pop("file")
    assert given == {"tag_audio_events": "false", "model_id": "model-1", "language_code": "fil"}


def test_deepgram_is_asked_in_the_address() -> None:
    request = deepgram.speech_request(endpoint(), LINE)
    parts = urlsplit(request.url)
    assert parts.path == "/v1/speak"
    assert parse_qs(parts.query) == {
        "model": ["model-1-voice/1"],
        "encoding": ["linear16"],
        "container": ["wav"],
        "sample_rate": ["24000"],
    }
    assert request.headers["Authorization"] == "Token key"
    assert sent(request) == {"text": "Grüße, order W2378156."}


def test_deepgram_is_sent_the_file_itself() -> None:
    settings = {"smart_format": True, "keyterm": ["Yusuf Rossi", "W2378156"]}
    request = deepgram.transcription_request(endpoint(settings), HEARD)
    parts = urlsplit(request.url)
    assert parts.path == "/v1/listen"
    assert parse_qs(parts.query) == {
        "smart_format": ["true"],
        "keyterm": ["Yusuf Rossi", "W2378156"],
        "model": ["model-1"],
        "language": ["tl"],
    }
    assert request.body == write_wav(SOUND)


def test_cartesia_is_told_the_version_of_its_protocol() -> None:
    request = cartesia.speech_request(endpoint(), LINE)
    assert request.url == "http://h/v1/tts/bytes"
    assert request.headers["Cartesia-Version"] == "2025-04-16"
    assert sent(request) == {
        "model_id": "model-1",
        "transcript": "Grüße, order W2378156.",
        "voice": {"mode": "id", "id": "voice/1"},
        "output_format": {"container": "wav", "encoding": "pcm_s16le", "sample_rate": 24_000},
        "language": "en",
    }
    heard = cartesia.transcription_request(endpoint(), HEARD)
    assert {**fields(heard), "file": ""} == {"model": "model-1", "language": "tl", "file": ""}
    assert heard.headers["Cartesia-Version"] == "2025-04-16"


def test_gemini_is_asked_for_samples() -> None:
    request = gemini.speech_request(endpoint({"temperature": 0.5}), LINE)
    assert request.url == "http://h/v1/models/model-1:generateContent"
    assert request.headers["x-goog-api-key"] == "key"
    assert sent(request) == {
        "contents": [{"role": "user", "parts": [{"text": "Grüße, order W2378156."}]}],
        "generationConfig": {
            "temperature": 0.5,
            "seed": 7,
            "responseModalities": ["AUDIO"],
            "speechConfig": {
                "voiceConfig": {"prebuiltVoiceConfig": {"voiceName": "voice/1"}},
                "languageCode": "en-US",
            },
        },
    }


def test_gemini_is_told_to_write_down_what_it_hears() -> None:
    body = sent(gemini.transcription_request(endpoint(), HEARD))
    prompt, audio = body["contents"][0]["parts"]
    assert prompt["text"].startswith("Write down what is said in this recording, word for word")
    assert prompt["text"].endswith("The language's code is tl.")
    assert audio["inlineData"]["mimeType"] == "audio/wav"
    assert base64.b64decode(audio["inlineData"]["data"]) == write_wav(SOUND)
    assert body["generationConfig"] == {"temperature": 0}


def gemini_reply(parts: object, finished: str = "STOP") -> bytes:
    candidate = {"content": {"parts": parts}, "finishReason": finished}
    usage = {"promptTokenCount": 9, "candidatesTokenCount": 4, "thoughtsTokenCount": 3}
    return json.dumps({"candidates": [candidate], "usageMetadata": usage}).encode()


def blob(mime_type: str, data: str = DATA) -> dict[str, dict[str, str]]:
    return {"inlineData": {"mimeType": mime_type, "data": data}}


def test_gemini_gives_samples_at_the_rate_that_it_names() -> None:
    two = gemini_reply(
        [blob("audio/L16;codec=pcm;rate=24000"), blob("audio/L16;codec=pcm;rate=24000")]
    )
    assert gemini.read_speech(two) == SpeechReply(Audio(SOUND.pcm * 2, 24_000), ReportedUsage(9, 7))
    assert gemini.read_speech(gemini_reply([blob("audio/pcm; rate=16000")])).value.rate_hz == 16_000


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (gemini_reply([]), "without a sound"),
        (gemini_reply([{"text": "I cannot say that."}]), "without a sound"),
        (gemini_reply([blob("audio/mpeg")]), "data of type 'audio/mpeg'"),
        (gemini_reply([blob("audio/L16;rate=24000", "no base64!")]), "damaged base64"),
        (
            gemini_reply([blob("audio/L16;rate=24000"), blob("audio/L16;rate=8000")]),
            "different rates",
        ),
        (gemini_reply([blob("audio/L16;rate=24000")], "SAFETY"), r"broken off \(SAFETY\)"),
        (b'{"candidates": []}', "a reply without audio"),
        (b'{"promptFeedback": {"blockReason": "SAFETY"}}', "a reply without audio"),
        (b"<html>", "not audio"),
    ],
)
def test_gemini_without_finished_audio_is_unreadable(body: bytes, reason: str) -> None:
    with pytest.raises(MalformedResponse, match=reason):
        gemini.read_speech(body)


def test_gemini_that_heard_nothing_heard_nothing() -> None:
    thoughts = {"text": "Only noise here.", "thought": True}
    assert gemini.read_transcription(gemini_reply([thoughts])) == SpeechReply(
        "", ReportedUsage(9, 7)
    )
    for unfinished in ("MAX_TOKENS", "RECITATION", ""):
        with pytest.raises(MalformedResponse, match="broken off"):
            gemini.read_transcription(gemini_reply([{"text": "half"}], unfinished))


def test_qwen_is_asked_for_a_stream() -> None:
    request = qwen.speech_request(endpoint(), LINE)
    assert request.url.endswith("/services/aigc/multimodal-generation/generation")
    assert request.headers["X-DashScope-SSE"] == "enable"
    assert sent(request)["input"] == {
        "text": "Grüße, order W2378156.",
        "voice": "voice/1",
        "language_type": "English",
    }


def test_qwen_does_not_speak_every_language() -> None:
    line = TextToSpeak("Kumusta", "tl", 1)
    with pytest.raises(UsageError, match="qwen's voices do not speak 'tl', but de, en"):
        qwen.speech_request(endpoint(), line)
    asked = sent(qwen.speech_request(endpoint(tells_language=False), line))
    assert "language_type" not in asked["input"]


def events(*bodies: Mapping[str, object]) -> bytes:
    return b"".join(
        b"id:1\nevent:result\n:HTTP_STATUS/200\ndata:%b\n\n" % json.dumps(body).encode()
        for body in bodies
    )


def piece(data: str, finished: str = "null") -> dict[str, object]:
    audio = {"data": data, "url": "http://elsewhere/speech.wav"}
    return {"output": {"audio": audio, "finish_reason": finished}, "usage": {"characters": 11}}


def test_qwen_sends_its_samples_piece_by_piece() -> None:
    body = events(piece(DATA), piece(DATA), piece("", "stop"))
    assert qwen.read_speech(body) == SpeechReply(
        Audio(SOUND.pcm * 2, 24_000), ReportedUsage(characters=11)
    )


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (events(piece(DATA)), "stopped before its end"),
        (events(piece("", "stop")), "without a sound"),
        (events(piece(DATA), {"code": "Throttling", "message": "slow"}), "broke off: Throttling"),
        (b'{"output": {}}', "stopped before its end"),
        (b"data:{torn\n\n", "not an event of speech"),
        (b"", "stopped before its end"),
    ],
)
def test_a_stream_of_qwen_that_is_not_whole_is_unreadable(body: bytes, reason: str) -> None:
    with pytest.raises(MalformedResponse, match=reason):
        qwen.read_speech(body)


def test_qwen_listens_to_a_message() -> None:
    asked = sent(qwen.transcription_request(endpoint({"enable_itn": False}), HEARD))
    assert asked["parameters"] == {"asr_options": {"enable_itn": False, "language": "tl"}}
    audio = asked["input"]["messages"][0]["content"][0]["audio"]
    assert base64.b64decode(audio.removeprefix("data:audio/wav;base64,")) == write_wav(SOUND)


EMPTY = {
    "openai": b'{"text": ""}',
    "elevenlabs": b'{"text": " ", "words": []}',
    "deepgram": b'{"results": {"channels": [{"alternatives": [{"transcript": ""}]}]}}',
    "cartesia": b'{"text": "", "duration": 1.5}',
    "gemini": gemini_reply([]),
    "qwen": b'{"output": {"choices": [{"finish_reason": "stop", "message": {"content": []}}]}}',
}
RECOGNIZERS: dict[str, AsrProtocol] = {
    "openai": openai.ASR,
    "elevenlabs": elevenlabs.ASR,
    "deepgram": deepgram.ASR,
    "cartesia": cartesia.ASR,
    "gemini": gemini.ASR,
    "qwen": qwen.ASR,
}


@pytest.mark.parametrize("provider", RECOGNIZERS)
def test_no_words_are_an_empty_hearing(provider: str) -> None:
    assert RECOGNIZERS[provider].read(EMPTY[provider]).value == ""


@pytest.mark.parametrize("provider", RECOGNIZERS)
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        b"null",
        b'{"error": {"message": "overloaded"}}',
        b"<!doctype html><title>Gateway</title>",
        b'{"text": 7}',
        b'{"results": {"channels": []}}',
        b'{"output": {"choices": []}}',
        b'{"text": "\xff"}',
        b"[" * 5_000,
    ],
)
def test_what_is_no_transcript_is_never_an_empty_hearing(provider: str, body: bytes) -> None:
    with pytest.raises(MalformedResponse):
        RECOGNIZERS[provider].read(body)


def test_a_transcript_without_end_is_unreadable() -> None:
    with pytest.raises(
        MalformedResponse, match="a transcript of 60,000 characters, read are 50,000"
    ):
        openai.read_transcription(json.dumps({"text": "x" * 60_000}).encode())


@pytest.mark.parametrize("provider", RECOGNIZERS)
def test_without_a_key_none_is_sent(provider: str) -> None:
    bare = SpeechEndpoint("http://h/v1", "", "m", "", {}, tells_language=False)
    request = RECOGNIZERS[provider].request(bare, HEARD)
    assert {name.lower() for name in request.headers} <= {
        "content-type",
        "accept",
        "cartesia-version",
    }
