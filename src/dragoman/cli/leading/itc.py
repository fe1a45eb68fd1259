"""`dragoman leaderboard --style itc`."""

from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import msgspec

from dragoman.cli.leading.written import as_csv, as_markdown, require_writable, write_all
from dragoman.cli.output import print_figures_json, print_line
from dragoman.core.apis.figures import AVERAGES, ApiAveraging
from dragoman.core.errors import UsageError
from dragoman.report.api_tables import api_tables
from dragoman.report.fitting import print_table
from dragoman.report.latex import latex_tables
from dragoman.tables.api_boards import api_frame, api_results
from dragoman.wiring.participants import judge_name

ENDINGS = (".md", ".csv", ".json", ".tex")
"""The kinds of files that the figures are written as."""


def print_api_board(  # noqa: PLR0913 - the options of one style
    folders: Sequence[Path],
    rules: str | None,
    judge: str | None,
    outs: Sequence[Path],
    averaging: str | None,
    *,
    as_json: bool,
) -> None:
    """Print scores and errors of every agent, by label too, and write them where that is asked.

    Raises:
        UsageError: For a file of another kind, an average that there is not, and
            what `api_results` raises.
    """
    require_writable(outs, ENDINGS)
    found = api_results(folders, rules, judge_name(judge), _averaging(averaging))
    tables = tuple(api_tables(found.board))
    write_all(
        outs,
        {
            ".tex": lambda: latex_tables(tables).encode(),
            ".json": lambda: msgspec.json.format(
                msgspec.json.encode(
                    {"facts": dict(found.facts), "board": msgspec.to_builtins(found.board)}
                )
            ),
            ".md": lambda: as_markdown("International Tool Calling", tables, found.facts).encode(),
            ".csv": lambda: as_csv(api_frame(found.board)).encode(),
        },
    )
    if as_json:
        print_figures_json({"facts": dict(found.facts), "board": msgspec.to_builtins(found.board)})
        return
    for table in tables:
        print_table(table)
    print()
    for name, value in found.facts:
        print_line(f"{name}: {value}")


def _averaging(text: str | None) -> ApiAveraging:
    for name in AVERAGES:
        if text in {None, name}:
            return name
    raise UsageError(f"--averaging {text!r:.80}: choose {', '.join(get_args(ApiAveraging))}")
