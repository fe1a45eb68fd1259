"""`dragoman leaderboard`."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from dragoman.analysis.aggregates import Standing
from dragoman.cli.output import print_json, print_line
from dragoman.report import wording
from dragoman.report.fitting import TextTable, print_table
from dragoman.tables.leaderboard import Board, boards
from dragoman.wiring.participants import judge_name


def print_leaderboard(
    folders: Sequence[Path], rules: str | None, judge: str | None, *, as_json: bool
) -> None:
    """Print the standings of every agent of runs on BFCL."""
    found = boards(folders, rules, judge_name(judge))
    if as_json:
        print_json({"boards": msgspec.to_builtins(found)})
        return
    for board in found:
        _print(board)


def _print(board: Board) -> None:
    if board.unreadable:
        print_line(
            f"{board.agent}: in most replies of {', '.join(board.unreadable)} no calls could be read: "
            "the figures may say more of how they were read than of the agent"
        )
    aggregates = [standing for standing in board.aggregates if standing.tasks]
    print_table(
        TextTable(
            headings=("", "pass^1, 95 % interval", "tasks", "missing"),
            rows=tuple(map(_row, (*board.categories, *aggregates))),
            title=f"{board.agent}, rules {board.rules}",
            numbers=frozenset({"tasks"}),
        )
    )
    spread = board.formats
    if spread is not None:
        print(
            f"prompt formats: {len(spread.accuracy)}, largest difference {spread.largest:.1f} "
            f"points, standard deviation {spread.deviation:.2f}, variance {spread.variance:.2f}"
        )


def _row(standing: Standing) -> tuple[str, str, str, str]:
    figure = wording.number(standing.value)
    if standing.value is not None and standing.interval is not None:
        low, high = standing.interval.low, standing.interval.high
        figure += f" [{low:.3f}, {high:.3f}]"
    elif standing.value is None:
        figure = f"between {standing.bounds.low:.3f} and {standing.bounds.high:.3f}"
    tasks = f"{standing.tasks:,}"
    if standing.tasks < standing.size:
        tasks += f" of {standing.size:,}"
    return standing.name, figure, tasks, ", ".join(standing.missing)
