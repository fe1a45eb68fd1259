"""Vosk recognizer by the path of its model folder: `vosk/FOLDER?language=en`."""

import threading
import time
from typing import Protocol, cast

import msgspec

from dragoman.core.audio import Audio
from dragoman.core.errors import UsageError
from dragoman.core.protocols import Transcript
from dragoman.core.usage import Usage
from dragoman.speech.local.engine import engine_identity, engine_module, run_in_engine_thread
from dragoman.speech.providers.client import RECOGNITION
from dragoman.speech.providers.protocol import primary_language
from dragoman.speech.specs import LocalSpec

PACKAGE = "vosk"
_AT_ONCE = 8_000
"""Bytes that are handed over at a time."""


class _Recognizer(Protocol):
    """Listens to one recording; results are JSON."""

    def AcceptWaveform(self, data: bytes) -> int:  # noqa: N802 - the package's name
        """Take samples; tell whether an utterance has ended."""
        ...

    def Result(self) -> str:  # noqa: N802 - the package's name
        """Return the utterance that has ended."""
        ...

    def FinalResult(self) -> str:  # noqa: N802 - the package's name
        """Return what is left at the end."""
        ...


class _Models(Protocol):
    """Loader of a model."""

    def __call__(self, model_path: str) -> object:
        """Return the model."""
        ...


class _Recognizers(Protocol):
    """Factory of recognizers for a model."""

    def __call__(self, model: object, rate_hz: float) -> _Recognizer:
        """Return it."""
        ...


class _Package(Protocol):
    """The surface of the package that is used."""

    Model: _Models
    KaldiRecognizer: _Recognizers

    def SetLogLevel(self, level: int) -> None:  # noqa: N802 - the package's name
        """Set how much it prints."""
        ...


class _Result(msgspec.Struct):
    text: str


class VoskRecognizer:
    """A recognizer in this process, of one language; its model is loaded when it first listens.

    Args:
        spec: The folder of the model; the setting `language` is needed, because no file states it.

    Raises:
        UsageError: If the package, the folder or the language is missing.
    """

    def __init__(self, spec: LocalSpec) -> None:
        self._language = primary_language(spec.require("language", "en"))
        self.name = spec.written
        self.identity = engine_identity(spec, PACKAGE, spec.path)
        self._spec = spec
        self._loaded: object | None = None
        self._one_at_a_time = threading.Lock()

    async def transcribe(self, audio: Audio, language: str) -> Transcript:
        """Return the recognized words.

        Raises:
            ParticipantError: If the engine fails.
            UsageError: For another language than the model's.
        """
        if primary_language(language) != self._language:
            raise UsageError(f"{self.name} knows {self._language!r}, not {language!r}")
        if not audio.pcm:
            return Transcript("")
        began = time.monotonic()
        text = await run_in_engine_thread(self.name, lambda: self._heard(audio))
        usage = Usage(
            RECOGNITION,
            f"{self._spec.engine}/{self._spec.path.name}",
            seconds=time.monotonic() - began,
            audio_seconds=audio.seconds,
        )
        return Transcript(text, usage)

    def _heard(self, audio: Audio) -> str:
        package = cast("_Package", engine_module("vosk", PACKAGE))
        package.SetLogLevel(-1)
        with self._one_at_a_time:
            if self._loaded is None:
                self._loaded = package.Model(str(self._spec.path))
            recognizer = package.KaldiRecognizer(self._loaded, float(audio.rate_hz))
        heard = [
            recognizer.Result()
            for start in range(0, len(audio.pcm), _AT_ONCE)
            if recognizer.AcceptWaveform(audio.pcm[start : start + _AT_ONCE])
        ]
        results = [
            msgspec.json.decode(text, type=_Result) for text in (*heard, recognizer.FinalResult())
        ]
        return " ".join(result.text for result in results if result.text)
