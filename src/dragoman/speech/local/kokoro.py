"""Kokoro synthesizer: `kokoro/MODEL.onnx?voices=VOICES.bin&voice=af_sarah`."""

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from dragoman.core.audio import Audio
from dragoman.core.errors import ParticipantError, UsageError
from dragoman.core.protocols import SynthesisResult
from dragoman.models.http.transport import MalformedResponse
from dragoman.models.response_audio import decode_pcm
from dragoman.speech.local.engine import engine_identity, engine_module, synthesize_in_thread
from dragoman.speech.providers.protocol import primary_language
from dragoman.speech.specs import LocalSpec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


PACKAGE = "kokoro-onnx"

LANGUAGES = {
    "a": "en-us",
    "b": "en-gb",
    "e": "es",
    "f": "fr-fr",
    "h": "hi",
    "i": "it",
    "j": "ja",
    "p": "pt-br",
    "z": "cmn",
}
"""Language codes of the engine, by the first letter of a voice's name."""

_MANDARIN = {"cmn": "zh"}
_LOUDEST = 32_767


class _Model(Protocol):
    """A loaded model."""

    def create(
        self, text: str, *, voice: str, speed: float, lang: str
    ) -> "tuple[NDArray[np.float32], int]":
        """Return samples from -1 to 1, and their rate."""
        ...


class _Models(Protocol):
    """Loader of a model with its voices."""

    def __call__(self, model_path: str, voices_path: str) -> _Model:
        """Return the model."""
        ...


class _Package(Protocol):
    """The surface of the package that is used."""

    Kokoro: _Models


class KokoroSynthesizer:
    """A synthesizer in this process; its model is loaded when it first speaks.

    Args:
        spec: The model's path and settings; `voice` and `voices` are needed.

    Raises:
        UsageError: If the package, a file or a setting is missing.
    """

    def __init__(self, spec: LocalSpec) -> None:
        self._voice = spec.require("voice", "af_sarah")
        self._voices = Path(spec.require("voices", "VOICES.bin"))
        if self._voice[:1] not in LANGUAGES:
            raise UsageError(f"{spec.written}: the voice {self._voice!r} names no known language")
        self._language = LANGUAGES[self._voice[:1]]
        self.name = spec.written
        self.identity = engine_identity(spec, PACKAGE, spec.path, self._voices)
        self._spec = spec
        self._loaded: _Model | None = None
        self._one_at_a_time = threading.Lock()

    async def speak(self, text: str, language: str, seed: int) -> SynthesisResult:  # noqa: ARG002
        """Return the text as audio.

        Raises:
            ParticipantError: If the engine fails or gives no audio.
            UsageError: For another language than the voice's.
        """
        spoken = primary_language(self._language)
        spoken = _MANDARIN.get(spoken, spoken)
        if primary_language(language) != spoken:
            raise UsageError(f"{self.name} speaks {spoken!r}, not {language!r}")
        model = f"{self._spec.engine}/{self._voice}"
        return await synthesize_in_thread(self.name, model, text, self._spoken)

    def _spoken(self, text: str) -> Audio:
        import numpy as np

        package = cast("_Package", engine_module("kokoro_onnx", PACKAGE))
        speed = cast("float", self._spec.settings.get("speed", 1.0))
        with self._one_at_a_time:
            if self._loaded is None:
                self._loaded = package.Kokoro(str(self._spec.path), str(self._voices))
            samples, rate_hz = self._loaded.create(
                text, voice=self._voice, speed=speed, lang=self._language
            )
        if not np.isfinite(samples).all():
            raise ParticipantError(f"{self.name}: samples that are not numbers")
        pcm = (np.clip(samples, -1.0, 1.0) * _LOUDEST).round().astype("<i2").tobytes()
        try:
            return decode_pcm(pcm, rate_hz)
        except MalformedResponse as error:
            raise ParticipantError(f"{self.name}: {error}") from error
