"""Plays the cells of a run that are not stored yet, scores them and stores both.

`concurrency` workers take cells from one list, so a thousand cells waiting cost nothing. A failed
participant is a stored episode; a failed store stops the run.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import msgspec

from dragoman.conditions.language.localization import Localization
from dragoman.conditions.plain import PlainChannel
from dragoman.core.audio import Audio
from dragoman.core.episodes import Ending, Episode, Event, executed_calls
from dragoman.core.errors import DataError, ParticipantError, ReplayError, RunHalted
from dragoman.core.keys import content_key, derive_seed
from dragoman.core.protocols import Channel, Opening, Session, World, WorldFactory
from dragoman.core.scores import Score
from dragoman.core.speech import AudioRef
from dragoman.core.tasks import Task
from dragoman.core.tools import Role
from dragoman.runs.collector import rare_collection
from dragoman.runs.earlier import Earlier
from dragoman.runs.plan import Cell
from dragoman.scoring.replay import replay
from dragoman.scoring.reward import Scorer
from dragoman.simulation.loop import Conversation, Surfaces, guarded
from dragoman.store.audio_files import AudioFiles
from dragoman.store.run import RunStore, StoredEpisode
from dragoman.store.writer import Writer
from dragoman.wiring.setup import Setup

log = logging.getLogger(__name__)

_PLAIN_CHANNELS: Mapping[Role, Channel] = {"agent": PlainChannel(), "user": PlainChannel()}

OnDone = Callable[[Cell, Episode, Score], None]
Keep = Callable[[Audio], AudioRef]
"""Stores audio and returns its reference."""


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
    player = Player(setup, AudioFiles(store.folder).keep)
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


async def _work(player: "Player", todo: Iterator[Pending], stage: Stage) -> None:
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


class Player:
    """Plays and scores single cells of one setup."""

    def __init__(self, setup: Setup, keep: Keep = Audio.reference) -> None:
        """Prepare playing; `keep` stores audio, by default nowhere."""
        self._setup = setup
        self._keep = keep
        self._factory: WorldFactory = setup.suite.factory(setup.rules)
        self.scorer = Scorer(self._factory, setup.rules, setup.judge, setup.users, setup.check)

    def fresh_world(self, task: Task) -> World:
        """Return a world in a task's initial state."""
        return self._factory(task)

    def begun_world(self, task: Task, earlier: Sequence[Episode] = ()) -> World:
        """Return a world in which the task's chain and its history have happened.

        Args:
            task: Whose world it is.
            earlier: The conversations that it begins after.

        Raises:
            DataError: Where the task cannot be set up.
            ReplayError: Where one of these was broken, or the world does not repeat what happened.
        """
        world = self._factory(task)
        if not (earlier or task.history):
            return world
        for events in (*map(_left_behind, earlier), task.history):
            differing = replay(list(executed_calls(events)), world)
            if differing and self._setup.rules.replay_must_repeat:
                raise ReplayError(f"task {task.id}: its history is not repeated: {differing[0]}")
        world.take_changes()
        return world

    async def play(self, cell: Cell, earlier: Sequence[Episode] = ()) -> tuple[Episode, Score]:
        """Play one conversation and score it."""
        episode = await self.converse(cell, earlier=earlier)
        return episode, await self.score(cell, episode)

    async def score(self, cell: Cell, episode: Episode) -> Score:
        """Score one conversation."""
        return await score_safely(
            self.scorer,
            cell.task,
            episode,
            self._setup.localization(cell.condition),
            cell.key,
        )

    async def converse(
        self, cell: Cell, attempt: int = 0, earlier: Sequence[Episode] = ()
    ) -> Episode:
        """Play one conversation.

        Args:
            cell: Which.
            attempt: How often it was tried before.
            earlier: The conversations that its world begins after.
        """
        started = time.time()
        setup = self._setup
        try:
            world = self.begun_world(cell.task, earlier)
        except (DataError, ReplayError) as error:
            return Episode((), Ending("infrastructure_error", str(error)), 0, 0, started=started)
        localization = setup.localization(cell.condition)
        conductor = localization.greeted(
            setup.suite.conductor(cell.task, world, setup.rules, setup.config.limits)
        )
        history = conductor.opening()
        shown = localization.shown(cell.task)
        policy = localization.policy
        if policy is None:
            policy = setup.suite.policy(cell.task, world)
        sessions: dict[Role, Session] = {}
        try:
            for side in conductor.sides:
                who = cell.agent if side == "agent" else cell.user
                opening = Opening(
                    task=shown,
                    side=side,
                    seed=cell.seed,
                    policy=policy if side == "agent" else "",
                    history=history,
                    conversation=f"{cell.key}-{attempt}",
                    draw=f"{cell.key}-{cell.seed}",
                    directive=self._directive(side, cell, localization),
                )
                sessions[side] = await guarded(who.participant.open(opening), f"opening the {side}")
            conversation = Conversation(
                world,
                sessions,
                self._surfaces(cell, localization),
                time.monotonic,
                setup.config.timeout,
            )
            episode = await conversation.run(conductor)
        except ParticipantError as error:
            episode = Episode(history, Ending("infrastructure_error", str(error)), 0, 0)
        finally:
            await _close(sessions)
        return msgspec.structs.replace(episode, started=started)

    def _surfaces(self, cell: Cell, localization: Localization) -> Surfaces:
        voiced = self._setup.voiced(cell.condition)
        if voiced is None:
            return Surfaces(_PLAIN_CHANNELS, localization.views)
        # Neither agent nor recognizer has a part in this: they are all given the same audio.
        same_audio = content_key(cell.task.digest, cell.trial, self._setup.config.seed)
        return Surfaces(voiced.channels(same_audio, self._keep), localization.views)

    def _directive(self, side: Role, cell: Cell, localization: Localization) -> str:
        """Return what a side is told beside its other instructions."""
        voiced = self._setup.voiced(cell.condition)
        told = (localization.directive(side), voiced.prompt if voiced and side == "agent" else "")
        return "\n\n".join(filter(None, told))


def _left_behind(episode: Episode) -> tuple[Event, ...]:
    """Return what a conversation left in its world, or raise ReplayError where it was broken."""
    if episode.is_infrastructure_fault:
        raise ReplayError(
            f"a conversation that comes before was ended by infrastructure: {episode.ending.detail}"
        )
    return episode.events


async def score_safely(
    scorer: Scorer, task: Task, episode: Episode, localization: Localization, draw: str
) -> Score:
    """Score one conversation; a check or a judge that breaks leaves it Unscored, never lost."""
    try:
        return await scorer.score(
            localization.judged(task), episode, localization.wording(task), draw
        )
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
