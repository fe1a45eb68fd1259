"""What to do after a run: the most urgent thing in one line, and in another what else there is to see."""

from collections.abc import Sequence
from pathlib import Path
from shlex import quote

from dragoman.analysis.cells import CellSummary
from dragoman.core.conditions import TEXT
from dragoman.report import wording


def next_step(
    folder: Path, cells: Sequence[CellSummary], *, is_imported: bool = False, shard: str = ""
) -> str:
    """Return what to do next with a run, and the command for it; an imported one is not played on.

    Of a run that played a share of its plan, what other runs play is not missing.
    """
    run = quote(str(folder))
    raised = sum(cell.code_errors for cell in cells)
    if raised:
        return (
            f"{wording.counted(raised, 'conversation')} ended by an error in code of your own and "
            f"got no score: mend it and run anew; what raised: dragoman show {run}"
        )
    broken = sum(cell.infrastructure_errors for cell in cells)
    if broken and not is_imported:
        return (
            f"{wording.counted(broken, 'conversation')} ended by infrastructure: "
            f"try them again with: dragoman resume {run}"
        )
    missing = sum(cell.missing for cell in cells)
    if missing and shard:
        return (
            f"share {shard} was played, {wording.counted(missing, 'conversation')} belong to others: "
            f"join them with: dragoman merge {run} OTHER... --out FOLDER"
        )
    if missing and not is_imported:
        return (
            f"{wording.counted(missing, 'conversation')} not run: go on with: dragoman resume {run}"
        )
    if all(map(_is_perfect, cells)):
        return f"next: dragoman report {run}"
    return f"next, what failed and why: dragoman show {run}"


def further_steps(folder: Path, cells: Sequence[CellSummary]) -> str:
    """Return the other commands that show something of such a run, in one line."""
    run = quote(str(folder))
    steps = [f"in a browser: dragoman view {run}"]
    if len(cells) > 1:
        steps.insert(0, f"cells side by side: dragoman compare {run}")
    if any(cell.condition.voice != TEXT and not _is_perfect(cell) for cell in cells):
        steps.insert(0, f"what lost spoken ones: dragoman blame {run}")
    return "; ".join(steps)


def _is_perfect(cell: CellSummary) -> bool:
    """Whether every conversation of a cell was a success."""
    first = cell.result.figures[0]
    return not cell.missing and first.bounds.low == 1
