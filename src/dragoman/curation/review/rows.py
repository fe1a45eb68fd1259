"""Rows and columns of a review file: a text or a section of a document, and its review.

A row is one text in one context, however often it occurs, or one section of a document. Its key has
hashes of source and translation. So a source that has changed is recognized, and a translation that
was edited in its own cell is taken as a correction.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from dragoman.core.errors import DataError

_HEADING = re.compile(r"#{1,6}\s")
_FENCE = re.compile(r"\s{0,3}(```+|~~~+)")
LONGEST_WHOLE = 1_000
"""Longest document that is shown in one piece, in characters."""


def sections(document: str) -> tuple[str, ...]:
    """Return a document's parts, each from one heading up to the next.

    The concatenated parts are the document. A line of a fenced code block is not a heading.
    """
    parts: list[list[str]] = [[]]
    fence = ""
    for line in document.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        elif not fence and _HEADING.match(line) and "".join(parts[-1]).strip():
            parts.append([])
        parts[-1].append(line)
    return tuple("".join(part) for part in parts)


def aligned_sections(source: str, translation: str) -> tuple[tuple[str, str], ...]:
    """Return pairs of the parts of a document and of its translation.

    There is only one pair if the document is short, or if the two have different numbers of parts.
    """
    own, translated = sections(source), sections(translation)
    if len(source) <= LONGEST_WHOLE or len(own) != len(translated):
        return ((source, translation),)
    return tuple(zip(own, translated, strict=True))


Verdict = Literal["ok", "fixed", "unsure", ""]
"""The verdict of a reviewer on a row.

`ok`: may be used as it is. `fixed`: corrected. `unsure`: examined, left open. `""`: not reviewed.
"""

_KEY = re.compile(r"([0-9a-f]{16})-([0-9a-f]{8})")
_OK = frozenset({"ok", "okay", "yes", "y", "x", "true", "1", "good", "fine", "accepted", "✓", "✔"})
_FIXED = frozenset({"fixed", "corrected", "changed"})
_LOST = "?"
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_UNTYPED = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffd\ufffe\uffff]|_x[0-9A-Fa-f]{4}_")
_UNSURE = frozenset({"unsure", "?", "unclear", "open"})


class ReviewText(msgspec.Struct, frozen=True):
    """One text in one context with its translation, as in the memory.

    Attributes:
        language: The code of the language that it is translated into.
        sheet: The artifact of its first occurrence, such as `retail_tasks`.
        place: Its first address.
        occurrences: Number of its addresses.
        context: Its context in the translation memory.
        source: The text.
        target: The translation.
        is_document: Whether it is a Markdown document, which is reviewed section by section.
        back_translation: The back-translation; "" if there is none.
        quality: A quality estimate, 0 (worst) to 1; None if there is none.
        doubts: Reasons for a low estimate, in words.
        is_reviewed: Whether it was reviewed before.
    """

    language: str
    sheet: str
    place: str
    occurrences: int
    context: str
    source: str
    target: str
    is_document: bool = False
    back_translation: str = ""
    quality: float | None = None
    doubts: str = ""
    is_reviewed: bool = False


class ReviewRow(msgspec.Struct, frozen=True):
    """A text, or section `number` of its `of` sections, in the form that a reviewer sees."""

    text: ReviewText
    number: int
    of: int
    source: str
    translation: str

    @property
    def key(self) -> str:
        """The key that identifies the row in any order and any file."""
        return f"{self.source_key}-{_hash(self.translation, 4)}"

    @property
    def source_key(self) -> str:
        """The part of the key that stays when the translation changes."""
        whole = _hash(self.text.source, 8) if self.of > 1 else ""
        stands_in = f"{self.text.language}\n{self.text.context}\n{whole}\n{self.number}"
        return _hash(f"{stands_in}\n{self.source}", 8)

    @property
    def place(self) -> str:
        """The address of the row."""
        return f"{self.text.place}#{self.number}" if self.of > 1 else self.text.place


class ReviewedRow(msgspec.Struct, frozen=True):
    """One returned row; `where` names its file, sheet and line.

    `source` is "" if no column has it.
    """

    where: str
    key: str
    translation: str
    correction: str
    verdict: str
    notes: str = ""
    source: str = ""

    @property
    def source_key(self) -> str:
        """The part of the key that identifies the source; "" without a valid key."""
        found = _KEY.fullmatch(self.key.strip())
        return found[1] if found else ""


class ReadRow(msgspec.Struct, frozen=True):
    """A reviewer's verdict on a row; `text` is the usable text, or the earlier one."""

    row: ReviewRow
    verdict: Verdict
    text: str
    notes: str
    where: str


def rows_of(text: ReviewText) -> tuple[ReviewRow, ...]:
    """Return the rows in which a text is reviewed, in its order."""
    pairs = (
        aligned_sections(text.source, text.target)
        if text.is_document
        else ((text.source, text.target),)
    )
    return tuple(
        ReviewRow(text, number, len(pairs), source, translation)
        for number, (source, translation) in enumerate(pairs, start=1)
    )


def read_row(row: ReviewRow, reviewed: ReviewedRow) -> ReadRow:
    """Return a reviewer's verdict on a row.

    An approval applies to the shown translation, even if the memory holds another one by now. A
    translation that was edited in its own cell is a correction, and a correction that repeats the
    translation is an approval.

    Raises:
        ValueError: For an unknown verdict, and for cells that do not match the row any more; the
            text says which.
    """
    said = _verdict(reviewed.verdict)
    shown, correction = cell_text(reviewed.translation), cell_text(reviewed.correction)
    was_edited = bool(shown) and not reviewed.key.strip().endswith(_hash(shown, 4))
    before = cell_text(row.translation) if was_edited or not shown else shown
    after = correction or shown or before
    verdict: Verdict
    if said == "unsure":
        verdict, after = "unsure", before
    elif after != before:
        verdict = "fixed"
    else:
        verdict = "ok" if said or correction else ""
    if verdict:
        _require_whole(row, reviewed)
    if verdict == "fixed":
        _require_text(row, reviewed.correction.strip() or reviewed.translation)
    return ReadRow(row, verdict, _spaced_as(row.source, after), reviewed.notes, reviewed.where)


def cell_text(text: str) -> str:
    """Return a cell's text in a comparable form: NFC and one kind of line break."""
    text = workbook_text(text.replace("\r\n", "\n").replace("\r", "\n"))
    return unicodedata.normalize("NFC", text).strip()


def _require_whole(row: ReviewRow, reviewed: ReviewedRow) -> None:
    """Refuse cells that belong to another row, or that lost letters in a conversion."""
    source, shown = cell_text(reviewed.source), cell_text(reviewed.translation)
    if source and source != cell_text(row.source):
        raise ValueError(
            "its source is not that of its id: rows were sorted in part, or the source was edited: "
            "put it back as it was exported"
        )
    if _lost_letters(cell_text(row.translation), shown):
        raise ValueError("its letters became question marks: save the file as CSV in UTF-8")


def _require_text(row: ReviewRow, written: str) -> None:
    """Refuse characters that are not typed by people and not in the row's own texts."""
    own = f"{row.source}{row.translation}"
    for found in _UNTYPED.finditer(written):
        if found[0] not in own:
            shown = found[0] if found[0].isascii() and found[0].isprintable() else ""
            said = shown or f"the sign U+{ord(found[0]):04X}"
            raise ValueError(
                f"its correction holds {said}, which nobody types: a program damaged it: write it "
                "again"
            )


def workbook_text(text: str) -> str:
    """Return a text as a workbook stores it; some characters are not allowed there."""
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def _lost_letters(text: str, shown: str) -> bool:
    """Return whether a text was written in an encoding that lacks some of its letters.

    Question marks are left in the places of these letters.
    """
    return (
        shown != text
        and len(shown) == len(text)
        and all(
            now == before or (now == _LOST and not before.isascii())
            for before, now in zip(text, shown, strict=True)
        )
    )


def _spaced_as(source: str, text: str) -> str:
    """Return a text with the outer white space of its source, which cells lose."""
    start = source[: len(source) - len(source.lstrip())]
    end = source[len(source.rstrip()) :]
    return f"{start}{text}{end}"


def _verdict(text: str) -> Verdict:
    said = text.strip().casefold().rstrip(".")
    if said in _OK:
        return "ok"
    if said in _FIXED:
        return "fixed"
    if said in _UNSURE:
        return "unsure"
    if said:
        raise ValueError(f"verdict {text.strip()[:40]!r}: write ok, fixed or unsure")
    return ""


def _hash(text: str, size: int) -> str:
    return hashlib.blake2b(cell_text(text).encode(), digest_size=size).hexdigest()


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
"""Columns that every review file has."""

LONGEST_CELL = 32_767
"""Longest text in a cell of a spreadsheet, in characters."""


def cells_of(row: ReviewRow) -> tuple[str | int | float, ...]:
    """Return the contents of a row's cells, in the order of `COLUMNS`."""
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
    """Return a text cut to the length of a cell, for columns that are not imported."""
    return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}…"


def review_columns(cells: Sequence[str], where: str) -> Mapping[str, int] | None:
    """Return the position of each known column in a line; None if it is not the header.

    Args:
        cells: The line.
        where: The file, for messages.

    Raises:
        DataError: If a column occurs twice.
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
    """Yield the rows below a header that have an id, a correction or a verdict.

    Args:
        lines: The cells of each line, with its name for messages.
        header: The position of each column.
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
