"""CSV text for spreadsheet programs, without cells that they would run as formulas."""

import re
from collections.abc import Collection

import msgspec

_STARTS_FORMULA = ("=", "+", "-", "@", "\t", "\r")
QUOTE = "'"
ESCAPED = (*_STARTS_FORMULA, QUOTE)
"""First characters of the texts to which `escape_cell` adds an apostrophe."""

_DELIMITERS = ",;\t"
_LOOKED_AT = 100_000
"""Length of the text in which the delimiter is searched for, in characters."""


def escape_cell(text: str) -> str:
    """Return a text that a spreadsheet program does not take for a formula.

    Such a text gets an apostrophe before it.
    """
    return f"{QUOTE}{text}" if text.startswith(ESCAPED) else text


def unescape_cell(cell: str) -> str:
    """Return the text from which `escape_cell` made a cell."""
    is_quoted = cell.startswith(QUOTE) and cell[1:].startswith(ESCAPED)
    return cell[1:] if is_quoted else cell


HEADER_WITHIN = 20
"""Lines from the top in which the header is searched for: people put titles above it."""

_SEPARATOR_LINE = re.compile(
    r"\ufeff?\"?sep=(?P<separator>[^\w\s\"'\\]|\t)\"?[,;\t]*+(?:\r\n|\r|\n)", re.IGNORECASE
)
"""Pattern of a first line with the delimiter for Excel; it is not part of the table."""


class CsvText(msgspec.Struct, frozen=True):
    """The text of a CSV file, its column delimiter, and the number of lines above the text."""

    text: str
    delimiter: str
    lines_above: int = 0


def detect_delimiter(text: str, columns: Collection[str] = ()) -> CsvText:
    """Return a CSV text with its column delimiter.

    A first line `sep=;` states it. Otherwise it comes from the line, among the first ones, that
    names most of the columns; without such a line, it comes from the first line. Programs of many
    countries write semicolons.

    Args:
        text: The whole text.
        columns: The names of possible columns of the table, in small letters.
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
