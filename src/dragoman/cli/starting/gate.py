"""`run --fail-under X`: exit 1 where pass^1 of a cell is lower, or where that cannot be ruled out."""

from collections.abc import Sequence

from dragoman.analysis.cells import CellSummary
from dragoman.cli.output import print_error
from dragoman.core.errors import UsageError
from dragoman.report import wording


def require_gate(least: float | None) -> None:
    """Refuse what no pass^1 can be held against.

    Raises:
        UsageError: Where it does not lie between 0 and 1.
    """
    if least is not None and not 0 <= least <= 1:
        raise UsageError(f"--fail-under must lie between 0 and 1, not {least:g}")


def passes(cells: Sequence[CellSummary], least: float | None) -> bool:
    """Return whether every cell passes; where one does not, one line on standard error names them all."""
    if least is None:
        return True
    objections = [found for cell in cells if (found := _objection(cell, least))]
    if objections:
        print_error(f"--fail-under {least:g} is not met: {'; '.join(objections)}")
    return not objections


def _objection(cell: CellSummary, least: float) -> str:
    """Return why a cell does not pass, or "".

    What has no score could be failures: only where pass^1 would be high enough even so does it pass.
    """
    first = cell.result.figures[0]
    where = f"{cell.agent} on {cell.suite}, {cell.condition.label}"
    if first.value is None:
        return f"{where} has no pass^1"
    if first.value < least:
        return f"{where} has pass^1 {wording.number(first.value)}"
    if first.bounds.low < least:
        left = wording.counted(cell.result.left_out, "task")
        return (
            f"{where} is undecided: pass^1 {wording.number(first.value)}, but "
            f"{wording.number(first.bounds.low)} if the {left} left out had failed"
        )
    return ""
