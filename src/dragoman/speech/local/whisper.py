"""Whisper models by the path of their folder, through faster-whisper: `whisper/FOLDER`."""

import io
import threading
import time
from collections.abc import Iterable
from typing import BinaryIO, Protocol, cast

from dragoman.core.protocols import Transcript
from dragoman.core.usage import Usage
from dragoman.core.voice.audio import Audio, wav_of
from dragoman.speech.local.local_engine import engine_identity, engine_module, in_engine
from dragoman.speech.providers.engine import RECOGNITION
from dragoman.speech.providers.wire import primary
from dragoman.speech.spec import LocalSpec

PACKAGE = "faster-whisper"
BEAM = 5


class _Segment(Protocol):
    """A stretch of what was heard."""

    text: str


class _Model(Protocol):
    """A loaded model."""

    def transcribe(
        self, audio: BinaryIO, *, language: str, beam_size: int, temperature: float
    ) -> tuple[Iterable[_Segment], object]:
        """Return what was heard, and facts about it."""
        ...


class _Models(Protocol):
    """What loads a model."""

    def __call__(
        self, path: str, *, device: str, compute_type: str, local_files_only: bool
    ) -> _Model:
        """Return the model."""
        ...


class _Package(Protocol):
    """The surface of the package that is used."""

    WhisperModel: _Models


class WhisperEar:
    """A recognizer in this process; its model is loaded when it first listens.

    Its temperature is 0, without the fallback to others: these sample.

    Args:
        spec: The folder of the model, and settings.

    Raises:
        UsageError: Where the package or the folder is missing.
    """

    def __init__(self, spec: LocalSpec) -> None:
        self.name = spec.written
        self.identity = engine_identity(spec, PACKAGE, spec.path)
        self._spec = spec
        self._loaded: _Model | None = None
        self._one_at_a_time = threading.Lock()

    async def transcribe(self, audio: Audio, language: str) -> Transcript:
        """Return the words heard.

        Raises:
            ParticipantError: Where the engine broke.
        """
        if not audio.pcm:
            return Transcript("")
        began = time.monotonic()
        text = await in_engine(self.name, lambda: self._heard(audio, primary(language)))
        usage = Usage(
            RECOGNITION,
            f"{self._spec.engine}/{self._spec.path.name}",
            seconds=time.monotonic() - began,
            audio_seconds=audio.seconds,
        )
        return Transcript(text, usage)

    def _heard(self, audio: Audio, language: str) -> str:
        package = cast("_Package", engine_module("faster_whisper", PACKAGE))
        with self._one_at_a_time:
            if self._loaded is None:
                self._loaded = package.WhisperModel(
                    str(self._spec.path),
                    device=self._spec.text("device") or "auto",
                    compute_type=self._spec.text("compute_type") or "default",
                    local_files_only=True,
                )
            segments, _ = self._loaded.transcribe(
                io.BytesIO(wav_of(audio)),
                language=language,
                beam_size=cast("int", self._spec.settings.get("beam_size", BEAM)),
                temperature=0.0,
            )
            # Listening happens while the segments are taken.
            return "".join(segment.text for segment in segments).strip()
