"""Qwen's speech API (DashScope): `multimodal-generation`, streamed for synthesis.

Only a stream holds the audio itself; otherwise the reply names an address to fetch it from, and an
address in a reply is not followed.
"""

import msgspec

from dragoman.core.audio import Audio, write_wav
from dragoman.core.errors import UsageError
from dragoman.models.chat.streaming import sse_events
from dragoman.models.http.transport import MalformedResponse
from dragoman.models.response_audio import decode_pcm
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
    count,
    decode_base64,
    decode_reply,
    encode_base64,
    length,
    primary_language,
    words,
)

PATH = "/services/aigc/multimodal-generation/generation"

LANGUAGES = {
    "zh": "Chinese",
    "en": "English",
    "de": "German",
    "es": "Spanish",
    "fr": "French",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "pt": "Portuguese",
    "ru": "Russian",
}
"""The languages of the voices, by the names that the provider gives them."""

_FINISHED = "stop"


class _Sound(msgspec.Struct):
    data: str | None = None


class _Usage(msgspec.Struct):
    input_tokens: object = None
    output_tokens: object = None
    characters: object = None
    seconds: object = None


class _Spoken(msgspec.Struct):
    audio: _Sound | None = None
    finish_reason: str | None = None


class _Event(msgspec.Struct):
    output: _Spoken | None = None
    usage: _Usage | None = None
    code: str = ""
    message: str = ""


class _Piece(msgspec.Struct):
    text: str = ""


class _Message(msgspec.Struct):
    content: list[_Piece]


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None


class _Choices(msgspec.Struct):
    choices: list[_Choice]


class _Listened(msgspec.Struct):
    output: _Choices
    usage: _Usage | None = None


def speech_request(endpoint: SpeechEndpoint, line: TextToSpeak) -> SpeechRequest:
    """Ask for a text as a stream of samples.

    Raises:
        UsageError: For a language that the voices do not speak.
    """
    spoken: dict[str, object] = {
        **endpoint.settings,
        "text": line.text,
        "voice": endpoint.voice,
    }
    if endpoint.tells_language:
        spoken["language_type"] = _language_name(line.language)
    headers = {
        **endpoint.bearer,
        "Content-Type": JSON,
        "Accept": "text/event-stream",
        "X-DashScope-SSE": "enable",
    }
    body = msgspec.json.encode({"model": endpoint.model, "input": spoken})
    return SpeechRequest(f"{endpoint.url}{PATH}", headers, body)


def read_speech(body: bytes) -> SpeechReply[Audio]:
    """Join the samples of a stream that was seen to end."""
    pieces: list[bytes] = []
    usage = _Usage()
    has_ended = False
    for data in sse_events(body):
        event = decode_reply(data, _Event, "an event of speech")
        if event.code:
            raise MalformedResponse(
                f"the stream broke off: {event.code[:60]}: {event.message[:200]}"
            )
        usage = event.usage or usage
        if event.output is not None:
            if event.output.audio is not None and event.output.audio.data:
                pieces.append(decode_base64(event.output.audio.data))
            has_ended = has_ended or event.output.finish_reason == _FINISHED
    if not has_ended:
        raise MalformedResponse("the stream stopped before its end")
    counted = ReportedUsage(
        count(usage.input_tokens), count(usage.output_tokens), None, count(usage.characters)
    )
    return SpeechReply(decode_pcm(b"".join(pieces), RATE_HZ), counted)


def transcription_request(endpoint: SpeechEndpoint, recording: Recording) -> SpeechRequest:
    """Send a WAV file within the message."""
    options = dict(endpoint.settings)
    if endpoint.tells_language:
        options["language"] = primary_language(recording.language)
    audio = f"data:{WAV};base64,{encode_base64(write_wav(recording.audio))}"
    asked = {
        "model": endpoint.model,
        "input": {"messages": [{"role": "user", "content": [{"audio": audio}]}]},
        "parameters": {"asr_options": options},
    }
    headers = {**endpoint.bearer, "Content-Type": JSON, "Accept": JSON}
    return SpeechRequest(f"{endpoint.url}{PATH}", headers, msgspec.json.encode(asked))


def read_transcription(body: bytes) -> SpeechReply[str]:
    """Read a transcript and the seconds that were listened to."""
    listened = decode_reply(body, _Listened, "a transcript")
    if not listened.output.choices or listened.output.choices[0].finish_reason != _FINISHED:
        raise MalformedResponse("a transcript broken off")
    text = "".join(piece.text for piece in listened.output.choices[0].message.content)
    usage = listened.usage or _Usage()
    counted = ReportedUsage(
        count(usage.input_tokens), count(usage.output_tokens), length(usage.seconds)
    )
    return SpeechReply(words(text), counted)


TTS = TtsProtocol(speech_request, read_speech)
ASR = AsrProtocol(transcription_request, read_transcription)


def _language_name(language: str) -> str:
    name = LANGUAGES.get(primary_language(language))
    if name is None:
        raise UsageError(
            f"qwen's voices do not speak {language!r}, but {', '.join(sorted(LANGUAGES))}: "
            "language=off leaves it to the voice"
        )
    return name
