"""How much memory and disk a training needs, told before it begins.

An estimate from above that leaves out what the libraries themselves take: weights, gradients and two
moments of Adam for what is trained, what is kept for the way back of each layer, and the scores of one
sequence over the whole vocabulary.
"""

import os
import shutil
from pathlib import Path

import msgspec

from dragoman.core.errors import UsageError
from dragoman.finetuning.model_folder import ModelFacts
from dragoman.finetuning.recipe import Recipe

_FULL, _HALF = 4, 2
_MOMENTS = 2
_KEPT_OF_A_LAYER = 34
"""Numbers kept for each token and unit of a layer (attention and feed-forward, without recomputing)."""
_LINEAR_OF_A_LAYER = 7
_CHECKPOINTS = 2
_GIB = 2**30


class Needs(msgspec.Struct, frozen=True):
    """Bytes, and how many parameters are trained of how many."""

    memory: int
    disk: int
    trained: int
    parameters: int


def needs_of(recipe: Recipe, model: ModelFacts, *, on_gpu: bool) -> Needs:
    """Return what a training needs: bf16 on a GPU, where what is trained is kept in full too, else fp32."""
    width = _HALF if on_gpu else _FULL
    wide = _LINEAR_OF_A_LAYER * 2 * model.hidden * model.layers * recipe.rank
    trained = model.parameters if recipe.weights == "all" else min(wide, model.parameters)
    tokens = recipe.batch * min(recipe.max_length, model.context or recipe.max_length)
    kept = tokens * model.hidden * model.layers * _KEPT_OF_A_LAYER * width
    scores = 2 * tokens * model.vocabulary * _FULL
    own = trained * _FULL * (1 + _MOMENTS) + (trained * _FULL if on_gpu else 0)
    disk = _CHECKPOINTS * trained * _FULL * (1 + _MOMENTS) + trained * _FULL
    if recipe.merge or recipe.weights == "all":
        disk += model.bytes
    return Needs(model.parameters * width + own + kept + scores, disk, trained, model.parameters)


def free_memory() -> int:
    """Return the bytes of memory that are free on this machine; 0 where it does not tell."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return 0


def require(needs: Needs, memory: int, out: Path, where: str) -> None:
    """Refuse a training that does not fit.

    Args:
        needs: What it needs.
        memory: What there is; 0 where that is unknown.
        out: Where it writes to.
        where: What the memory is of.

    Raises:
        UsageError: Where memory or disk are too small.
    """
    if 0 < memory < needs.memory:
        raise UsageError(
            f"too little memory: about {gib(needs.memory)} are needed and {where} has {gib(memory)}: "
            "take a smaller model, batch or max_length"
        )
    there = next(each for each in (out, *out.absolute().parents) if each.exists())
    free = shutil.disk_usage(there).free
    if free < needs.disk:
        raise UsageError(
            f"{out}: too little disk: about {gib(needs.disk)} are needed and {gib(free)} are free: "
            "choose another folder or make room"
        )


def gib(size: int) -> str:
    """Return a size as people read it."""
    return f"{size / _GIB:.1f} GiB" if size >= _GIB / 10 else f"{size / 2**20:.0f} MiB"
