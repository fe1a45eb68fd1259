"""Preparation of a training: reads example files, filters them, and checks the model.

Files are JSONL with one conversation a line, in the form that OpenAI's fine-tuning takes or in
ours, which has `id` and `origin` next to `messages` and `tools`: the contamination filter sees more
there. No training library is loaded, so that a recipe can be tried without the extra.
"""

import hashlib
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.core.content_keys import content_key
from dragoman.core.errors import DataError, UsageError
from dragoman.core.texts.counts import format_count
from dragoman.core.texts.decoding import DECODING_ERRORS, TranslatedErrors
from dragoman.core.training_examples import ExampleOrigin, TrainingExample
from dragoman.finetuning.contamination import (
    ContaminationFilter,
    Overlap,
    evaluated_tasks,
    filter_contaminated,
)
from dragoman.finetuning.model_folder import ModelFacts, read_model
from dragoman.finetuning.recipe import Recipe
from dragoman.store.training_results import UnusedRow

MOST_BYTES_OF_A_LINE = 8_000_000
_ROLES = frozenset({"assistant", "developer", "system", "tool", "user"})


class _Line(msgspec.Struct):
    messages: tuple[dict[str, object], ...]
    tools: tuple[dict[str, object], ...] = ()
    id: str = ""
    origin: ExampleOrigin | None = None


_LINES = msgspec.json.Decoder(_Line)


def read_rows(paths: Sequence[Path]) -> list[TrainingExample]:
    """Read rows; one without an id has its file's name and line.

    Raises:
        DataError: If a file cannot be read, a line is not a row or has nothing to learn, two rows
            have one id, or the files have no rows.
    """
    rows: dict[str, TrainingExample] = {}
    for path in paths:
        with TranslatedErrors(DataError, f"{path}: cannot be read"):
            for number, line in _lines(path):
                row = _row(line, path, number)
                if row.id in rows:
                    raise DataError(f"{path}, line {number}: a second row {row.id!r:.120}")
                rows[row.id] = row
    if not rows:
        raise DataError(f"{', '.join(map(str, paths))}: no row: `dragoman rows` writes some")
    return list(rows.values())


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    with path.open("rb") as file:
        number = 0
        while line := file.readline(MOST_BYTES_OF_A_LINE + 1):
            number += 1
            if len(line) > MOST_BYTES_OF_A_LINE:
                raise DataError(f"{path}, line {number}: more than {MOST_BYTES_OF_A_LINE} bytes")
            if line.strip():
                yield number, line


def _row(line: bytes, path: Path, number: int) -> TrainingExample:
    where = f"{path}, line {number}"
    try:
        found = _LINES.decode(line)
    except DECODING_ERRORS as error:
        raise DataError(f"{where}: no row ({error})") from error
    for message in found.messages:
        if message.get("role") not in _ROLES:
            raise DataError(f"{where}: no role of a chat: {message.get('role')!r:.80}")
    if not any(map(_is_learnt, found.messages)):
        raise DataError(f"{where}: no assistant's message, so there is nothing to learn")
    return TrainingExample(
        found.id or f"{path.name}:{number}",
        found.messages,
        found.tools,
        found.origin or ExampleOrigin(path.stem, ""),
    )


def _is_learnt(message: Mapping[str, object]) -> bool:
    if message.get("role") != "assistant":
        return False
    return bool(message.get("content") or message.get("tool_calls"))


_SHOWN = 3


class Prepared(msgspec.Struct, frozen=True):
    """A training that may begin.

    Attributes:
        recipe: The recipe.
        model: The model's size.
        rows: The rows to learn from.
        leaks: The overlaps of the refused rows with the evaluation, by row.
        files: SHA-256 of each file of rows, by path.
        evaluated: Tasks that rows were compared with.
        unused: Rows that were excluded before the draw, because the model cannot learn from them.
    """

    recipe: Recipe
    model: ModelFacts
    rows: tuple[TrainingExample, ...]
    leaks: dict[str, list[Overlap]]
    files: dict[str, str]
    evaluated: int
    unused: tuple[UnusedRow, ...] = ()

    @property
    def identity(self) -> str:
        """The content key of recipe, model and rows.

        Training does not continue from a checkpoint with another key.
        """
        return content_key("training-1", self.recipe.digest, self.model, self.rows)


Sieve = Callable[[Recipe, Sequence[TrainingExample]], tuple[list[TrainingExample], list[UnusedRow]]]
"""Parts rows into those that can be learnt from and the others."""


class PreparedRows(msgspec.Struct, frozen=True):
    """The rows of a training, without its model; the fields are those of `Prepared`."""

    recipe: Recipe
    rows: tuple[TrainingExample, ...]
    leaks: dict[str, list[Overlap]]
    files: dict[str, str]
    evaluated: int
    unused: tuple[UnusedRow, ...] = ()

    def with_model(self, model: ModelFacts) -> Prepared:
        """Return the training of a model on these rows."""
        return Prepared(
            self.recipe, model, self.rows, self.leaks, self.files, self.evaluated, self.unused
        )


def prepare(recipe: Recipe, sieve: Sieve | None = None) -> Prepared:
    """Read the data of a recipe, and exclude the rows that an evaluation has too.

    Args:
        recipe: The recipe.
        sieve: As in `prepare_rows`.

    Raises:
        UsageError: If the model or a suite does not exist, or no row is left.
        DataError: If rows cannot be read.
    """
    model = read_model(Path(recipe.model))
    return prepare_rows(recipe, sieve).with_model(model)


def prepare_rows(recipe: Recipe, sieve: Sieve | None = None) -> PreparedRows:
    """Read the rows of a recipe, and exclude those that an evaluation has too.

    Args:
        recipe: The recipe.
        sieve: Filter that is applied before rows are drawn; None if the training itself refuses the
            rows that it cannot learn.

    Raises:
        UsageError: If a suite does not exist, or no row is left.
        DataError: If rows cannot be read.
    """
    files = [Path(name) for name in recipe.rows]
    rows = read_rows(files)
    if recipe.languages:
        rows = [row for row in rows if row.origin.language.partition("-")[0] in recipe.languages]
        if not rows:
            raise UsageError(f"no row has a language of {', '.join(recipe.languages)}")
    evaluated = evaluated_tasks(recipe.evaluation)
    kept, leaks = filter_contaminated(
        rows, ContaminationFilter(evaluated, forbid_apis=recipe.forbid_apis)
    )
    if not kept:
        raise UsageError(
            f"no row of {len(rows):,} may be learnt from: {_describe_leaks(list(leaks.values()))}"
        )
    hashes = {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    unused: list[UnusedRow] = []
    if sieve is not None:
        kept, unused = sieve(recipe, kept)
        if not kept:
            raise UsageError(f"no row can be learnt from: {unused[0].row}: {unused[0].why}")
    drawn = tuple(_sample_rows(kept, recipe))
    return PreparedRows(recipe, drawn, leaks, hashes, len(evaluated), tuple(unused))


def with_rows(prepared: Prepared, count: int) -> Prepared:
    """Return a training with so many of its rows, drawn by the seed.

    Raises:
        UsageError: If the training has fewer rows.
    """
    recipe = msgspec.structs.replace(prepared.recipe, limit=count)
    drawn = tuple(_sample_rows(prepared.rows, recipe))
    return msgspec.structs.replace(prepared, recipe=recipe, rows=drawn)


def _sample_rows(rows: Sequence[TrainingExample], recipe: Recipe) -> Sequence[TrainingExample]:
    """Return as many rows as are wanted, the same ones whatever their order in files."""
    if recipe.limit is None:
        return rows
    if recipe.limit > len(rows):
        raise UsageError(
            f"limit = {recipe.limit}, and no more than {format_count(len(rows), 'row')} may be "
            "learnt from"
        )
    ordered = sorted(rows, key=lambda row: row.id)
    return random.Random(recipe.seed).sample(ordered, recipe.limit)  # noqa: S311 - no secret


def _describe_leaks(leaks: Sequence[Sequence[Overlap]]) -> str:
    some = [each[0] for each in leaks[:_SHOWN]]
    reported = [f"{leak.row} has the {leak.kind} of {leak.suite} {leak.task}" for leak in some]
    return "; ".join([*reported, *(["..."] if len(leaks) > _SHOWN else [])])
