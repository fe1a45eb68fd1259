"""`dragoman leaderboard --style bfcl-audio`."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from dragoman.analysis.voice.board import VoiceBoard
from dragoman.cli.leading.written import as_csv, as_markdown, require_writable, write_all
from dragoman.cli.output import print_figures_json, print_line
from dragoman.report import wording
from dragoman.report.fitting import print_table
from dragoman.report.latex import latex_tables
from dragoman.report.voice_tables import voice_tables
from dragoman.tables.voice_boards import VoiceResults, voice_results
from dragoman.tables.voice_frames import voice_frame
from dragoman.wiring.participants import judge_name

ENDINGS = (".md", ".csv", ".json", ".tex")
"""The kinds of files that the figures are written as."""


def print_voices(
    folders: Sequence[Path],
    rules: str | None,
    judge: str | None,
    outs: Sequence[Path],
    *,
    as_json: bool,
) -> None:
    """Print text against every recognizer against agents that hear, and write it where that is asked.

    Raises:
        UsageError: For a file of another kind, and what `voice_results` raises.
    """
    require_writable(outs, ENDINGS)
    found = voice_results(folders, rules, judge_name(judge))
    write_all(
        outs,
        {
            ".tex": lambda: latex_tables(voice_tables(found.board)).encode(),
            ".json": lambda: msgspec.json.format(msgspec.json.encode(_object(found))),
            ".md": lambda: _markdown(found).encode(),
            ".csv": lambda: board_as_csv(found.board).encode(),
        },
    )
    if as_json:
        print_figures_json(_object(found))
        return
    _print(found)


def _print(found: VoiceResults) -> None:
    for row in found.board.ways:
        if row.cell.is_mostly_unreadable:
            print_line(wording.unreadable(row.cell))
    for table in voice_tables(found.board):
        print_table(table)
    print()
    for name, value in found.facts:
        print_line(f"{name}: {value}")


def _markdown(found: VoiceResults) -> str:
    return as_markdown("Text against voice", voice_tables(found.board), found.facts)


def board_as_csv(board: VoiceBoard) -> str:
    """Return the figures of a board as CSV."""
    return as_csv(voice_frame(board))


def _object(found: VoiceResults) -> dict[str, object]:
    return {"facts": dict(found.facts), "board": msgspec.to_builtins(found.board)}
