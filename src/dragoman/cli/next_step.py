"""What to do after a run: the most urgent thing in one line, and in another what else there is to see."""

from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from dragoman.analysis.cells import CellSummary
from dragoman.core.conditions import TEXT
from dragoman.report import wording


class RunState(NamedTuple):
    """How a run stands, as far as what to do next depends on it.

    Attributes:
        raised: Conversations that an error in code of one's own ended.
        broken: Those that infrastructure ended.
        missing: Those that were not played.
        is_perfect: Whether every conversation was a success.
        left: Those of the run's own share that were not played.
    """

    raised: int
    broken: int
    missing: int
    is_perfect: bool
    left: int = 0


def state_of(cells: Sequence[CellSummary], left: int = 0) -> RunState:
    """Return how a run of these cells stands, of whose own share so many are left."""
    return RunState(
        sum(cell.code_errors for cell in cells),
        sum(cell.infrastructure_errors for cell in cells),
        sum(cell.missing for cell in cells),
        all(map(_is_perfect, cells)),
        left,
    )


def next_step(folder: Path, state: RunState, *, is_imported: bool = False, shard: str = "") -> str:
    """Return what to do next with a run, and the command for it; an imported one is not played on.

    Of a run that played a share of its plan, what other runs play is not missing.
    """
    run = quote(str(folder))
    if state.raised:
        return (
            f"{wording.counted(state.raised, 'conversation')} ended by an error in code of your own "
            f"and got no score: mend it and run anew; what raised: dragoman show {run}"
        )
    if state.broken and not is_imported:
        return (
            f"{wording.counted(state.broken, 'conversation')} ended by infrastructure: "
            f"try them again with: dragoman resume {run}"
        )
    if state.missing and (shard or not is_imported):
        return _to_be_played(run, state, shard)
    if state.is_perfect:
        return f"next: dragoman report {run}"
    return f"next, what failed and why: dragoman show {run}"


def _to_be_played(run: str, state: RunState, shard: str) -> str:
    if shard and not state.left:
        return (
            f"share {shard} was played, {wording.counted(state.missing, 'conversation')} belong to "
            f"others: join them with: dragoman merge {run} OTHER... --out FOLDER"
        )
    left = state.left if shard else state.missing
    of_share = f" of share {shard}" if shard else ""
    return (
        f"{wording.counted(left, 'conversation')}{of_share} not run: "
        f"go on with: dragoman resume {run}"
    )


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
