"""Annotation sheets: rows with five scores and a note, as CSV files with a guide.

The id of a row reveals neither the query nor whether it is a gold question, and differs for each
annotator. Columns may be moved and rows sorted; a row without scores counts as not labelled.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

import msgspec

from dragoman.core.errors import DataError, StoreError, UsageError
from dragoman.core.texts.csv_text import HEADER_WITHIN
from dragoman.core.texts.decoding import TranslatedErrors
from dragoman.curation.api_datasets.rate import DIMENSIONS, HIGHEST, LOWEST, QueryRating
from dragoman.curation.review.csv_files import csv_table_lines, encode_csv_table
from dragoman.curation.review.rows import within_a_cell
from dragoman.store.atomic_files import atomic_write

SHOWN = ("query", "language", "country", "apis")
COLUMNS = ("id", *SHOWN, *DIMENSIONS, "note")

_LONGEST_NOTE = 2_000


class SheetRow(msgspec.Struct, frozen=True):
    """A row of an annotator's sheet."""

    id: str
    query: str
    language: str
    country: str
    apis: str

    def cells(self, rating: QueryRating | None = None) -> tuple[str | int, ...]:
        """Return the contents of its cells, in the order of `COLUMNS`."""
        shown = (self.query, self.language, self.country, self.apis)
        scores = rating.scores.values() if rating else ("",) * len(DIMENSIONS)
        return (self.id, *map(within_a_cell, shown), *scores, rating.why if rating else "")


class FilledRow(msgspec.Struct, frozen=True):
    """A row of a returned sheet.

    `where` names its file and line; `query` is None if no column has it.
    """

    where: str
    id: str
    query: str | None
    scores: dict[str, str]
    note: str = ""

    @property
    def is_blank(self) -> bool:
        """Whether the row has no scores."""
        return not any(self.scores.values())

    def is_of(self, query: str) -> bool:
        """Return whether the row shows a query; spreadsheets may change spaces and line ends."""
        return self.query is None or self.query.split() == within_a_cell(query).split()

    def rating(self) -> QueryRating:
        """Return its scores.

        Raises:
            DataError: If a score is missing or not an integer from 1 to 5.
        """
        scores = {name: _score(written, name, self.where) for name, written in self.scores.items()}
        return QueryRating(**scores, why=self.note[:_LONGEST_NOTE])


def read_filled_rows(
    lines: Iterable[tuple[str, Sequence[str]]], where: str, needed: Sequence[str] = ("id",)
) -> Iterator[FilledRow]:
    """Yield the rows of a returned table that have an id, a query or scores.

    Args:
        lines: The lines of the table, each with its name for messages. A title may precede the
            headings.
        where: The name of the file for messages.
        needed: Columns of which one is required in addition to the five dimensions.

    Raises:
        DataError: If a column is missing or occurs twice.
    """
    rest = iter(lines)
    header = _header_in(rest, where, needed)
    for here, cells in rest:
        found = {name: cells[at].strip() if at < len(cells) else "" for name, at in header.items()}
        row = FilledRow(
            here,
            found.get("id", ""),
            found.get("query"),
            {name: found[name] for name in DIMENSIONS},
            found.get("note", ""),
        )
        if row.id or row.query or not row.is_blank:
            yield row


def _header_in(
    lines: Iterator[tuple[str, Sequence[str]]], where: str, needed: Sequence[str]
) -> dict[str, int]:
    """Return the position of each column, from the first line that names a dimension.

    Later lines are not read.

    Raises:
        DataError: If no such line exists, or if it lacks a column or has one twice.
    """
    for _, (_, cells) in zip(range(HEADER_WITHIN), lines, strict=False):
        if not set(DIMENSIONS).isdisjoint(_column_names(cells)):
            return sheet_columns(cells, where, needed)
    return sheet_columns((), where, needed)


def sheet_columns(
    cells: Sequence[str], where: str, needed: Sequence[str] = ("id",)
) -> dict[str, int]:
    """Return the position of each known column.

    Raises:
        DataError: If a column is missing or occurs twice.
    """
    names = _column_names(cells)
    missing = [name for name in DIMENSIONS if name not in names]
    if not any(name in names for name in needed):
        missing.insert(0, " or ".join(needed))
    if missing:
        raise DataError(f"{where}: no column {missing[0]}: put back the line of headings")
    twice = next((name for name in COLUMNS if names.count(name) > 1), None)
    if twice is not None:
        raise DataError(f"{where}: two columns are called {twice}: keep one")
    return {name: names.index(name) for name in COLUMNS if name in names}


def _column_names(cells: Sequence[str]) -> list[str]:
    return ["_".join(cell.split()).casefold() for cell in cells]


def apis_text(apis: Iterable[Mapping[str, object]]) -> str:
    """Return the descriptions of APIs for annotators, one paragraph for each."""
    return "\n".join(_api_text(each) for each in apis)


def _api_text(api: Mapping[str, object]) -> str:
    place = f", {api['country']}" if api["country"] else ""
    parts = [f"{api['name']} ({api['of']}{place}): {api['description']}"]
    for title, key in {
        "needs": "required_parameters",
        "may take": "optional_parameters",
    }.items():
        parameters = api[key]
        if isinstance(parameters, list) and parameters:
            parts.append(f"{title} " + "; ".join(_parameter_text(each) for each in parameters))
    return " - ".join(parts)


def _parameter_text(parameter: Mapping[str, object]) -> str:
    described = parameter.get("description")
    return f"{parameter['name']}: {described}" if described else str(parameter["name"])


def _score(written: str, name: str, where: str) -> int:
    if not written:
        raise DataError(f"{where}: {name} is missing: fill in all five scores, or none")
    whole, _, rest = written.replace(",", ".").partition(".")
    if len(whole) == 1 and whole.isdecimal() and not rest.strip("0"):
        score = int(whole)
        if LOWEST <= score <= HIGHEST:
            return score
    raise DataError(
        f"{where}: {name} is {written!r:.40}: a whole number from {LOWEST} to {HIGHEST}"
    )


GUIDE = "guide.md"


class DimensionGuide(msgspec.Struct, frozen=True):
    """The question of a dimension and the meaning of its scores 1, 3 and 5."""

    asks: str
    low: str
    middle: str
    high: str


class ReviewGuide(msgspec.Struct, frozen=True):
    """The instructions for annotators."""

    title: str
    lines: tuple[str, ...]
    dimensions: dict[str, DimensionGuide]


@cache
def review_guide() -> ReviewGuide:
    """Return the instructions."""
    content = files(__package__).joinpath("guide.toml").read_bytes()
    return msgspec.toml.decode(content, type=ReviewGuide)


def guide_lines() -> tuple[str, ...]:
    """Return the instructions as plain lines."""
    guide = review_guide()
    found = list(guide.lines)
    for name in DIMENSIONS:
        each = guide.dimensions[name]
        found.append(f"{name}: {each.asks} 1: {each.low}. 3: {each.middle}. 5: {each.high}.")
    return tuple(found)


def require_free(out: Path) -> None:
    """Refuse a folder for sheets that is not empty.

    Raises:
        UsageError: If the folder is not empty, or if the path is not a folder.
        DataError: If the folder cannot be read.
    """
    with TranslatedErrors(DataError, f"{out}: cannot be read"):
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise UsageError(f"{out} is there already: name another folder, or move it away")


def write_sheets(out: Path, sheets: Mapping[str, Sequence[SheetRow]]) -> None:
    """Write a file for each annotator, and the instructions.

    Raises:
        StoreError: If a file cannot be written.
    """
    with TranslatedErrors(StoreError, f"{out}: cannot be written"):
        out.mkdir(parents=True, exist_ok=True)
    title, *lines = (f"# {review_guide().title}", *guide_lines())
    atomic_write(
        out / GUIDE, ("\n".join((title, "", *(f"- {each}" for each in lines), "")).encode(),)
    )
    for annotator, rows in sheets.items():
        write_table(out / f"{annotator}.csv", (row.cells() for row in rows))


def write_table(path: Path, lines: Iterable[Sequence[str | int]]) -> None:
    """Write a table with the columns of `COLUMNS`.

    Raises:
        StoreError: If it cannot be written.
    """
    atomic_write(path, encode_csv_table(COLUMNS, lines))


def read_sheet(path: Path, needed: Sequence[str] = ("id",)) -> tuple[FilledRow, ...]:
    """Return the rows of a returned file.

    Args:
        path: The file.
        needed: Columns of which one is required in addition to the five dimensions.

    Raises:
        DataError: If it cannot be read, or is not a sheet in this format.
    """
    with TranslatedErrors(DataError, f"{path}: cannot be read"):
        content = path.read_bytes()
    return tuple(read_filled_rows(csv_table_lines(content, path.name, COLUMNS), path.name, needed))
