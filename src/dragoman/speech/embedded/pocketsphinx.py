"""The embedded recognizer: pocketsphinx in worker processes, with a decoder of its own per utterance."""

from dragoman.conditions.voice.words.extra import installed_version
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


class PocketsphinxRecognizer:
    """pocketsphinx with an English language model, on an acoustic model."""

    def __init__(self, model: LanguageModel, acoustics: Acoustics, workers: SpeechWorkers) -> None:
        self._model = model
        self._acoustics = acoustics
        self._workers = workers

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
        files = DecoderFiles(
            self._model.language_model, self._model.dictionary, self._acoustics.folder
        )
        return Transcript(await self._workers.do(HearJob(audio, files), str))
