"""What came of a training, and how a later command finds it."""

from pathlib import Path

import msgspec

from dragoman.core.texts.decoding import UNREADABLE
from dragoman.finetuning.unused import UnusedRow

RESULT = "trained.json"
"""The file in a training's folder; it is written when all else but the card is."""


class Trained(msgspec.Struct, frozen=True):
    """What came of a training.

    `folders` are those of weights; `seconds` are of this process alone, and `resumed` is the step that it
    began after. `identity` is that of what was prepared.
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


def read_trained(out: Path, identity: str) -> Trained | None:
    """Return what came of a training that is done; None where this one was not done there."""
    try:
        found = msgspec.json.decode((out / RESULT).read_bytes(), type=Trained)
    except (OSError, *UNREADABLE):
        return None
    return found if found.identity == identity else None
