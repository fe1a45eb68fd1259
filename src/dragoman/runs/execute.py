"""Plays the cells of a run that are not stored yet, scores them and stores both.

`concurrency` workers take cells from one list, so a thousand cells waiting cost nothing. Where they are
played is a backend's affair. A failed participant is a stored episode; a failed store stops the run.
"""

import asyncio
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext

import msgspec

from dragoman.core.episodes import Episode
from dragoman.core.errors import StoreError
from dragoman.core.keys import derive_seed
from dragoman.core.scores import Score
from dragoman.core.usage import Usage
from dragoman.models.spending.budget import Budget
from dragoman.models.spending.reservations import Reservations
from dragoman.runs.backend import (
    Finished,
    PlainCell,
    PlainRun,
    Play,
    ScoreHere,
    Source,
    StoppedError,
)
from dragoman.runs.collector import rare_collection
from dragoman.runs.earlier import Earlier
from dragoman.runs.open_files import conversations_at_once
from dragoman.runs.plan import Cell, PlannedCells, plain_cell
from dragoman.runs.player import Player
from dragoman.runs.spreading.chosen import backend_for
from dragoman.runs.watch import Watch
from dragoman.store.audio_files import AudioFiles
from dragoman.store.entries import StoredEpisode
from dragoman.store.run import RunStore
from dragoman.store.writer import Writer
from dragoman.wiring.setup import Setup

_CONVERSATION = "conversation"

OnDone = Callable[[Cell, Episode, Score], None]


class Pending(msgspec.Struct, frozen=True, gc=False):
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
    unplayed, broken = store.unplayed(), store.broken()
    waiting = unplayed | broken | store.places(again)
    fresh = frozenset(unplayed.values())
    pending = []
    for cell in _waiting(cells, store, waiting):
        if cell.key in fresh:
            pending.append(Pending(cell, 0))
        else:
            attempts, completed = store.tries(cell.key)
            pending.append(Pending(_reseeded(cell, completed), attempts))
    return pending


def _waiting(cells: Sequence[Cell], store: RunStore, keys: Mapping[int, str]) -> Iterator[Cell]:
    """Yield those cells that have some keys, by their places; of a whole grid no others are made."""
    if not isinstance(cells, PlannedCells):
        wanted = frozenset(keys.values())
        yield from (cell for cell in cells if cell.key in wanted)
        return
    for place, key in sorted(keys.items()):
        cell = cells[place - 1] if 0 < place <= len(cells) else None
        if cell is None or cell.key != key:
            raise StoreError(f"{store.folder}: its plan is damaged: `dragoman verify` says how")
        yield cell


def _reseeded(cell: Cell, completed: int) -> Cell:
    """Return a cell with a seed of its own after conversations that were played to their end.

    The same seed would lead where the last one led; a fault of infrastructure leads nowhere.
    """
    if not completed:
        return cell
    seed = derive_seed(str(cell.seed), f"again-{completed}")
    return msgspec.structs.replace(cell, own_seed=seed)


async def execute(
    setup: Setup,
    pending: Sequence[Pending],
    store: RunStore,
    on_done: OnDone,
    watch: Watch | None = None,
) -> None:
    """Play, score and store cells until none is left; `watch` sees what is under way.

    Raises:
        UsageError: Where the configuration names a backend that is not there.
        StoreError: Where the run cannot be written any more; what was stored before is safe.
    """
    backend = backend_for(setup.config)
    files = AudioFiles(store.folder)
    config = msgspec.structs.replace(setup.config, max_cost="")
    run = PlainRun(config, setup.conditions, setup.planned_limits)
    player = Player(setup, files, watch)
    source = Source(run, played_here(player, pending), scored_here(player, pending))
    todo = iter(in_playing_order(pending))
    earlier = Earlier([entry.cell for entry in pending], store)
    with rare_collection():
        async with (
            Writer(store) as writer,
            backend.open(source) as play,
            asyncio.TaskGroup() as group,
        ):
            spending = Spending(None if play is source.play else setup.budget)
            stage = SharedState(earlier, writer, files, spending, on_done)
            for _ in range(conversations_at_once(min(setup.at_once, len(pending)))):
                group.create_task(_work(play, todo, stage))


def played_here(player: Player, pending: Sequence[Pending]) -> Play:
    """Return what plays pending cells in this process."""
    cells = {entry.cell.key: entry.cell for entry in pending}

    async def play(plain: PlainCell, earlier: Sequence[Episode]) -> Finished:
        return await player.finished(cells[plain.key], plain.attempt, earlier)

    return play


def scored_here(player: Player, pending: Sequence[Pending]) -> ScoreHere:
    """Return what scores conversations of pending cells in this process."""
    cells = {entry.cell.key: entry.cell for entry in pending}

    async def score(plain: PlainCell, episode: Episode) -> Score:
        return await player.score(cells[plain.key], episode)

    return score


class Spending:
    """Counts what conversations spend out of the budget's sight, where there is one.

    Args:
        budget: What the run may spend; None for no limit, or where every call asks the budget itself.
    """

    def __init__(self, budget: Budget | None) -> None:
        self._budget = budget
        self._under_way = Reservations()

    def room(self) -> AbstractAsyncContextManager[None]:
        """Return what waits until a conversation can be paid for, to be left once it is counted.

        Entering it raises RunHalted where no other conversation may begin.
        """
        if self._budget is None:
            return nullcontext()
        return self._under_way.room(_CONVERSATION, self._budget.left)

    def add(self, spent: Sequence[Usage]) -> None:
        """Count what a conversation consumed elsewhere."""
        if self._budget is None:
            return
        before = self._budget.spent
        for usage in spent:
            self._budget.spend(usage)
        self._under_way.learn(_CONVERSATION, self._budget.spent - before)


class SharedState(msgspec.Struct, frozen=True):
    """What the workers of one run share: what was played, what may be spent, and where results go."""

    earlier: Earlier
    writer: Writer
    files: AudioFiles
    spending: Spending
    on_done: OnDone

    async def keep(self, entry: Pending, finished: Finished) -> None:
        """Hand what came of a conversation to the one writer, its audio first."""
        self.spending.add(finished.spent)
        for audio in finished.audio:
            await asyncio.to_thread(self.files.keep, audio)
        cell = entry.cell
        await self.writer.put(
            StoredEpisode(cell.key, entry.attempt, finished.episode, finished.score)
        )


def in_playing_order(pending: Sequence[Pending]) -> list[Pending]:
    """Return what is to be played by trial, then by the length of the chain, then by that of the plan.

    A worker waits for the chain of its cell, so that a chain has to be taken before. What is long
    must not begin last.
    """
    return sorted(pending, key=_playing_order)


def _playing_order(entry: Pending) -> tuple[int, int, int]:
    criteria = entry.cell.task.criteria
    actions = () if criteria is None else criteria.actions or ()
    return entry.cell.trial, len(entry.cell.before), -len(actions)


async def _work(play: Play, todo: Iterator[Pending], stage: SharedState) -> None:
    for entry in todo:
        earlier = await stage.earlier.of(entry.cell)
        async with stage.spending.room():
            finished = await _played(play, entry, earlier, stage)
        stage.earlier.add(entry.cell, finished.episode)
        if finished.score is not None:
            stage.on_done(entry.cell, finished.episode, finished.score)


async def _played(
    play: Play, entry: Pending, earlier: Sequence[Episode], stage: SharedState
) -> Finished:
    """Play one conversation and keep what came of it."""
    try:
        finished = await play(plain_cell(entry.cell, entry.attempt), earlier)
    except StoppedError as stopped:
        await stage.keep(entry, stopped.finished)
        raise (stopped.__cause__ or stopped) from None
    await stage.keep(entry, finished)
    return finished
