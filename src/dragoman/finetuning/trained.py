"""What came of a training."""

import msgspec

from dragoman.finetuning.masking import UnusedRow


class Trained(msgspec.Struct, frozen=True):
    """What came of a training.

    `folders` are those of weights; `seconds` are of this process alone, and `resumed` is the step that it
    began after.
    """

    folders: tuple[str, ...]
    rows: int
    unused: tuple[UnusedRow, ...]
    steps: int
    resumed: int
    seconds: float
    loss: float | None
    device: str
