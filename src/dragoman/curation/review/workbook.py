"""A reviewer's Excel workbook, one sheet per artifact; needs the extra `dragoman[review]`."""

import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import msgspec

from dragoman.core.errors import DataError, UsageError
from dragoman.core.texts.csv_text import HEADER_WITHIN
from dragoman.curation.review.columns import (
    COLUMNS,
    LONGEST_CELL,
    cells_of,
    header_of,
    reviewed_rows,
)
from dragoman.curation.review.rows import ReviewedRow, ReviewRow, in_a_cell
from dragoman.curation.review.workbook_bounds import MergedCells, looked_through

if TYPE_CHECKING:
    from openpyxl import Workbook

GUIDE = "guide"
_OLD_OR_LOCKED = b"\xd0\xcf\x11\xe0"
"""How Excel files begin that are encrypted, or in the form of before 2007."""
WORKBOOKS = (b"PK", _OLD_OR_LOCKED)
"""How workbooks begin."""
MOST_BYTES = 32_000_000
MOST_LINES, MOST_COLUMNS = 200_000, 100
"""Lines and columns of a sheet that are read."""

_WIDTHS = {"place": 24, "source": 60, "translation": 60, "correction": 60, "notes": 30}
_WIDTHS |= {"back translation": 40, "doubts": 40, "id": 10}
_TEXTS = frozenset({"translation", "correction"})
"""Columns in which a number is no text: 4.50 comes as 4.5, and 14/3 as a day of the year."""
_SPREAD = frozenset({"correction", "verdict", "notes"})
"""Columns in which merged cells speak for all their lines."""
_READ = _TEXTS | _SPREAD | {"id", "source"}
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
"""How workbooks write signs that XML has no place for; `_x005F_` is the underscore before such a text."""
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
    merged, book = _opened(content, where)
    with closing(book):
        found = [
            _rows_of_sheet(sheet, merged.get(sheet.title, ()), where) for sheet in book.worksheets
        ]
    if all(rows is None for rows in found):
        raise DataError(
            f"{where}: no sheet has the columns id, correction and verdict: "
            "take a workbook that dragoman review export wrote"
        )
    return tuple(row for rows in found if rows is not None for row in rows)


def _opened(content: bytes, where: str) -> tuple[Mapping[str, Sequence[MergedCells]], "Workbook"]:
    """Return which cells are merged, by sheet, and a workbook that is read a row at a time."""
    openpyxl = _openpyxl()
    if content.startswith(_OLD_OR_LOCKED):
        raise DataError(
            f"{where}: protected by a password, or saved as .xls: save it as .xlsx without a password"
        )
    try:
        # Unpacked by the library only where it fits.
        merged = looked_through(content)
        return merged, _tables_of(openpyxl.reader.excel, content)
    except DataError as error:
        raise DataError(f"{where}: {error}") from error
    # The library raises whatever the zip, the XML and its own checks raise, ten kinds and more.
    except Exception as error:
        raise DataError(f"{where}: no Excel workbook ({type(error).__name__})") from error


def _tables_of(library: Any, content: bytes) -> "Workbook":  # noqa: ANN401 - an optional module
    """Return a workbook without its chart sheets, which the library cannot read a row at a time."""

    class Tables(library.ExcelReader):  # type: ignore[misc]
        def read_chartsheet(self, sheet: object, rel: object) -> None:
            del sheet, rel

    reader = Tables(io.BytesIO(content), read_only=True, keep_links=False)
    reader.read()
    book: Workbook = reader.wb
    return book


Line = tuple[int, Sequence[Any]]
"""A line's number and its cells, for which the library has no type."""


def _rows_of_sheet(
    sheet: Any,  # noqa: ANN401 - the library types it as a sheet that is held whole
    merged: Sequence[MergedCells],
    where: str,
) -> list[ReviewedRow] | None:
    here = f"{where}: {sheet.title}"
    lines = _lines_of_sheet(sheet, here)
    for _, (_, line) in zip(range(HEADER_WITHIN), lines, strict=False):
        header = header_of([_plain(str(cell.value or "")) for cell in line], here)
        if header is not None:
            return list(reviewed_rows(_lines(merged, lines, header, here), header))
    return None


def _lines_of_sheet(sheet: Any, here: str) -> Iterator[Line]:  # noqa: ANN401 - as above
    """Yield the lines of a sheet that have cells, whatever the sheet says of its size."""
    from openpyxl.cell.read_only import EMPTY_CELL

    sheet.reset_dimensions()
    lines = enumerate(sheet.iter_rows(max_col=MOST_COLUMNS), start=1)
    empty: object = None
    while True:
        try:
            number, line = next(lines)
        except StopIteration:
            return
        except Exception as error:
            raise DataError(f"{here}: no sheet of a workbook ({type(error).__name__})") from error
        # A million lines without cells are one object.
        if line is empty or all(cell is EMPTY_CELL for cell in line):
            empty = line
            continue
        if number <= MOST_LINES:
            yield number, line
        elif any(cell.value is not None for cell in line):
            raise DataError(
                f"{here}: more than {MOST_LINES:,} lines: delete those below the last text"
            )


def _lines(
    merged: Sequence[MergedCells], lines: Iterable[Line], header: Mapping[str, int], where: str
) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the cells of each line as text, those of other columns empty."""
    columns = [(at, name) for name, at in header.items() if name in _READ]
    # Downwards only: what was merged with its neighbour to the right belongs to the left column.
    last_rows = {(area.row, area.column): area.last_row for area in merged}
    speaking: dict[int, tuple[int, Any]] = {}
    for number, line in lines:
        here = f"{where} line {number}"
        texts = [""] * len(line)
        for at, name in columns:
            cell = line[at]
            if name in _SPREAD:
                if (number, at + 1) in last_rows:
                    speaking[at] = (last_rows[number, at + 1], cell)
                last, above = speaking.get(at, (0, cell))
                cell = above if number <= last else cell
            texts[at] = _text(cell, name, here)
        yield here, texts


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
    return _plain(str(value))


def _plain(text: str) -> str:
    """Return a cell's text with the signs that stand escaped in it: `_x000D_` is half a line break."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)


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
        # A text that looks like an escaped sign would come back as that sign.
        cell.value = _ESCAPED.sub(r"_x005F_x\1_", in_a_cell(value))
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
