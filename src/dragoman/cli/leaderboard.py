"""Implementation of `dragoman leaderboard` in each of its styles, and of `dragoman table`."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.analysis.grouping import AGENT
from dragoman.cli.output import (
    mode,
    one_of,
    print_line,
    print_metrics_json,
    print_notice,
    require_options,
)
from dragoman.core.conditions import axis_values
from dragoman.core.errors import UsageError
from dragoman.dataframes.category_tables import CATEGORY
from dragoman.dataframes.paper_tables import ALL_CELLS, CellChoice, PaperTables, paper_tables
from dragoman.dataframes.text_files import require_writable, write_tables
from dragoman.registry.participant_names import judge_name
from dragoman.report.capabilities import StyleRequest, StyleResult
from dragoman.report.catalog import find_style, styles
from dragoman.report.pass_tables import (
    BEST_NOTE,
    ROW_KINDS,
    RowKind,
    TableCell,
    TableLayout,
    distinguishing_axes,
)
from dragoman.report.table_markup import (
    RENDERERS,
    csv_table,
    csv_texts,
    has_other_scripts,
    is_too_wide,
    page_texts,
)
from dragoman.report.text_tables import BEST, PaperTable, TextTable, print_table
from dragoman.store.atomic_files import atomic_write


class LeaderboardRequest(msgspec.Struct, frozen=True):
    """A request for a leaderboard.

    Attributes:
        folders: The runs.
        style: The name of the style.
        outs: Files to write as well.
        rules: The rule set of the scoring.
        judge: Its judge.
        options: Values of the options that some styles take, by option name.
        form: The format in which the tables are printed; None for a terminal.
    """

    folders: tuple[Path, ...]
    style: str
    outs: tuple[Path, ...]
    rules: str | None
    judge: str | None
    options: Mapping[str, str | float] = {}
    form: str | None = None


def print_leaderboard(asked: LeaderboardRequest, *, as_json: bool) -> None:
    """Print a leaderboard of all agents of runs, in the requested style.

    Raises:
        UsageError: For an unknown style, an option or file that the style does not support, and any
            error of the style.
    """
    style = find_style(asked.style)
    require_options(asked.options, style, styles)
    if style is None:
        raise UsageError(f"--style {asked.style}: choose {one_of(each.name for each in styles())}")
    if asked.outs and not style.endings:
        writing = one_of(each.name for each in styles() if each.endings)
        raise UsageError(f"--out goes with --style {writing}")
    require_writable(asked.outs, style.endings)
    form = table_format(asked.form, None)
    made = style.make(
        StyleRequest(asked.folders, asked.rules, judge_name(asked.judge), asked.options)
    )
    write_tables(asked.outs, made.files)
    for note in made.notes:
        print_notice(note)
    if as_json:
        print_metrics_json(made.document)
        return
    if form is not None:
        print(_rendered(made, form), end="")
        return
    for each in made.text:
        if isinstance(each, TextTable):
            print_table(each)
        else:
            print_line(each)


def _rendered(made: StyleResult, form: str) -> str:
    """Return the tables of a leaderboard in a format, numbers rather than texts."""
    if made.tables:
        return render_tables(made.tables, form)
    endings = {name: ending for ending, name in ENDINGS.items()}
    if endings[form] in made.files:
        return made.files[endings[form]]().decode()
    tables = [each for each in made.text if isinstance(each, TextTable)]
    return csv_texts(tables) if form == CSV else RENDERERS[form](tables)


# Tables for papers

CSV, LATEX = "csv", "latex"

ENDINGS: Mapping[str, str] = {".tex": LATEX, ".md": "markdown", ".csv": CSV, ".html": "html"}
"""The formats of files, by file ending."""


class TableRequest(msgspec.Struct, frozen=True):
    """A request for the tables of runs.

    Attributes:
        folders: The runs.
        form: The format; None for a terminal table, or the format of the file's ending.
        layout: The arrangement of rows and columns.
        choice: The cells of the table.
        out: A file to write; None to print.
        rules: The rule set of the scoring.
        judge: Its judge.
    """

    folders: tuple[Path, ...]
    form: str | None = None
    layout: TableLayout = TableLayout()
    choice: CellChoice = ALL_CELLS
    out: Path | None = None
    rules: str | None = None
    judge: str | None = None


def table_format(form: str | None, out: Path | None) -> str | None:
    """Return the requested format; None for a terminal table.

    Raises:
        UsageError: For an unknown format, or a file whose ending is unknown or of another format.
    """
    known = (*RENDERERS, CSV)
    if form is not None and form not in known:
        raise UsageError(f"--to {form}: choose {one_of(known)}")
    if form is None and out is not None:
        if out.suffix not in ENDINGS:
            raise UsageError(
                f"--out {out}: name a file that ends in {one_of(ENDINGS)}, or add --to"
            )
        return ENDINGS[out.suffix]
    if form is not None and out is not None and ENDINGS.get(out.suffix, form) != form:
        raise UsageError(
            f"--out {out} --to {form}: the file's ending says {ENDINGS[out.suffix]}: omit --to, or "
            "name another file"
        )
    return form


def parse_powers(written: str | None) -> tuple[int, ...]:
    """Return the k of pass^k in a list such as `1,3`; empty without a list.

    Raises:
        UsageError: If an entry is not a whole number from 1.
    """
    parts = [] if written is None else [part.strip() for part in written.split(",")]
    wrong = [part for part in parts if not (part.isascii() and part.isdigit() and int(part))]
    if wrong:
        raise UsageError(
            f"--k {written}: {wrong[0]!r} is not a whole number from 1; write for example 1,3"
        )
    return tuple(map(int, parts))


def parse_rows(written: str | None) -> RowKind | None:
    """Return what the rows of a table are of; None for no request.

    Raises:
        UsageError: For an unknown kind of rows.
    """
    found = next((kind for kind in ROW_KINDS if kind == written), None)
    if written is not None and found is None:
        raise UsageError(f"--rows {written}: choose {one_of(ROW_KINDS)}")
    return found


def print_paper_tables(asked: TableRequest, *, as_json: bool) -> None:
    """Print the tables of runs, or write them to a file.

    Raises:
        UsageError: For an unknown format, axis or k.
        StoreError: If a run cannot be read, or the file cannot be written.
    """
    form = table_format(asked.form, asked.out)
    found = paper_tables(
        asked.folders,
        asked.rules,
        judge_name(asked.judge),
        layout=asked.layout,
        choice=asked.choice,
    )
    if as_json:
        print_metrics_json(_document(found))
        return
    if form is None:
        for table in found.tables:
            flat = table.with_texts().flat()
            # A terminal table has a star where others have bold print.
            note = flat.note.replace(BEST_NOTE, BEST_NOTE.replace("Bold", BEST.strip()))
            print_table(msgspec.structs.replace(flat, note=note))
        return
    text = render_tables(found.tables, form)
    if form == LATEX and mode() != "quiet":
        for warning in _latex_warnings(found, asked.layout, text):
            print_line(f"warning: {warning}", to_stderr=True)
    if asked.out is None:
        print(text, end="")
        return
    atomic_write(asked.out, text.encode())
    print_line(str(asked.out))


def render_tables(tables: Sequence[PaperTable], form: str) -> str:
    """Return tables in a format; CSV has a row for each figure."""
    if form == CSV:
        return "\n".join(map(csv_table, tables))
    to_texts = page_texts if form == LATEX else PaperTable.with_texts
    return RENDERERS[form](map(to_texts, tables))


def _latex_warnings(found: PaperTables, layout: TableLayout, text: str) -> Iterator[str]:
    """Yield what must be known to compile the tables."""
    if has_other_scripts(text):
        yield (
            "a name has letters that pdfLaTeX cannot print: compile with LuaLaTeX or XeLaTeX and a "
            "font that has them"
        )
    if any(is_too_wide(page_texts(table)) for table in found.tables):
        yield f"the table is wider than a page of the class article: {_narrower(found, layout)}"


def _narrower(found: PaperTables, layout: TableLayout) -> str:
    """Return how a table becomes narrower: by the options that make fewer columns."""
    is_by_category = any(CATEGORY in (*each.keys, *each.level_names) for each in found.tables)
    if is_by_category and (layout.rows == "agent" or layout.by == (CATEGORY,)):
        return f"omit {'--by' if layout.rows is None else '--rows'}, and categories are rows"
    ways = []
    agents = {cell.summary.agent for cell in found.cells}
    if len(agents) > 1 and (is_by_category or layout.rows == "condition" or AGENT in layout.by):
        ways.append("--agent")
    conditions = tuple(dict.fromkeys(cell.summary.condition for cell in found.cells))
    options = ("language", "scenario", "voice", "persona")
    differing = [f"--{axis}" for axis in distinguishing_axes(conditions) if axis in options]
    if is_by_category or layout.rows == "agent" or layout.by:
        ways += differing
    if not is_by_category and max(cell.summary.result.trials for cell in found.cells) > 1:
        ways.append("--k")
    said = [f"choose fewer columns with {one_of(ways)}"] if ways else []
    if layout.rows is not None:
        said.append("omit --rows")
    return ", or ".join(said) or "name fewer runs"


def _document(found: PaperTables) -> dict[str, object]:
    rules, judge = found.scoring
    return {
        "rules": rules,
        "judge": judge,
        "tables": found.tables,
        "cells": list(map(_cell_object, found.cells)),
        "not_played": found.not_played,
    }


def _cell_object(found: TableCell) -> dict[str, object]:
    cell = found.summary
    return {
        **({"run": found.run} if found.run else {}),
        "suite": cell.suite,
        "agent": cell.agent,
        "condition": cell.condition.label,
        "axes": axis_values(cell.condition),
        "tasks": cell.result.tasks,
        "left_out": cell.result.left_out,
        "trials": cell.result.trials,
        "pass_hat": cell.result.figures,
    }
