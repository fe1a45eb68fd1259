"""What people said of judged conversations, as a table that a spreadsheet program opens."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from dragoman.analysis.judges.answers import WHOLE, JudgedItem
from dragoman.core.errors import DataError, UsageError
from dragoman.core.texts.csv_text import detect_delimiter, escape_cell, unescape_cell
from dragoman.core.texts.decoding import TranslatedErrors
from dragoman.store.run_store import StoredCell

COLUMNS = ("cell", "task", "trial", "condition", "agent", "position", "said", "question", "value")
"""Of the table; `cell`, `position`, `question` and `value` are read, the others are for people."""

MAX_BYTES = 200_000_000
_YES, _NO = frozenset({"true", "yes"}), frozenset({"false", "no"})
_MOST_DIGITS = 6


class ItemToLabel(NamedTuple):
    """One row: what is asked, where it stands, and the words that it is about."""

    item: JudgedItem
    cell: StoredCell
    said: str


def read_labels(path: Path) -> dict[JudgedItem, int]:
    """Return what people said, by item; rows without a value are passed over.

    Raises:
        DataError: Where the file is no such table, a value is none, or an item is labelled twice.
    """
    with TranslatedErrors(DataError, f"{path}: cannot be read"):
        if path.stat().st_size > MAX_BYTES:
            raise DataError(f"{path}: larger than {MAX_BYTES} bytes: no file of labels")
        text = path.read_text("utf-8-sig")
    labels: dict[JudgedItem, int] = {}
    for where, row in _rows(text, path):
        if not row["value"].strip():
            continue
        item = JudgedItem(row["cell"], _position(row.get("position", ""), where), row["question"])
        if item in labels:
            raise DataError(f"{where}: {item.question!r:.60} of {item.cell!r:.60} is there twice")
        labels[item] = _value(row["value"], where)
    return labels


def write_template(rows: Sequence[ItemToLabel], path: Path) -> None:
    """Write the table without values.

    Raises:
        UsageError: Where the file is there already.
        DataError: Where it cannot be written.
    """
    buffer = io.StringIO(newline="")
    table = csv.writer(buffer)
    table.writerow(COLUMNS)
    for item, cell, said in rows:
        place = "" if item.position == WHOLE else str(item.position)
        told = (cell.key, cell.task, str(cell.trial), cell.condition.label, cell.agent, place)
        table.writerow(map(escape_cell, (*told, said, item.question, "")))
    if path.exists():
        raise UsageError(f"{path} is there already: name another file")
    with TranslatedErrors(DataError, f"{path}: cannot be written"):
        path.write_text(buffer.getvalue(), encoding="utf-8-sig", newline="")


def _rows(text: str, path: Path) -> Iterator[tuple[str, Mapping[str, str]]]:
    given = detect_delimiter(text, COLUMNS)
    reader = csv.reader(io.StringIO(given.text, newline=""), delimiter=given.delimiter)
    try:
        names = [name.strip() for name in next(reader, [])]
        for name in ("cell", "question", "value"):
            if name not in names:
                raise DataError(f"{path}: no column {name!r}: `judge-check --template` writes them")
        for cells in reader:
            padded = [*map(unescape_cell, cells), *[""] * (len(names) - len(cells))]
            yield (
                f"{path}, line {reader.line_num + given.lines_above}",
                dict(zip(names, padded, strict=False)),
            )
    except csv.Error as error:
        raise DataError(f"{path}, line {reader.line_num + given.lines_above}: {error}") from error


def _position(written: str, where: str) -> int:
    return WHOLE if not written.strip() else _number(written, where, "the place of a reply")


def _value(written: str, where: str) -> int:
    word = written.strip().casefold()
    if word in _YES | _NO:
        return int(word in _YES)
    return _number(written, where, "yes, no or a whole number")


def _number(written: str, where: str, wanted: str) -> int:
    digits = written.strip()
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= _MOST_DIGITS):
        raise DataError(f"{where}: {written!r:.60} is not {wanted}")
    return int(digits)
