"""`dragoman errors`."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from dragoman.cli.leading.written import as_csv, as_markdown, require_writable, write_all
from dragoman.cli.output import print_figures_json, print_line
from dragoman.report.error_tables import error_tables
from dragoman.report.fitting import print_table
from dragoman.scoring.measures.error_tags import DEFAULT_TAG_RULES, TAG_RULES
from dragoman.tables.error_boards import error_board
from dragoman.tables.error_frames import error_frame

_MODES = 20


class ErrorsRequest(msgspec.Struct, frozen=True):
    """What a person asked to see: `outs` are files to write as well."""

    folders: tuple[Path, ...]
    by: str | None
    tag_rules: str | None
    outs: tuple[Path, ...]


def print_errors(asked: ErrorsRequest, *, full: bool, as_json: bool) -> None:
    """Print what went wrong in runs, and write it where that is asked.

    Raises:
        UsageError: For a file that is neither Markdown nor CSV, an axis or rules that there are
            not, and runs of which nothing was measured.
    """
    require_writable(asked.outs)
    rules = DEFAULT_TAG_RULES if asked.tag_rules is None else TAG_RULES.find(asked.tag_rules)
    axes: Sequence[str] | None = None if asked.by is None else asked.by.split(",")
    board = error_board(asked.folders, axes, rules)
    writers = {
        ".md": lambda: as_markdown("What went wrong", error_tables(board), board.facts).encode(),
        ".csv": lambda: as_csv(error_frame(board)).encode(),
    }
    write_all(asked.outs, writers)
    if as_json:
        print_figures_json({**msgspec.to_builtins(board), "facts": dict(board.facts)})
        return
    for table in error_tables(board, None if full else _MODES):
        print_table(table)
    print()
    for name, value in board.facts:
        print_line(f"{name}: {value}")
