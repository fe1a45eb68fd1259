"""Speech synthesis and recognition by the embedded engines, for the speech server.

Its audio is real: it can pass a telephone channel. Its transcripts are recognized from the received
audio, and are written in the style of the requested provider.
"""

from collections.abc import Sequence

from dragoman.core.audio import Audio
from dragoman.core.conditions import MIXED
from dragoman.core.content_keys import derive_seed
from dragoman.core.errors import UsageError
from dragoman.core.protocols import Suite, Synthesizer
from dragoman.models.realtime_protocol import resample_for_realtime
from dragoman.registry.model_clients import ModelClients
from dragoman.registry.speech_engines import EMBEDDED, GENERIC, SpeechEngines
from dragoman.speech.embedded.recognizer import LANGUAGE
from dragoman.testing.speech.requests import Listen, ProviderRefused, SpeakRequest
from dragoman.testing.speech.transcript_styles import style_of, written_transcript

SHARERS = 2
"""Number of processes on one machine that use engines: the server, and its client."""


class EmbeddedSpeaker:
    """The embedded voices and the embedded recognizer, for English and for one server.

    Args:
        suites: Suites whose words the recognizer expects; without any, general English.
    """

    def __init__(self, suites: Sequence[Suite] = ()) -> None:
        """Prepare the engines.

        Raises:
            UsageError: If the extra `voice` is not installed.
        """
        self._connections = ModelClients()
        self._engines = SpeechEngines(suites, self._connections, SHARERS)
        self._voices = self._engines.speakers((EMBEDDED,), LANGUAGE)
        found = self._engines.listener(MIXED if suites else GENERIC, LANGUAGE)
        if found is None or isinstance(found, str):
            raise UsageError("the embedded recognizer cannot be opened")
        self._recognizer = found
        self.identity = found.identity

    async def speak(self, asked: SpeakRequest) -> Audio:
        """Return a text as speech at 24 kHz.

        Raises:
            ProviderRefused: For a language other than English.
        """
        _require_english(asked.language)
        spoken = await self._voice(asked.voice).speak(asked.text, LANGUAGE, asked.seed or 0)
        return resample_for_realtime(spoken.audio)

    async def listen(self, asked: Listen) -> str:
        """Return the transcript of the recognizer in the provider's style.

        Raises:
            ProviderRefused: For a language other than English.
        """
        _require_english(asked.language)
        words = (await self._recognizer.transcribe(asked.audio, LANGUAGE)).text
        return written_transcript(words, style_of(asked.protocol, asked.settings))

    async def close(self) -> None:
        """End the engines' processes."""
        await self._engines.close()
        await self._connections.close()

    def _voice(self, name: str) -> Synthesizer:
        """Return the embedded voice of that name.

        A provider's own name always gives the same voice.
        """
        if name in self._voices:
            return self._voices[name]
        voices = tuple(self._voices.values())
        return voices[derive_seed(name, "voice") % len(voices)]


def _require_english(language: str) -> None:
    if language and language.partition("-")[0].lower() not in {LANGUAGE, "english"}:
        raise ProviderRefused(f"only English is spoken here, not {language}", "language")
