"""Rows and columns of a review file: a text or a section of a document, and its review.

A row is one text in one context, however often it occurs, or one section of a document. Its key
has hashes of source and translation, so a source that changed since is recognized, and a
translation that was edited in its own cell is taken as the correction that it is.
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
"""Characters of a document that is shown in one piece."""


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
    """Return the parts of a document beside those of its translation.

    One pair of the whole where the document is short, or the two fall into different numbers of
    parts.
    """
    own, translated = sections(source), sections(translation)
    if len(source) <= LONGEST_WHOLE or len(own) != len(translated):
        return ((source, translation),)
    return tuple(zip(own, translated, strict=True))


Verdict = Literal["ok", "fixed", "unsure", ""]
"""The verdict of a reviewer on a row.

`ok`: may be used as it is. `fixed`: corrected. `unsure`: examined, left open. `""`: not read.
"""

_KEY = re.compile(r"([0-9a-f]{16})-([0-9a-f]{8})")
_OK = frozenset({"ok", "okay", "yes", "y", "x", "true", "1", "good", "fine", "accepted", "✓", "✔"})
_FIXED = frozenset({"fixed", "corrected", "changed"})
_LOST = "?"
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_UNTYPED = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffd\ufffe\uffff]|_x[0-9A-Fa-f]{4}_")
_UNSURE = frozenset({"unsure", "?", "unclear", "open"})


class ReviewText(msgspec.Struct, frozen=True):
    """One text in one context with its translation, as the memory has it.

    Attributes:
        language: The code of the language that it is translated into.
        sheet: The artifact it is first found in, `retail_tasks`.
        place: Its first address.
        occurrences: At how many addresses it stands.
        context: Its context in the translation memory.
        source: The text.
        target: What it is translated as.
        is_document: Whether it is a Markdown document, which is read section by section.
        back_translation: The translation, translated back; "" where nobody did.
        quality: An estimate, 0 (worst) to 1; None where there is none.
        doubts: Why it is low, in words.
        is_reviewed: Whether somebody has reviewed it before.
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
    """A text, or section `number` of `of` sections of one, as a reviewer is shown it."""

    text: ReviewText
    number: int
    of: int
    source: str
    translation: str

    @property
    def key(self) -> str:
        """What identifies the row in any order and any file."""
        return f"{self.source_key}-{_hash(self.translation, 4)}"

    @property
    def source_key(self) -> str:
        """The part of the key that stays when the translation changes."""
        whole = _hash(self.text.source, 8) if self.of > 1 else ""
        stands_in = f"{self.text.language}\n{self.text.context}\n{whole}\n{self.number}"
        return _hash(f"{stands_in}\n{self.source}", 8)

    @property
    def place(self) -> str:
        """Where it stands."""
        return f"{self.text.place}#{self.number}" if self.of > 1 else self.text.place


class ReviewedRow(msgspec.Struct, frozen=True):
    """One row as it came back; `where` names its file, sheet and line.

    `source` is "" where no column has it.
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
        """The part of the key that names the source; "" where there is no key."""
        found = _KEY.fullmatch(self.key.strip())
        return found[1] if found else ""


class ReadRow(msgspec.Struct, frozen=True):
    """What a reviewer says of a row; `text` is what may be used, or what was there."""

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
    """Return what a reviewer says of a row.

    What was approved is what was shown, even where the memory holds another translation by now. A
    translation that was edited in its own cell is a correction, one that repeats it an approval.

    Raises:
        ValueError: For a verdict that is not understood, and for cells that are not those of the
            row any more; the text says which.
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
    """Return a cell's text in the form in which texts are compared: NFC, one kind of line break."""
    text = workbook_text(text.replace("\r\n", "\n").replace("\r", "\n"))
    return unicodedata.normalize("NFC", text).strip()


def _require_whole(row: ReviewRow, reviewed: ReviewedRow) -> None:
    """Refuse cells that belong to another row, or lost their letters on the way."""
    source, shown = cell_text(reviewed.source), cell_text(reviewed.translation)
    if source and source != cell_text(row.source):
        raise ValueError(
            "its source is not that of its id: rows were sorted in part, or the source was edited: "
            "put it back as it was exported"
        )
    if _lost_letters(cell_text(row.translation), shown):
        raise ValueError("its letters became question marks: save the file as CSV in UTF-8")


def _require_text(row: ReviewRow, written: str) -> None:
    """Refuse signs that no person types and that the row's own texts do not have."""
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
    """Return a text as a workbook holds it: some signs have no place in one."""
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
    """Return a text with the white space around it that its source has: cells lose it."""
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


def review_columns(cells: Sequence[str], where: str) -> Mapping[str, int] | None:
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
