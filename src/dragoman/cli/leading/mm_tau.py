"""`dragoman leaderboard --style mm-tau-p2`."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from dragoman.analysis.mm_tau.mm_tap import MmTapWeights
from dragoman.cli.leading.written import as_csv, as_markdown, require_writable, write_all
from dragoman.cli.output import print_json, print_line
from dragoman.core.errors import UsageError
from dragoman.report.fitting import print_table
from dragoman.report.mm_tau_tables import mm_tau_tables
from dragoman.tables.mm_tau_boards import mm_tau_frame, mm_tau_results
from dragoman.wiring.participants import judge_name

_WEIGHTS = 4


def print_mm_tau(  # noqa: PLR0913 - the options of one style
    folders: Sequence[Path],
    rules: str | None,
    judge: str | None,
    outs: Sequence[Path],
    weights: str | None,
    *,
    as_json: bool,
) -> None:
    """Print the twelve metrics and mm-tap of every cell, and write them where that is asked.

    Raises:
        UsageError: For a file that is neither Markdown nor CSV, weights that are none, and what
            `mm_tau_results` raises.
    """
    require_writable(outs)
    found = mm_tau_results(folders, rules, judge_name(judge), _weights(weights))
    tables = tuple(mm_tau_tables(found.board))
    write_all(
        outs,
        lambda: as_markdown("The metrics of MM-tau-p2", tables, found.facts),
        lambda: as_csv(mm_tau_frame(found.board)),
    )
    if as_json:
        print_json({"facts": dict(found.facts), "board": msgspec.to_builtins(found.board)})
        return
    for table in tables:
        print_table(table)
    print()
    for name, value in found.facts:
        print_line(f"{name}: {value}")


def _weights(text: str | None) -> MmTapWeights:
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
