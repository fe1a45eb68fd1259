"""Plays the cells of a run that are not stored yet, scores them and stores both.

`concurrency` workers take cells from one list, so a thousand cells waiting cost nothing. A failed
participant is a stored episode; a failed store stops the run.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import msgspec

from dragoman.conditions.plain import PlainChannel, PlainView
from dragoman.core.episodes import Ending, Episode, executed_calls
from dragoman.core.errors import DataError, ParticipantError, ReplayError, RunHalted
from dragoman.core.keys import derive_seed
from dragoman.core.protocols import Opening, Session, World, WorldFactory
from dragoman.core.scores import Score
from dragoman.core.tasks import Task
from dragoman.core.tools import Role
from dragoman.runs.collector import rare_collection
from dragoman.runs.plan import Cell
from dragoman.scoring.replay import replay
from dragoman.scoring.reward import Scorer
from dragoman.simulation.loop import Conversation, Surfaces, guarded
from dragoman.store.run import RunStore, StoredEpisode
from dragoman.store.writer import Writer
from dragoman.wiring.setup import Setup

log = logging.getLogger(__name__)

OnDone = Callable[[Cell, Episode, Score], None]

_PLAIN = Surfaces(
    {"agent": PlainChannel(), "user": PlainChannel()}, {"agent": PlainView(), "user": PlainView()}
)


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
    setup: Setup, pending: Sequence[Pending], store: RunStore, on_done: OnDone
) -> None:
    """Play, score and store cells until none is left.

    Raises:
        StoreError: Where the run cannot be written any more; what was stored before is safe.
    """
    player = Player(setup)
    todo = iter(sorted(pending, key=_trial_then_longest_first))
    with rare_collection():
        async with Writer(store) as writer, asyncio.TaskGroup() as group:
            for _ in range(min(setup.config.concurrency, len(pending))):
                group.create_task(_work(player, todo, writer, on_done))


def _trial_then_longest_first(entry: Pending) -> tuple[int, int]:
    """Order by trial, and within it by the plan's length: what is long must not begin last."""
    criteria = entry.cell.task.criteria
    actions = () if criteria is None else criteria.actions or ()
    return entry.cell.trial, -len(actions)


async def _work(player: "Player", todo: Iterator[Pending], writer: Writer, on_done: OnDone) -> None:
    for entry in todo:
        episode = await player.converse(entry.cell, entry.attempt)
        try:
            score = await player.score(entry.cell, episode)
        except BaseException:
            # Stopped while a judge was at work: the conversation itself is finished and kept.
            await writer.put(StoredEpisode(entry.cell.key, entry.attempt, episode))
            raise
        await writer.put(StoredEpisode(entry.cell.key, entry.attempt, episode, score))
        on_done(entry.cell, episode, score)


class Player:
    """Plays and scores single cells of one setup."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._factory: WorldFactory = setup.suite.factory(setup.rules)
        self.scorer = Scorer(self._factory, setup.rules, setup.judge, setup.users, setup.check)

    def fresh_world(self, task: Task) -> World:
        """Return a world in a task's initial state."""
        return self._factory(task)

    def begun_world(self, task: Task) -> World:
        """Return a world in which the task's history has happened.

        Raises:
            DataError: Where the task cannot be set up.
            ReplayError: Where the world does not repeat the history.
        """
        world = self._factory(task)
        if task.history:
            differing = replay(list(executed_calls(task.history)), world)
            if differing and self._setup.rules.replay_must_repeat:
                raise ReplayError(f"task {task.id}: its history is not repeated: {differing[0]}")
            world.take_changes()
        return world

    async def play(self, cell: Cell) -> tuple[Episode, Score]:
        """Play one conversation and score it."""
        episode = await self.converse(cell)
        return episode, await self.score(cell, episode)

    async def score(self, cell: Cell, episode: Episode) -> Score:
        """Score one conversation."""
        return await score_safely(
            self.scorer, cell.task, episode, cell.condition.language, cell.key
        )

    async def converse(self, cell: Cell, attempt: int = 0) -> Episode:
        """Play one conversation."""
        started = time.time()
        setup = self._setup
        try:
            world = self.begun_world(cell.task)
        except (DataError, ReplayError) as error:
            return Episode((), Ending("infrastructure_error", str(error)), 0, 0, started=started)
        conductor = setup.suite.conductor(cell.task, world, setup.rules, setup.config.limits)
        history = conductor.opening()
        policy = setup.suite.policy(cell.task)
        sessions: dict[Role, Session] = {}
        try:
            for side in conductor.sides:
                who, text = (cell.agent, policy) if side == "agent" else (cell.user, "")
                name = f"{cell.key}-{attempt}"
                draw = f"{cell.key}-{cell.seed}"
                opening = Opening(cell.task, side, cell.seed, text, history, name, draw)
                sessions[side] = await guarded(who.participant.open(opening), f"opening the {side}")
            conversation = Conversation(
                world, sessions, _PLAIN, time.monotonic, setup.config.timeout
            )
            episode = await conversation.run(conductor)
        except ParticipantError as error:
            episode = Episode(history, Ending("infrastructure_error", str(error)), 0, 0)
        finally:
            await _close(sessions)
        return msgspec.structs.replace(episode, started=started)


async def score_safely(
    scorer: Scorer, task: Task, episode: Episode, language: str, draw: str
) -> Score:
    """Score one conversation; a check or a judge that breaks leaves it Unscored, never lost."""
    try:
        return await scorer.score(task, episode, language, draw)
    except RunHalted:
        raise
    except Exception as error:  # noqa: BLE001 - whatever broke, the conversation is not to be lost
        return scorer.broken(f"{type(error).__name__}: {error}")


async def _close(sessions: Mapping[Role, Session]) -> None:
    """Close every session, whatever the others do; the conversation is over and stands."""
    for side, session in sessions.items():
        try:
            await guarded(session.close(), f"closing the {side}")
        except ParticipantError as error:
            log.warning("%s", error)
