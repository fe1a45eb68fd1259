"""Stored results of trainings; readers do not need the package `finetuning`."""

from pathlib import Path

import msgspec

from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import TranslatedErrors
from dragoman.store.safe_files import read_plain

RESULT = "trained.json"
"""The result file in a training's folder; only the card is written after it."""

MOST_BYTES = 2**24
"""Largest result file, in bytes."""


class UnusedRow(msgspec.Struct, frozen=True):
    """A row that was not used for training, and the reason."""

    row: str
    why: str


class TrainingUse(msgspec.Struct, frozen=True):
    """The usage of a training's steps in all of its processes.

    It includes steps that were repeated because of a kill. `tokens` is the number of processed
    tokens; None if the number is unknown.
    """

    seconds: float
    tokens: int | None


class TrainingResult(msgspec.Struct, frozen=True):
    """Result of a training.

    `folders` are the folders of weights; `seconds` counts this process only, and `resumed` is the
    step after which it began. `identity` is the identity of the prepared training. `cost` is the
    cost of the `used` seconds in US dollars, at `price_per_hour`; None if one of them is unknown.
    """

    folders: tuple[str, ...]
    rows: int
    unused: tuple[UnusedRow, ...]
    steps: int
    resumed: int
    seconds: float
    loss: float | None
    device: str
    identity: str = ""
    used: TrainingUse | None = None
    price_per_hour: float | None = None
    cost: float | None = None


def result_in(folder: Path) -> TrainingResult:
    """Return the result of the training in a folder.

    Raises:
        DataError: If the file cannot be read.
    """
    path = folder / RESULT
    with TranslatedErrors(DataError, f"{path}: cannot be read"):
        return msgspec.json.decode(read_plain(path, MOST_BYTES), type=TrainingResult)
