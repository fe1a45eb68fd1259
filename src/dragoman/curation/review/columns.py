"""The columns of a reviewer's file, by names that survive any order and any neighbour."""

from collections.abc import Iterable, Mapping, Sequence

from dragoman.core.errors import DataError
from dragoman.curation.review.rows import ReviewedRow, ReviewRow

COLUMNS = (
    "id",
    "place",
    "times",
    "source",
    "translation",
    "correction",
    "verdict",
    "notes",
    "back translation",
    "quality",
    "doubts",
    "reviewed before",
)
NEEDED = ("id", "correction", "verdict")
"""Without these a table is none of ours."""

LONGEST_CELL = 32_767
"""Characters that a cell of a spreadsheet holds."""


def cells_of(row: ReviewRow) -> tuple[str | int | float, ...]:
    """Return what stands in a row's cells, in the order of `COLUMNS`."""
    text = row.text
    quality = "" if text.quality is None else round(text.quality, 3)
    back = within_a_cell(text.back_translation) if row.of == 1 else ""
    return (
        row.key,
        row.place,
        text.occurrences,
        row.source,
        row.translation,
        "",
        "",
        "",
        back,
        quality,
        within_a_cell(text.doubts),
        "yes" if text.is_reviewed else "",
    )


def within_a_cell(text: str) -> str:
    """Return what a model said of a text, cut where no cell holds it: nobody takes it back."""
    return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}…"


def header_of(cells: Sequence[str], where: str) -> Mapping[str, int] | None:
    """Return where each column of ours stands in a line; None where the line is no header of ours.

    Args:
        cells: The line.
        where: The file, for messages.

    Raises:
        DataError: Where a column stands twice.
    """
    names = [" ".join(cell.split()).casefold() for cell in cells]
    if not set(NEEDED) <= set(names):
        return None
    twice = next((name for name in COLUMNS if names.count(name) > 1), None)
    if twice is not None:
        raise DataError(f"{where}: two columns are called {twice!r}: keep one")
    return {name: names.index(name) for name in COLUMNS if name in names}


def reviewed_rows(
    lines: Iterable[tuple[str, Sequence[str]]], header: Mapping[str, int]
) -> Iterable[ReviewedRow]:
    """Yield the rows that stand below a header; lines without any of our cells are left out.

    Args:
        lines: The cells of each line, with how to name it.
        header: Where each column stands.
    """
    for where, cells in lines:
        found = {name: cells[at].strip() if at < len(cells) else "" for name, at in header.items()}
        if any(found.get(name) for name in ("id", "correction", "verdict")):
            yield ReviewedRow(
                where=where,
                key=found["id"],
                translation=found.get("translation", ""),
                correction=found["correction"],
                verdict=found["verdict"],
                notes=found.get("notes", ""),
                source=found.get("source", ""),
            )
