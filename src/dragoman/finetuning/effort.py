"""How many tokens a training reads and what that takes of a GPU, told before it begins.

Times are from below: all arithmetic at the peak of a data sheet, which no training reaches.
"""

import functools
import random
from collections.abc import Mapping, Sequence
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import msgspec

from dragoman.core.training_examples import TrainingExample
from dragoman.finetuning.model_folder import TOKENIZER, ModelFacts
from dragoman.finetuning.recipe import Recipe

_SAMPLE = 200
_ALL, _ADAPTER = 6, 4
"""Operations for each weight and token: forwards and both ways back; without those for fixed weights."""
_ATTENTION = 12
_TERA, _GIB = 1e12, 2**30


class Gpu(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One kind of GPU: memory in GiB, bf16 operations at its peak in TFLOP/s."""

    memory: int
    peak: float


class Effort(msgspec.Struct, frozen=True):
    """What a training reads and computes.

    `tokens` are of all epochs; `is_bound` where they are not counted but from above.
    """

    tokens: int
    is_bound: bool
    operations: float

    def seconds_on(self, gpu: Gpu) -> float:
        """Return the time that it takes at least."""
        return self.operations / (gpu.peak * _TERA)


def effort_of(recipe: Recipe, model: ModelFacts, rows: Sequence[TrainingExample]) -> Effort:
    """Return what a training takes: tokens counted on a sample where the extra is installed.

    Else they are as many as there are bytes, which no tokenizer of bytes exceeds.
    """
    drawn = rows
    if len(rows) > _SAMPLE:
        drawn = random.Random(recipe.seed).sample(list(rows), _SAMPLE)  # noqa: S311 - no secret
    can_count = find_spec("tokenizers") is not None
    lengths = _counted(recipe, drawn) if can_count else [len(_text(row).encode()) for row in drawn]
    kept = [min(length, recipe.max_length) for length in lengths]
    mean = sum(kept) / len(kept)
    tokens = round(mean * len(rows) * recipe.epochs)
    each = _ALL if recipe.weights == "all" else _ADAPTER
    of_one = each * model.parameters + _ATTENTION * model.layers * model.hidden * mean
    return Effort(tokens, not can_count, of_one * tokens)


@functools.cache
def gpus() -> Mapping[str, Gpu]:
    """Return the kinds of GPUs that times are told for, the fastest first."""
    content = (files("dragoman.finetuning") / "gpus.toml").read_bytes()
    known = msgspec.toml.decode(content, type=dict[str, Gpu])
    return dict(sorted(known.items(), key=lambda each: -each[1].peak))


def fitting(memory: int) -> dict[str, Gpu]:
    """Return the kinds of GPUs that have so many bytes of memory."""
    return {name: gpu for name, gpu in gpus().items() if gpu.memory * _GIB >= memory}


def _counted(recipe: Recipe, rows: Sequence[TrainingExample]) -> list[int]:
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
