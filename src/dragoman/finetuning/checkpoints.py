"""Which checkpoint a training goes on with: the newest that is whole."""

import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import msgspec

from dragoman.core.errors import UsageError
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.finetuning.model_folder import tensors_of

_NAME = re.compile(r"checkpoint-(\d+)")
_STATE = "trainer_state.json"
_ZIPPED = ("optimizer.pt", "scheduler.pt", "rng_state.pth")


class Checkpoint(msgspec.Struct, frozen=True):
    """A checkpoint that can be gone on with."""

    folder: Path
    step: int


class _State(msgspec.Struct):
    global_step: int


def newest_whole(folder: Path, broken: Callable[[Path], None]) -> Checkpoint | None:
    """Return the newest checkpoint that was written to its end; None where there is none.

    Args:
        folder: Where checkpoints lie.
        broken: Told of each newer one that is not whole, as a killed training leaves it; it is passed over.
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
