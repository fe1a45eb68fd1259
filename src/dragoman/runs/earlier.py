"""The conversations that others begin after: played in this run, or before it was resumed."""

import asyncio
from collections.abc import Sequence

from dragoman.core.episodes import Ending, Episode
from dragoman.runs.plan import Cell
from dragoman.store.run import RunStore

_NOT_PLAYED = Episode((), Ending("infrastructure_error", "it has not been played"), 0, 0)


class Earlier:
    """Hands the episodes of a cell's chain to whoever plays the cell, as soon as they are there.

    Args:
        playing: The cells that are about to be played.
        store: What was played before; it is read once, here.
    """

    def __init__(self, playing: Sequence[Cell], store: RunStore) -> None:
        awaited = {cell.key for cell in playing}
        needed = dict.fromkeys(key for cell in playing for key in cell.before)
        self._done = {key: asyncio.Event() for key in needed if key in awaited}
        self._episodes = {
            key: store.episode(key) or _NOT_PLAYED for key in needed if key not in awaited
        }

    async def of(self, cell: Cell) -> tuple[Episode, ...]:
        """Return the episodes of a cell's chain, in their order; waits until all were played."""
        for key in cell.before:
            if key in self._done:
                await self._done[key].wait()
        return tuple(self._episodes[key] for key in cell.before)

    def add(self, cell: Cell, episode: Episode) -> None:
        """Note that a cell was played; what no other cell begins after is not kept."""
        if cell.key in self._done:
            self._episodes[cell.key] = episode
            self._done[cell.key].set()
