"""The figures of a grid of voices as rows of one table."""

from collections.abc import Iterator

import msgspec
import polars as pl

from dragoman.analysis.intervals import Interval
from dragoman.analysis.voice.board import VoiceBoard, WayFigures
from dragoman.analysis.voice.contrasts import Contrast

COLUMNS: dict[str, pl.DataType] = {
    "agent": pl.String(),
    "setting": pl.String(),
    "voice": pl.String(),
    "recognizer": pl.String(),
    "clarify": pl.String(),
    "figure": pl.String(),
    "name": pl.String(),
    "value": pl.Float64(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    "n": pl.Float64(),
    "about": pl.String(),
}
"""`figure` is what a row tells (accuracy, points to text, ...), `name` of which category or count."""

_Row = tuple[str, str, float | None, float | None, float | None, float | None, str]


def voice_frame(board: VoiceBoard | None) -> pl.DataFrame:
    """Return every figure of a board as a row: shares from 0 to 1, differences of shares, counts.

    What is missing is null; without a board there is no row.
    """
    if board is None:
        return pl.DataFrame(schema=COLUMNS)
    rows = [
        (row.agent, ", ".join(row.setting), *msgspec.structs.astuple(row.way), *found)
        for row in board.ways
        for found in _way_rows(row)
    ]
    rows += [
        (
            *(entry.agent, ", ".join(entry.setting), entry.voice, None, entry.clarify),
            *_contrast_row("recognizers apart", name, spread.apart),
            f"{spread.lowest} to {spread.highest}",
        )
        for entry in board.sensitivity
        for name, spread in entry.spreads.items()
    ]
    return pl.DataFrame(rows, schema=COLUMNS, orient="row", strict=False)


def _way_rows(row: WayFigures) -> Iterator[_Row]:
    for name, standing in row.standings.items():
        low, high = _ends(standing.interval)
        missing = ", ".join(standing.missing)
        about = f"missing: {missing}" if missing else ""
        yield "accuracy", name, standing.value, low, high, standing.tasks, about
    for name, entry in row.to_text.items():
        yield *_contrast_row("points to text", name, entry), f"text, clarify {row.text}"
    for name, entry in row.won_back.items():
        yield *_contrast_row("points won back", name, entry), "clarify none"
    for share in row.questions:
        low, high = _ends(share.interval)
        yield "conversations with a question", share.name, share.value, low, high, share.of, ""
    yield from _counts(row)


def _contrast_row(
    figure: str, name: str, entry: Contrast
) -> tuple[str, str, float | None, float | None, float | None, float]:
    low, high = _ends(entry.interval)
    return figure, name, entry.value, low, high, entry.tasks


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.low, interval.high)


def _counts(row: WayFigures) -> Iterator[_Row]:
    for tally in row.tallies:
        for name, count in tally.counts.items():
            about = f"version {tally.version}, judge {tally.judge}"
            yield tally.measure, name, count, None, None, tally.conversations, about
        if tally.unscored:
            yield tally.measure, "unscored", tally.unscored, None, None, None, ""
    for each in row.measures:
        low, high = _ends(each.interval)
        yield f"{each.measure}: figure", each.figure, each.value, low, high, each.n, each.form
    cell = row.cell
    planned = cell.episodes + cell.missing
    yield "seconds a conversation", "mean", row.seconds, None, None, cell.answered, "wall clock"
    counts = {
        "planned": planned,
        "not run": cell.missing,
        "infrastructure errors": cell.infrastructure_errors,
        "code errors": cell.code_errors,
        **{f"unscored: {reason}": count for reason, count in cell.unscored.items()},
    }
    for name, count in counts.items():
        yield "conversations", name, count, None, None, planned, ""
