"""Whisper recognizer through faster-whisper: `whisper/FOLDER`, or `whisper/base` by name."""

import io
import os
import threading
import time
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from dragoman.core.audio import Audio, write_wav
from dragoman.core.content_keys import content_key
from dragoman.core.errors import UsageError
from dragoman.core.protocols import Transcript
from dragoman.core.usage import Usage
from dragoman.speech.local.engine import (
    engine_identity,
    engine_module,
    package_version,
    run_in_engine_thread,
)
from dragoman.speech.local.hub_models import HubPlace, fetch_model, find_hub_model
from dragoman.speech.providers.client import RECOGNITION
from dragoman.speech.providers.protocol import primary_language
from dragoman.speech.specs import LocalSpec

PACKAGE = "faster-whisper"
INSTALL = '"dragoman[whisper]"'
RUNTIME = "ctranslate2"
"""Package that runs the model; its version can change transcripts."""

BEAM = 5
MOST_THREADS = 4
"""Number of threads beyond which a model does not transcribe short audio faster."""

NEEDED = ("config.json", "model.bin", "tokenizer.json")
"""Files without which a folder cannot be loaded; without the last one the network would be used."""

DEVICES = ("auto", "cpu", "cuda")
COMPUTE_TYPES = (
    *("auto", "default", "bfloat16", "float16", "float32"),
    *("int16", "int8", "int8_bfloat16", "int8_float16", "int8_float32"),
)
WHISPER_CODES: Mapping[str, str] = {
    "cmn": "zh",
    "fil": "tl",
    "iw": "he",
    "in": "id",
    "jv": "jw",
    "nb": "no",
}
"""Codes of languages that are written differently in Whisper's vocabulary."""


class _Segment(Protocol):
    """A segment of the transcript."""

    text: str


class _Model(Protocol):
    """A loaded model."""

    supported_languages: Collection[str]

    def transcribe(
        self,
        audio: BinaryIO,
        *,
        language: str,
        beam_size: int,
        temperature: float,
        vad_filter: bool,
    ) -> tuple[Iterable[_Segment], object]:
        """Return the segments of the transcript, and facts about it."""
        ...


class _Models(Protocol):
    """Loader of a model."""

    def __call__(
        self,
        path: str,
        *,
        device: str,
        compute_type: str,
        cpu_threads: int,
        local_files_only: bool,
    ) -> _Model:
        """Return the model."""
        ...


class _Package(Protocol):
    """The surface of the package that is used."""

    WhisperModel: _Models


class _Runtime(Protocol):
    """The surface of the package that computes."""

    def get_cuda_device_count(self) -> int:
        """Return how many GPUs can be used."""
        ...


def model_folder(spec: LocalSpec, place: HubPlace) -> Path:
    """Return the folder of a model; a named model that is missing is downloaded.

    A name is a word without a slash that is not the name of a folder.

    Args:
        spec: The model as the user named it.
        place: Source and local folder of models.

    Raises:
        UsageError: If the package is missing, the model does not exist, or it cannot be downloaded.
    """
    package_version(PACKAGE, spec.written, INSTALL)
    name = spec.written.partition("?")[0].partition("/")[2]
    if "/" in name or os.sep in name or spec.path.is_dir():
        return spec.path
    return fetch_model(find_hub_model(name, spec.written), place, spec.written)


class WhisperRecognizer:
    """A recognizer in this process; its model is loaded when it first listens.

    The temperature is 0, without the fallback to higher ones, because these sample. Parts without
    speech are removed before recognition, because Whisper recognizes words in silence.

    Args:
        spec: The folder of the model, and settings.

    Raises:
        UsageError: If the package, the folder or a file of it is missing, or a setting does not
            exist.
    """

    def __init__(self, spec: LocalSpec) -> None:
        _require_settings(spec)
        self.name = spec.written
        versions = [package_version(each, spec.written, INSTALL) for each in (PACKAGE, RUNTIME)]
        _require_files(spec)
        self.identity = content_key(
            "whisper-2", versions, engine_identity(spec, PACKAGE, spec.path)
        )
        self._spec = spec
        self._loaded: _Model | None = None
        self._one_at_a_time = threading.Lock()

    async def transcribe(self, audio: Audio, language: str) -> Transcript:
        """Return the recognized words.

        Raises:
            ParticipantError: If the engine fails.
            UsageError: For a language that the model does not know.
        """
        if not audio.pcm:
            return Transcript("")
        began = time.monotonic()
        text = await run_in_engine_thread(self.name, lambda: self._heard(audio, language))
        usage = Usage(
            RECOGNITION,
            f"{self._spec.engine}/{self._spec.path.name}",
            seconds=time.monotonic() - began,
            audio_seconds=audio.seconds,
        )
        return Transcript(text, usage)

    def _heard(self, audio: Audio, language: str) -> str:
        code = whisper_code(language)
        with self._one_at_a_time:
            if self._loaded is None:
                self._loaded = self._load()
            if code not in self._loaded.supported_languages:
                raise UsageError(f"{self.name} does not know {language!r}: {self._known()}")
            segments, _ = self._loaded.transcribe(
                io.BytesIO(write_wav(audio)),
                language=code,
                beam_size=self._number("beam_size", BEAM),
                temperature=0.0,
                vad_filter=self._spec.settings.get("vad_filter", True) is True,
            )
            # Listening happens while the segments are taken.
            return "".join(segment.text for segment in segments).strip()

    def _load(self) -> _Model:
        package = cast("_Package", engine_module("faster_whisper", PACKAGE))
        device = self._spec.text("device") or "auto"
        return package.WhisperModel(
            str(self._spec.path),
            device=device,
            compute_type=self._spec.text("compute_type") or _usual_type(device),
            cpu_threads=self._number("cpu_threads", 0) or min(MOST_THREADS, _usable_cores()),
            local_files_only=True,
        )

    def _known(self) -> str:
        known = sorted(self._loaded.supported_languages if self._loaded else ())
        return "it hears English only" if known == ["en"] else f"it knows {', '.join(known)}"

    def _number(self, name: str, usual: int) -> int:
        return cast("int", self._spec.settings.get(name, usual))


def whisper_code(language: str) -> str:
    """Return a language's code in Whisper's vocabulary, without its region."""
    code = primary_language(language)
    return WHISPER_CODES.get(code, code)


def _usual_type(device: str) -> str:
    """Return the type to compute with.

    It is the stored type on a GPU, and float32 elsewhere, where the stored type is not
    supported.
    """
    runtime = cast("_Runtime", engine_module(RUNTIME, RUNTIME))
    has_gpu = device == "cuda" or (device == "auto" and runtime.get_cuda_device_count() > 0)
    return "default" if has_gpu else "float32"


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _require_settings(spec: LocalSpec) -> None:
    for name, choices in (("device", DEVICES), ("compute_type", COMPUTE_TYPES)):
        value = spec.text(name)
        if value and value not in choices:
            raise UsageError(
                f"{spec.written}: {name} is one of {', '.join(choices)}, not {value!r}"
            )
    for name in ("beam_size", "cpu_threads"):
        number = spec.settings.get(name, 1)
        if not isinstance(number, int) or number < 1:
            raise UsageError(f"{spec.written}: {name} is at least 1")


def _require_files(spec: LocalSpec) -> None:
    missing = [name for name in NEEDED if not (spec.path / name).is_file()]
    if spec.path.is_dir() and missing:
        raise UsageError(
            f"{spec.written}: {spec.path} has no {missing[0]}: give the folder of a model that was "
            "converted for CTranslate2"
        )
