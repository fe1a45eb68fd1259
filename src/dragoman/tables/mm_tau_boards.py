"""The metrics of MM-tau-p2 of stored runs: one board over one or several, and its rows."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import polars as pl

from dragoman.analysis.mm_tau.board import MmTauBoard, MmTauCell, mm_tau_board
from dragoman.analysis.mm_tau.mm_tap import MmTapWeights
from dragoman.tables.scored_runs import run_facts, scored_runs, task_digests

COLUMNS: dict[str, pl.DataType] = {
    **dict.fromkeys(("suite", "agent", "setting", "voice", "recognizer", "clarify"), pl.String()),
    **dict.fromkeys(("persona", "exposure", "metric"), pl.String()),
    **dict.fromkeys(("value", "low", "high", "n"), pl.Float64()),
    "why": pl.String(),
}
"""`why` says why a metric has no value."""

_Row = tuple[str, float | None, float | None, float | None, float | None, str]


class MmTauResults(msgspec.Struct, frozen=True):
    """A board with what it was made of: labels and values."""

    board: MmTauBoard
    facts: tuple[tuple[str, str], ...]


def mm_tau_results(
    folders: Sequence[Path], rules: str | None, judge: str | None, weights: MmTapWeights
) -> MmTauResults:
    """Return the board of all runs together.

    Raises:
        UsageError: Where a conversation is in two of them, or they were not scored alike.
        StoreError: Where a run cannot be read.
    """
    runs = scored_runs(folders, rules, judge)
    rows = [row for run in runs for row in run.outcomes]
    board = mm_tau_board(rows, task_digests(runs), runs[0].scoring, weights)
    shown = ", ".join(f"{weight:g}" for weight in msgspec.structs.astuple(weights))
    return MmTauResults(board, (*run_facts(runs), ("weights of mm-tap", shown)))


def mm_tau_frame(board: MmTauBoard) -> pl.DataFrame:
    """Return every metric of a board as a row; what is missing is null."""
    rows = [
        (
            *(cell.suite, cell.agent, ", ".join(cell.setting)),
            *(*msgspec.structs.astuple(cell.way), cell.persona, cell.exposure),
            *found,
        )
        for cell in board.cells
        for found in _rows(cell)
    ]
    return pl.DataFrame(rows, schema=COLUMNS, orient="row", strict=False)


def _rows(cell: MmTauCell) -> Iterator[_Row]:
    for name, metric in cell.metrics.items():
        low, high = (
            (None, None) if metric.interval is None else msgspec.structs.astuple(metric.interval)
        )
        yield name, metric.value, low, high, metric.n, metric.why
    lacks = f"without {', '.join(cell.lacks)}" if cell.lacks else ""
    yield "mm-tap", cell.mm_tap, None, None, None, lacks
    yield "mm-tap clipped", cell.clipped, None, None, None, lacks
