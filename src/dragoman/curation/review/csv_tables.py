"""Tables as CSV, as people get them for their spreadsheet programs and send them back."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from dragoman.core.errors import DataError
from dragoman.core.texts.csv_cells import delimiter_of, safe_cell, text_of_cell

MOST_BYTES = 32_000_000

Cell = str | int | float


def encode_csv_table(header: Sequence[str], lines: Iterable[Sequence[Cell]]) -> bytes:
    """Return a table as CSV in UTF-8, with a byte order mark: spreadsheet programs ask for it.

    A text that a program would take for a formula has an apostrophe before it.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows([_safe(cell) for cell in line] for line in lines)
    return text.getvalue().encode("utf-8-sig")


def csv_table_lines(content: bytes, where: str) -> Iterator[tuple[str, Sequence[str]]]:
    """Return the lines of a CSV file that came back, each with how to name it, whatever separates columns.

    Raises:
        DataError: Where it is no text or no table; of its lines, when they are read.
    """
    if len(content) > MOST_BYTES:
        raise DataError(f"{where}: larger than {MOST_BYTES} bytes: no file of ours")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{where}: no UTF-8: save it as CSV in UTF-8") from error
    return _lines(text, delimiter_of(text), where)


def _lines(text: str, delimiter: str, where: str) -> Iterator[tuple[str, Sequence[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for cells in reader:
            yield f"{where}: line {reader.line_num}", [text_of_cell(cell) for cell in cells]
    except csv.Error as error:
        raise DataError(f"{where}: line {reader.line_num}: {error}") from error


def _safe(cell: Cell) -> Cell:
    return safe_cell(cell) if isinstance(cell, str) else cell
