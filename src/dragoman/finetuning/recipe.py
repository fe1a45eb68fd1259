"""A training recipe: model, data and hyperparameters in one TOML file, read strictly.

The defaults are those of International Tool Calling, section 5.4. It does not state a rank for
LoRA, a length or a seed: those are ours.
"""

import difflib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from dragoman.core.content_keys import content_key
from dragoman.core.errors import UsageError
from dragoman.core.texts.decoding import MOST_BYTES, load_toml
from dragoman.store.safe_files import read_bounded

Positive = Annotated[int, msgspec.Meta(gt=0)]
Rate = Annotated[float, msgspec.Meta(gt=0)]
Share = Annotated[float, msgspec.Meta(ge=0, lt=1)]
Names = Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]


class Recipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One training. Paths are seen from the current folder.

    Attributes:
        model: Folder of a causal model with its tokenizer.
        rows: Files of rows, JSONL.
        out: The folder that gets what comes of it.
        evaluation: Suites that the model is evaluated on; rows that share something with them are
            refused.
        forbid_apis: Whether rows may not call APIs that are evaluated either.
        languages: Only rows of users with these languages; none for all.
        limit: At most so many rows, drawn by the seed; None for all.
        weights: "lora" trains an adapter, "all" every weight.
        rank: The rank of LoRA; its alpha is twice that.
        epochs: Number of times that each row is seen.
        batch: Rows per batch.
        accumulation: Batches per step.
        learning_rate: The highest learning rate.
        schedule: The way in which the learning rate falls.
        warmup: The share of steps in which the learning rate rises.
        max_length: Tokens of a row; a longer one is refused.
        packing: Whether short rows share a sequence.
        device: "gpu" refuses to begin without one; "auto" takes it where there is one.
        save_steps: Steps between checkpoints.
        seed: The seed of the first weights, the order and the draws.
        merge: Whether the adapter is also written into a copy of the weights.
    """

    model: str
    rows: Names
    out: str
    evaluation: tuple[str, ...] = ()
    forbid_apis: bool = True
    languages: tuple[str, ...] = ()
    limit: Positive | None = None
    weights: Literal["lora", "all"] = "lora"
    rank: Positive = 16
    epochs: Rate = 3
    batch: Positive = 1
    accumulation: Positive = 8
    learning_rate: Rate = 1e-4
    schedule: Literal["cosine", "linear", "constant"] = "cosine"
    warmup: Share = 0.1
    max_length: Positive = 4096
    packing: bool = False
    device: Literal["auto", "cpu", "gpu"] = "auto"
    save_steps: Positive = 100
    seed: Annotated[int, msgspec.Meta(ge=0, lt=2**32)] = 0
    merge: bool = False

    @property
    def digest(self) -> str:
        """The content key of what can change the weights that come out."""
        left_out = {"out", "merge", "save_steps"}
        fields = msgspec.structs.asdict(self)
        return content_key("recipe-1", {k: v for k, v in fields.items() if k not in left_out})


def read_recipe(path: Path) -> Recipe:
    """Read a recipe.

    Raises:
        UsageError: If it cannot be read; the message names the wrong key, and for an unknown key
            the nearest known one.
    """
    try:
        content = load_toml(read_bounded(path, MOST_BYTES).decode("utf-8"))
    except OSError as error:
        raise UsageError(
            f"{path}: cannot read the recipe ({error.strerror}): name a TOML file"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not a TOML file ({error})") from error
    return recipe_of(content, str(path))


def recipe_of(content: Mapping[str, object], where: str) -> Recipe:
    """Return a recipe of its keys.

    Args:
        content: The keys.
        where: The place of the keys, for errors.

    Raises:
        UsageError: If a key is wrong; the message names it, and for an unknown key the nearest
            known one.
    """
    for name in content:
        if name not in Recipe.__struct_fields__:
            near = difflib.get_close_matches(name, Recipe.__struct_fields__, 1)
            hint = f": did you mean {near[0]!r}?" if near else ""
            raise UsageError(f"{where}: unknown key {name!r}{hint}")
    try:
        return msgspec.convert(content, Recipe)
    except msgspec.ValidationError as error:
        raise UsageError(f"{where}: {error}") from error
