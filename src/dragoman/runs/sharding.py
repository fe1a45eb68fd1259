"""Which conversations of a plan are played in one share of it, so that machines can divide it."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from dragoman.core.keys import derive_seed
from dragoman.core.tasks import chain_before
from dragoman.runs.plan import Cell
from dragoman.store.run import RunStore
from dragoman.wiring.grid.shares import PlanShare

_Chain = tuple[str, Sequence[str]]
"""The key of a cell, and the keys of those that its world begins after."""


def cells_of_share(cells: Sequence[Cell], share: PlanShare) -> tuple[Cell, ...]:
    """Return the cells of a share, in the plan's order.

    Which share a cell is in depends on its key alone, so another cell in the plan moves none. What
    begins after other conversations is played with them: their keys decide.
    """
    is_in = _membership(((cell.key, cell.before) for cell in cells), share)
    return tuple(cell for cell in cells if is_in(cell.key))


def left_of_share(store: RunStore, share: PlanShare) -> int:
    """Return how many conversations of a stored run's share were not played yet.

    Raises:
        StoreError: Where the run cannot be read.
    """
    is_in = _membership(_chains(store), share)
    return sum(map(is_in, store.unplayed().values()))


def _chains(store: RunStore) -> Iterator[_Chain]:
    tasks = store.tasks()
    if not any(task.after for task in tasks.values()):
        return
    cells = store.cells()
    keys = {(cell.condition, cell.agent, cell.trial, cell.task): cell.key for cell in cells}
    for cell in cells:
        around = (cell.condition, cell.agent, cell.trial)
        chain = chain_before(tasks[cell.task], tasks)
        yield cell.key, [keys[*around, each.id] for each in chain]


def _membership(chains: Iterable[_Chain], share: PlanShare) -> Callable[[str], bool]:
    """Return what tells of a cell's key whether it is in a share."""
    together = _groups(chains)

    def is_in(key: str) -> bool:
        return derive_seed(together(key), "share") % share.of == share.number - 1

    return is_in


def _groups(chains: Iterable[_Chain]) -> Callable[[str], str]:
    """Return what gives for a cell's key the key that stands for all that are played together."""
    leads: dict[str, str] = {}

    def lead(key: str) -> str:
        while leads.get(key, key) != key:
            key = leads[key]
        return key

    for own, before in chains:
        if before:
            # A conversation that only comes after others never decides: one more would move them.
            roots = sorted({lead(key) for key in before})
            for key in (*roots, own):
                leads[key] = roots[0]
    return lead
