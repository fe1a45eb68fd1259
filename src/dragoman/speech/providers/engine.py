"""Voices and ears at providers: a wire, an endpoint, and calls through its gate."""

from typing import Final

import msgspec

from dragoman.core.protocols import Spoken, Transcript
from dragoman.core.voice.audio import Audio
from dragoman.speech.facts import Direction
from dragoman.speech.providers.calls import SpeechCalls
from dragoman.speech.providers.wire import (
    RATE_HZ,
    EarWire,
    Given,
    Recording,
    ReportedUsage,
    SpeechEndpoint,
    TextToSpeak,
    VoiceWire,
)

SYNTHESIS: Final[Direction] = "synthesis"
RECOGNITION: Final[Direction] = "recognition"


class Label(msgspec.Struct, frozen=True):
    """The name in tables, and the content key of everything that can change what comes back."""

    name: str
    identity: str


class ProviderVoice:
    """A synthesizer at a provider. Its audio is not the same twice: memory makes it so.

    Args:
        label: Name and identity.
        endpoint: Where it is reached, and how it is asked.
        wire: The provider's protocol.
        calls: Sends the calls.
    """

    def __init__(
        self, label: Label, endpoint: SpeechEndpoint, wire: VoiceWire, calls: SpeechCalls
    ) -> None:
        self.name = label.name
        self.identity = label.identity
        self._endpoint = endpoint
        self._wire = wire
        self._calls = calls

    async def speak(self, text: str, language: str, seed: int) -> Spoken:
        """Return the text as audio; nobody is asked to say nothing.

        Raises:
            ParticipantError: Where no audio could be had.
            UsageError: For a language that the voice does not speak.
            RunHalted: Where the endpoint refuses whatever it is asked, or the budget is spent.
        """
        if not text.strip():
            return Spoken(Audio(b"", RATE_HZ))

        def counted(given: Given[Audio]) -> ReportedUsage:
            told = given.counted.characters
            return msgspec.structs.replace(
                given.counted,
                seconds=given.value.seconds,
                characters=len(text) if told is None else told,
            )

        request = self._wire.request(self._endpoint, TextToSpeak(text, language, seed))
        audio, usage = await self._calls.ask(request, self._wire.read, counted)
        return Spoken(audio, usage)


class ProviderEar:
    """A recognizer at a provider.

    Args:
        label: Name and identity.
        endpoint: Where it is reached, and how it is asked.
        wire: The provider's protocol.
        calls: Sends the calls.
    """

    def __init__(
        self, label: Label, endpoint: SpeechEndpoint, wire: EarWire, calls: SpeechCalls
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

        def counted(given: Given[str]) -> ReportedUsage:
            told = given.counted.seconds
            seconds = audio.seconds if told is None else told
            return msgspec.structs.replace(given.counted, seconds=seconds)

        request = self._wire.request(self._endpoint, Recording(audio, language))
        text, usage = await self._calls.ask(request, self._wire.read, counted)
        return Transcript(text, usage)
