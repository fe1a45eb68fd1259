"""Excel workbooks for reviewers, one sheet per artifact; needs `dragoman[review]`.

Each part of a returned workbook is scanned within limits before openpyxl reads it, since the sender
decides how large an unpacked part is. The library builds an object for each element and a text for
each cell. It reads a part according to the workbook's relations, whatever the part's name. So every
part is scanned, and the limits count elements, not names of parts. Only the merged cells are kept.
"""

import io
import posixpath
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

import msgspec

from dragoman.core.errors import DataError, UsageError
from dragoman.core.texts.csv_text import HEADER_WITHIN
from dragoman.curation.review.rows import (
    COLUMNS,
    LONGEST_CELL,
    ReviewedRow,
    ReviewRow,
    cells_of,
    review_columns,
    reviewed_rows,
    workbook_text,
)

if TYPE_CHECKING:
    from openpyxl import Workbook


MOST_PARTS = 2_000
MOST_UNPACKED = 256 * 2**20
"""Largest total of all parts, in bytes; sheets are read by row, so it only bounds time."""

MOST_KEPT = 16 * 2**20
"""Most bytes of a part that is read as a whole."""

LONGEST_TEXT = 200_000
"""Maximum number of characters of one element.

A cell holds 32,767 characters, each of which reviewers' programs may write as six.
"""

MOST_CHARACTERS = 20_000_000
"""Most characters in all texts of a part; a row may have a quarter of it."""

MOST_CELLS_OF_A_ROW = 16_384
MOST_ROWS = 300_000
MOST_TEXTS = 300_000
"""Most elements of shared texts."""

MOST_OTHERS = 20_000
"""Most elements other than cells and shared texts: styles, names, merged cells."""

MOST_DEPTH = 64

_CHUNK = 2**16
_OF_CELLS = frozenset({"c", "v", "f", "is"})
_OF_TEXTS = frozenset({"si", "t", "r", "rPr", "rPh", "phoneticPr"})
_SHEET = "worksheet"
_FOREIGN_XML = (b"\0\0\0<", b"<\0\0\0", b"\x4c\x6f\xa7\x94")
"""First bytes of XML in encodings that other parsers than this one read."""

_UNKNOWN_ENCODING = expat.errors.codes[expat.errors.XML_ERROR_UNKNOWN_ENCODING]
_AREA = re.compile(r"([A-Z]{1,3})([0-9]{1,7})(?::([A-Z]{1,3})([0-9]{1,7}))?")
_LETTERS = 26


class MergedCells(msgspec.Struct, frozen=True):
    """Merged cells: the row and column of the upper left one, from 1, and the last row."""

    row: int
    column: int
    last_row: int


def scan_workbook(content: bytes) -> Mapping[str, tuple[MergedCells, ...]]:
    """Return the merged cells of a workbook's sheets, by title.

    Args:
        content: The workbook: a zip file of XML.

    Raises:
        DataError: If a part is larger than what people write; the message does not name the file.
        zipfile.BadZipFile: If it is not a zip file; damaged parts raise other errors of `zipfile`.
    """
    parts: dict[str, _Part] = {}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = archive.infolist()
        if len(entries) > MOST_PARTS:
            raise DataError(f"{len(entries):,} parts: no workbook of ours")
        size = sum(entry.file_size for entry in entries)
        if size > MOST_UNPACKED:
            raise DataError(f"{size:,} bytes unpacked: no workbook of ours")
        for entry in entries:
            with archive.open(entry) as file:
                parts[entry.filename] = _looked_through(file, entry.filename)
    return _by_title(parts)


class _Part:
    """One part during the scan: its counts, and its data on sheets."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.merged: list[MergedCells] = []
        self.sheets: list[tuple[str, str]] = []
        self.targets: dict[str, str] = {}
        self._depth = 0
        self._is_sheet = False
        self._rows = self._cells = self._texts = self._others = self._characters = 0
        self._kept = self._of_row = self._of_part = 0

    def too_much(self, what: str) -> DataError:
        return DataError(f"{what} in its part {self.name:.60}: no workbook of ours")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._characters = 0
        if self._depth > MOST_DEPTH:
            raise self.too_much("elements within elements without end")
        plain = name if ":" not in name else name.rpartition(":")[2]
        if plain == "row":
            self._cells = self._of_row = 0
            self._rows += 1
            if self._rows > MOST_ROWS:
                raise self.too_much(f"more than {MOST_ROWS:,} rows")
        elif plain in _OF_CELLS or (self._is_sheet and plain in _OF_TEXTS):
            self._cells += 1
            if self._cells > len(_OF_CELLS) * MOST_CELLS_OF_A_ROW:
                raise self.too_much(f"more than {MOST_CELLS_OF_A_ROW:,} cells of a row")
        elif plain in _OF_TEXTS:
            self._texts += 1
            if self._texts > MOST_TEXTS:
                raise self.too_much(f"more than {MOST_TEXTS:,} texts")
        else:
            self._start_other(plain, attributes)

    def _start_other(self, plain: str, attributes: dict[str, str]) -> None:
        self._others += 1
        if self._others > MOST_OTHERS:
            raise self.too_much(f"more than {MOST_OTHERS:,} elements")
        if self._depth == 1:
            self._is_sheet = plain == _SHEET
        if plain == "mergeCell":
            self._note_merged(attributes.get("ref", ""))
        elif plain == "sheet":
            self.sheets.append((attributes.get("name", ""), _id_of(attributes)))
        elif plain == "Relationship":
            self.targets[attributes.get("Id", "")] = attributes.get("Target", "")

    def _note_merged(self, reference: str) -> None:
        found = _AREA.fullmatch(reference)
        if found is not None:
            column, row, _, last = found.groups()
            self.merged.append(MergedCells(int(row), _column(column), int(last or row)))

    def end(self, _: str) -> None:
        self._depth -= 1
        self._characters = 0

    def characters(self, text: str) -> None:
        self._characters += len(text)
        if self._characters > LONGEST_TEXT:
            raise self.too_much(f"a text of more than {LONGEST_TEXT:,} characters")
        self._of_row += len(text)
        self._of_part += len(text)
        if self._of_part > MOST_CHARACTERS or self._of_row * 4 > MOST_CHARACTERS:
            raise self.too_much(f"more than {MOST_CHARACTERS:,} characters, or a quarter in a row")

    def refuse_types(self, *_: object) -> None:
        raise self.too_much("a document type")

    def fed(self, size: int, pending: int) -> None:
        """Count the bytes that were read, and those that the parser still holds in a long tag."""
        self._kept += size
        if pending > LONGEST_TEXT:
            raise self.too_much(f"a tag of more than {LONGEST_TEXT:,} bytes")
        if self._kept > MOST_KEPT and not self._is_sheet:
            raise self.too_much(f"more than {MOST_KEPT:,} bytes")


def _looked_through(file: Any, name: str) -> _Part:  # noqa: ANN401
    part = _Part(name)
    parser = expat.ParserCreate()
    parser.StartElementHandler = part.start
    parser.EndElementHandler = part.end
    parser.CharacterDataHandler = part.characters
    parser.StartDoctypeDeclHandler = part.refuse_types
    fed, begins = 0, b""
    is_xml = True
    while chunk := file.read(_CHUNK):
        begins = begins or chunk[:4]
        fed += len(chunk)
        if is_xml:
            try:
                parser.Parse(chunk, False)
            except (LookupError, ValueError) as error:
                raise part.too_much("an encoding that no program writes") from error
            except expat.ExpatError as error:
                if error.code == _UNKNOWN_ENCODING or begins.startswith(_FOREIGN_XML):
                    raise part.too_much("an encoding that no program writes") from error
                # A picture, or broken XML, which the library cannot read further either.
                is_xml = False
        part.fed(len(chunk), fed - parser.CurrentByteIndex if is_xml else 0)
    return part


def _by_title(parts: Mapping[str, _Part]) -> Mapping[str, tuple[MergedCells, ...]]:
    merged: defaultdict[str, tuple[MergedCells, ...]] = defaultdict(tuple)
    for name, part in parts.items():
        folder, own = posixpath.split(name)
        relations = parts.get(f"{folder}/_rels/{own}.rels".lstrip("/"))
        for title, identity in part.sheets if relations else ():
            assert relations is not None  # noqa: S101 - the line above
            target = relations.targets.get(identity, "")
            path = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
            if path in parts:
                merged[title] += tuple(parts[path].merged)
    return merged


def _id_of(attributes: Mapping[str, str]) -> str:
    return next((value for key, value in attributes.items() if key.endswith(":id")), "")


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * _LETTERS + ord(letter) - ord("A") + 1
    return number


GUIDE = "guide"
_OLD_OR_LOCKED = b"\xd0\xcf\x11\xe0"
"""First bytes of Excel files that are encrypted, or in the format before 2007."""
WORKBOOKS = (b"PK", _OLD_OR_LOCKED)
"""First bytes of workbooks."""
MOST_BYTES = 32_000_000
MOST_LINES, MOST_COLUMNS = 200_000, 100
"""Most lines and columns of a sheet that are read."""

_WIDTHS = {"place": 24, "source": 60, "translation": 60, "correction": 60, "notes": 30}
_WIDTHS |= {"back translation": 40, "doubts": 40, "id": 10}
_TEXTS = frozenset({"translation", "correction"})
"""Columns that must hold text; as a number, 4.50 becomes 4.5, and 14/3 a date."""
_SPREAD = frozenset({"correction", "verdict", "notes"})
"""Columns in which merged cells apply to all their lines."""
_READ = _TEXTS | _SPREAD | {"id", "source"}
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
"""Pattern of the escapes by which workbooks write characters that XML does not allow.

`_x005F_` is the underscore before a text of this form.
"""
_FORBIDDEN = re.compile(r"[\[\]:*?/\\]")
_LONGEST_NAME = 31


def require_workbooks() -> None:
    """Make sure that workbooks can be read and written.

    Raises:
        UsageError: Without the extra.
    """
    _openpyxl()


def sheet_names(sheets: Sequence[str]) -> Mapping[str, str]:
    """Return a name for each sheet that workbooks allow.

    The names are short, lack the forbidden characters, and are all different.
    """
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
        DataError: If a text is too long for a cell.
    """
    book = _openpyxl().Workbook()
    _write_guide(book, title)
    for sheet, name in sheet_names(list(rows)).items():
        _write_sheet(book.create_sheet(name), rows[sheet])
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def decode_workbook(content: bytes, where: str) -> tuple[ReviewedRow, ...]:
    """Return the rows of a workbook that a reviewer sent back, from all its sheets.

    Sheets may be sorted and filtered, and may have further columns and merged cells. A merged
    verdict applies to all its lines. Sheets without the known columns are skipped.

    Raises:
        UsageError: Without the extra.
        DataError: If it is not a workbook or has no review sheet, or if a cell holds a formula.
    """
    if len(content) > MOST_BYTES:
        raise DataError(f"{where}: larger than {MOST_BYTES} bytes: no workbook of ours")
    merged, book = _open_workbook(content, where)
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


def _open_workbook(
    content: bytes, where: str
) -> tuple[Mapping[str, Sequence[MergedCells]], "Workbook"]:
    """Return the merged cells by sheet, and a workbook that is read row by row."""
    openpyxl = _openpyxl()
    if content.startswith(_OLD_OR_LOCKED):
        raise DataError(
            f"{where}: protected by a password, or saved as .xls: save it as .xlsx without a "
            "password"
        )
    try:
        # The library unpacks the workbook only if it is within the limits.
        merged = scan_workbook(content)
        return merged, _tables_of(openpyxl.reader.excel, content)
    except DataError as error:
        raise DataError(f"{where}: {error}") from error
    # The library raises more than ten kinds of errors, from the zip file, the XML and its own
    # checks.
    except Exception as error:
        raise DataError(f"{where}: no Excel workbook ({type(error).__name__})") from error


def _tables_of(library: Any, content: bytes) -> "Workbook":  # noqa: ANN401 - an optional module
    """Return a workbook without its chart sheets, which the library cannot read by row."""

    class Tables(library.ExcelReader):  # type: ignore[misc]
        def read_chartsheet(self, sheet: object, rel: object) -> None:
            del sheet, rel

    reader = Tables(io.BytesIO(content), read_only=True, keep_links=False)
    reader.read()
    book: Workbook = reader.wb
    return book


Line = tuple[int, Sequence[Any]]
"""A line's number and its cells, which are untyped in the library."""


def _rows_of_sheet(
    sheet: Any,  # noqa: ANN401 - the library types it as a sheet that is held whole
    merged: Sequence[MergedCells],
    where: str,
) -> list[ReviewedRow] | None:
    here = f"{where}: {sheet.title}"
    lines = _lines_of_sheet(sheet, here)
    for _, (_, line) in zip(range(HEADER_WITHIN), lines, strict=False):
        header = review_columns([_plain(str(cell.value or "")) for cell in line], here)
        if header is not None:
            return list(reviewed_rows(_lines(merged, lines, header, here), header))
    return None


def _lines_of_sheet(sheet: Any, here: str) -> Iterator[Line]:  # noqa: ANN401 - as above
    """Yield the lines of a sheet that have cells, whatever size the sheet states."""
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
        # The library returns the same object for all lines without cells.
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
    """Yield the cells of each line as texts; those of unknown columns are empty."""
    columns = [(at, name) for name, at in header.items() if name in _READ]
    # Merged cells are spread only downwards; a merge with the right neighbour belongs to the left
    # column.
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


def _text(cell: Any, column: str, where: str) -> str:  # noqa: ANN401
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
    """Return a cell's text with its escaped characters decoded.

    For example, `_x000D_` is half a line break.
    """
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)


def _write_guide(book: "Workbook", title: str) -> None:
    sheet = book.active
    assert sheet is not None  # noqa: S101 - a new workbook has one sheet
    sheet.title = GUIDE
    sheet.column_dimensions["A"].width = 120
    for number, line in enumerate((title, *_guide()), start=1):
        _set_cell_value(sheet.cell(number, 1), line)


def _write_sheet(sheet: Any, rows: Sequence[ReviewRow]) -> None:  # noqa: ANN401
    styles = _openpyxl().styles
    for column, name in enumerate(COLUMNS, start=1):
        cell = sheet.cell(1, column)
        _set_cell_value(cell, name)
        cell.font = styles.Font(bold=True)
        letter = cell.column_letter
        sheet.column_dimensions[letter].width = _WIDTHS.get(name, 12)
    wrapped = styles.Alignment(wrap_text=True, vertical="top")
    for line, row in enumerate(rows, start=2):
        for column, value in enumerate(cells_of(row), start=1):
            cell = sheet.cell(line, column)
            _set_cell_value(cell, value)
            cell.alignment = wrapped
    sheet.freeze_panes = "A2"
    sheet.auto_filter.ref = sheet.dimensions


def _set_cell_value(cell: Any, value: str | float) -> None:  # noqa: ANN401 - untyped in the library
    """Set a cell's value; a text stays a text even if it starts like a formula."""
    if isinstance(value, str):
        if len(value) > LONGEST_CELL:
            raise DataError(
                f"a text of {len(value)} characters fits no cell of a workbook: export to CSV"
            )
        # A text that looks like an escaped character would come back as that character.
        cell.value = _ESCAPED.sub(r"_x005F_x\1_", workbook_text(value))
        cell.data_type = "s"
        # Text typed into the cell later stays as typed.
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
