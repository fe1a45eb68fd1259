"""Tables as Markdown and as LaTeX, with everything from data escaped.

The LaTeX needs no package.
"""

import re
from collections.abc import Iterable, Sequence

from dragoman.core.texts.characters import escape_controls
from dragoman.report.text_tables import GroupedTable, TextTable

_MARKDOWN_ESCAPES = re.compile(r"[\\`*\[|~$]|(?<!\w)_|_(?!\w)")
_MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def markdown_tables(tables: Iterable[TextTable]) -> str:
    """Return tables one below another, each with its title as a heading and its note below."""
    return "\n".join(map(_markdown_table, tables))


def markdown_text(text: str) -> str:
    """Return a text of one line in which no sign acts."""
    return _MARKDOWN_ESCAPES.sub(r"\\\g<0>", " ".join(escape_controls(text).split())).translate(
        _MARKUP
    )


def _markdown_table(table: TextTable) -> str:
    rule = ["---:" if heading in table.numbers else "---" for heading in table.headings]
    lines = [
        *([f"### {markdown_text(table.title)}", ""] if table.title else []),
        _markdown_row(map(markdown_text, table.headings)),
        _markdown_row(rule),
        *(_markdown_row(map(_markdown_cell, row)) for row in table.rows),
        *(["", markdown_text(table.note)] if table.note else []),
    ]
    return "\n".join((*lines, ""))


def _markdown_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown_cell(text: str) -> str:
    return "<br>".join(map(markdown_text, text.split("\n")))


_LATEX_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "Δ": r"$\Delta$",
        "κ": r"$\kappa$",
        "≥": r"$\geq$",
        **{sign: f"\\{sign}" for sign in "&%$#_"},
    }
)

_ROW_END = r"\\"
"""Ends a line, or a row; a bracket or star behind it would be taken for its option."""


def latex_text(text: str) -> str:
    """Return a text of one line in which no sign acts, not even at the beginning of a row."""
    found = " ".join(escape_controls(text).split()).translate(_LATEX_ESCAPES)
    return f"{{}}{found}" if found.startswith(("[", "*")) else found


def latex_tables(tables: Iterable[TextTable | GroupedTable]) -> str:
    """Return tables one below another, each with its title as its caption and its note below."""
    return "\n".join(map(_latex_table, tables))


def _latex_table(table: TextTable | GroupedTable) -> str:
    if isinstance(table, GroupedTable):
        columns, headings = len(table.keys) + len(table.columns), _grouped_headings(table)
        best = table.best
    else:
        columns, headings = len(table.headings), [_latex_row(table.headings)]
        best = frozenset()
    rows = (
        " & ".join(_latex_cell(text, is_best=(row, at) in best) for at, text in enumerate(cells))
        + f" {_ROW_END}"
        for row, cells in enumerate(table.rows)
    )
    return "\n".join(
        (
            r"\begin{table}",
            rf"\caption{{{latex_text(table.title)}}}",
            r"\footnotesize",
            rf"\begin{{tabular}}{{{'l' * columns}}}",
            r"\hline",
            *headings,
            r"\hline",
            *rows,
            r"\hline",
            r"\end{tabular}",
            *([rf"\par {latex_text(table.note)}"] if table.note else []),
            r"\end{table}",
            "",
        )
    )


def _grouped_headings(table: GroupedTable) -> list[str]:
    """Return a line for each level; the first columns are named in the last."""
    blank = [""] * len(table.keys)
    *upper, lowest = table.levels
    lines = [
        " & ".join(
            (
                *blank,
                *(rf"\multicolumn{{{width}}}{{c}}{{{latex_text(name)}}}" for name, width in level),
            )
        )
        + f" {_ROW_END}"
        for level in upper
    ]
    named = [name for name, width in lowest for _ in range(width)]
    return [*lines, _latex_row((*table.keys, *named))]


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(map(latex_text, cells)) + f" {_ROW_END}"


def _latex_cell(text: str, *, is_best: bool) -> str:
    first, *rest = map(latex_text, text.split("\n"))
    lines = (rf"\textbf{{{first}}}" if is_best else first, *rest)
    if not rest:
        return lines[0]
    return rf"\begin{{tabular}}[t]{{@{{}}l@{{}}}}{_ROW_END.join(lines)}\end{{tabular}}"
