"""A local server of all speech providers' protocols on one address, with faults on demand."""

import base64
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol as TypingProtocol
from typing import TypeVar, runtime_checkable

import msgspec
from aiohttp import web

from dragoman.core.audio import Audio, write_wav
from dragoman.testing.chat_requests import MAX_BODY_BYTES
from dragoman.testing.fault_injection import FaultDraws
from dragoman.testing.local_server import LocalServer
from dragoman.testing.request_handler import Exchange, Made, ReceivedRequest
from dragoman.testing.request_log import OK, RequestLog
from dragoman.testing.responses import (
    EVENTS,
    HttpAnswer,
    coded_audio,
    decoded_text,
    error_answer,
    event,
)
from dragoman.testing.server_config import ServerConfig
from dragoman.testing.speech.requests import (
    Listen,
    Posted,
    Protocol,
    ProviderRefused,
    SpeakRequest,
    cartesia_speech,
    cartesia_transcription,
    deepgram_speech,
    deepgram_transcription,
    elevenlabs_speech,
    elevenlabs_transcription,
    gemini_request,
    openai_speech,
    openai_transcription,
    qwen_request,
)

WAV = "audio/wav"
PIECES = 4
_UNKNOWN = b"\xff\xff\xff\xff"
_SIZE, _DATA_SIZE = slice(4, 8), slice(40, 44)


def speech_answer(protocol: Protocol, audio: Audio, text: str) -> HttpAnswer:
    """Return an answer with audio."""
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
    """Return an answer with a transcript."""
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
    """Return a WAV file in streamed form: without its length."""
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


Read = Callable[[Posted], SpeakRequest | Listen]

ROUTES: Mapping[str, Read] = {
    "/v1/audio/speech": openai_speech,
    "/v1/audio/transcriptions": openai_transcription,
    "/v1/text-to-speech/{voice}": elevenlabs_speech,
    "/v1/speech-to-text": elevenlabs_transcription,
    "/v1/speak": deepgram_speech,
    "/v1/listen": deepgram_transcription,
    "/tts/bytes": cartesia_speech,
    "/stt": cartesia_transcription,
    "/v1beta/models/{model}:generateContent": gemini_request,
    "/api/v1/services/aigc/multimodal-generation/generation": qwen_request,
}


T = TypeVar("T")


class Speaker(TypingProtocol):
    """Protocol of speech backends behind the routes; results may be awaitable.

    Their results do not depend on earlier requests.
    """

    def speak(self, asked: SpeakRequest) -> Audio | Awaitable[Audio]:
        """Return a text as audio."""
        ...

    def listen(self, asked: Listen) -> str | Awaitable[str]:
        """Return the transcript in the service's style, "" if no word was recognized."""
        ...


@runtime_checkable
class ClosableSpeaker(TypingProtocol):
    """A speaker that holds processes or files; the server closes it when it ends."""

    async def close(self) -> None:
        """Release processes and files."""
        ...


class CodedSpeaker:
    """Speech backend with a code, in which the transcript equals the spoken text."""

    def speak(self, asked: SpeakRequest) -> Audio:
        """Return the text in the code."""
        return coded_audio(asked.text)

    def listen(self, asked: Listen) -> str:
        """Return the text of coded audio; "" for other audio."""
        return decoded_text(asked.audio)


class SpeechService:
    """Answers speech requests, through an exchange that injects faults.

    Args:
        speaker: Speech backend.
        behaviour: Faults, and the required key.
        log: Log that counts requests.
    """

    def __init__(self, speaker: Speaker, behaviour: ServerConfig, log: RequestLog) -> None:
        self._speaker = speaker
        draws = FaultDraws(behaviour.faults, behaviour.seed)
        self.exchange = Exchange(behaviour, log, draws, has_providers_key)

    def application(self) -> web.Application:
        """Return the routes."""
        application = web.Application(client_max_size=MAX_BODY_BYTES)
        for path, read in ROUTES.items():
            application.router.add_post(path, self._handler(read))
        application.on_cleanup.append(self._close)
        return application

    async def _close(self, _application: web.Application) -> None:
        if isinstance(self._speaker, ClosableSpeaker):
            await self._speaker.close()

    def _handler(self, read: Read) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def handle(request: web.Request) -> web.StreamResponse:
            def make(asked: ReceivedRequest) -> Awaitable[Made]:
                return self._answer(read, _to_posted(request, asked.body))

            return await self.exchange.serve(request, make)

        return handle

    async def _answer(self, read: Read, posted: Posted) -> Made:
        try:
            asked = read(posted)
            if isinstance(asked, SpeakRequest):
                audio = await _resolve_awaitable(self._speaker.speak(asked))
                return OK, speech_answer(asked.protocol, audio, asked.text)
            text = await _resolve_awaitable(self._speaker.listen(asked))
        except ProviderRefused as refused:
            return "refused", error_answer(refused.refusal)
        return OK, transcript_answer(asked.protocol, text, asked.audio)


def has_providers_key(request: web.Request, key: str) -> bool:
    """Return whether a request carries a key in the header or parameter of one of the providers."""
    headers = request.headers
    carried = (
        headers.get("Authorization", "").partition(" ")[2],
        headers.get("xi-api-key"),
        headers.get("x-goog-api-key"),
    )
    return key in carried


def _to_posted(request: web.Request, body: bytes) -> Posted:
    return Posted(dict(request.match_info), dict(request.query), request.headers, body)


async def _resolve_awaitable(given: T | Awaitable[T]) -> T:
    return await given if isinstance(given, Awaitable) else given


PATHS: Mapping[Protocol, str] = {
    "openai": "/v1",
    "elevenlabs": "/v1",
    "deepgram": "/v1",
    "cartesia": "",
    "gemini": "/v1beta",
    "qwen": "/api/v1",
}


class SpeechServer(LocalServer):
    """Server of the speech providers' protocols as a context manager.

    `with` uses a thread, `async with` none. It can be entered once.
    """

    def __init__(
        self,
        speaker: Speaker | None = None,
        behaviour: ServerConfig | None = None,
        *,
        port: int = 0,
        log_file: Path | None = None,
    ) -> None:
        """Prepare a server, which starts when it is entered.

        Args:
            speaker: Speech backend; by default, one with a code.
            behaviour: Faults of the server; none by default.
            port: Port to listen on; 0 takes a free port.
            log_file: A file that gets a line whenever a request starts or ends.

        Raises:
            UsageError: If the log file cannot be written.
        """
        behaviour = behaviour or ServerConfig()
        endpoint = SpeechService(speaker or CodedSpeaker(), behaviour, RequestLog(log_file))
        outages = behaviour.capacity.outages
        super().__init__(endpoint.application(), endpoint.exchange, outages, port)

    def url(self, protocol: Protocol) -> str:
        """Return the base address for clients of a protocol."""
        return f"{self.origin}{PATHS[protocol]}"
