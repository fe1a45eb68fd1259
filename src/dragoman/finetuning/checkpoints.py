"""Checkpoints of a training: written atomically; the newest complete one is found after a crash."""

import contextlib
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from dragoman.core.errors import DragomanError, StoreError, UsageError
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.finetuning.model_folder import tensors_of
from dragoman.store.atomic_files import atomic_folder, write_errors

_FULL = (
    *("No space left", "os error 28", "PytorchStreamWriter failed", "file write failed"),
    *("File too large", "os error 27", "Disk quota exceeded", "os error 122"),
)
"""Parts of error messages about a full disk, a file-size limit or a disk quota."""


@contextlib.contextmanager
def weights_folder(folder: Path) -> Iterator[Path]:
    """Yield a draft of a folder of weights; it becomes the folder at the block's end.

    Raises:
        StoreError: If the folder cannot be written; no draft is left.
    """
    with disk_errors(folder), atomic_folder(folder) as draft:
        yield draft


@contextlib.contextmanager
def disk_errors(place: Path) -> Iterator[None]:
    """Turn errors of libraries about a full disk into one line; other errors pass.

    Raises:
        StoreError: If something cannot be written.
    """
    try:
        with write_errors(place):
            yield
    except DragomanError:
        raise
    except Exception as error:
        # torch and safetensors have errors of their own, which only their texts tell from others.
        said = str(error)
        if any(sign in said for sign in _FULL):
            raise StoreError(
                f"{place}: cannot be written (no space left): choose another folder or make room"
            ) from error
        raise


_NAME = re.compile(r"checkpoint-(\d+)")
_STATE = "trainer_state.json"
_ZIPPED = ("optimizer.pt", "scheduler.pt", "rng_state.pth")


class Checkpoint(msgspec.Struct, frozen=True):
    """A checkpoint that can be gone on with."""

    folder: Path
    step: int


class _State(msgspec.Struct):
    global_step: int


def newest_complete(folder: Path, broken: Callable[[Path], None]) -> Checkpoint | None:
    """Return the newest checkpoint that was written completely, or None if there is none.

    Args:
        folder: The folder of checkpoints.
        broken: Callback for each newer checkpoint that is incomplete, because the training was
            killed; it is skipped.
    """
    numbered = {
        int(match[1]): each
        for each in (folder.iterdir() if folder.is_dir() else ())
        if (match := _NAME.fullmatch(each.name))
    }
    for step in sorted(numbered, reverse=True):
        if _is_whole(numbered[step], step):
            return Checkpoint(numbered[step], step)
        broken(numbered[step])
    return None


def _is_whole(folder: Path, step: int) -> bool:
    weights = sorted(folder.glob("*.safetensors"))
    if not weights or not all(zipfile.is_zipfile(folder / name) for name in _ZIPPED):
        return False
    try:
        for file in weights:
            tensors_of(file)
        state = msgspec.json.decode((folder / _STATE).read_bytes(), type=_State)
    except (OSError, UsageError, *DECODING_ERRORS):
        return False
    return state.global_step == step
