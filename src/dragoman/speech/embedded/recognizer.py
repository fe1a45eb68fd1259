"""Embedded recognizer: pocketsphinx in worker processes, optionally with a suite's words.

The language model is built at the first use.
"""

import asyncio
import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path

from dragoman.conditions.voice.pocketsphinx_data import installed_version
from dragoman.core.audio import Audio
from dragoman.core.content_keys import content_key
from dragoman.core.errors import UsageError
from dragoman.core.progress import long_step
from dragoman.core.protocols import Transcript
from dragoman.speech.embedded.language_model import (
    RECIPE,
    SHARE,
    LanguageModel,
    SuiteText,
    generic_language_model,
    mixed_language_model,
)
from dragoman.speech.embedded.pocketsphinx_decoder import (
    LANGUAGE_WEIGHTS,
    Acoustics,
    adapted_acoustics,
)
from dragoman.speech.embedded.training_sentences import record_sentences, text_sentences
from dragoman.speech.embedded.worker_messages import DecoderFiles, HearJob
from dragoman.speech.embedded.worker_pool import SpeechWorkerPool

LANGUAGE = "en"
MAX_CACHED = 20_000
"""Transcripts that are kept in memory; the oldest go first."""


class PocketsphinxRecognizer:
    """pocketsphinx with an English language model, on an acoustic model.

    The same audio is transcribed once: conversations that differ only in the agent or its
    instructions begin with the same words over the same channel.
    """

    def __init__(
        self, model: LanguageModel, acoustics: Acoustics, workers: SpeechWorkerPool
    ) -> None:
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
            UsageError: If the extra `voice` is not installed.
        """
        return content_key(
            "pocketsphinx",
            installed_version("pocketsphinx"),
            self._acoustics.sha256,
            self._model.key,
            LANGUAGE_WEIGHTS if self._acoustics.folder else {},
        )

    async def transcribe(self, audio: Audio, language: str) -> Transcript:
        """Return the recognized words as verbalized text, without digits and punctuation.

        The transcript is "" if no words were recognized.

        Raises:
            UsageError: For a language other than English.
            ParticipantError: If the engine fails.
        """
        if language != LANGUAGE:
            raise UsageError(
                f"the embedded recognizer hears English only, not {language}; simulate errors "
                "instead"
            )
        sound = hashlib.sha256(audio.rate_hz.to_bytes(4) + audio.pcm).digest()
        transcription = self._heard.get(sound)
        if transcription is None:
            transcription = asyncio.create_task(self._hear(audio))
            self._keep(sound, transcription)
        # Other tasks may wait for the same words: cancelling one of them cancels no other.
        return Transcript(await asyncio.shield(transcription))

    async def _hear(self, audio: Audio) -> str:
        files = DecoderFiles(
            self._model.language_model, self._model.dictionary, self._acoustics.folder
        )
        return await self._workers.do(HearJob(audio, files), str)

    def _keep(self, sound: bytes, transcription: asyncio.Task[str]) -> None:
        """Cache a transcription unless it fails.

        The oldest one is dropped if there are too many.
        """

        def forget_broken(done: asyncio.Task[str]) -> None:
            if done.cancelled() or done.exception() is not None:
                self._heard.pop(sound, None)

        self._heard[sound] = transcription
        transcription.add_done_callback(forget_broken)
        if len(self._heard) > MAX_CACHED:
            del self._heard[next(iter(self._heard))]


Texts = Callable[[], Mapping[str, object]]
"""Returns a suite's texts and decoded records by source, never what its users say."""


class SuiteRecognizer:
    """pocketsphinx with a language model of English, and of tool schemas, policy and database."""

    def __init__(
        self, suite: str, texts: Texts | None, folder: Path, workers: SpeechWorkerPool
    ) -> None:
        """Prepare the recognizer; nothing is read or built yet.

        Args:
            suite: The suite's name with the digest of its data; any name without texts.
            texts: Texts that the model is mixed from; None for general English.
            folder: Folder of language models.
            workers: Worker pool of the engine.
        """
        self._suite = suite
        self._texts = texts
        self._folder = folder
        self._workers = workers
        self._being_made = asyncio.Lock()
        self._made: PocketsphinxRecognizer | None = None
        self._is_being_built = False

    @property
    def is_being_built(self) -> bool:
        """Whether its language model is being made now."""
        return self._is_being_built

    @property
    def name(self) -> str:
        """Engine, acoustic model and language model, as tables name them."""
        return self._nominal().name

    @property
    def identity(self) -> str:
        """The content key of engine and models.

        The suite's data represent the sentences in the models.
        """
        return self._nominal().identity

    async def transcribe(self, audio: Audio, language: str) -> Transcript:
        """Return the recognized words.

        Raises:
            UsageError: For a language other than English.
            ParticipantError: If the engine fails or the model cannot be built.
        """
        return await (await self._recognizer()).transcribe(audio, language)

    async def _recognizer(self) -> PocketsphinxRecognizer:
        async with self._being_made:
            if self._made is None:
                self._is_being_built = True
                try:
                    with long_step("building the embedded recognizer, once"):
                        model = await self._model()
                        acoustics = adapted_acoustics()
                finally:
                    self._is_being_built = False
                self._made = PocketsphinxRecognizer(model, acoustics, self._workers)
        return self._made

    async def _model(self) -> LanguageModel:
        if self._texts is None:
            return await generic_language_model(self._folder, self._workers)
        texts = await asyncio.to_thread(_sentences, self._texts)
        return await mixed_language_model(texts, self._folder, self._workers)

    def _nominal(self) -> PocketsphinxRecognizer:
        name = "generic" if self._texts is None else "mixed"
        model = LanguageModel(name, "", "", content_key(name, RECIPE, SHARE, self._suite))
        return PocketsphinxRecognizer(model, adapted_acoustics(), self._workers)


def _sentences(texts: Texts) -> tuple[SuiteText, ...]:
    return tuple(
        text_sentences(source, value) if isinstance(value, str) else record_sentences(source, value)
        for source, value in texts().items()
    )
