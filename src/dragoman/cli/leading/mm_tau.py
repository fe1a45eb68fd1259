"""`dragoman leaderboard --style mm-tau-p2`."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import msgspec

from dragoman.analysis.mm_tau.definitions import definitions_named
from dragoman.analysis.mm_tau.mm_tap import MmTapWeights
from dragoman.cli.leading.written import Writers, as_csv, as_markdown, require_writable, write_all
from dragoman.cli.output import print_figures_json, print_line
from dragoman.core.errors import UsageError
from dragoman.report.fitting import print_table
from dragoman.report.latex import latex_tables
from dragoman.report.mm_tau.tables import board_tables, grouped_tables, terminal_tables
from dragoman.tables.mm_tau_boards import MmTauResults, mm_tau_frame, mm_tau_results
from dragoman.wiring.participants import judge_name

_WEIGHTS = 4
_TITLE = "The metrics of MM-tau-p2"

ENDINGS = (".md", ".csv", ".json", ".parquet", ".tex")
"""The kinds of files that the metrics are written as."""


def print_mm_tau(  # noqa: PLR0913, PLR0917 - the options of one style
    folders: Sequence[Path],
    rules: str | None,
    judge: str | None,
    outs: Sequence[Path],
    weights: str | None,
    kept: float,
    definitions: str | None = None,
    *,
    as_json: bool,
) -> None:
    """Print the twelve metrics and mm-tap of every cell, and write them where that is asked.

    Raises:
        UsageError: For a file of another kind, weights that are none, and a set of definitions that
            there is not, and what `mm_tau_results` raises.
    """
    require_writable(outs, ENDINGS)
    found = mm_tau_results(
        *(folders, rules, judge_name(judge), mm_tau_weights(weights), kept),
        definitions_named(definitions),
    )
    write_all(outs, mm_tau_writers(found))
    if as_json:
        print_figures_json(board_object(found))
        return
    for table in terminal_tables(found.boards):
        print_table(table)
    print()
    if any(board.changes for board in found.boards):
        print_line(
            "Tables 3 and 4, the changes between exposures: --out FILE.md, or `dragoman report RUN --style mm-tau-p2`"
        )
    for name, value in found.facts:
        print_line(f"{name}: {value}")


def mm_tau_writers(found: MmTauResults) -> Writers:
    """Return what makes a file of a board, by its ending."""
    return {
        ".md": lambda: as_markdown(_TITLE, board_tables(found.boards), found.facts).encode(),
        ".tex": lambda: latex_tables(grouped_tables(found.boards)).encode(),
        ".json": lambda: msgspec.json.format(msgspec.json.encode(board_object(found))),
        ".csv": lambda: as_csv(mm_tau_frame(found.boards)).encode(),
        ".parquet": lambda: _parquet(found),
    }


def board_object(found: MmTauResults) -> dict[str, object]:
    """Return boards as JSON has them: the first one, and all by their definitions where they are several."""
    first = {"facts": dict(found.facts), "board": msgspec.to_builtins(found.boards[0])}
    if len(found.boards) == 1:
        return first
    return {
        **first,
        "boards": {board.definitions: msgspec.to_builtins(board) for board in found.boards},
    }


def _parquet(found: MmTauResults) -> bytes:
    buffer = BytesIO()
    mm_tau_frame(found.boards).write_parquet(buffer)
    return buffer.getvalue()


def mm_tau_weights(text: str | None) -> MmTapWeights:
    """Read the weights of mm-tap; the source's where none are given.

    Raises:
        UsageError: Where they are not four numbers that sum to 1.
    """
    if text is None:
        return MmTapWeights()
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        values = []
    if len(values) != _WEIGHTS:
        raise UsageError(
            f"--weights {text:.80}: give four numbers that sum to 1, as 0.35,0.35,0.2,0.1"
        )
    return MmTapWeights(*values)
