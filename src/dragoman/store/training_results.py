"""Stored results of trainings: whoever counts what was made reads them without finetuning."""

from pathlib import Path

import msgspec

from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import TranslatedErrors
from dragoman.store.safe_files import read_plain

RESULT = "trained.json"
"""The file in a training's folder; it is written when all else but the card is."""

MOST_BYTES = 2**24
"""Of that file."""


class UnusedRow(msgspec.Struct, frozen=True):
    """A row that is not learnt from, and why."""

    row: str
    why: str


class TrainingUse(msgspec.Struct, frozen=True):
    """The usage of the steps of a training in all its processes.

    Steps that were repeated because of a kill are included. `tokens` are those read; None if
    the number is unknown.
    """

    seconds: float
    tokens: int | None


class TrainingResult(msgspec.Struct, frozen=True):
    """What came of a training.

    `folders` are those of weights; `seconds` are of this process alone, and `resumed` is the step
    that it began after. `identity` is that of what was prepared. `cost` is that of the seconds that
    were `used`, in US dollars, at `price_per_hour`; None where one of them is not known.
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
    """Return what came of whatever training was done in a folder.

    Raises:
        DataError: Where its file cannot be read.
    """
    path = folder / RESULT
    with TranslatedErrors(DataError, f"{path}: cannot be read"):
        return msgspec.json.decode(read_plain(path, MOST_BYTES), type=TrainingResult)
