"""A reviewer's texts as CSV: one file per artifact, for those without a spreadsheet program."""

import csv
import io
from collections.abc import Iterator, Sequence

from dragoman.core.errors import DataError
from dragoman.core.texts.csv_cells import delimiter_of, safe_cell, text_of_cell
from dragoman.curation.review.columns import COLUMNS, cells_of, header_of, reviewed_rows
from dragoman.curation.review.rows import ReviewedRow, ReviewRow

MOST_BYTES = 200_000_000


def encode_csv(rows: Sequence[ReviewRow]) -> bytes:
    """Return rows as CSV in UTF-8, with a byte order mark: spreadsheet programs ask for it.

    A text that a program would take for a formula has an apostrophe before it.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    writer.writerows([_safe(cell) for cell in cells_of(row)] for row in rows)
    return text.getvalue().encode("utf-8-sig")


def decode_csv(content: bytes, where: str) -> tuple[ReviewedRow, ...]:
    """Return the rows of a CSV file that a reviewer sent back, whatever separates its columns.

    Raises:
        DataError: Where it is no text, no table, or none of ours.
    """
    if len(content) > MOST_BYTES:
        raise DataError(f"{where}: larger than {MOST_BYTES} bytes: no file of ours")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{where}: no UTF-8: save it as CSV in UTF-8") from error
    lines = _lines(text, delimiter_of(text), where)
    for _, (_, cells) in zip(range(1), lines, strict=False):
        header = header_of(cells, where)
        if header is not None:
            return tuple(reviewed_rows(lines, header))
    raise DataError(f"{where}: the first line does not name the columns id, correction, verdict")


def _lines(text: str, delimiter: str, where: str) -> Iterator[tuple[str, Sequence[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for cells in reader:
            yield f"{where}: line {reader.line_num}", [text_of_cell(cell) for cell in cells]
    except csv.Error as error:
        raise DataError(f"{where}: line {reader.line_num}: {error}") from error


def _safe(cell: str | float) -> str | float:
    return safe_cell(cell) if isinstance(cell, str) else cell
