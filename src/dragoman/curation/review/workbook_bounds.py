"""Looks through a workbook's parts before any is read: each unpacks to as much as its sender likes.

Nothing is kept of them but where cells are merged. The library that reads workbooks builds an object
of each element and a text of each cell, and reads a part by what the workbook says of it, whatever
its name: so every part is looked through, and the bounds go by elements, not by names of parts.
"""

import io
import posixpath
import re
import zipfile
from collections import defaultdict
from collections.abc import Mapping
from typing import Any
from xml.parsers import expat

import msgspec

from dragoman.core.errors import DataError

MOST_PARTS = 2_000
MOST_UNPACKED = 256 * 2**20
"""Bytes of all parts: sheets are read a row at a time, so this bounds the time alone."""

MOST_KEPT = 16 * 2**20
"""Bytes of a part that is read whole, and characters that stand in one element or one attribute."""

LONGEST_TEXT = 200_000
"""Characters of one element: a cell holds 32,767, which reviewers' programs may write as signs of six."""

MOST_CHARACTERS = 20_000_000
"""Characters of all texts of a part, of which a row may have a quarter."""

MOST_CELLS_OF_A_ROW = 16_384
MOST_ROWS = 300_000
MOST_TEXTS = 300_000
"""Elements of shared texts."""

MOST_OTHERS = 20_000
"""Elements of a part that are neither cells nor shared texts: styles, names, merged cells."""

MOST_DEPTH = 64

_CHUNK = 2**16
_OF_CELLS = frozenset({"c", "v", "f", "is"})
_OF_TEXTS = frozenset({"si", "t", "r", "rPr", "rPh", "phoneticPr"})
_SHEET = "worksheet"
_FOREIGN_XML = (b"\0\0\0<", b"<\0\0\0", b"\x4c\x6f\xa7\x94")
"""How XML begins in encodings that other parsers than this one read."""

_UNKNOWN_ENCODING = expat.errors.codes[expat.errors.XML_ERROR_UNKNOWN_ENCODING]
_AREA = re.compile(r"([A-Z]{1,3})([0-9]{1,7})(?::([A-Z]{1,3})([0-9]{1,7}))?")
_LETTERS = 26


class MergedCells(msgspec.Struct, frozen=True):
    """Cells that are merged: the upper left one, from 1, and the last row."""

    row: int
    column: int
    last_row: int


def looked_through(content: bytes) -> Mapping[str, tuple[MergedCells, ...]]:
    """Return by title which cells of a workbook's sheets are merged.

    Args:
        content: The workbook: a zip file of XML.

    Raises:
        DataError: Where a part is larger than what people write; what it is, without its file.
        zipfile.BadZipFile: Where it is no zip file; what is damaged raises as `zipfile` does.
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
    """One part while it is looked through: what is counted of it, and what it says of sheets."""

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
        """Count what was read, and what of it the parser still holds, as it does of a long tag."""
        self._kept += size
        if pending > LONGEST_TEXT:
            raise self.too_much(f"a tag of more than {LONGEST_TEXT:,} bytes")
        if self._kept > MOST_KEPT and not self._is_sheet:
            raise self.too_much(f"more than {MOST_KEPT:,} bytes")


def _looked_through(file: Any, name: str) -> _Part:  # noqa: ANN401 - a zip file's member has no public type
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
                # A picture, or broken: the library comes no further either.
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
