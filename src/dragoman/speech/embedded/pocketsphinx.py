"""The embedded recognizer: pocketsphinx in worker processes, with a decoder of its own per utterance."""

import asyncio
import hashlib

from dragoman.conditions.voice.pocketsphinx_data import installed_version
from dragoman.core.errors import UsageError
from dragoman.core.keys import content_key
from dragoman.core.protocols import Transcript
from dragoman.core.voice.audio import Audio
from dragoman.speech.embedded.acoustics import Acoustics
from dragoman.speech.embedded.decoder import LANGUAGE_WEIGHTS
from dragoman.speech.embedded.jobs import DecoderFiles, HearJob
from dragoman.speech.embedded.language_models.models import LanguageModel
from dragoman.speech.embedded.workers import SpeechWorkers

LANGUAGE = "en"
MOST_REMEMBERED = 20_000
"""Transcripts that are kept in memory; the oldest go first."""


class PocketsphinxRecognizer:
    """pocketsphinx with an English language model, on an acoustic model.

    The same audio is heard once: conversations that differ in what the agent is told, or in their
    agent, begin with the same words over the same line.
    """

    def __init__(self, model: LanguageModel, acoustics: Acoustics, workers: SpeechWorkers) -> None:
        self._model = model
        self._acoustics = acoustics
        self._workers = workers
        self._heard: dict[bytes, asyncio.Task[str]] = {}

    @property
    def name(self) -> str:
        """Engine, acoustic model and language model, as tables name them."""
        return f"pocketsphinx:{self._acoustics.name}:{self._model.name}"

    @property
    def identity(self) -> str:
        """The content key of the engine's version, of both models and of their weights.

        Raises:
            UsageError: Where the extra `voice` is not installed.
        """
        return content_key(
            "pocketsphinx",
            installed_version("pocketsphinx"),
            self._acoustics.sha256,
            self._model.key,
            LANGUAGE_WEIGHTS if self._acoustics.folder else {},
        )

    async def transcribe(self, audio: Audio, language: str) -> Transcript:
        """Return the words heard, "" for none, in spoken form: no digits and no punctuation.

        Raises:
            UsageError: For a language other than English.
            ParticipantError: Where the engine broke.
        """
        if language != LANGUAGE:
            raise UsageError(
                f"the embedded recognizer hears English only, not {language}; simulate errors instead"
            )
        sound = hashlib.sha256(audio.rate_hz.to_bytes(4) + audio.pcm).digest()
        hearing = self._heard.get(sound)
        if hearing is None:
            hearing = asyncio.create_task(self._hear(audio))
            self._keep(sound, hearing)
        # Others may wait for the same words: who stops waiting stops nobody else.
        return Transcript(await asyncio.shield(hearing))

    async def _hear(self, audio: Audio) -> str:
        files = DecoderFiles(
            self._model.language_model, self._model.dictionary, self._acoustics.folder
        )
        return await self._workers.do(HearJob(audio, files), str)

    def _keep(self, sound: bytes, hearing: asyncio.Task[str]) -> None:
        """Remember what is heard, unless it breaks; the oldest is forgotten where there is too much."""

        def forget_broken(done: asyncio.Task[str]) -> None:
            if done.cancelled() or done.exception() is not None:
                self._heard.pop(sound, None)

        self._heard[sound] = hearing
        hearing.add_done_callback(forget_broken)
        if len(self._heard) > MOST_REMEMBERED:
            del self._heard[next(iter(self._heard))]
