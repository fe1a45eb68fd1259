"""The routes of all providers of speech, each with its own protocol, on one address."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol as TypingProtocol
from typing import TypeVar, runtime_checkable

from aiohttp import web

from dragoman.core.audio import Audio
from dragoman.testing.behaviour import Behaviour
from dragoman.testing.chat_requests import MAX_BODY_BYTES
from dragoman.testing.coded_speech import coded_audio, decoded_text
from dragoman.testing.exchange import Exchange, Made, ReceivedRequest
from dragoman.testing.faults import FaultDraws
from dragoman.testing.http_answers import error_answer
from dragoman.testing.request_log import OK, RequestLog
from dragoman.testing.speech.answers import speech_answer, transcript_answer
from dragoman.testing.speech.requests import (
    Listen,
    Posted,
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
    """What speaks and listens behind the routes, at once or when it is awaited.

    What it answers does not depend on earlier requests.
    """

    def speak(self, asked: SpeakRequest) -> Audio | Awaitable[Audio]:
        """Return a text as audio."""
        ...

    def listen(self, asked: Listen) -> str | Awaitable[str]:
        """Return the transcript as the service writes it, "" where no word was heard."""
        ...


@runtime_checkable
class ClosableSpeaker(TypingProtocol):
    """A speaker that holds processes or files; the server closes it when it ends."""

    async def close(self) -> None:
        """Let go of what is held."""
        ...


class CodedSpeaker:
    """Speaks in a code and understands it, so that what was said is what is heard."""

    def speak(self, asked: SpeakRequest) -> Audio:
        """Return the text in the code."""
        return coded_audio(asked.text)

    def listen(self, asked: Listen) -> str:
        """Return the text of audio in the code; nothing was said in any other."""
        return decoded_text(asked.audio)


class SpeechService:
    """Answers requests for speech, through an exchange that may break them.

    Args:
        speaker: Speaks and listens.
        behaviour: What goes wrong, and the key that is insisted on.
        log: Where requests are counted.
    """

    def __init__(self, speaker: Speaker, behaviour: Behaviour, log: RequestLog) -> None:
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
                return self._answer(read, _posted(request, asked.body))

            return await self.exchange.serve(request, make)

        return handle

    async def _answer(self, read: Read, posted: Posted) -> Made:
        try:
            asked = read(posted)
            if isinstance(asked, SpeakRequest):
                audio = await _awaited(self._speaker.speak(asked))
                return OK, speech_answer(asked.protocol, audio, asked.text)
            text = await _awaited(self._speaker.listen(asked))
        except ProviderRefused as refused:
            return "refused", error_answer(refused.refusal)
        return OK, transcript_answer(asked.protocol, text, asked.audio)


def has_providers_key(request: web.Request, key: str) -> bool:
    """Whether a request carries a key where one of the providers wants it."""
    headers = request.headers
    carried = (
        headers.get("Authorization", "").partition(" ")[2],
        headers.get("xi-api-key"),
        headers.get("x-goog-api-key"),
    )
    return key in carried


def _posted(request: web.Request, body: bytes) -> Posted:
    return Posted(dict(request.match_info), dict(request.query), request.headers, body)


async def _awaited(given: T | Awaitable[T]) -> T:
    return await given if isinstance(given, Awaitable) else given
