"""Training progress on the terminal, and the log of training losses that a resume continues."""

import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.store.atomic_files import atomic_write


class TrainingProgress:
    """A reporter of the progress of a training.

    Args:
        say: Gets one line at a time.
        every: Seconds between lines; the first and the last step are always told.
    """

    def __init__(self, say: Callable[[str], None], every: float = 5.0) -> None:
        self._say = say
        self._every = every
        self._begun = self._ended = time.monotonic()
        self._first: int | None = None
        self._said = float("-inf")

    @property
    def seconds(self) -> float:
        """Duration of the training in this process, in seconds."""
        return self._ended - self._begun

    def note(self, line: str) -> None:
        """Print a note that is not about a step."""
        self._say(line)

    def begins(self) -> None:
        """Start the clock."""
        self._begun = self._ended = time.monotonic()

    def step(self, step: int, steps: int, loss: float) -> None:
        """Take the loss of a step."""
        self._ended = now = time.monotonic()
        if self._first is None:
            self._first = step - 1
        left = (now - self._begun) / (step - self._first) * (steps - step)
        if step == steps or now - self._said >= self._every:
            self._said = now
            self._say(f"step {step}/{steps}  loss {loss:.4f}  {clock(left)} left")


def clock(seconds: float) -> str:
    """Return seconds as hours, minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"


class LossLine(msgspec.Struct, frozen=True):
    """The result of one step; `rate` is the learning rate that it used."""

    step: int
    loss: float
    rate: float


class LossFile:
    """One line for each step, in order."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def lines(self) -> list[LossLine]:
        """Return the lines that are whole; a killed training may leave half of one."""
        found = []
        for line in self._path.read_bytes().splitlines() if self._path.is_file() else ():
            try:
                found.append(msgspec.json.decode(line, type=LossLine))
            except DECODING_ERRORS:
                break
        return found

    def add(self, line: LossLine) -> None:
        """Write a step's line at the end."""
        with self._path.open("ab") as file:
            file.write(msgspec.json.encode(line) + b"\n")

    def cut_after(self, step: int) -> None:
        """Keep the lines up to a step: what comes after it is done again."""
        kept = [line for line in self.lines() if line.step <= step]
        atomic_write(self._path, (msgspec.json.encode(line) + b"\n" for line in kept))

    def last(self) -> float | None:
        """Return the last loss; None where no step was made."""
        lines = self.lines()
        return lines[-1].loss if lines else None
