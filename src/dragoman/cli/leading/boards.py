"""`dragoman leaderboard`."""

from pathlib import Path

import msgspec

from dragoman.analysis.aggregates import Standing
from dragoman.analysis.cards_kept import KEPT
from dragoman.cli.output import print_figures_json, print_line
from dragoman.core.errors import UsageError
from dragoman.report import wording
from dragoman.report.fitting import TextTable, print_table
from dragoman.tables.leaderboard import Board, boards
from dragoman.wiring.participants import judge_name


class LeaderboardRequest(msgspec.Struct, frozen=True):
    """What a person asked to see: `outs` are files to write as well."""

    folders: tuple[Path, ...]
    style: str
    outs: tuple[Path, ...]
    rules: str | None
    judge: str | None
    weights: str | None = None
    averaging: str | None = None
    kept: float | None = None
    definitions: str | None = None


def print_leaderboard(asked: LeaderboardRequest, *, as_json: bool) -> None:
    """Print the standings of every agent of runs, in the style that is asked for.

    Raises:
        UsageError: For a style that there is not, or a file that it does not write.
    """
    if asked.weights is not None and asked.style != "mm-tau-p2":
        raise UsageError("--weights goes with --style mm-tau-p2")
    if asked.kept is not None and asked.style != "mm-tau-p2":
        raise UsageError("--kept goes with --style mm-tau-p2")
    if asked.definitions is not None and asked.style != "mm-tau-p2":
        raise UsageError("--definitions goes with --style mm-tau-p2")
    if asked.averaging is not None and asked.style != "itc":
        raise UsageError("--averaging goes with --style itc")
    match asked.style:
        case "bfcl-audio":
            from dragoman.cli.leading.voices import print_voices

            print_voices(asked.folders, asked.rules, asked.judge, asked.outs, as_json=as_json)
        case "mm-tau-p2":
            from dragoman.cli.leading.mm_tau import print_mm_tau

            print_mm_tau(
                *(asked.folders, asked.rules, asked.judge, asked.outs, asked.weights),
                KEPT if asked.kept is None else asked.kept,
                asked.definitions,
                as_json=as_json,
            )
        case "itc":
            from dragoman.cli.leading.itc import print_api_board

            print_api_board(
                *(asked.folders, asked.rules, asked.judge, asked.outs, asked.averaging),
                as_json=as_json,
            )
        case "bfcl" if asked.outs:
            raise UsageError("--out goes with --style bfcl-audio, mm-tau-p2 or itc")
        case "bfcl":
            _print_aggregates(asked, as_json=as_json)
        case _:
            raise UsageError(f"--style {asked.style}: choose bfcl, bfcl-audio, mm-tau-p2 or itc")


def _print_aggregates(asked: LeaderboardRequest, *, as_json: bool) -> None:
    found = boards(asked.folders, asked.rules, judge_name(asked.judge))
    if as_json:
        print_figures_json({"boards": msgspec.to_builtins(found)})
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
