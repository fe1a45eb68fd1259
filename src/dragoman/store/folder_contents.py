"""The content of a folder: each of our folders holds one kind of thing.

A run that is written into a dataset's folder confuses both: a command that resumes one would find
the other. So each command that writes into a folder refuses one with another kind of thing.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from dragoman.core.errors import StoreError, UsageError
from dragoman.core.texts.decoding import TranslatedErrors

FolderContent = Literal[
    "a run", "a dataset", "an exported dataset", "an audio set", "translations", "a training"
]
"""The kinds of things that fill a folder."""

RUN_FILE = "run.sqlite"
DATASET_FILE = "dataset.sqlite"
EXPORT_FILE = ".dragoman-export.json"
AUDIO_SET_FILE = "settings.json"
AUDIO_TEXTS_FILE = "texts.jsonl"
MEMORY_FILE = "translation_memory.sqlite"
TRAINING_FILE = "training.json"

_FILES: tuple[tuple[FolderContent, tuple[str, ...]], ...] = (
    ("a run", (RUN_FILE,)),
    ("a dataset", (DATASET_FILE,)),
    ("an exported dataset", (EXPORT_FILE,)),
    ("an audio set", (AUDIO_SET_FILE, AUDIO_TEXTS_FILE)),
    ("translations", (MEMORY_FILE,)),
    ("a training", (TRAINING_FILE,)),
)
"""The files of each kind: a folder with all of them holds it."""


def require_folder_for(folder: Path, *allowed: FolderContent) -> None:
    """Refuse a folder that holds a thing of another kind.

    Args:
        folder: The folder; it may be missing.
        allowed: The kinds that the folder may hold.

    Raises:
        UsageError: If it holds another kind.
        StoreError: If it cannot be read.
    """
    with TranslatedErrors(StoreError, f"{folder}: cannot be read"):
        found = next((each for each in _contents(folder) if each not in allowed), None)
    if found is not None:
        raise UsageError(f"{folder} holds {found}: name another folder")


def _contents(folder: Path) -> Iterator[FolderContent]:
    for content, names in _FILES:
        if all(_is_written(folder / name) for name in names):
            yield content


def _is_written(path: Path) -> bool:
    """Return whether a file is there and not empty, as a killed command may leave it."""
    return path.is_file() and path.stat().st_size > 0
