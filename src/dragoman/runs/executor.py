"""Executor: skips finished trials; plays, scores and stores the others concurrently.

`concurrency` asyncio tasks take cells from one list, so a thousand pending cells cost nothing. A
conversation with prerequisites waits for them. A failed participant gives a stored episode; a
failed store stops the run.
"""

import asyncio
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext

import msgspec

from dragoman.composition.setup import Setup
from dragoman.core.content_keys import derive_seed
from dragoman.core.episodes import Episode, Termination
from dragoman.core.errors import StoreError
from dragoman.core.scores import Score
from dragoman.core.usage import Usage
from dragoman.models.budget import Budget, Reservations
from dragoman.runs.backend import (
    BackendContext,
    CellSpec,
    PlayFn,
    PlayResult,
    RunSpec,
    ScoreFn,
    StoppedError,
)
from dragoman.runs.conversation_player import Player
from dragoman.runs.in_flight import InFlightRegistry
from dragoman.runs.plan import Cell, PlannedCells, cell_spec
from dragoman.runs.process_limits import fit_open_files, infrequent_gc
from dragoman.runs.worker_backend import backend_for
from dragoman.store.audio_files import AudioFiles
from dragoman.store.background_writer import BackgroundWriter
from dragoman.store.conversation_writes import StoredEpisode
from dragoman.store.run_store import RunStore

_NOT_PLAYED = Episode((), Termination("infrastructure_error", "it has not been played"), 0, 0)


class Prerequisites:
    """Provides the episodes of a cell's chain, once they are played.

    Args:
        playing: The cells that are about to be played.
        store: Store of the earlier episodes, which are read once, in the constructor.
    """

    def __init__(self, playing: Sequence[Cell], store: RunStore) -> None:
        awaited = {cell.key for cell in playing}
        needed = dict.fromkeys(key for cell in playing for key in cell.before)
        self._done = {key: asyncio.Event() for key in needed if key in awaited}
        self._episodes = {
            key: store.episode(key) or _NOT_PLAYED for key in needed if key not in awaited
        }

    async def of(self, cell: Cell) -> tuple[Episode, ...]:
        """Return the episodes of a cell's chain, in their order; wait until all were played."""
        for key in cell.before:
            if key in self._done:
                await self._done[key].wait()
        return tuple(self._episodes[key] for key in cell.before)

    def add(self, cell: Cell, episode: Episode) -> None:
        """Record that a cell was played; the episode is kept only if other cells need it."""
        if cell.key in self._done:
            self._episodes[cell.key] = episode
            self._done[cell.key].set()


_CONVERSATION = "conversation"

OnDone = Callable[[Cell, Episode, Score], None]


class Pending(msgspec.Struct, frozen=True, gc=False):
    """A cell to be played, and the number of earlier attempts at it."""

    cell: Cell
    attempt: int


def pending_cells(
    cells: Sequence[Cell], store: RunStore, again: Collection[str] = ()
) -> list[Pending]:
    """Return the cells without an episode, and those whose episode was ended by infrastructure.

    Args:
        cells: The plan.
        store: Store of the earlier episodes.
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
            pending.append(Pending(_reseed_cell(cell, completed), attempts))
    return pending


def _waiting(cells: Sequence[Cell], store: RunStore, keys: Mapping[int, str]) -> Iterator[Cell]:
    """Yield the cells with these keys, by place.

    If the plan is a grid, no other cells are created.
    """
    if not isinstance(cells, PlannedCells):
        wanted = frozenset(keys.values())
        yield from (cell for cell in cells if cell.key in wanted)
        return
    for place, key in sorted(keys.items()):
        cell = cells[place - 1] if 0 < place <= len(cells) else None
        if cell is None or cell.key != key:
            raise StoreError(f"{store.folder}: its plan is damaged: `dragoman verify` says how")
        yield cell


def _reseed_cell(cell: Cell, completed: int) -> Cell:
    """Return a cell with another seed if some of its attempts were completed.

    With the same seed, the conversation would end like the last one. After an infrastructure fault,
    the seed stays.
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
    watch: InFlightRegistry | None = None,
) -> None:
    """Play, score and store cells until none is left.

    `watch` registers the conversations in flight.

    Raises:
        UsageError: If the configuration names a backend that does not exist.
        StoreError: If the run cannot be written any more; earlier results are safe.
    """
    backend = backend_for(setup.config)
    files = AudioFiles(store.folder)
    config = msgspec.structs.replace(setup.config, max_cost="")
    run = RunSpec(config, setup.conditions, setup.planned_limits)
    player = Player(setup, files, watch)
    source = BackendContext(run, local_play(player, pending), local_score(player, pending))
    todo = iter(sort_for_playing(pending))
    earlier = Prerequisites([entry.cell for entry in pending], store)
    with infrequent_gc():
        async with (
            BackgroundWriter(store) as writer,
            backend.open(source) as play,
            asyncio.TaskGroup() as group,
        ):
            spending = RunSpending(None if play is source.play else setup.budget)
            stage = SharedState(earlier, writer, files, spending, on_done)
            for _ in range(fit_open_files(min(setup.at_once, len(pending)))):
                group.create_task(_play_queue(play, todo, stage))


def local_play(player: Player, pending: Sequence[Pending]) -> PlayFn:
    """Return the function that plays pending cells in this process."""
    cells = {entry.cell.key: entry.cell for entry in pending}

    async def play(plain: CellSpec, earlier: Sequence[Episode]) -> PlayResult:
        return await player.finished(cells[plain.key], plain.attempt, earlier)

    return play


def local_score(player: Player, pending: Sequence[Pending]) -> ScoreFn:
    """Return the function that scores conversations of pending cells in this process."""
    cells = {entry.cell.key: entry.cell for entry in pending}

    async def score(plain: CellSpec, episode: Episode) -> Score:
        return await player.score(cells[plain.key], episode)

    return score


class RunSpending:
    """Counts the usage of conversations that the budget cannot see, if there is a budget.

    Args:
        budget: The budget of the run; None for no limit, or if every call asks the budget itself.
    """

    def __init__(self, budget: Budget | None) -> None:
        self._budget = budget
        self._under_way = Reservations()

    def reserve(self) -> AbstractAsyncContextManager[None]:
        """Return a context manager that waits until a conversation can be paid for.

        The caller leaves it once the conversation is counted.

        Entering it raises RunHalted if no other conversation may begin.
        """
        if self._budget is None:
            return nullcontext()
        return self._under_way.reserve(_CONVERSATION, self._budget.left)

    def add(self, spent: Sequence[Usage]) -> None:
        """Count the usage of a conversation that was played elsewhere."""
        if self._budget is None:
            return
        before = self._budget.spent
        for usage in spent:
            self._budget.record(usage)
        self._under_way.learn(_CONVERSATION, self._budget.spent - before)


class SharedState(msgspec.Struct, frozen=True):
    """The state that the workers of one run share.

    It consists of the earlier conversations, the remaining budget, and the destinations of results.
    """

    earlier: Prerequisites
    writer: BackgroundWriter
    files: AudioFiles
    spending: RunSpending
    on_done: OnDone

    async def keep(self, entry: Pending, finished: PlayResult) -> None:
        """Give the result of a conversation to the single writer, after its audio."""
        self.spending.add(finished.spent)
        for audio in finished.audio:
            await asyncio.to_thread(self.files.keep, audio)
        cell = entry.cell
        await self.writer.put(
            StoredEpisode(cell.key, entry.attempt, finished.episode, finished.score)
        )


def sort_for_playing(pending: Sequence[Pending]) -> list[Pending]:
    """Return pending conversations by trial, then by chain length, then by plan length.

    A worker waits for the chain of its cell, so chains must begin early. Long conversations must
    not begin last.
    """
    return sorted(pending, key=_playing_order)


def _playing_order(entry: Pending) -> tuple[int, int, int]:
    criteria = entry.cell.task.criteria
    actions = () if criteria is None else criteria.actions or ()
    return entry.cell.trial, len(entry.cell.before), -len(actions)


async def _play_queue(play: PlayFn, todo: Iterator[Pending], stage: SharedState) -> None:
    for entry in todo:
        earlier = await stage.earlier.of(entry.cell)
        async with stage.spending.reserve():
            finished = await _play_and_store(play, entry, earlier, stage)
        stage.earlier.add(entry.cell, finished.episode)
        if finished.score is not None:
            stage.on_done(entry.cell, finished.episode, finished.score)


async def _play_and_store(
    play: PlayFn, entry: Pending, earlier: Sequence[Episode], stage: SharedState
) -> PlayResult:
    """Play one conversation and store the result."""
    try:
        finished = await play(cell_spec(entry.cell, entry.attempt), earlier)
    except StoppedError as stopped:
        await stage.keep(entry, stopped.finished)
        raise (stopped.__cause__ or stopped) from None
    await stage.keep(entry, finished)
    return finished
