"""Sheets as files: what annotators and experts are sent, and what they send back."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

import msgspec

from dragoman.core.errors import DataError, UsageError
from dragoman.core.texts.decoding import TranslatedErrors
from dragoman.curation.apis.rating.asking import DIMENSIONS
from dragoman.curation.apis.reviewing.sheets import COLUMNS, FilledRow, SheetRow, filled_rows
from dragoman.curation.review.csv_tables import csv_table_lines, encode_csv_table
from dragoman.store.safe_files import atomic_write

GUIDE = "guide.md"


class DimensionGuide(msgspec.Struct, frozen=True):
    """What a dimension asks, and what its scores 1, 3 and 5 mean."""

    asks: str
    low: str
    middle: str
    high: str


class ReviewGuide(msgspec.Struct, frozen=True):
    """What annotators read first."""

    title: str
    lines: tuple[str, ...]
    dimensions: dict[str, DimensionGuide]


@cache
def review_guide() -> ReviewGuide:
    """Return the guide."""
    content = files("dragoman.curation.apis.reviewing").joinpath("guide.toml").read_bytes()
    return msgspec.toml.decode(content, type=ReviewGuide)


def guide_lines() -> tuple[str, ...]:
    """Return the guide as plain lines."""
    guide = review_guide()
    found = list(guide.lines)
    for name in DIMENSIONS:
        each = guide.dimensions[name]
        found.append(f"{name}: {each.asks} 1: {each.low}. 3: {each.middle}. 5: {each.high}.")
    return tuple(found)


def require_free(out: Path) -> None:
    """Refuse a folder for sheets that has anything in it.

    Raises:
        UsageError: Where something is there.
    """
    with TranslatedErrors(DataError, f"{out}: cannot be read"):
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise UsageError(f"{out} is there already: name another folder, or move it away")


def write_sheets(out: Path, sheets: Mapping[str, Sequence[SheetRow]]) -> None:
    """Write a file for each annotator, and the guide beside them.

    Raises:
        DataError: Where they cannot be written.
    """
    with TranslatedErrors(DataError, f"{out}: cannot be written"):
        out.mkdir(parents=True, exist_ok=True)
    title, *lines = (f"# {review_guide().title}", *guide_lines())
    atomic_write(
        out / GUIDE, ("\n".join((title, "", *(f"- {each}" for each in lines), "")).encode(),)
    )
    for annotator, rows in sheets.items():
        write_table(out / f"{annotator}.csv", (row.cells() for row in rows))


def write_table(path: Path, lines: Iterable[Sequence[str | int]]) -> None:
    """Write a table with our columns.

    Raises:
        DataError: Where it cannot be written.
    """
    atomic_write(path, (encode_csv_table(COLUMNS, lines),))


def read_sheet(path: Path, needed: Sequence[str] = ("id",)) -> tuple[FilledRow, ...]:
    """Return the rows of a file that came back.

    Args:
        path: The file.
        needed: Columns of which it must have one, beside the five dimensions.

    Raises:
        DataError: Where it cannot be read, or is no table of ours.
    """
    with TranslatedErrors(DataError, f"{path}: cannot be read"):
        content = path.read_bytes()
    return tuple(filled_rows(csv_table_lines(content, path.name, COLUMNS), path.name, needed))
