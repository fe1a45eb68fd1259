"""Client of speech APIs: synthesizers and recognizers with retries, budget and usage."""

from collections.abc import Callable, Mapping
from typing import Final, TypeVar

import msgspec

from dragoman.core.audio import Audio
from dragoman.core.errors import ParticipantError, RunHalted
from dragoman.core.protocols import SynthesisResult, Transcript
from dragoman.core.usage import Usage
from dragoman.models.budget import SpendTracker, reserve_spend
from dragoman.models.chat.openai import OF_ONE_REQUEST
from dragoman.models.http.transport import CallContext, RequestRejected, Sender
from dragoman.speech.providers.protocol import (
    RATE_HZ,
    AsrProtocol,
    Recording,
    ReportedUsage,
    SpeechEndpoint,
    SpeechReply,
    SpeechRequest,
    TextToSpeak,
    TtsProtocol,
    usage_of,
)
from dragoman.speech.specs import Direction

T = TypeVar("T")

ADVICE: Mapping[int, str] = {
    401: "check the key in the environment",
    402: "the account has no credit",
    403: "check the key in the environment",
    404: "check the names of model and voice, and the address",
}
"""Advice for status codes with which an endpoint refuses every request."""


class SpeechCalls:
    """Calls of one model for one purpose.

    Args:
        call_context: The purpose, and the model as in prices.
        sender: Sends the calls.
        budget: Spend tracker of the run; None for no limit.
    """

    def __init__(
        self, call_context: CallContext, sender: Sender, budget: SpendTracker | None = None
    ) -> None:
        self._who = call_context
        self._sender = sender
        self._budget = budget
        self._has_answered = False

    async def ask(
        self,
        request: SpeechRequest,
        read: Callable[[bytes], SpeechReply[T]],
        counted: Callable[[SpeechReply[T]], ReportedUsage],
    ) -> tuple[T, Usage]:
        """Return the result of a request and its usage.

        Args:
            request: The request.
            read: Reads the reply.
            counted: Completes the usage that the provider reported with locally known quantities.

        Raises:
            ParticipantError: If no readable reply could be obtained.
            RunHalted: If the endpoint refuses every request, or the budget is spent.
        """
        async with reserve_spend(self._budget, self._who.model):
            return await self._asked(request, read, counted)

    async def _asked(
        self,
        request: SpeechRequest,
        read: Callable[[bytes], SpeechReply[T]],
        counted: Callable[[SpeechReply[T]], ReportedUsage],
    ) -> tuple[T, Usage]:
        try:
            given, attempts = await self._sender.send(
                request.url, request.headers, request.body, read, self._who
            )
        except RequestRejected as refusal:
            raise self._refused(refusal) from refusal
        except ParticipantError as error:
            if isinstance(error.usage, Usage):
                self._spend(error.usage)
            raise
        self._has_answered = True
        usage = usage_of(self._who.purpose, self._who.model, counted(given))
        usage = msgspec.structs.replace(usage, faults=attempts.faults, seconds=attempts.seconds)
        self._spend(usage)
        return given.value, usage

    def _spend(self, usage: Usage) -> None:
        if self._budget is not None:
            self._budget.record(usage)

    def _refused(self, refusal: RequestRejected) -> ParticipantError | RunHalted:
        line = f"{self._who.model}: {refusal}"
        if refusal.status in OF_ONE_REQUEST and self._has_answered:
            return ParticipantError(line)
        advice = ADVICE.get(refusal.status)
        return RunHalted(f"{line}: {advice}" if advice else line)


SYNTHESIS: Final[Direction] = "synthesis"
RECOGNITION: Final[Direction] = "recognition"


class SpeechEngineLabel(msgspec.Struct, frozen=True):
    """The name in tables, and the content key of everything that can change what comes back."""

    name: str
    identity: str


class ProviderSynthesizer:
    """A synthesizer at a provider.

    Its audio differs at each call; only a cache makes it repeatable.

    Args:
        label: Name and identity.
        endpoint: Address and parameters of the API.
        wire: The provider's protocol.
        calls: Sends the calls.
    """

    def __init__(
        self,
        label: SpeechEngineLabel,
        endpoint: SpeechEndpoint,
        wire: TtsProtocol,
        calls: SpeechCalls,
    ) -> None:
        self.name = label.name
        self.identity = label.identity
        self._endpoint = endpoint
        self._wire = wire
        self._calls = calls

    async def speak(self, text: str, language: str, seed: int) -> SynthesisResult:
        """Return the text as audio; an empty text needs no request.

        Raises:
            ParticipantError: If no audio could be obtained.
            UsageError: For a language that the voice does not speak.
            RunHalted: If the endpoint refuses every request, or the budget is spent.
        """
        if not text.strip():
            return SynthesisResult(Audio(b"", RATE_HZ))

        def counted(given: SpeechReply[Audio]) -> ReportedUsage:
            reported = given.counted.characters
            return msgspec.structs.replace(
                given.counted,
                seconds=given.value.seconds,
                characters=len(text) if reported is None else reported,
            )

        request = self._wire.request(self._endpoint, TextToSpeak(text, language, seed))
        audio, usage = await self._calls.ask(request, self._wire.read, counted)
        return SynthesisResult(audio, usage)


class ProviderRecognizer:
    """A recognizer at a provider.

    Args:
        label: Name and identity.
        endpoint: Address and parameters of the API.
        wire: The provider's protocol.
        calls: Sends the calls.
    """

    def __init__(
        self,
        label: SpeechEngineLabel,
        endpoint: SpeechEndpoint,
        wire: AsrProtocol,
        calls: SpeechCalls,
    ) -> None:
        self.name = label.name
        self.identity = label.identity
        self._endpoint = endpoint
        self._wire = wire
        self._calls = calls

    async def transcribe(self, audio: Audio, language: str) -> Transcript:
        """Return the recognized words; audio without samples has none and needs no request.

        Raises:
            ParticipantError: If no transcript could be obtained; a failure is never an empty
                transcript.
            RunHalted: If the endpoint refuses every request, or the budget is spent.
        """
        if not audio.pcm:
            return Transcript("")

        def counted(given: SpeechReply[str]) -> ReportedUsage:
            reported = given.counted.seconds
            seconds = audio.seconds if reported is None else reported
            return msgspec.structs.replace(given.counted, seconds=seconds)

        request = self._wire.request(self._endpoint, Recording(audio, language))
        text, usage = await self._calls.ask(request, self._wire.read, counted)
        return Transcript(text, usage)
