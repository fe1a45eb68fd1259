"""The losses of a training, step by step, in a file that a resumed training goes on with."""

from pathlib import Path

import msgspec

from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.store.safe_files import atomic_write


class LossLine(msgspec.Struct, frozen=True):
    """What one step came to; `rate` is the learning rate that it used."""

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
