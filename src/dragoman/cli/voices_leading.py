"""`dragoman leaderboard --style bfcl-audio`."""

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import polars as pl

from dragoman.analysis.voice.board import VoiceBoard
from dragoman.cli.output import print_json, print_line
from dragoman.core.errors import UsageError
from dragoman.report import wording
from dragoman.report.fitting import print_table
from dragoman.report.markdown import markdown_tables, markdown_text
from dragoman.report.voice_tables import voice_tables
from dragoman.store.whole_files import write_whole
from dragoman.tables.voice_boards import VoiceResults, voice_results
from dragoman.tables.voice_frames import voice_frame
from dragoman.wiring.participants import judge_name

_FORMULA = r"^[=+\-@\t\r]"
"""How a text begins that a spreadsheet program would take for a formula."""


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
        UsageError: For a file that is neither Markdown nor CSV, and what `voice_results` raises.
    """
    writers = [(path, _writer(path)) for path in outs]
    found = voice_results(folders, rules, judge_name(judge))
    for path, write in writers:
        write_whole(path, (write(found).encode(),))
    if as_json:
        print_json(_object(found))
        return
    _print(found)


def _writer(path: Path) -> Callable[[VoiceResults], str]:
    writers = {".md": _markdown, ".csv": _csv}
    if path.suffix not in writers:
        raise UsageError(f"--out {path}: neither .md nor .csv: name one of these")
    return writers[path.suffix]


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
    facts = "".join(
        f"- {markdown_text(name)}: {markdown_text(value)}\n" for name, value in found.facts
    )
    return f"## Text against voice\n\n{markdown_tables(voice_tables(found.board))}\n{facts}"


def _csv(found: VoiceResults) -> str:
    return board_as_csv(found.board)


def board_as_csv(board: VoiceBoard) -> str:
    """Return the figures of a board as CSV; no text is a formula to a spreadsheet program."""
    texts = pl.col(pl.String)
    safe = pl.when(texts.str.contains(_FORMULA)).then("'" + texts).otherwise(texts)
    return voice_frame(board).with_columns(safe.name.keep()).write_csv()


def _object(found: VoiceResults) -> dict[str, object]:
    return {"facts": dict(found.facts), "board": msgspec.to_builtins(found.board)}
