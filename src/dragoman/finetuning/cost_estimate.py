"""Estimates of a training's cost: memory, disk, tokens and GPU time, before it begins.

Memory is an estimate from above that leaves out the libraries themselves: weights, gradients and
two moments of Adam for the trained parameters, activations kept for the backward pass of each
layer, and the logits of one sequence over the whole vocabulary. Times are from below: all
arithmetic at the peak of a data sheet, which no training reaches.
"""

import functools
import os
import random
import shutil
from collections.abc import Mapping, Sequence
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import msgspec

from dragoman.core.errors import UsageError
from dragoman.core.training_examples import TrainingExample
from dragoman.finetuning.model_folder import TOKENIZER, ModelFacts
from dragoman.finetuning.recipe import Recipe

_FULL, _HALF = 4, 2
_MOMENTS = 2
_KEPT_OF_A_LAYER = 34
"""Numbers kept for each token and unit of a layer.

They cover attention and feed-forward, without recomputation.
"""
_LINEAR_OF_A_LAYER = 7
_CHECKPOINTS = 2
_BYTES_PER_GIB = 2**30


class MemoryNeeds(msgspec.Struct, frozen=True):
    """Bytes, and how many parameters are trained of how many."""

    memory: int
    disk: int
    trained: int
    parameters: int


def memory_needs(recipe: Recipe, model: ModelFacts, *, on_gpu: bool) -> MemoryNeeds:
    """Return the memory and disk needs of a training.

    Weights are in bf16 on a GPU, where the trained ones are also kept in full precision, and in
    fp32 otherwise.
    """
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
    return MemoryNeeds(
        model.parameters * width + own + kept + scores, disk, trained, model.parameters
    )


def free_memory() -> int:
    """Return the bytes of memory that are free on this machine; 0 where it does not tell."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return 0


def require_memory(needs: MemoryNeeds, memory: int, out: Path, where: str) -> None:
    """Refuse a training that does not fit.

    Args:
        needs: The memory and the disk space that the training needs.
        memory: The available memory, in bytes; 0 if it is unknown.
        out: The folder that the training writes to.
        where: The name of the device that has the memory.

    Raises:
        UsageError: If memory or disk are too small.
    """
    if 0 < memory < needs.memory:
        raise UsageError(
            f"too little memory: about {format_gib(needs.memory)} are needed and {where} has "
            f"{format_gib(memory)}: "
            "take a smaller model, batch or max_length"
        )
    there = next(each for each in (out, *out.absolute().parents) if each.exists())
    free = shutil.disk_usage(there).free
    if free < needs.disk:
        raise UsageError(
            f"{out}: too little disk: about {format_gib(needs.disk)} are needed and "
            f"{format_gib(free)} are free: "
            "choose another folder or make room"
        )


def format_gib(size: int) -> str:
    """Return a size as people read it."""
    return (
        f"{size / _BYTES_PER_GIB:.1f} GiB"
        if size >= _BYTES_PER_GIB / 10
        else f"{size / 2**20:.0f} MiB"
    )


_SAMPLE = 200
_ALL, _ADAPTER = 6, 4
"""Operations for each weight and token when all weights or only an adapter are trained.

They cover the forward pass and both backward passes, without those for fixed weights.
"""
_ATTENTION = 12
_TERA, _GIB = 1e12, 2**30


class Gpu(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One kind of GPU: memory in GiB, bf16 operations at its peak in TFLOP/s."""

    memory: int
    peak: float


class TrainingCost(msgspec.Struct, frozen=True):
    """The tokens and the operations of a training.

    `tokens` are of all epochs; `is_bound` is True if they are an upper bound instead of a count.
    """

    tokens: int
    is_bound: bool
    operations: float

    def seconds_on(self, gpu: Gpu) -> float:
        """Return the time that it takes at least."""
        return self.operations / (gpu.peak * _TERA)


def estimate_cost(
    recipe: Recipe, model: ModelFacts, rows: Sequence[TrainingExample]
) -> TrainingCost:
    """Return what a training takes: tokens counted on a sample where the extra is installed.

    Else they are as many as there are bytes, which no tokenizer of bytes exceeds.
    """
    drawn = rows
    if len(rows) > _SAMPLE:
        drawn = random.Random(recipe.seed).sample(list(rows), _SAMPLE)  # noqa: S311 - no secret
    can_count = find_spec("tokenizers") is not None
    lengths = (
        _count_tokens(recipe, drawn) if can_count else [len(_text(row).encode()) for row in drawn]
    )
    kept = [min(length, recipe.max_length) for length in lengths]
    mean = sum(kept) / len(kept)
    tokens = round(mean * len(rows) * recipe.epochs)
    each = _ALL if recipe.weights == "all" else _ADAPTER
    of_one = each * model.parameters + _ATTENTION * model.layers * model.hidden * mean
    return TrainingCost(tokens, not can_count, of_one * tokens)


@functools.cache
def gpus() -> Mapping[str, Gpu]:
    """Return the kinds of GPUs that times are told for, the fastest first."""
    content = (files("dragoman.finetuning") / "gpus.toml").read_bytes()
    known = msgspec.toml.decode(content, type=dict[str, Gpu])
    return dict(sorted(known.items(), key=lambda each: -each[1].peak))


def gpus_with_memory(memory: int) -> dict[str, Gpu]:
    """Return the kinds of GPUs that have so many bytes of memory."""
    return {name: gpu for name, gpu in gpus().items() if gpu.memory * _GIB >= memory}


def _count_tokens(recipe: Recipe, rows: Sequence[TrainingExample]) -> list[int]:
    from tokenizers import Tokenizer

    read = Tokenizer.from_file(str(Path(recipe.model) / TOKENIZER))
    return [len(each.ids) for each in read.encode_batch([_text(row) for row in rows])]


def _text(row: TrainingExample) -> str:
    """Return what a template shows of a row, as near as can be told without it."""
    parts = []
    for message in row.messages:
        parts.append(str(message.get("content") or ""))
        if calls := message.get("tool_calls"):
            parts.append(msgspec.json.encode(calls).decode())
    if row.tools:
        parts.append(msgspec.json.encode(row.tools).decode())
    return "\n".join(parts)
