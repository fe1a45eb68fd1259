"""Implementation of `dragoman leaderboard`, in each of its styles."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from dragoman.cli.output import print_line, print_metrics_json
from dragoman.cli.paper_table import CSV, ENDINGS, table_format
from dragoman.cli.styles import one_of, require_options
from dragoman.core.errors import UsageError
from dragoman.dataframes.text_files import require_writable, write_tables
from dragoman.registry.participant_names import judge_name
from dragoman.report.capabilities import StyleRequest, StyleResult
from dragoman.report.catalog import find_style, styles
from dragoman.report.paper_table import csv_texts
from dragoman.report.table_markup import RENDERERS
from dragoman.report.text_tables import TextTable, print_table


class LeaderboardRequest(msgspec.Struct, frozen=True):
    """A request for a leaderboard.

    Attributes:
        folders: The runs.
        style: The name of the style.
        outs: Files to write as well.
        rules: The rule set of the scoring.
        judge: Its judge.
        options: What was given of the options that some styles take, by name.
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
    """Print the standings of every agent of runs, in the style that is asked for.

    Raises:
        UsageError: For a style that there is not, an option or a file that is not of this style,
            and what the style itself raises.
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
    """Return the tables of a leaderboard in a format, as the style's own file has them if it has one."""
    endings = {name: ending for ending, name in ENDINGS.items()}
    if endings[form] in made.files:
        return made.files[endings[form]]().decode()
    tables = [each for each in made.text if isinstance(each, TextTable)]
    return csv_texts(tables) if form == CSV else RENDERERS[form](tables)
