"""What a training begins with: rows that may be learnt from, a model that can learn, and room for both.

Nothing is loaded that trains, so that a recipe can be tried without the extra.
"""

import hashlib
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from dragoman.core.content_keys import content_key
from dragoman.core.errors import UsageError
from dragoman.core.training_examples import TrainingExample
from dragoman.finetuning.contamination.evaluated import evaluated_tasks
from dragoman.finetuning.contamination.guard import Guard, Leak, guarded
from dragoman.finetuning.model_folder import ModelFacts, read_model
from dragoman.finetuning.recipe import Recipe
from dragoman.finetuning.row_files import read_rows
from dragoman.finetuning.unused import UnusedRow

_SHOWN = 3


class Prepared(msgspec.Struct, frozen=True):
    """A training that may begin.

    Attributes:
        recipe: What was asked for.
        model: The model's size.
        rows: What is learnt from.
        leaks: Of the rows that are refused, by row: what they share with what is evaluated.
        files: SHA-256 of each file of rows, by path.
        evaluated: Tasks that rows were compared with.
        unused: Rows that were left out before any was drawn, since the model cannot learn from them.
    """

    recipe: Recipe
    model: ModelFacts
    rows: tuple[TrainingExample, ...]
    leaks: dict[str, list[Leak]]
    files: dict[str, str]
    evaluated: int
    unused: tuple[UnusedRow, ...] = ()

    @property
    def identity(self) -> str:
        """The content key of recipe, model and rows: a checkpoint of another one is not gone on with."""
        return content_key("training-1", self.recipe.digest, self.model, self.rows)


Sieve = Callable[[Recipe, Sequence[TrainingExample]], tuple[list[TrainingExample], list[UnusedRow]]]
"""Parts rows into those that can be learnt from and the others."""


def prepare(recipe: Recipe, sieve: Sieve | None = None) -> Prepared:
    """Read what a recipe names, and leave out the rows that an evaluation has too.

    Args:
        recipe: What is asked for.
        sieve: Applied before rows are drawn; None where a training refuses for itself what it cannot learn.

    Raises:
        UsageError: Where there is no such model or suite, or no row is left.
        DataError: Where rows cannot be read.
    """
    model = read_model(Path(recipe.model))
    files = [Path(name) for name in recipe.rows]
    rows = read_rows(files)
    if recipe.languages:
        rows = [row for row in rows if row.origin.language.partition("-")[0] in recipe.languages]
        if not rows:
            raise UsageError(f"no row has a language of {', '.join(recipe.languages)}")
    evaluated = evaluated_tasks(recipe.evaluation)
    kept, leaks = guarded(rows, Guard(evaluated, forbid_apis=recipe.forbid_apis))
    if not kept:
        raise UsageError(f"all {len(rows)} rows are refused: {_said(list(leaks.values()))}")
    hashes = {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    unused: list[UnusedRow] = []
    if sieve is not None:
        kept, unused = sieve(recipe, kept)
        if not kept:
            raise UsageError(f"no row can be learnt from: {unused[0].row}: {unused[0].why}")
    drawn = tuple(_drawn(kept, recipe))
    return Prepared(recipe, model, drawn, leaks, hashes, len(evaluated), tuple(unused))


def with_rows(prepared: Prepared, count: int) -> Prepared:
    """Return a training with so many of its rows, drawn by the seed.

    Raises:
        UsageError: Where it has fewer.
    """
    recipe = msgspec.structs.replace(prepared.recipe, limit=count)
    drawn = tuple(_drawn(prepared.rows, recipe))
    return msgspec.structs.replace(prepared, recipe=recipe, rows=drawn)


def _drawn(rows: Sequence[TrainingExample], recipe: Recipe) -> Sequence[TrainingExample]:
    """Return as many rows as are wanted, the same ones whatever their order in files."""
    if recipe.limit is None:
        return rows
    if recipe.limit > len(rows):
        raise UsageError(f"limit = {recipe.limit}, and only {len(rows)} rows may be learnt from")
    ordered = sorted(rows, key=lambda row: row.id)
    return random.Random(recipe.seed).sample(ordered, recipe.limit)  # noqa: S311 - no secret


def _said(leaks: Sequence[Sequence[Leak]]) -> str:
    some = [each[0] for each in leaks[:_SHOWN]]
    told = [f"{leak.row} has the {leak.kind} of {leak.suite} {leak.task}" for leak in some]
    return "; ".join([*told, *(["..."] if len(leaks) > _SHOWN else [])])
