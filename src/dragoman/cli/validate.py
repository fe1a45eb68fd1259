"""Implementation of `dragoman validate`: consistency checks of published result tables."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from dragoman.analysis.published_tables import (
    FigureDifference,
    PrintedCell,
    RowFinding,
    TableComparison,
    compare_tables,
    validate,
)
from dragoman.cli.output import print_json
from dragoman.core.errors import UsageError
from dragoman.core.texts.characters import escape_controls
from dragoman.dataframes.published_table_files import read_table

FAILED = 1
"""The exit status if figures cannot be true, or a row is a copy."""

WRONG = frozenset({"infeasible", "duplicate"})
"""The classes of findings that fail a table; the others are hints."""

MAX_CELLS = 3


class ValidationResult(msgspec.Struct, frozen=True):
    """The findings about one table, and about its comparison with another one."""

    table: str
    rows: int
    trials: tuple[int, ...]
    tolerance: float
    findings: tuple[RowFinding, ...]
    against: str | None = None
    comparison: TableComparison | None = None


class AssumedCounts(msgspec.Struct, frozen=True):
    """Counts for tables whose columns do not state them."""

    trials: int | None = None
    tasks: int | None = None


def print_validation(
    path: Path, against: Path | None, counts: AssumedCounts, tolerance: float, *, as_json: bool
) -> int:
    """Print the problems of a table; return 1 for impossible figures or copies."""
    if not 0 <= tolerance <= 1:
        raise UsageError(f"--tolerance must lie between 0 and 1, not {tolerance:g}")
    cells = read_table(path, counts.trials, counts.tasks)
    other = None if against is None else read_table(against, counts.trials, counts.tasks)
    found = ValidationResult(
        table=str(path),
        rows=len(cells),
        trials=tuple(sorted({cell.trials for cell in cells})),
        tolerance=tolerance,
        findings=validate(cells, tolerance),
        against=None if against is None else str(against),
        comparison=None if other is None else _comparison(cells, other, tolerance),
    )
    if as_json:
        print_json(found)
    else:
        for line in _lines(found):
            print(escape_controls(line))
    return FAILED if any(entry.kind in WRONG for entry in found.findings) else 0


def _comparison(
    cells: Sequence[PrintedCell], other: Sequence[PrintedCell], tolerance: float
) -> TableComparison:
    found = compare_tables(cells, other, tolerance)
    if not found.cells:
        raise UsageError("the tables have no common cell: use the same names")
    return found


def _lines(found: ValidationResult) -> list[str]:
    trials = ", ".join(map(str, found.trials))
    lines = [
        f"{found.table}: rows {found.rows}, trials a task {trials}, tolerance {found.tolerance:g}"
    ]
    for entry in found.findings:
        lines += [f"{entry.kind}: {entry.what}", f"    {_where(entry)}"]
    if not found.findings:
        lines.append("no problems found")
    if found.comparison is not None:
        lines += _format_comparison(found.comparison, found.against or "")
    return lines


def _where(entry: RowFinding) -> str:
    named = [f"{row} ({cell})" for row, cell in zip(entry.rows, entry.cells, strict=True)]
    more = len(named) - MAX_CELLS
    return "; ".join(named[:MAX_CELLS]) + (f"; rows more: {more}" if more > 0 else "")


def _format_comparison(found: TableComparison, against: str) -> list[str]:
    differing = f"{len(found.differences)} of {found.figures} figures differ"
    lines = [f"against {against}: {differing}; cells in both: {found.cells}"]
    lines += [f"    {_difference(entry)}" for entry in found.differences]
    for names, where in ((found.only_a, "this table"), (found.only_b, "the other")):
        if names:
            lines.append(f"    cells only in {where}: {len(names)}, first {names[0]}")
    return lines


def _difference(entry: FigureDifference) -> str:
    values = ["-" if value is None else f"{value:g}" for value in (entry.a, entry.b)]
    return f"{entry.row_a} ({entry.cell}), {entry.figure}: {values[0]} here, {values[1]} there"
