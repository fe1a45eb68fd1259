"""The embedded recognizer with a language model that is made at the first use, of a suite or in general."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

from dragoman.core.keys import content_key
from dragoman.core.protocols import Transcript
from dragoman.core.voice.audio import Audio
from dragoman.core.waiting.under_way import long_step
from dragoman.speech.embedded.acoustics import adapted_acoustics
from dragoman.speech.embedded.language_models.models import (
    RECIPE,
    SHARE,
    LanguageModel,
    SuiteText,
    generic_language_model,
    mixed_language_model,
)
from dragoman.speech.embedded.language_models.texts import record_sentences, text_sentences
from dragoman.speech.embedded.pocketsphinx import PocketsphinxRecognizer
from dragoman.speech.embedded.workers import SpeechWorkers

Texts = Callable[[], Mapping[str, object]]
"""Returns a suite's texts and decoded records by source, never what its users say."""


class SuiteRecognizer:
    """pocketsphinx with a language model of English, and of tool schemas, policy and database."""

    def __init__(
        self, suite: str, texts: Texts | None, folder: Path, workers: SpeechWorkers
    ) -> None:
        """Prepare; nothing is read or made yet.

        Args:
            suite: The suite's name with the digest of its data, or any where there are no texts.
            texts: What the model is mixed from; None for English in general.
            folder: Where language models are kept.
            workers: Who does the work.
        """
        self._suite = suite
        self._texts = texts
        self._folder = folder
        self._workers = workers
        self._making = asyncio.Lock()
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
        """The content key of engine and models; the suite's data stand for the sentences in them."""
        return self._nominal().identity

    async def transcribe(self, audio: Audio, language: str) -> Transcript:
        """Return the words heard.

        Raises:
            UsageError: For a language other than English.
            ParticipantError: Where the engine broke or the model cannot be made.
        """
        return await (await self._recognizer()).transcribe(audio, language)

    async def _recognizer(self) -> PocketsphinxRecognizer:
        async with self._making:
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
