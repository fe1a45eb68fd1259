"""What measures counted, as tables in a terminal: one for each measure, a row for each cell."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from dragoman.analysis.measure_figures import MeasureRow
from dragoman.cli.output import print_line
from dragoman.core.measures import REWARD, SIMULATOR
from dragoman.core.scores import NO_JUDGE
from dragoman.report.fitting import TextTable, print_table
from dragoman.report.wording import measured_value, reasons_line
from dragoman.runs.jobs import Manifest

_HEARING_LABELS = {"language_model": "language model", "transcript": "agents receive"}

IN_THE_SUMMARY = frozenset({REWARD, SIMULATOR})
"""Measures whose figures the table of pass^k shows."""


def print_measures(
    rows: Iterable[MeasureRow], unmeasured: Mapping[str, str], manifest: Manifest
) -> None:
    """Print what was counted beside the reward, what could not be, and what it was heard with."""
    for label, realised in manifest.realised.items():
        for note in realised.notes:
            print_line(f"{label}: {note}")
    tables: dict[tuple[str, str, str], list[MeasureRow]] = {}
    for row in rows:
        if row.measure not in IN_THE_SUMMARY:
            tables.setdefault((row.measure, row.version, row.judge), []).append(row)
    for (measure, version, judge), of_measure in tables.items():
        by = "" if judge == NO_JUDGE else f", judge {judge}"
        print_table(_table(f"{measure} {version}{by}", of_measure))
    for name, why in unmeasured.items():
        print_line(f"{name} is not measured: {why}")
    for line in _hearing_lines(manifest):
        print_line(line)


def _hearing_lines(manifest: Manifest) -> Iterator[str]:
    """Yield what a run was heard with, and that its agents received raw transcripts."""
    for named in ("recognizer", "language_model", "transcript"):
        for about in dict.fromkeys(str(voice.get(named, "")) for voice in manifest.voices.values()):
            if about:
                told = f"{about} transcripts" if named == "transcript" else about
                yield f"{_HEARING_LABELS.get(named, named)}: {told}"


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
            *figures,
            *(("unscored",) if has_unscored else ()),
        ),
        tuple(
            (
                *(condition, agent),
                *((part,) if has_parts else ()),
                *_values(found.get(figure) for figure in figures),
                *((str(_unscored(found.values())),) if has_unscored else ()),
            )
            for (_, condition, agent, part), found in cells.items()
        ),
        title,
        reasons_line(_reasons(cells.values())),
        keys=3 if has_parts else 2,
    )


def _values(rows: Iterable[MeasureRow | None]) -> Iterator[str]:
    """Yield the values of a line's figures; what one rests on is said where it is something new."""
    known: float | None = None
    for row in rows:
        rests_on = row is not None and row.form in {"share", "correlation"} and row.n != known
        value = measured_value(row)
        yield f"{value} of {row.n:g}" if row is not None and rests_on and value != "-" else value
        known = row.n if row is not None and rests_on else known


def _reasons(cells: Iterable[Mapping[str, MeasureRow]]) -> dict[str, int]:
    """Return why conversations are unscored, over all cells: each figure of a cell has the same reasons."""
    counts: Counter[str] = Counter()
    for found in cells:
        counts.update(max((row.reasons for row in found.values()), key=len))
    return dict(counts.most_common())


def _unscored(rows: Iterable[MeasureRow]) -> int:
    return max(row.unscored for row in rows)
