"""Implementation of `dragoman leaderboard`, in each of its styles."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import get_args

import msgspec

from dragoman.analysis.aggregate_scores import AggregateScore
from dragoman.analysis.mm_tau.definitions import definitions_named
from dragoman.analysis.mm_tau.mm_tap import MmTapWeights
from dragoman.analysis.persona_fidelity import KEPT
from dragoman.analysis.voice_summary import VoiceSummary
from dragoman.cli.output import print_line, print_metrics_json
from dragoman.cli.table_files import Writers, as_csv, as_markdown, require_writable, write_tables
from dragoman.core.apis.metrics import AVERAGES, ApiAveraging
from dragoman.core.errors import UsageError
from dragoman.dataframes.api_frames import api_frame, summarize_api_runs
from dragoman.dataframes.comparison_frames import voice_frame
from dragoman.dataframes.leaderboard import (
    LeaderboardEntry,
    VoiceResults,
    leaderboard_entries,
    summarize_voice_runs,
)
from dragoman.dataframes.mm_tau_frames import MmTauResults, mm_tau_frame, mm_tau_results
from dragoman.registry.participants import judge_name
from dragoman.report import formatting
from dragoman.report.api_calls import api_tables
from dragoman.report.mm_tau_tables import board_tables, grouped_tables, terminal_tables
from dragoman.report.table_markup import latex_tables
from dragoman.report.text_tables import TextTable, print_table
from dragoman.report.voice import voice_tables

API_ENDINGS = (".md", ".csv", ".json", ".tex")
"""The kinds of files that the figures are written as."""


def print_api_leaderboard(  # noqa: PLR0913 - the options of one style
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
            what `summarize_api_runs` raises.
    """
    require_writable(outs, API_ENDINGS)
    found = summarize_api_runs(folders, rules, judge_name(judge), _averaging(averaging))
    tables = tuple(api_tables(found.board))
    write_tables(
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
        print_metrics_json({"facts": dict(found.facts), "board": msgspec.to_builtins(found.board)})
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


_WEIGHTS = 4
_TITLE = "The metrics of MM-tau-p2"

MM_TAU_ENDINGS = (".md", ".csv", ".json", ".parquet", ".tex")
"""The kinds of files that the metrics are written as."""


def print_mm_tau_leaderboard(  # noqa: PLR0913, PLR0917 - the options of one style
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
    require_writable(outs, MM_TAU_ENDINGS)
    found = mm_tau_results(
        *(folders, rules, judge_name(judge), mm_tau_weights(weights), kept),
        definitions_named(definitions),
    )
    write_tables(outs, mm_tau_writers(found))
    if as_json:
        print_metrics_json(mm_tau_object(found))
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
        ".json": lambda: msgspec.json.format(msgspec.json.encode(mm_tau_object(found))),
        ".csv": lambda: as_csv(mm_tau_frame(found.boards)).encode(),
        ".parquet": lambda: _parquet(found),
    }


def mm_tau_object(found: MmTauResults) -> dict[str, object]:
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


VOICE_ENDINGS = (".md", ".csv", ".json", ".tex")
"""The kinds of files that the figures are written as."""


def print_voice_leaderboard(
    folders: Sequence[Path],
    rules: str | None,
    judge: str | None,
    outs: Sequence[Path],
    *,
    as_json: bool,
) -> None:
    """Print text against every recognizer against agents that hear, and write it where that is asked.

    Raises:
        UsageError: For a file of another kind, and what `summarize_voice_runs` raises.
    """
    require_writable(outs, VOICE_ENDINGS)
    found = summarize_voice_runs(folders, rules, judge_name(judge))
    write_tables(
        outs,
        {
            ".tex": lambda: latex_tables(voice_tables(found.board)).encode(),
            ".json": lambda: msgspec.json.format(msgspec.json.encode(_voice_object(found))),
            ".md": lambda: _voice_markdown(found).encode(),
            ".csv": lambda: voice_csv(found.board).encode(),
        },
    )
    if as_json:
        print_metrics_json(_voice_object(found))
        return
    _print_voice_tables(found)


def _print_voice_tables(found: VoiceResults) -> None:
    for row in found.board.ways:
        if row.cell.is_mostly_unreadable:
            print_line(formatting.unreadable(row.cell))
    for table in voice_tables(found.board):
        print_table(table)
    print()
    for name, value in found.facts:
        print_line(f"{name}: {value}")


def _voice_markdown(found: VoiceResults) -> str:
    return as_markdown("Text against voice", voice_tables(found.board), found.facts)


def voice_csv(board: VoiceSummary) -> str:
    """Return the figures of a board as CSV."""
    return as_csv(voice_frame(board))


def _voice_object(found: VoiceResults) -> dict[str, object]:
    return {"facts": dict(found.facts), "board": msgspec.to_builtins(found.board)}


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
            print_voice_leaderboard(
                asked.folders, asked.rules, asked.judge, asked.outs, as_json=as_json
            )
        case "mm-tau-p2":
            print_mm_tau_leaderboard(
                *(asked.folders, asked.rules, asked.judge, asked.outs, asked.weights),
                KEPT if asked.kept is None else asked.kept,
                asked.definitions,
                as_json=as_json,
            )
        case "itc":
            print_api_leaderboard(
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
    found = leaderboard_entries(asked.folders, asked.rules, judge_name(asked.judge))
    if as_json:
        print_metrics_json({"boards": msgspec.to_builtins(found)})
        return
    for board in found:
        _print_category_tables(board)


def _print_category_tables(board: LeaderboardEntry) -> None:
    if board.unreadable:
        print_line(
            f"{board.agent}: in most replies of {', '.join(board.unreadable)} no calls could be read: "
            "the figures may say more of how they were read than of the agent"
        )
    aggregates = [standing for standing in board.aggregates if standing.tasks]
    print_table(
        TextTable(
            headings=("", "pass^1, 95 % interval", "tasks", "missing"),
            rows=tuple(map(_aggregate_row, (*board.categories, *aggregates))),
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


def _aggregate_row(standing: AggregateScore) -> tuple[str, str, str, str]:
    figure = formatting.number(standing.value)
    if standing.value is not None and standing.interval is not None:
        low, high = standing.interval.low, standing.interval.high
        figure += f" [{low:.3f}, {high:.3f}]"
    elif standing.value is None:
        figure = f"between {standing.bounds.low:.3f} and {standing.bounds.high:.3f}"
    tasks = f"{standing.tasks:,}"
    if standing.tasks < standing.size:
        tasks += f" of {standing.size:,}"
    return standing.name, figure, tasks, ", ".join(standing.missing)
