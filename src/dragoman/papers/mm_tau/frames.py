"""Metrics of MM-tau-p2 of stored runs, as a summary and a data frame."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import polars as pl

from dragoman.analysis.intervals import Interval
from dragoman.analysis.persona_fidelity import KEPT
from dragoman.dataframes.results import run_facts, scored_runs, task_digests
from dragoman.papers.mm_tau.definitions import NOT_IN_CODE, OWN, Definitions
from dragoman.papers.mm_tau.mm_tap import MmTapWeights
from dragoman.papers.mm_tau.summary import MmTauCell, MmTauChange, MmTauSummary, mm_tau_summaries

COLUMNS: dict[str, pl.DataType] = {
    **dict.fromkeys(("suite", "agent", "setting", "voice", "recognizer", "clarify"), pl.String()),
    **dict.fromkeys(("persona", "exposure", "reader", "definitions", "metric"), pl.String()),
    **dict.fromkeys(("value", "low", "high", "n"), pl.Float64()),
    "unscored": pl.Int64(),
    "why": pl.String(),
    **dict.fromkeys(("change", "change_low", "change_high"), pl.Float64()),
    "change_tasks": pl.Int64(),
    "change_to": pl.String(),
    "card": pl.String(),
    "card_shown": pl.Float64(),
    "most": pl.Float64(),
}
"""Columns of the frame of metrics of personas and exposures.

`reader` made the counts: the log or a judge. `definitions` names the set by which the metric is
computed. `why` gives the reason for a metric without a value. `most` is the maximum of the
metric if something is undecided. `change` is the change to the metric under the exposure
`change_to`, as a fraction of it. `card` is whether users kept their card, of which they showed
the part `card_shown`.
"""

_Row = tuple[str | float | None, ...]


class MmTauResults(msgspec.Struct, frozen=True):
    """Boards, one for each set of definitions, with what they were made of: labels and values."""

    summaries: tuple[MmTauSummary, ...]
    facts: tuple[tuple[str, str], ...]


def mm_tau_results(  # noqa: PLR0913, PLR0917 - what is read, and by what
    folders: Sequence[Path],
    rules: str | None,
    judge: str | None,
    weights: MmTapWeights,
    kept: float = KEPT,
    definitions: Sequence[Definitions] = (OWN,),
) -> MmTauResults:
    """Return the boards of all runs together, one for each set of definitions.

    Args:
        folders: The runs.
        rules: The rule set that they were scored by; None for the newest scoring.
        judge: The judge of that scoring.
        weights: The weights of mm-tap.
        kept: The share of its card that users must show.
        definitions: The sets of definitions.

    Raises:
        UsageError: If a conversation is in two of them, or they were not scored alike.
        StoreError: If a run cannot be read.
    """
    runs = scored_runs(folders, rules, judge)
    rows = [row for run in runs for row in run.outcomes]
    summaries = mm_tau_summaries(
        rows, task_digests(runs), runs[0].scoring, weights, kept, definitions
    )
    shown = ", ".join(f"{weight:g}" for weight in msgspec.structs.astuple(weights))
    facts = (("weights of mm-tap", shown), ("definitions", ", ".join(definitions)))
    return MmTauResults(summaries, (*run_facts(runs), *facts))


def mm_tau_frame(summaries: Sequence[MmTauSummary]) -> pl.DataFrame:
    """Return every metric of boards as a row; what is missing is null."""
    rows = [row for summary in summaries for row in _summary_rows(summary)]
    return pl.DataFrame(rows, schema=COLUMNS, orient="row", strict=False)


def _summary_rows(summary: MmTauSummary) -> list[_Row]:
    changes = {change.cell: change for change in summary.changes}
    return [
        (
            *(cell.suite, cell.agent, ", ".join(cell.setting)),
            *(*msgspec.structs.astuple(cell.input_mode), cell.persona, cell.exposure, cell.reader),
            summary.definitions,
            *found,
            *((None, None) if cell.card is None else (cell.card.verdict, cell.card.shown)),
            cell.metrics[str(found[0])].most if found[0] in cell.metrics else None,
        )
        for number, cell in enumerate(summary.cells)
        for found in _rows(summary, cell, changes.get(number))
    ]


def _rows(summary: MmTauSummary, cell: MmTauCell, change: MmTauChange | None) -> Iterator[_Row]:
    for name, metric in cell.metrics.items():
        changed = _NO_CHANGE
        if change is not None and name in change.metrics:
            to = change.metrics[name]
            tasks = None if to.value is None else int(to.n)
            changed = (to.value, *_ends(to.interval), tasks, summary.cells[change.to].exposure)
        own = (name, metric.value, *_ends(metric.interval), metric.n, metric.unscored, metric.why)
        yield (*own, *changed)
    lacks = f"without {', '.join(cell.lacks)}" if cell.lacks else ""
    if not summary.has_composite:
        yield ("mm-tap", None, None, None, None, None, NOT_IN_CODE, *_NO_CHANGE)
        return
    for name, value, interval in (
        ("mm-tap", cell.mm_tap, cell.mm_tap_interval),
        ("mm-tap clipped", cell.clipped, cell.clipped_interval),
    ):
        yield (name, value, *_ends(interval), float(cell.tasks), None, lacks, *_NO_CHANGE)


_NO_CHANGE: _Row = (None,) * 5


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.low, interval.high)
