"""Which conversations of a plan are played in one share of it, so that machines can divide it."""

from collections.abc import Callable, Sequence

from dragoman.core.keys import derive_seed
from dragoman.runs.plan import Cell
from dragoman.wiring.grid.shares import PlanShare


def cells_of_share(cells: Sequence[Cell], share: PlanShare) -> tuple[Cell, ...]:
    """Return the cells of a share, in the plan's order.

    Which share a cell is in depends on its key alone, so another cell in the plan moves none. What
    begins after other conversations is played with them: their keys decide.
    """
    together = _groups(cells)
    return tuple(
        cell
        for cell in cells
        if derive_seed(together(cell.key), "share") % share.of == share.number - 1
    )


def _groups(cells: Sequence[Cell]) -> Callable[[str], str]:
    """Return what gives for a cell's key the key that stands for all that are played together."""
    leads: dict[str, str] = {}

    def lead(key: str) -> str:
        while leads.get(key, key) != key:
            key = leads[key]
        return key

    for cell in cells:
        if cell.before:
            # A conversation that only comes after others never decides: one more would move them.
            roots = sorted({lead(key) for key in cell.before})
            for key in (*roots, cell.key):
                leads[key] = roots[0]
    return lead
