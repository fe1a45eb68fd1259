"""Files of one JSON record a line, which are written line by line and go on where they were cut off."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import UNREADABLE, OutsideErrors

T = TypeVar("T", bound=msgspec.Struct)

_encode = msgspec.json.Encoder().encode


def encoded(line: msgspec.Struct) -> bytes:
    """Return a line as it is written."""
    return _encode(line) + b"\n"


def kept_lines(path: Path, kind: type[T]) -> Iterator[T]:
    """Yield the lines of a file, up to the first that is not as it would be written: torn or changed.

    Raises:
        DataError: Where the file cannot be read; one that is not there has no lines.
    """
    decoder = msgspec.json.Decoder(kind)
    for written in _written(path) if path.is_file() else ():
        line = _line(written, decoder)
        if line is None or encoded(line) != written:
            return
        yield line


def read_lines(path: Path, kind: type[T]) -> Iterator[T]:
    """Yield the lines of a whole file; records may hold more than `kind` reads.

    Raises:
        DataError: Where the file is missing, or a line is torn or of another form.
    """
    decoder = msgspec.json.Decoder(kind)
    for number, written in enumerate(_written(path), 1):
        line = _line(written, decoder)
        if line is None or not written.endswith(b"\n"):
            raise DataError(f"{path}, line {number}: no line of a set: it was changed or cut off")
        yield line


def _written(path: Path) -> Iterator[bytes]:
    if path.exists() and not path.is_file():
        raise DataError(f"{path}: no file")
    with OutsideErrors(DataError, f"{path}: cannot be read"), path.open("rb") as file:
        yield from file


def _line(written: bytes, decoder: msgspec.json.Decoder[T]) -> T | None:
    try:
        return decoder.decode(written)
    except UNREADABLE:
        return None
