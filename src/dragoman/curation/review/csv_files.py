"""CSV files for reviewers and annotators, in the dialects of spreadsheet programs."""

import codecs
import csv
import io
from collections.abc import Collection, Iterable, Iterator, Sequence

from dragoman.core.errors import DataError
from dragoman.core.texts.csv_text import (
    HEADER_WITHIN,
    CsvText,
    detect_delimiter,
    escape_cell,
    unescape_cell,
)
from dragoman.curation.review.rows import (
    COLUMNS,
    ReviewedRow,
    ReviewRow,
    cells_of,
    review_columns,
    reviewed_rows,
)

MOST_BYTES = 32_000_000
_LOOKED_AT = 10_000

Cell = str | int | float


def encode_csv_table(header: Sequence[str], lines: Iterable[Sequence[Cell]]) -> bytes:
    """Return a table as CSV in UTF-8, with the byte order mark that spreadsheets need.

    A text that a program would take for a formula gets an apostrophe before it.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows([_safe(cell) for cell in line] for line in lines)
    return text.getvalue().encode("utf-8-sig")


def csv_table_lines(
    content: bytes, where: str, columns: Collection[str] = ()
) -> Iterator[tuple[str, Sequence[str]]]:
    """Return the lines of a returned CSV file, each with its name for messages.

    The file may use any column separator.

    Args:
        content: The file: UTF-8, or UTF-16 with its byte order mark, as in Excel's "Unicode text".
        where: The name of the file for messages.
        columns: The names of columns that it may have, in lower case.

    Raises:
        DataError: If it is not text or not a table; errors in lines are raised when they are read.
    """
    if len(content) > MOST_BYTES:
        raise DataError(f"{where}: larger than {MOST_BYTES} bytes: no file of ours")
    return _lines(detect_delimiter(_decode_csv(content, where), columns), where)


def _decode_csv(content: bytes, where: str) -> str:
    is_utf_16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = content.decode("utf-16" if is_utf_16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{where}: no UTF-8: save it as CSV in UTF-8") from error
    # UTF-16 without its mark is valid UTF-8 in which every second character is NUL.
    if text[:_LOOKED_AT].count("\0") * 4 > len(text[:_LOOKED_AT]):
        raise DataError(f"{where}: no UTF-8: save it as CSV in UTF-8")
    return text


def _lines(given: CsvText, where: str) -> Iterator[tuple[str, Sequence[str]]]:
    # Parsing is strict: an unclosed quotation mark would turn the rest of the file into one cell.
    reader = csv.reader(io.StringIO(given.text, newline=""), delimiter=given.delimiter, strict=True)
    try:
        for cells in reader:
            number = reader.line_num + given.lines_above
            yield f"{where}: line {number}", [unescape_cell(cell) for cell in cells]
    except csv.Error as error:
        number = reader.line_num + given.lines_above
        raise DataError(
            f"{where}: line {number}: {error}: a quotation mark is out of place or a cell is too "
            "long: save it as CSV with a spreadsheet program"
        ) from error


def _safe(cell: Cell) -> Cell:
    return escape_cell(cell) if isinstance(cell, str) else cell


def encode_csv(rows: Sequence[ReviewRow]) -> bytes:
    """Return rows as CSV."""
    return encode_csv_table(COLUMNS, map(cells_of, rows))


def decode_csv(content: bytes, where: str) -> tuple[ReviewedRow, ...]:
    """Return the rows of a CSV file that a reviewer sent back.

    Raises:
        DataError: If it is not text, not a table, or not a review file.
    """
    lines = csv_table_lines(content, where, COLUMNS)
    for _, (_, cells) in zip(range(HEADER_WITHIN), lines, strict=False):
        header = review_columns(cells, where)
        if header is not None:
            return tuple(reviewed_rows(lines, header))
    raise DataError(
        f"{where}: none of its first {HEADER_WITHIN} lines names the columns id, correction, "
        "verdict: "
        "put back the line that the export had"
    )
