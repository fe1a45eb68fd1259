"""Shared parts of local speech engines: package, files, thread and error messages."""

import asyncio
import hashlib
import importlib
import time
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from dragoman.core.audio import Audio
from dragoman.core.content_keys import content_key
from dragoman.core.errors import DragomanError, ParticipantError, UsageError
from dragoman.core.protocols import SynthesisResult
from dragoman.core.usage import Usage
from dragoman.speech.providers.client import SYNTHESIS
from dragoman.speech.providers.protocol import RATE_HZ
from dragoman.speech.specs import LocalSpec

T = TypeVar("T")

MOST_SHOWN = 300
_READ_AT_ONCE = 1024 * 1024


def package_version(package: str, written: str, install: str = "") -> str:
    """Return the version of an engine's package.

    Args:
        package: Name of the package in the index.
        written: Name of the engine as the user wrote it.
        install: Package to install; the package itself if not given.

    Raises:
        UsageError: If it is not installed; the message says how to install it.
    """
    try:
        return version(package)
    except PackageNotFoundError as error:
        raise UsageError(f"{written} needs {package}: pip install {install or package}") from error


def engine_module(module: str, package: str) -> ModuleType:
    """Return an engine's module, imported.

    Raises:
        UsageError: If it cannot be imported.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise UsageError(f"{package} cannot be imported ({error})") from error


def engine_identity(spec: LocalSpec, package: str, *paths: Path) -> str:
    """Return the content key of an engine: its package's version, its settings, all its files.

    Raises:
        UsageError: If the package is not installed, or a file cannot be read.
    """
    installed = package_version(package, spec.written)
    digests = [file_digest(path, spec.written) for path in paths]
    return content_key("local-1", spec.engine, installed, spec.settings, digests)


def file_digest(path: Path, written: str) -> str:
    """Return the hash of a file, or of all files of a folder with their names.

    Raises:
        UsageError: If the path does not exist, or a file cannot be read.
    """
    digest = hashlib.blake2b(digest_size=16)
    try:
        for file in _files(path):
            digest.update(f"{file.relative_to(path)}\0{file.stat().st_size}\0".encode())
            with file.open("rb") as content:
                while part := content.read(_READ_AT_ONCE):
                    digest.update(part)
    except OSError as error:
        raise UsageError(f"{written}: {path}: {error.strerror}") from error
    return digest.hexdigest()


async def run_in_engine_thread(name: str, work: Callable[[], T]) -> T:
    """Run an engine's work in a thread; every exception is a failure of the engine.

    Raises:
        ParticipantError: If the engine fails.
        UsageError: If it cannot be imported.
    """
    try:
        return await asyncio.to_thread(work)
    except DragomanError:
        raise
    except Exception as error:
        detail = " ".join(f"{type(error).__name__}: {error}".split())[:MOST_SHOWN]
        raise ParticipantError(f"{name}: {detail}") from error


async def synthesize_in_thread(
    name: str, model: str, text: str, synthesize: Callable[[str], Audio]
) -> SynthesisResult:
    """Return the text as an engine's audio, with the usage; an empty text needs no engine.

    Raises:
        ParticipantError: If the engine fails or gives no audio.
        UsageError: If it cannot be imported.
    """
    if not text.strip():
        return SynthesisResult(Audio(b"", RATE_HZ))
    began = time.monotonic()
    audio = await run_in_engine_thread(name, lambda: synthesize(text))
    usage = Usage(
        SYNTHESIS,
        model,
        seconds=time.monotonic() - began,
        audio_seconds=audio.seconds,
        characters=len(text),
    )
    return SynthesisResult(audio, usage)


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    yield from sorted(file for file in path.rglob("*") if file.is_file())
