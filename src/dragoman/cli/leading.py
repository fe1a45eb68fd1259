"""`dragoman leaderboard`."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from dragoman.analysis.aggregates import Standing
from dragoman.cli.output import print_json
from dragoman.report import wording
from dragoman.report.visible import visible
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
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(
        title=f"{visible(board.agent)}, rules {board.rules}",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    for name in ("", "pass^1, 95 % interval", "tasks", "missing"):
        table.add_column(name, justify="right" if name == "tasks" else "left")
    for standing in board.categories:
        table.add_row(*_row(standing))
    table.add_section()
    for standing in filter(lambda each: each.tasks, board.aggregates):
        table.add_row(*_row(standing))
    console = Console()
    console.print(table, markup=False)
    spread = board.formats
    if spread is not None:
        console.print(
            f"prompt formats: {len(spread.accuracy)}, largest difference {spread.largest:.1f} "
            f"points, standard deviation {spread.deviation:.2f}, variance {spread.variance:.2f}",
            soft_wrap=True,
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
