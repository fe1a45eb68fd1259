"""CSV text for spreadsheet programs, without cells that they would run as formulas."""

import re
from collections.abc import Collection

import msgspec

_STARTS_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_QUOTE = "'"
_DELIMITERS = ",;\t"
_LOOKED_AT = 100_000
"""Characters in which what separates columns is looked for."""


def escape_cell(text: str) -> str:
    """Return a text with an apostrophe before it where a program would take it for a formula."""
    return f"{_QUOTE}{text}" if text.startswith((*_STARTS_FORMULA, _QUOTE)) else text


def unescape_cell(cell: str) -> str:
    """Return the text that `escape_cell` made a cell of."""
    is_quoted = cell.startswith(_QUOTE) and cell[1:].startswith((*_STARTS_FORMULA, _QUOTE))
    return cell[1:] if is_quoted else cell


HEADER_WITHIN = 20
"""Lines from the top in which the header is looked for: people put titles above it."""

_SEPARATOR_LINE = re.compile(
    r"\ufeff?\"?sep=(?P<separator>[^\w\s\"'\\]|\t)\"?[,;\t]*+(?:\r\n|\r|\n)", re.IGNORECASE
)
"""The first line by which Excel is told what separates columns; it is no line of the table."""


class CsvText(msgspec.Struct, frozen=True):
    """The text of a CSV file, its column delimiter, and the number of lines above the text."""

    text: str
    delimiter: str
    lines_above: int = 0


def detect_delimiter(text: str, columns: Collection[str] = ()) -> CsvText:
    """Return a CSV text with what separates its columns.

    A first line `sep=;` says so. Else the line that names most of the columns does, wherever among
    the first ones it stands; without such a line the first one: programs of many countries write
    semicolons.

    Args:
        text: The whole text.
        columns: The names of columns that the table may have, in small letters.
    """
    said = _SEPARATOR_LINE.match(text)
    if said is not None:
        return CsvText(text[said.end() :], said["separator"], 1)
    lines = text[:_LOOKED_AT].splitlines()[:HEADER_WITHIN] or [""]
    scores = {
        mark: max(sum(name in columns for name in _names(line, mark)) for line in lines)
        for mark in _DELIMITERS
    }
    if max(scores.values()) > 1:
        return CsvText(text, max(_DELIMITERS, key=lambda mark: scores[mark]))
    return CsvText(text, max(_DELIMITERS, key=lines[0].count))


def _names(line: str, mark: str) -> set[str]:
    return {cell.strip().strip('"').strip().casefold() for cell in line.split(mark)}
