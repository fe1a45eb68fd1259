"""Plays the cells of a run that are not stored yet, scores them and stores both.

`concurrency` workers take cells from one list, so a thousand cells waiting cost nothing. A failed
participant is a stored episode; a failed store stops the run.
"""

import asyncio
from collections.abc import Callable, Collection, Iterator, Sequence

import msgspec

from dragoman.core.episodes import Episode
from dragoman.core.keys import derive_seed
from dragoman.core.scores import Score
from dragoman.runs.collector import rare_collection
from dragoman.runs.earlier import Earlier
from dragoman.runs.plan import Cell
from dragoman.runs.player import Player
from dragoman.runs.watch import Watch
from dragoman.store.audio_files import AudioFiles
from dragoman.store.run import RunStore, StoredEpisode
from dragoman.store.writer import Writer
from dragoman.wiring.setup import Setup

OnDone = Callable[[Cell, Episode, Score], None]


class Pending(msgspec.Struct, frozen=True):
    """A cell to be played and which attempt at it this is."""

    cell: Cell
    attempt: int


def pending_cells(
    cells: Sequence[Cell], store: RunStore, again: Collection[str] = ()
) -> list[Pending]:
    """Return the cells that have no episode yet, or one that infrastructure ended.

    Args:
        cells: The plan.
        store: What was played.
        again: Keys of cells that are to be played once more although they have an episode.
    """
    stored, completed = store.attempts(), store.completed_attempts()
    pending = []
    for cell in cells:
        attempt, fault = stored.get(cell.key, (-1, True))
        if fault or cell.key in again:
            pending.append(Pending(_reseeded(cell, completed.get(cell.key, 0)), attempt + 1))
    return pending


def _reseeded(cell: Cell, completed: int) -> Cell:
    """Return a cell with a seed of its own after conversations that were played to their end.

    The same seed would lead where the last one led; a fault of infrastructure leads nowhere.
    """
    if not completed:
        return cell
    return msgspec.structs.replace(cell, seed=derive_seed(str(cell.seed), f"again-{completed}"))


async def execute(
    setup: Setup,
    pending: Sequence[Pending],
    store: RunStore,
    on_done: OnDone,
    watch: Watch | None = None,
) -> None:
    """Play, score and store cells until none is left; `watch` sees what is under way.

    Raises:
        StoreError: Where the run cannot be written any more; what was stored before is safe.
    """
    player = Player(setup, AudioFiles(store.folder).keep, watch)
    todo = iter(sorted(pending, key=_playing_order))
    earlier = Earlier([entry.cell for entry in pending], store)
    with rare_collection():
        async with Writer(store) as writer, asyncio.TaskGroup() as group:
            for _ in range(min(setup.config.concurrency, len(pending))):
                group.create_task(_work(player, todo, Stage(earlier, writer, on_done)))


class Stage(msgspec.Struct, frozen=True):
    """What the workers of one run share besides the player: what was played, and where it goes."""

    earlier: Earlier
    writer: Writer
    on_done: OnDone


def _playing_order(entry: Pending) -> tuple[int, int, int]:
    """Order by trial, then by the length of the chain, then by that of the plan.

    A worker waits for the chain of its cell, so that a chain has to be taken before. What is long
    must not begin last.
    """
    criteria = entry.cell.task.criteria
    actions = () if criteria is None else criteria.actions or ()
    return entry.cell.trial, len(entry.cell.before), -len(actions)


async def _work(player: Player, todo: Iterator[Pending], stage: Stage) -> None:
    writer = stage.writer
    for entry in todo:
        earlier = await stage.earlier.of(entry.cell)
        episode = await player.converse(entry.cell, entry.attempt, earlier)
        try:
            score = await player.score(entry.cell, episode)
        except BaseException:
            # Stopped while a judge was at work: the conversation itself is finished and kept.
            await writer.put(StoredEpisode(entry.cell.key, entry.attempt, episode))
            raise
        await writer.put(StoredEpisode(entry.cell.key, entry.attempt, episode, score))
        stage.earlier.add(entry.cell, episode)
        stage.on_done(entry.cell, episode, score)
