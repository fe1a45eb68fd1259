"""Tables as LaTeX: what comes from data is text there, whatever signs it holds; no package is needed."""

from collections.abc import Iterable, Sequence

from dragoman.core.texts.visible import visible
from dragoman.report.fitting import TextTable
from dragoman.report.grouped import GroupedTable

_SIGNS = str.maketrans(
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

_END = r"\\"
"""Ends a line, or a row; a bracket or star behind it would be taken for its option."""


def latex_text(text: str) -> str:
    """Return a text of one line in which no sign acts, not even at the beginning of a row."""
    found = " ".join(visible(text).split()).translate(_SIGNS)
    return f"{{}}{found}" if found.startswith(("[", "*")) else found


def latex_tables(tables: Iterable[TextTable | GroupedTable]) -> str:
    """Return tables one below another, each with its title as its caption and its note below."""
    return "\n".join(map(_table, tables))


def _table(table: TextTable | GroupedTable) -> str:
    if isinstance(table, GroupedTable):
        columns, headings = len(table.keys) + len(table.columns), _grouped_headings(table)
        best = table.best
    else:
        columns, headings = len(table.headings), [_row(table.headings)]
        best = frozenset()
    rows = (
        " & ".join(_cell(text, is_best=(row, at) in best) for at, text in enumerate(cells))
        + f" {_END}"
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
        + f" {_END}"
        for level in upper
    ]
    named = [name for name, width in lowest for _ in range(width)]
    return [*lines, _row((*table.keys, *named))]


def _row(cells: Sequence[str]) -> str:
    return " & ".join(map(latex_text, cells)) + f" {_END}"


def _cell(text: str, *, is_best: bool) -> str:
    first, *rest = map(latex_text, text.split("\n"))
    lines = (rf"\textbf{{{first}}}" if is_best else first, *rest)
    if not rest:
        return lines[0]
    return rf"\begin{{tabular}}[t]{{@{{}}l@{{}}}}{_END.join(lines)}\end{{tabular}}"
