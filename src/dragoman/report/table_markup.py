"""Tables as Markdown, LaTeX, HTML and CSV: one renderer for each format, all text escaped.

The LaTeX needs the package `booktabs`. Its captions have no number: LaTeX counts them.
"""

import csv
import io
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from html import escape

from dragoman.analysis.intervals import Interval
from dragoman.core.texts.characters import escape_controls
from dragoman.report.text_tables import NOTHING, Estimate, GroupedTable, PaperTable, TextTable

Table = TextTable | GroupedTable

_MARKDOWN_ESCAPES = re.compile(r"[\\`*\[|~$]|(?<!\w)_|_(?!\w)")
_MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def markdown_tables(tables: Iterable[Table]) -> str:
    """Return tables one below another, each with its title as a heading and its note below."""
    return "\n".join(map(_markdown_table, tables))


def markdown_text(text: str) -> str:
    """Return a text of one line in which no sign acts."""
    return _MARKDOWN_ESCAPES.sub(r"\\\g<0>", " ".join(escape_controls(text).split())).translate(
        _MARKUP
    )


def _markdown_table(given: Table) -> str:
    table = given.flat() if isinstance(given, GroupedTable) else given
    rule = ["---:" if side == "r" else "---" for side in _alignment(given)]
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
        "≤": r"$\leq$",
        "\u00d7": r"$\times$",
        "→": r"$\to$",
        "\u2212": r"$-$",
        "\u00a0": "~",
        **{sign: f"\\{sign}" for sign in "&%$#_"},
    }
)

_POWER = re.compile(r"\bpass\\textasciicircum\{\}([0-9]{1,3}|k)\b")
"""pass^k as it is escaped: the exponent is raised."""

_MINUS = re.compile(r"(?<![\w.\-])-(?=[0-9])")
"""The hyphen before a negative number, which is a minus."""

_LIGATURES = re.compile(r"([-'`!?,](?=[-'`,]))")
"""Signs that LaTeX joins with the next one: two hyphens would be a dash."""

_SPACES = re.compile(r"[ \t\r\n\f\v]+")

_ROW_END = r"\\"
"""Ends a line, or a row; a bracket or star behind it would be taken for its option."""

_TEXT_WIDTH = 345.0
"""The width of the text of LaTeX's class `article`, in points."""

_PRINT_SIZES = (
    ("", 10.0, 6.0),
    (r"\small", 9.25, 6.0),
    (r"\footnotesize", 8.5, 4.0),
    (r"\scriptsize", 8.0, 2.5),
    (r"\tiny", 6.9, 1.5),
)
"""Sizes of print: the command, the width of an em and half the space between columns in points."""

_READABLE = 2
"""The rank of the smallest print that is easy to read, the size of footnotes."""

_OTHER_SCRIPTS = re.compile(r"[^\x00-\u017f\u2010-\u2027\u20ac\u2122\ufb00-\ufb06]")
"""Letters outside the Latin ones that pdfLaTeX prints without further packages."""


def latex_text(text: str) -> str:
    """Return a text of one line in which no sign acts, not even at the beginning of a row."""
    found = _SPACES.sub(" ", escape_controls(text)).strip().translate(_LATEX_ESCAPES)
    found = _MINUS.sub("$-$", _POWER.sub(r"pass\\textsuperscript{\1}", found))
    found = _LIGATURES.sub(r"\1{}", found)
    return f"{{}}{found}" if found.startswith(("[", "*")) else found


def latex_tables(tables: Iterable[Table]) -> str:
    """Return tables one below another, each with its title as its caption and its note below."""
    return "\n".join(map(_latex_table, tables))


def _latex_table(table: Table) -> str:
    best, columns = _best(table), _alignment(table)
    rows = [
        "\n".join(_latex_lines(cells, {at for number, at in best if number == row}))
        for row, cells in enumerate(table.rows)
    ]
    has_lines = any("\n" in text for cells in table.rows for text in cells)
    command, _, space = _print_size(table)
    floating = "table*" if is_too_wide(table) else "table"
    size = [command, rf"\setlength{{\tabcolsep}}{{{space:g}pt}}"] if command else []
    return "\n".join(
        (
            rf"\begin{{{floating}}}",
            r"\centering",
            rf"\caption{{{latex_text(table.title)}}}",
            r"\smallskip",
            *size,
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            *_latex_headings(table),
            r"\midrule",
            ("\n\\addlinespace\n" if has_lines else "\n").join(rows),
            r"\bottomrule",
            r"\end{tabular}",
            *([rf"\par\smallskip {latex_text(table.note)}"] if table.note else []),
            rf"\end{{{floating}}}",
            "",
        )
    )


def has_other_scripts(text: str) -> bool:
    """Return whether a text has letters that pdfLaTeX cannot print without further packages."""
    return _OTHER_SCRIPTS.search(text) is not None


def is_too_wide(table: Table) -> bool:
    """Return whether a table is wider than a usual page even in the smallest print."""
    return _width(table, *_PRINT_SIZES[-1][1:]) > _TEXT_WIDTH


def page_texts(table: PaperTable) -> GroupedTable:
    """Return a table as texts for a page.

    Intervals stand below their figures, or have a line for each end, if the table would have very
    small print otherwise.
    """
    ways = [table.with_texts(), table.with_texts(stacked=True), table.with_texts(is_narrow=True)]
    return min(ways, key=lambda texts: max(_print_rank(texts), _READABLE))


def _print_size(table: Table) -> tuple[str, float, float]:
    """Return the largest print in which a table fits on a page, the smallest if none does."""
    return _PRINT_SIZES[min(_print_rank(table), len(_PRINT_SIZES) - 1)]


def _print_rank(table: Table) -> int:
    """Return the rank of the largest print in which a table fits on a page, from 0.

    It is the number of prints if the table fits in none of them.
    """
    widths = (_width(table, *size[1:]) for size in _PRINT_SIZES)
    fitting = (rank for rank, width in enumerate(widths) if width <= _TEXT_WIDTH)
    return next(fitting, len(_PRINT_SIZES))


def _width(table: Table, em: float, space: float) -> float:
    """Return about how wide a table is in points, by the letters of its cells."""
    headings = table.headings if isinstance(table, TextTable) else _lowest_headings(table)
    columns = [
        max(_letters_width(line) for text in column for line in text.split("\n")) * em + 2 * space
        for column in zip(headings, *table.rows, strict=True)
    ]
    if isinstance(table, GroupedTable):
        for level in table.levels:
            at = len(table.keys)
            for name, width in level:
                lacking = _letters_width(name) * em + 2 * space - sum(columns[at : at + width])
                columns[at + width - 1] += max(0.0, lacking)
                at += width
    return sum(columns)


def _lowest_headings(table: GroupedTable) -> tuple[str, ...]:
    return (*table.keys, *(column[-1] for column in table.columns))


def _letters_width(text: str) -> float:
    """Return about how wide a text is in ems, by the letters of Computer Modern."""
    # The exponent of pass^k is raised and small: its sign takes no room.
    return sum(_LETTER_WIDTHS.get(sign, _WIDE if sign.isupper() else _USUAL) for sign in text)


_USUAL, _WIDE = 0.53, 0.76

_LETTER_WIDTHS: Mapping[str, float] = {
    "^": 0.0,
    **dict.fromkeys("0123456789/", 0.5),
    **dict.fromkeys("[].,:;'!|il", 0.28),
    **dict.fromkeys("-_ fjI", 0.34),
    **dict.fromkeys("()rst", 0.39),
    **dict.fromkeys("acegvxyz", 0.5),
    **dict.fromkeys("w\N{MULTIPLICATION SIGN}", 0.78),
    **dict.fromkeys("mM%W", 0.95),
}
"""The widths of letters in ems."""


def _alignment(table: Table) -> str:
    """Return the letters of the columns: names on the left, figures on the right."""
    if isinstance(table, GroupedTable):
        return "l" * len(table.keys) + "r" * len(table.columns)
    return "".join("r" if heading in table.numbers else "l" for heading in table.headings)


def _best(table: Table) -> frozenset[tuple[int, int]]:
    """Return the cells that are set off, by row and column of the whole table."""
    return table.best if isinstance(table, GroupedTable) else frozenset()


def _latex_headings(table: Table) -> list[str]:
    """Return a line for each level; the first columns are named in the last."""
    if isinstance(table, TextTable):
        return [_latex_row(table.headings)]
    keys = len(table.keys)
    *upper, lowest = table.levels
    lines: list[str] = []
    for level in upper:
        cells = (rf"\multicolumn{{{width}}}{{c}}{{{latex_text(name)}}}" for name, width in level)
        lines += [" & ".join((*[""] * keys, *cells)) + f" {_ROW_END}", _rules_below(level, keys)]
    named = [name for name, width in lowest for _ in range(width)]
    return [*lines, _latex_row((*table.keys, *named))]


def _rules_below(level: Sequence[tuple[str, int]], first: int) -> str:
    """Return a line below each heading of a level that has a name, over the columns of its own."""
    at, rules = first, []
    for name, width in level:
        if name:
            rules.append(rf"\cmidrule(lr){{{at + 1}-{at + width}}}")
        at += width
    return "".join(rules)


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(map(latex_text, cells)) + f" {_ROW_END}"


def _latex_lines(cells: Sequence[str], best: Collection[int]) -> Iterator[str]:
    """Yield the rows that the lines of a table's row make, the first line of each cell first."""
    parts = [text.split("\n") for text in cells]
    for at in range(max(map(len, parts), default=0)):
        texts = (
            _latex_cell(lines[at] if at < len(lines) else "", is_best=at == 0 and number in best)
            for number, lines in enumerate(parts)
        )
        yield " & ".join(texts) + f" {_ROW_END}"


def _latex_cell(text: str, *, is_best: bool) -> str:
    if text == NOTHING:
        return "--"
    found = latex_text(text)
    return rf"\textbf{{{found}}}" if is_best else found


def html_tables(tables: Iterable[Table]) -> str:
    """Return tables one below another as HTML, without a page around them."""
    return "\n".join(map(_html_table, tables))


def html_text(text: str) -> str:
    """Return a text of one line in which no sign acts; the exponent of pass^k is raised."""
    found = escape(_SPACES.sub(" ", escape_controls(text)).strip())
    return re.sub(r"\bpass\^([0-9]{1,3}|k)\b", r"pass<sup>\1</sup>", found)


def _html_table(table: Table) -> str:
    sides = ["right" if letter == "r" else "left" for letter in _alignment(table)]
    best = _best(table)
    rows = (
        "".join(
            _html_cell(text, side, is_best=(row, at) in best)
            for at, (text, side) in enumerate(zip(cells, sides, strict=True))
        )
        for row, cells in enumerate(table.rows)
    )
    return "\n".join(
        (
            "<table>",
            *([f"<caption>{html_text(table.title)}</caption>"] if table.title else []),
            "<thead>",
            *(f"<tr>{line}</tr>" for line in _html_headings(table, sides)),
            "</thead>",
            "<tbody>",
            *(f"<tr>{row}</tr>" for row in rows),
            "</tbody>",
            "</table>",
            *([f"<p>{html_text(table.note)}</p>"] if table.note else []),
            "",
        )
    )


def _html_headings(table: Table, sides: Sequence[str]) -> Iterator[str]:
    if isinstance(table, TextTable):
        yield "".join(map(_html_heading, table.headings, sides))
        return
    keys = len(table.keys)
    *upper, lowest = table.levels
    blank = f'<td colspan="{keys}"></td>' if keys else ""
    for level in upper:
        cells = (
            f'<th scope="colgroup" colspan="{width}">{html_text(name)}</th>'
            for name, width in level
        )
        yield "".join((blank, *cells))
    named = (name for name, width in lowest for _ in range(width))
    yield "".join(map(_html_heading, (*table.keys, *named), sides))


def _html_heading(name: str, side: str) -> str:
    return f'<th scope="col" style="text-align:{side}">{html_text(name)}</th>'


def _html_cell(text: str, side: str, *, is_best: bool) -> str:
    first, *rest = map(html_text, text.split("\n"))
    shown = "<br/>".join((f"<strong>{first}</strong>" if is_best else first, *rest))
    return f'<td style="text-align:{side}">{shown}</td>'


_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""The beginning of a text that a spreadsheet program would take for a formula."""


def csv_table(table: PaperTable) -> str:
    """Return a table as CSV, a row for each figure: its keys, headings, value, limits and tasks.

    `missing_fail` and `missing_pass` are the bounds: the value with all tasks without a result
    counted as failed, and as passed.
    Columns without estimates are omitted: each estimate has its own number of tasks. The stored
    values of a figure's cell have the names that they have in `cells.csv`; an axis that a table
    shows in words has a second column for them, such as `language_label`.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [*table.keys, *(table.level_names or _level_names(table.columns))]
    estimates = (cell for row in table.rows for cell in row if isinstance(cell, Estimate))
    stored = list(dict.fromkeys(name for cell in estimates for name in cell.stored))
    shown = [f"{name}_label" if name in _IN_WORDS and name in stored else name for name in names]
    further = [name for name in stored if name not in shown]
    writer.writerow([*shown, *_FIGURE_COLUMNS, *further])
    writer.writerows(_csv_rows(table, further))
    return out.getvalue()


_IN_WORDS = frozenset({"language", "voice"})
"""The axes whose values a table shows in words."""


def csv_texts(tables: Iterable[TextTable]) -> str:
    """Return tables of texts as CSV, one below another with an empty line between them."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for number, table in enumerate(tables):
        if number:
            out.write("\n")
        writer.writerow(table.headings)
        writer.writerows([_plain(cell) for cell in row] for row in table.rows)
    return out.getvalue()


def _level_names(columns: Sequence[Sequence[str]]) -> list[str]:
    depth = len(columns[0]) if columns else 0
    return [*(f"group {at}" if at > 1 else "group" for at in range(1, depth)), "figure"]


def _csv_rows(table: PaperTable, further: Sequence[str]) -> Iterator[list[str | int | float]]:
    for row in table.rows:
        keys = [_plain(str(key)) for key in row[: len(table.keys)]]
        for column, cell in zip(table.columns, row[len(table.keys) :], strict=True):
            if isinstance(cell, Estimate):
                value = "" if cell.value is None else cell.value
                limits = (*_ends(cell.interval), *_ends(cell.bounds))
                stored = (_plain_value(cell.stored.get(name, "")) for name in further)
                yield [*keys, *map(_plain, column), value, *limits, cell.tasks, *stored]


_FIGURE_COLUMNS = ("value", "low", "high", "missing_fail", "missing_pass", "tasks")


def _ends(found: Interval | None) -> tuple[float | str, float | str]:
    return ("", "") if found is None else (found.low, found.high)


def _plain_value(value: str | int) -> str | int:
    return _plain(value) if isinstance(value, str) else value


def _plain(text: str) -> str:
    """Return a text that no spreadsheet program takes for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


RENDERERS: Mapping[str, Callable[[Iterable[Table]], str]] = {
    "latex": latex_tables,
    "markdown": markdown_tables,
    "html": html_tables,
}
"""Functions that write tables as text, by the name of the format."""
