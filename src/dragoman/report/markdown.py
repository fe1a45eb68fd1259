"""Tables as Markdown: what comes from data is text there, whatever signs it holds."""

import re
from collections.abc import Iterable

from dragoman.core.texts.visible import visible
from dragoman.report.fitting import TextTable

_SIGNS = re.compile(r"[\\`*\[|~$]|(?<!\w)_|_(?!\w)")
_MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def markdown_tables(tables: Iterable[TextTable]) -> str:
    """Return tables one below another, each with its title as a heading and its note below."""
    return "\n".join(map(_table, tables))


def markdown_text(text: str) -> str:
    """Return a text of one line in which no sign acts."""
    return _SIGNS.sub(r"\\\g<0>", " ".join(visible(text).split())).translate(_MARKUP)


def _table(table: TextTable) -> str:
    rule = ["---:" if heading in table.numbers else "---" for heading in table.headings]
    lines = [
        *([f"### {markdown_text(table.title)}", ""] if table.title else []),
        _row(map(markdown_text, table.headings)),
        _row(rule),
        *(_row(map(_cell, row)) for row in table.rows),
        *(["", markdown_text(table.note)] if table.note else []),
    ]
    return "\n".join((*lines, ""))


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    return "<br>".join(map(markdown_text, text.split("\n")))
