"""Folders of weights that are there whole or not at all."""

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

from dragoman.core.errors import DataError

_FULL = (
    *("No space left", "os error 28", "PytorchStreamWriter failed", "file write failed"),
    *("File too large", "os error 27", "Disk quota exceeded", "os error 122"),
)
"""What errors say where a disk is full, or a limit of files or of a person's share is reached."""


@contextlib.contextmanager
def saved_whole(folder: Path) -> Iterator[Path]:
    """Give a folder beside the place to write into, which takes the place when everything is written.

    Raises:
        DataError: Where it cannot be written; no draft is left.
    """
    part = folder.with_name(f".{folder.name}.part")
    try:
        with disk_errors(folder):
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir(parents=True)
            yield part
            if folder.exists():
                shutil.rmtree(folder)
            part.replace(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


@contextlib.contextmanager
def disk_errors(place: Path) -> Iterator[None]:
    """Turn what libraries raise where a disk is full into one line; anything else passes.

    Raises:
        DataError: Where something cannot be written.
    """
    try:
        yield
    except OSError as error:
        raise DataError(
            f"{place} cannot be written ({error.strerror or error}): choose another folder or make room"
        ) from error
    except Exception as error:
        # torch and safetensors have errors of their own, which only their texts tell from others.
        said = str(error)
        if any(sign in said for sign in _FULL):
            raise DataError(
                f"{place} cannot be written (no space left): choose another folder or make room"
            ) from error
        raise
