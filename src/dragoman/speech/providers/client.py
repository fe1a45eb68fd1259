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
"""What to do where an endpoint refuses whatever it is asked."""


class SpeechCalls:
    """Calls of one model for one purpose.

    Args:
        call_context: For whom: the purpose, and the model as in prices.
        sender: Sends the calls.
        budget: What the run may spend; None for no limit.
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
        """Return what came back and what it consumed.

        Args:
            request: What is sent.
            read: Reads the reply.
            counted: Completes what the provider counted by what we know ourselves.

        Raises:
            ParticipantError: Where no readable reply could be had.
            RunHalted: Where the endpoint refuses whatever it is asked, or the budget is spent.
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
    """A synthesizer at a provider. Its audio is not the same twice: memory makes it so.

    Args:
        label: Name and identity.
        endpoint: Where it is reached, and how it is asked.
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
        """Return the text as audio; nobody is asked to say nothing.

        Raises:
            ParticipantError: Where no audio could be had.
            UsageError: For a language that the voice does not speak.
            RunHalted: Where the endpoint refuses whatever it is asked, or the budget is spent.
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
        endpoint: Where it is reached, and how it is asked.
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
        """Return the words heard; audio without samples holds none, and nobody is asked.

        Raises:
            ParticipantError: Where no transcript could be had: never an empty one.
            RunHalted: Where the endpoint refuses whatever it is asked, or the budget is spent.
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
