"""Piper synthesizer: `piper/PATH.onnx`, with PATH.onnx.json in the same folder."""

import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol, cast

import msgspec

from dragoman.core.audio import Audio
from dragoman.core.errors import ParticipantError, UsageError
from dragoman.core.protocols import SynthesisResult
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.models.http.transport import MalformedResponse
from dragoman.models.response_audio import decode_pcm
from dragoman.speech.local.engine import engine_identity, engine_module, synthesize_in_thread
from dragoman.speech.providers.protocol import primary_language
from dragoman.speech.specs import LocalSpec

PACKAGE = "piper-tts"


class _Chunk(Protocol):
    """A stretch of speech, as the package gives it."""

    sample_rate: int
    audio_int16_bytes: bytes


class _Voice(Protocol):
    """A loaded voice."""

    def synthesize(self, text: str, syn_config: object) -> Iterable[_Chunk]:
        """Return the text, sentence by sentence."""
        ...


class _Voices(Protocol):
    """Loader of voices."""

    def load(self, model_path: str) -> _Voice:
        """Return the voice of a model."""
        ...


class _Settings(Protocol):
    """Factory of synthesis settings."""

    def __call__(
        self,
        *,
        speaker_id: int | None,
        length_scale: float | None,
        noise_scale: float,
        noise_w_scale: float,
    ) -> object:
        """Return settings."""
        ...


class _Piper(Protocol):
    """The surface of the package that is used."""

    PiperVoice: _Voices
    SynthesisConfig: _Settings


class _Language(msgspec.Struct, frozen=True):
    code: str = ""
    family: str = ""


class _Speaking(msgspec.Struct, frozen=True):
    voice: str = ""


class _Config(msgspec.Struct):
    language: _Language = _Language()
    espeak: _Speaking = _Speaking()


class PiperSynthesizer:
    """A synthesizer in this process; its model is loaded when it first speaks.

    Args:
        spec: The model's path and settings.

    Raises:
        UsageError: If the package or a file is missing.
    """

    def __init__(self, spec: LocalSpec) -> None:
        config = spec.path.with_name(f"{spec.path.name}.json")
        self.name = spec.written
        self.identity = engine_identity(spec, PACKAGE, spec.path, config)
        self._spec = spec
        self._language = _language_of(config, spec.written)
        self._loaded: _Voice | None = None
        self._one_at_a_time = threading.Lock()

    async def speak(self, text: str, language: str, seed: int) -> SynthesisResult:  # noqa: ARG002
        """Return the text as audio.

        Raises:
            ParticipantError: If the engine fails or gives no audio.
            UsageError: For another language than the model's.
        """
        if primary_language(language) != self._language:
            raise UsageError(f"{self.name} speaks {self._language!r}, not {language!r}")
        model = f"{self._spec.engine}/{self._spec.path.stem}"
        return await synthesize_in_thread(self.name, model, text, self._spoken)

    def _spoken(self, text: str) -> Audio:
        piper = cast("_Piper", engine_module("piper", PACKAGE))
        settings = self._spec.settings
        how = piper.SynthesisConfig(
            speaker_id=cast("int | None", settings.get("speaker")),
            length_scale=cast("float | None", settings.get("length_scale")),
            noise_scale=0.0,
            noise_w_scale=0.0,
        )
        with self._one_at_a_time:
            if self._loaded is None:
                self._loaded = piper.PiperVoice.load(str(self._spec.path))
            chunks = list(self._loaded.synthesize(text, how))
        rates = {chunk.sample_rate for chunk in chunks}
        if len(rates) != 1:
            raise ParticipantError(f"{self.name}: no audio came of {len(text)} characters")
        try:
            return decode_pcm(b"".join(chunk.audio_int16_bytes for chunk in chunks), rates.pop())
        except MalformedResponse as error:
            raise ParticipantError(f"{self.name}: {error}") from error


def _language_of(config: Path, written: str) -> str:
    """Return the language of a voice, from the file next to its model."""
    try:
        given = msgspec.json.decode(config.read_bytes(), type=_Config)
    except DECODING_ERRORS as error:
        raise UsageError(f"{written}: {config}: {error}") from error
    code = given.language.family or given.language.code or given.espeak.voice
    if not code:
        raise UsageError(f"{written}: {config} names no language")
    return primary_language(code.replace("_", "-"))
