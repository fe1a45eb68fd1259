"""A reviewer's Excel workbook, one sheet per artifact; needs the extra `dragoman[review]`."""

import io
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import msgspec

from dragoman.core.errors import DataError, UsageError
from dragoman.curation.review.columns import (
    COLUMNS,
    LONGEST_CELL,
    cells_of,
    header_of,
    reviewed_rows,
)
from dragoman.curation.review.rows import ReviewedRow, ReviewRow, in_a_cell

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

GUIDE = "guide"
_OLD_OR_LOCKED = b"\xd0\xcf\x11\xe0"
"""How Excel files begin that are encrypted, or in the form of before 2007."""
WORKBOOKS = (b"PK", _OLD_OR_LOCKED)
"""How workbooks begin."""
MOST_BYTES = 200_000_000
MOST_LINES, MOST_COLUMNS = 200_000, 100
"""Lines and columns of a sheet that are read."""
MOST_UNPACKED = 1 << 30
HEADER_WITHIN = 20
"""Lines from the top in which the header is looked for: people put titles above it."""

_WIDTHS = {"place": 24, "source": 60, "translation": 60, "correction": 60, "notes": 30}
_WIDTHS |= {"back translation": 40, "doubts": 40, "id": 10}
_TEXTS = frozenset({"translation", "correction"})
"""Columns in which a number is no text: 4.50 comes as 4.5, and 14/3 as a day of the year."""
_SPREAD = frozenset({"correction", "verdict", "notes"})
"""Columns in which merged cells speak for all their lines."""
_READ = _TEXTS | _SPREAD | {"id", "source"}
_FORBIDDEN = re.compile(r"[\[\]:*?/\\]")
_LONGEST_NAME = 31


def require_workbooks() -> None:
    """Make sure that workbooks can be read and written.

    Raises:
        UsageError: Without the extra.
    """
    _openpyxl()


def sheet_names(sheets: Sequence[str]) -> Mapping[str, str]:
    """Return the name of each sheet as workbooks allow them: short, without some signs, all different."""
    names: dict[str, str] = {}
    taken = {GUIDE}
    for sheet in sheets:
        plain = _FORBIDDEN.sub("_", sheet)[:_LONGEST_NAME].strip("'") or "sheet"
        name, number = plain, 1
        while name.casefold() in taken:
            number += 1
            suffix = f"_{number}"
            name = f"{plain[: _LONGEST_NAME - len(suffix)]}{suffix}"
        taken.add(name.casefold())
        names[sheet] = name
    return names


def encode_workbook(rows: Mapping[str, Sequence[ReviewRow]], title: str) -> bytes:
    """Return a workbook with the rows of each sheet, in the order given.

    Raises:
        UsageError: Without the extra.
        DataError: Where a text is longer than a cell holds.
    """
    book = _openpyxl().Workbook()
    _write_guide(book, title)
    for sheet, name in sheet_names(list(rows)).items():
        _write_sheet(book.create_sheet(name), rows[sheet])
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def decode_workbook(content: bytes, where: str) -> tuple[ReviewedRow, ...]:
    """Return the rows of a workbook that a reviewer sent back, of whatever sheets they stand in.

    Sheets may be sorted, filtered, have columns of their own and merged cells; a merged verdict
    holds for all its lines. Sheets without our columns are passed over.

    Raises:
        UsageError: Without the extra.
        DataError: Where it is no workbook or holds no sheet of ours; a formula is no correction.
    """
    if len(content) > MOST_BYTES:
        raise DataError(f"{where}: larger than {MOST_BYTES} bytes: no workbook of ours")
    sheets = _opened(content, where).worksheets
    found = [_rows_of_sheet(sheet, where) for sheet in sheets]
    if all(rows is None for rows in found):
        raise DataError(
            f"{where}: no sheet has the columns id, correction and verdict: "
            "take a workbook that dragoman review export wrote"
        )
    return tuple(row for rows in found if rows is not None for row in rows)


def _opened(content: bytes, where: str) -> "Workbook":
    openpyxl = _openpyxl()
    if content.startswith(_OLD_OR_LOCKED):
        raise DataError(
            f"{where}: protected by a password, or saved as .xls: save it as .xlsx without a password"
        )
    try:
        size = _size_unpacked(content)
        # Unpacked by the library only where it fits.
        book: Workbook | None = (
            openpyxl.load_workbook(io.BytesIO(content)) if size <= MOST_UNPACKED else None
        )
    # The library raises whatever the zip, the XML and its own checks raise, ten kinds and more.
    except Exception as error:
        raise DataError(f"{where}: no Excel workbook ({type(error).__name__})") from error
    if book is None:
        raise DataError(f"{where}: {size:,} bytes unpacked: no workbook of ours")
    return book


def _size_unpacked(content: bytes) -> int:
    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        return sum(part.file_size for part in parts.infolist())


def _rows_of_sheet(sheet: "Worksheet", where: str) -> list[ReviewedRow] | None:
    lines = enumerate(
        sheet.iter_rows(
            max_row=min(sheet.max_row, MOST_LINES), max_col=min(sheet.max_column, MOST_COLUMNS)
        ),
        start=1,
    )
    here = f"{where}: {sheet.title}"
    for _, (_, line) in zip(range(HEADER_WITHIN), lines, strict=False):
        header = header_of([str(cell.value or "") for cell in line], here)
        if header is not None:
            if sheet.max_row > MOST_LINES:
                raise DataError(
                    f"{here}: more than {MOST_LINES:,} lines: delete those below the last text"
                )
            return list(reviewed_rows(_lines(sheet, lines, header, here), header))
    return None


def _lines(
    sheet: "Worksheet",
    lines: Iterable[tuple[int, Sequence[Any]]],
    header: Mapping[str, int],
    where: str,
) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the cells of each line as text, those of other columns empty."""
    merged = _merged(sheet)
    columns = [(at, name) for name, at in header.items() if name in _READ]
    for number, line in lines:
        here = f"{where} line {number}"
        texts = [""] * len(line)
        for at, name in columns:
            cell = line[at]
            spoken = merged.get(cell.coordinate, cell) if name in _SPREAD else cell
            texts[at] = _text(spoken, name, here)
        yield here, texts


def _merged(sheet: "Worksheet") -> dict[str, Any]:
    """Return the cell that speaks for each one below it that is merged with it.

    Downwards only: what was merged with its neighbour to the right belongs to the left column.
    """
    first: dict[str, Any] = {}
    for area in sheet.merged_cells.ranges:
        top = sheet.cell(area.min_row, area.min_col)
        for row in range(area.min_row, min(area.max_row, MOST_LINES) + 1):
            first[sheet.cell(row, area.min_col).coordinate] = top
    return first


def _text(cell: Any, column: str, where: str) -> str:  # noqa: ANN401 - the library has no type for what a cell may be
    value = cell.value
    if value is None:
        return ""
    if cell.data_type == "f" and column != "notes":
        raise DataError(f"{where}: a formula, not a text: write the text itself")
    if column in _TEXTS and not isinstance(value, str):
        raise DataError(
            f"{where}: the {column} is {value} as a number or a date, which is not what was typed: "
            "format the cell as text and write it again"
        )
    if column in _TEXTS and cell.data_type == "e":
        raise DataError(f"{where}: the {column} is the error {value}: write the text itself")
    if isinstance(value, bool):
        return "yes" if value else ""
    return str(value)


def _write_guide(book: "Workbook", title: str) -> None:
    sheet = book.active
    assert sheet is not None  # noqa: S101 - a new workbook has one sheet
    sheet.title = GUIDE
    sheet.column_dimensions["A"].width = 120
    for number, line in enumerate((title, *_guide()), start=1):
        _put(sheet.cell(number, 1), line)


def _write_sheet(sheet: Any, rows: Sequence[ReviewRow]) -> None:  # noqa: ANN401 - untyped in the library
    styles = _openpyxl().styles
    for column, name in enumerate(COLUMNS, start=1):
        cell = sheet.cell(1, column)
        _put(cell, name)
        cell.font = styles.Font(bold=True)
        letter = cell.column_letter
        sheet.column_dimensions[letter].width = _WIDTHS.get(name, 12)
    wrapped = styles.Alignment(wrap_text=True, vertical="top")
    for line, row in enumerate(rows, start=2):
        for column, value in enumerate(cells_of(row), start=1):
            cell = sheet.cell(line, column)
            _put(cell, value)
            cell.alignment = wrapped
    sheet.freeze_panes = "A2"
    sheet.auto_filter.ref = sheet.dimensions


def _put(cell: Any, value: str | float) -> None:  # noqa: ANN401 - untyped in the library
    """Give a cell its value; a text is a text even where it starts as a formula does."""
    if isinstance(value, str):
        if len(value) > LONGEST_CELL:
            raise DataError(
                f"a text of {len(value)} characters fits no cell of a workbook: export to CSV"
            )
        cell.value = in_a_cell(value)
        cell.data_type = "s"
        # What is typed into the cell later stays what was typed.
        cell.number_format = "@"
    else:
        cell.value = value


@cache
def _guide() -> tuple[str, ...]:
    content = files("dragoman.curation.review").joinpath("guide.toml").read_bytes()
    return msgspec.toml.decode(content, type=dict[str, tuple[str, ...]])["lines"]


def _openpyxl() -> Any:  # noqa: ANN401 - an optional module
    try:
        import openpyxl
    except ImportError as error:
        raise UsageError(
            "Excel workbooks need an extra: pip install 'dragoman[review]', or use CSV"
        ) from error
    return openpyxl
