"""The answer of a comparison in a terminal: the sentence, one table and one next step."""

import textwrap
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from dragoman.cli.run_answer import NARROWEST, WIDEST
from dragoman.core.texts.characters import escape_controls
from dragoman.report import formatting
from dragoman.report.comparison_answer import AnswerRow, ComparisonAnswer
from dragoman.report.overview import points_of

MAX_ROWS = 20
"""Maximum number of comparisons in the table; `--full` prints all of them."""

_MAX_NOTE = 240
_MAX_NOTES = 4
_GAP = "  "
_LEAST_NAME = 16
_HEADINGS = ("tasks", "A", "B", "B - A [95% CI]", "p Holm")
_ON_THE_RIGHT = ("tasks", "A", "B", "p Holm")


class AnswerFooter(NamedTuple):
    """The text below the table of an answer.

    Attributes:
        scoring: The rule set and the judge, in words.
        notes: Other differences of the runs, and cells that could not be compared.
    """

    scoring: str
    notes: Sequence[str] = ()


def comparison_lines(
    found: ComparisonAnswer, footer: AnswerFooter, width: int = 80, *, full: bool = False
) -> list[str]:
    """Return the lines of the answer: the sentence, its detail, the table and the notes.

    Args:
        found: The answer.
        footer: The text below the table.
        width: The columns of the terminal.
        full: Whether all rows are shown, and the notes stand elsewhere.
    """
    width = min(max(width, NARROWEST), WIDEST)
    rows = found.rows if full else found.rows[:MAX_ROWS]
    table = [*_table(found.heading, rows, width)]
    if more := len(found.rows) - len(rows):
        table.append(f"({formatting.format_count(more, 'more row')}: --full)")
    below = [*_about(found), f"{found.sides}; {footer.scoring}."]
    if not full:
        below += _notes(footer.notes)
    above = [each for each in (found.headline, found.detail) if each]
    lines = [
        *chain.from_iterable(_wrapped(each, width) for each in above),
        "",
        *table,
        "",
        *chain.from_iterable(_wrapped(each, width) for each in below),
    ]
    # Non-breaking spaces kept words together while wrapping; the terminal gets plain spaces.
    return [escape_controls(line.replace("\xa0", " ")) for line in lines]


def full_comparison_command(folders: Sequence[Path], options: Sequence[tuple[str, object]]) -> str:
    """Return the command that prints every figure of the same comparison.

    Args:
        folders: The runs.
        options: The names of the given options with their values; None for one that is not given.
    """
    words = ["dragoman", "compare", *map(str, folders)]
    for name, value in options:
        words += [] if value is None else [name, str(value)]
    return " ".join(map(quote, [*words, "--full"]))


def _about(found: ComparisonAnswer) -> Iterator[str]:
    """Yield the meaning of the figures, and the excluded tasks."""
    if found.tested:
        text = "Points of pass^1; B - A has the 95% interval of each row alone."
        is_one = found.corrected_for == formatting.format_count(1, "comparison")
        yield text if is_one else f"{text} p is corrected for {found.corrected_for} (Holm)."
    if any(row.is_assumed for row in found.rows):
        yield f"*: {formatting.ASSUMED_NOTE}."
    yield from found.notes


def _notes(notes: Sequence[str]) -> Iterator[str]:
    for each in notes[:_MAX_NOTES]:
        yield formatting.truncate_text(f"Note: {each}", _MAX_NOTE)
    if (more := len(notes) - _MAX_NOTES) > 0:
        yield f"{formatting.format_count(more, 'more note')}: --full"


def _table(heading: str, rows: Sequence[AnswerRow], width: int) -> Iterator[str]:
    """Yield the lines of the table.

    Long names continue on the next line. A name with a word that has no room has lines of its own.
    """
    cells = [tuple(_cells(row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(_HEADINGS, *cells, strict=True)]
    room = width - sum(each + len(_GAP) for each in widths)
    names = (heading, *(row.name for row in rows))
    longest = max(_LEAST_NAME, *map(len, names))
    first = min(longest, room) if room >= _LEAST_NAME else 0
    for name, values in zip(names, (_HEADINGS, *cells), strict=True):
        parts = _wrapped(name, max(first, 1), _GAP)
        if any(len(part) > first for part in parts):
            yield from _wrapped(name, width, _GAP)
            parts = [""]
        yield _line(parts[0], values, first, widths)
        yield from parts[1:]


def _cells(row: AnswerRow) -> Iterator[str]:
    yield f"{row.tasks:,}"
    if row.gap is None:
        yield from ("-", "-", "no common task", "-")
        return
    yield from (points_of(row.gap.a), points_of(row.gap.b))
    low, high = map(_signed, (row.gap.interval.low, row.gap.interval.high))
    yield f"{_signed(row.gap.difference)} [{low}, {high}]{' *' if row.is_assumed else ''}"
    yield formatting.p_value(row.p)


def _signed(difference: float) -> str:
    text = points_of(difference)
    return text if text.startswith("-") or text == "0.0" else f"+{text}"


def _line(name: str, values: Sequence[str], first: int, widths: Sequence[int]) -> str:
    columns = [
        value.rjust(width) if heading in _ON_THE_RIGHT else value.ljust(width)
        for heading, value, width in zip(_HEADINGS, values, widths, strict=True)
    ]
    return _GAP.join([name.ljust(first), *columns]).rstrip()


def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    return textwrap.wrap(
        text, width, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False
    )
