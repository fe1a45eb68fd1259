"""Implementation of `dragoman leaderboard` in each of its styles, and of `dragoman table`."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.analysis.cell_summary import CellSummary
from dragoman.cli.output import one_of, print_line, print_metrics_json, require_options
from dragoman.core.conditions import axis_values
from dragoman.core.errors import UsageError
from dragoman.dataframes.paper_tables import PaperTables, paper_tables
from dragoman.dataframes.text_files import require_writable, write_tables
from dragoman.registry.participant_names import judge_name
from dragoman.report.capabilities import StyleRequest, StyleResult
from dragoman.report.catalog import find_style, styles
from dragoman.report.table_markup import RENDERERS, csv_table, csv_texts
from dragoman.report.text_tables import TextTable, print_table
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
    """Return the tables of a leaderboard in a format; the style's own file has priority."""
    endings = {name: ending for ending, name in ENDINGS.items()}
    if endings[form] in made.files:
        return made.files[endings[form]]().decode()
    tables = [each for each in made.text if isinstance(each, TextTable)]
    return csv_texts(tables) if form == CSV else RENDERERS[form](tables)


# Tables for papers

CSV = "csv"

ENDINGS: Mapping[str, str] = {".tex": "latex", ".md": "markdown", ".csv": CSV, ".html": "html"}
"""The formats of files, by file ending."""


class TableRequest(msgspec.Struct, frozen=True):
    """A request for the tables of runs.

    Attributes:
        folders: The runs.
        form: The format; None for a terminal table, or the format of the file's ending.
        by: The axis of the columns.
        powers: The k of pass^k; none for all.
        out: A file to write; None to print.
        rules: The rule set of the scoring.
        judge: Its judge.
    """

    folders: tuple[Path, ...]
    form: str | None = None
    by: str | None = None
    powers: tuple[int, ...] = ()
    out: Path | None = None
    rules: str | None = None
    judge: str | None = None


def table_format(form: str | None, out: Path | None) -> str | None:
    """Return the requested format; None for a terminal table.

    Raises:
        UsageError: For an unknown format, or a file with an unknown ending.
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


def print_paper_tables(asked: TableRequest, *, as_json: bool) -> None:
    """Print the tables of runs, or write them to a file.

    Raises:
        UsageError: For an unknown format, axis or k.
        StoreError: If a run cannot be read, or the file cannot be written.
    """
    form = table_format(asked.form, asked.out)
    found = paper_tables(
        asked.folders, asked.rules, judge_name(asked.judge), by=asked.by, powers=asked.powers
    )
    if as_json:
        print_metrics_json(_document(found))
        return
    if form is None:
        for table in found.tables:
            print_table(table.with_texts().flat())
        return
    text = _rendered_tables(found, form)
    if asked.out is None:
        print(text, end="")
        return
    atomic_write(asked.out, text.encode())
    print_line(str(asked.out))


def _rendered_tables(found: PaperTables, form: str) -> str:
    if form == CSV:
        return "\n".join(map(csv_table, found.tables))
    return RENDERERS[form](table.with_texts() for table in found.tables)


def _document(found: PaperTables) -> dict[str, object]:
    rules, judge = found.scoring
    return {
        "rules": rules,
        "judge": judge,
        "tables": found.tables,
        "cells": _cells(found.cells),
        "not_played": found.not_played,
    }


def _cells(cells: Sequence[CellSummary]) -> list[dict[str, object]]:
    return [
        {
            "suite": cell.suite,
            "agent": cell.agent,
            "condition": cell.condition.label,
            "axes": axis_values(cell.condition),
            "tasks": cell.result.tasks,
            "left_out": cell.result.left_out,
            "trials": cell.result.trials,
            "pass_hat": cell.result.figures,
        }
        for cell in cells
    ]
