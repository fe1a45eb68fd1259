"""Upstream's entry files: one JSON object per line, answers in a file of their own."""

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

import msgspec

from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import UNREADABLE

AGAIN = "run `dragoman data pull bfcl` again"
"""What helps where pulled data are not what they must be."""

Read = Callable[[str], bytes]
"""Returns a file of upstream's data by its short name."""

_T = TypeVar("_T")


class EntryLine(NamedTuple):
    """One line of a file, which a refusal can name."""

    file: str
    number: int
    text: bytes

    def refusal(self, why: object) -> DataError:
        """Return the error that says where the data are wrong and what helps."""
        return DataError(f"{self.file}, line {self.number}: {why}; {AGAIN}")

    def decoded(self, kind: type[_T]) -> _T:
        """Return the line's object as a record, or raise DataError."""
        try:
            return msgspec.json.decode(self.text, type=kind)
        except UNREADABLE as error:
            raise self.refusal(error) from error


def read_lines(name: str, read: Read) -> list[EntryLine]:
    """Return the lines of a file that hold anything, or raise DataError where none does."""
    lines = [EntryLine(name, *line) for line in enumerate(read(name).split(b"\n"), 1) if line[1]]
    if not lines:
        raise DataError(f"{name} holds no entries; {AGAIN}")
    return lines


def check_ids(lines: list[EntryLine], ids: list[str]) -> None:
    """Raise DataError where two entries of a file have the same id."""
    if len(set(ids)) < len(ids):
        raise DataError(f"{lines[0].file}: two entries have the same id; {AGAIN}")


def check_answer_ids(name: str, found: Iterable[str], ids: list[str]) -> None:
    """Raise DataError where the ids of answers are not those of the questions in order."""
    if list(found) != ids:
        raise DataError(f"{name}: its ids are not those of the questions in order; {AGAIN}")
