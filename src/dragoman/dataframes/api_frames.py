"""Metrics of International Tool Calling of stored runs, as a summary and a data frame."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import polars as pl

from dragoman.analysis.api_summary import ApiSummary, TaskLabels, summarize_api_calls
from dragoman.core.apis.metrics import CALLS, ApiAveraging
from dragoman.core.errors import UsageError
from dragoman.dataframes.results import run_facts, scored_runs
from dragoman.store.run_store import open_run

COLUMNS: dict[str, pl.DataType] = {
    **dict.fromkeys(("suite", "agent", "condition", "by", "group", "part", "figure"), pl.String()),
    **dict.fromkeys(("value", "low", "high", "n"), pl.Float64()),
    **dict.fromkeys(("conversations", "unscored"), pl.Int64()),
}


class ApiResults(msgspec.Struct, frozen=True):
    """A board with what it was made of: labels and values."""

    board: ApiSummary
    facts: tuple[tuple[str, str], ...]


def summarize_api_runs(
    folders: Sequence[Path], rules: str | None, judge: str | None, averaging: ApiAveraging
) -> ApiResults:
    """Return the board of all runs together.

    Raises:
        UsageError: Where no run has calls of APIs that were counted, a conversation is in two of
            them, or they were not scored alike.
        StoreError: Where a run cannot be read.
    """
    runs = scored_runs(folders, rules, judge)
    labels = {place: found for folder in folders for place, found in _labels(folder).items()}
    rows = [row for run in runs for row in run.outcomes]
    board = summarize_api_calls(rows, labels, averaging)
    if not board.groups:
        raise UsageError(
            "--style itc: none of the runs is on a suite of web APIs, such as itc:world"
        )
    if not any(each.measure == CALLS for row in rows for each in row.measures):
        shown = " ".join(map(str, folders))
        raise UsageError(f"no calls were counted: run `dragoman score {shown} --measure {CALLS}`")
    return ApiResults(board, (*run_facts(runs), ("averaging", averaging)))


def api_frame(board: ApiSummary) -> pl.DataFrame:
    """Return every figure of a board as a row; what is missing is null."""
    rows = [
        (
            *(group.suite, group.agent, group.condition, group.axis, group.group),
            *(figure.part, figure.name, figure.value),
            *(
                (None, None)
                if figure.interval is None
                else msgspec.structs.astuple(figure.interval)
            ),
            *(figure.n, group.conversations, group.unscored),
        )
        for group in board.groups
        for figure in group.figures
    ]
    return pl.DataFrame(rows, schema=COLUMNS, orient="row", strict=False)


def _labels(folder: Path) -> TaskLabels:
    with open_run(folder, write=False) as store:
        return {(task.suite, task.id): task.labels for task in store.tasks().values()}
