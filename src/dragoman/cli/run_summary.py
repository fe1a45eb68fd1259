"""The summary at the end of a run: measures, recorded verdicts, next step, `--fail-under`."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from dragoman.analysis.cell_summary import CellSummary
from dragoman.analysis.measure_metrics import MeasureRow
from dragoman.cli.output import print_error, print_line
from dragoman.core.conditions import TEXT
from dragoman.core.errors import UsageError
from dragoman.core.measures import REWARD, SIMULATOR
from dragoman.core.scores import NO_JUDGE
from dragoman.dataframes.results import Agreement
from dragoman.report import formatting
from dragoman.report.formatting import measured_value, reasons_line
from dragoman.report.labels import figure_label, measure_label
from dragoman.report.text_tables import TextTable, print_table
from dragoman.runs.manifest import Manifest


class RunState(NamedTuple):
    """The state of a run, as far as the next step depends on it.

    Attributes:
        raised: Conversations that an exception in user code ended.
        broken: Conversations that infrastructure errors ended.
        missing: Conversations that were not played.
        is_perfect: Whether every conversation was a success.
        left: Conversations of the run's own shard that were not played.
    """

    raised: int
    broken: int
    missing: int
    is_perfect: bool
    left: int = 0


def state_of(cells: Sequence[CellSummary], left: int = 0) -> RunState:
    """Return the state of a run; `left` counts the unplayed conversations of its shard."""
    return RunState(
        sum(cell.code_errors for cell in cells),
        sum(cell.infrastructure_errors for cell in cells),
        sum(cell.missing for cell in cells),
        all(map(_is_perfect, cells)),
        left,
    )


def next_step(folder: Path, state: RunState, *, is_imported: bool = False, shard: str = "") -> str:
    """Return the next step for a run with its command; an imported run is not resumed.

    Conversations of other shards do not count as missing.
    """
    run = quote(str(folder))
    if state.raised:
        return (
            f"{formatting.format_count(state.raised, 'conversation')} failed: your code raised an "
            "exception (not scored). Fix it and start a new run. "
            f"Details: dragoman show {run}"
        )
    if state.broken and not is_imported:
        return (
            f"{formatting.format_count(state.broken, 'conversation')} ended by infrastructure "
            f"errors. Retry: dragoman resume {run}"
        )
    if state.missing and (shard or not is_imported):
        return _to_be_played(run, state, shard)
    if state.is_perfect:
        return f"Next: dragoman report {run}"
    return f"Next: dragoman show {run}   (failures by cause)"


def _to_be_played(run: str, state: RunState, shard: str) -> str:
    if shard and not state.left:
        return (
            f"Shard {shard} complete; {state.missing:,} more in other shards. "
            f"Merge: dragoman merge {run} OTHER... --out FOLDER"
        )
    left = state.left if shard else state.missing
    of_share = f" of shard {shard}" if shard else ""
    return (
        f"{formatting.format_count(left, 'conversation')}{of_share} not run. "
        f"Resume: dragoman resume {run}"
    )


def further_steps(folder: Path, cells: Sequence[CellSummary]) -> str:
    """Return the further commands that show such a run, in one line."""
    run = quote(str(folder))
    steps = [f"in a browser: dragoman view {run}"]
    if len(cells) > 1:
        steps.insert(0, f"compare cells: dragoman compare {run}")
    if any(cell.condition.voice != TEXT and not _is_perfect(cell) for cell in cells):
        steps.insert(0, f"failure sources: dragoman attribute {run}")
    line = "; ".join(steps)
    return f"{line[0].upper()}{line[1:]}"


def _is_perfect(cell: CellSummary) -> bool:
    """Return whether every conversation of a cell was a success."""
    first = cell.result.figures[0]
    return not cell.missing and first.bounds.low == 1


_RECOGNITION_LABELS = {"language_model": "language model", "transcript": "agents receive"}

IN_THE_SUMMARY = frozenset({REWARD, SIMULATOR})
"""Measures whose figures the table of pass^k shows."""


def print_measures(
    rows: Iterable[MeasureRow], unmeasured: Mapping[str, str], manifest: Manifest
) -> None:
    """Print the measures other than the reward, why some are missing, and the recognizers."""
    for label, localization in manifest.localization_records.items():
        for note in localization.notes:
            print_line(f"{label}: {note}")
    print_measure_tables(rows)
    for name, why in unmeasured.items():
        print_line(f"{name} is not measured: {why}")
    for line in _recognition_lines(manifest):
        print_line(line)


def print_measure_tables(rows: Iterable[MeasureRow]) -> None:
    """Print a table of each measure that the table of pass^k does not show."""
    tables: dict[tuple[str, str, str], list[MeasureRow]] = {}
    for row in rows:
        if row.measure not in IN_THE_SUMMARY:
            tables.setdefault((row.measure, row.version, row.judge), []).append(row)
    for (measure, version, judge), of_measure in tables.items():
        by = "" if judge == NO_JUDGE else f", judge {judge}"
        print_table(_table(f"{measure_label(measure)} {version}{by}", of_measure))


def _recognition_lines(manifest: Manifest) -> Iterator[str]:
    """Yield the recognizers of a run, and that its agents received raw transcripts."""
    for named in ("recognizer", "language_model", "transcript"):
        for about in dict.fromkeys(str(voice.get(named, "")) for voice in manifest.voices.values()):
            if about:
                reported = f"{about} transcripts" if named == "transcript" else about
                yield f"{_RECOGNITION_LABELS.get(named, named)}: {reported}"


def _table(title: str, rows: Sequence[MeasureRow]) -> TextTable:
    figures = tuple(dict.fromkeys(row.figure for row in rows))
    cells: dict[tuple[str, str, str, str], dict[str, MeasureRow]] = {}
    for row in rows:
        cells.setdefault((row.suite, row.condition.label, row.agent, row.part), {})[row.figure] = (
            row
        )
    has_parts = any(row.part for row in rows)
    has_unscored = any(row.unscored for row in rows)
    return TextTable(
        (
            *("condition", "agent"),
            *(("side",) if has_parts else ()),
            *(figure_label(rows[0].measure, figure) for figure in figures),
            *(("unscored",) if has_unscored else ()),
        ),
        tuple(
            (
                *(condition, agent),
                *((part,) if has_parts else ()),
                *_values(found.get(figure) for figure in figures),
                *((str(_count_unscored(found.values())),) if has_unscored else ()),
            )
            for (_, condition, agent, part), found in cells.items()
        ),
        title,
        reasons_line(_reasons(cells.values())),
        keys=3 if has_parts else 2,
    )


def _values(rows: Iterable[MeasureRow | None]) -> Iterator[str]:
    """Yield the values of a row; the basis of a value is stated when it changes."""
    known: float | None = None
    for row in rows:
        rests_on = row is not None and row.form in {"share", "correlation"} and row.n != known
        value = measured_value(row)
        yield f"{value} of {row.n:g}" if row is not None and rests_on and value != "-" else value
        known = row.n if row is not None and rests_on else known


def _reasons(cells: Iterable[Mapping[str, MeasureRow]]) -> dict[str, int]:
    """Return the reasons for unscored conversations, over all cells.

    Each figure of a cell has the same reasons.
    """
    counts: Counter[str] = Counter()
    for found in cells:
        counts.update(max((row.reasons for row in found.values()), key=len))
    return dict(counts.most_common())


def _count_unscored(rows: Iterable[MeasureRow]) -> int:
    return max(row.unscored for row in rows)


MAX_SHOWN = 20
"""Maximum number of printed differences; `--json` has all."""


def print_recorded(found: Agreement) -> None:
    """Print the number of reproduced recorded verdicts, and the differences."""
    print(f"\nrecorded verdicts: {found.agreeing:,} of {found.compared:,} agree")
    for entry in found.differences[:MAX_SHOWN]:
        now = "unscored" if entry.scored is None else f"{entry.scored:g}"
        why = f": {entry.why}" if entry.why else ""
        print_line(
            f"    {entry.agent}, task {entry.task}, trial {entry.trial}: recorded "
            f"{entry.recorded:g}, now {now}{why}"
        )
    more = len(found.differences) - MAX_SHOWN
    if more > 0:
        print(f"    and {more:,} more: --json has all")


def require_valid_threshold(least: float | None) -> None:
    """Refuse a threshold that pass^1 cannot be compared with.

    Raises:
        UsageError: If it is not between 0 and 1.
    """
    if least is not None and not 0 <= least <= 1:
        raise UsageError(f"--fail-under must lie between 0 and 1, not {least:g}")


def passes_threshold(cells: Sequence[CellSummary], least: float | None) -> bool:
    """Return whether every cell passes the threshold.

    If a cell does not, one line on standard error names all such cells.
    """
    if least is None:
        return True
    objections = [found for cell in cells if (found := _objection(cell, least))]
    if objections:
        print_error(f"--fail-under {least:g} is not met: {'; '.join(objections)}")
    return not objections


def _objection(cell: CellSummary, least: float) -> str:
    """Return why a cell does not pass, or "".

    Unscored conversations count as failures here: a cell passes only if pass^1 is high enough even
    then.
    """
    first = cell.result.figures[0]
    where = f"{cell.agent} on {cell.suite}, {cell.condition.label}"
    if first.value is None:
        return f"{where} has no pass^1"
    if first.value < least:
        return f"{where} has pass^1 {formatting.number(first.value)}"
    if first.bounds.low < least:
        left = formatting.format_count(cell.result.left_out, "task")
        return (
            f"{where} is undecided: pass^1 {formatting.number(first.value)}, but "
            f"{formatting.number(first.bounds.low)} if the {left} excluded had failed"
        )
    return ""
