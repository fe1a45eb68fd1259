"""A reviewer's texts as CSV: one file per artifact, for those without a spreadsheet program."""

from collections.abc import Sequence

from dragoman.core.errors import DataError
from dragoman.core.texts.csv_text import HEADER_WITHIN
from dragoman.curation.review.columns import COLUMNS, cells_of, header_of, reviewed_rows
from dragoman.curation.review.csv_tables import csv_table_lines, encode_csv_table
from dragoman.curation.review.rows import ReviewedRow, ReviewRow


def encode_csv(rows: Sequence[ReviewRow]) -> bytes:
    """Return rows as CSV."""
    return encode_csv_table(COLUMNS, map(cells_of, rows))


def decode_csv(content: bytes, where: str) -> tuple[ReviewedRow, ...]:
    """Return the rows of a CSV file that a reviewer sent back.

    Raises:
        DataError: Where it is no text, no table, or none of ours.
    """
    lines = csv_table_lines(content, where, COLUMNS)
    for _, (_, cells) in zip(range(HEADER_WITHIN), lines, strict=False):
        header = header_of(cells, where)
        if header is not None:
            return tuple(reviewed_rows(lines, header))
    raise DataError(
        f"{where}: none of its first {HEADER_WITHIN} lines names the columns id, correction, verdict: "
        "put back the line that the export had"
    )
