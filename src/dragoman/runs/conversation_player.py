"""Player of single conversations of one setup, with their scores.

If a participant fails, the episode ends with a fault; if a judge fails, the episode is unscored.
"""

import copy
import functools
import logging
import time
from collections.abc import Mapping, Sequence

import msgspec

from dragoman.composition.setup import Setup
from dragoman.conditions.resolved_condition import IDENTITY_CHANNELS, SIDES, ResolvedCondition
from dragoman.config.environment import redact_environment
from dragoman.core.audio import NULL_AUDIO_STORE, AudioStore
from dragoman.core.content_keys import content_key
from dragoman.core.episodes import Episode, Event, Termination, TerminationReason, executed_calls
from dragoman.core.errors import (
    DragomanError,
    ParticipantError,
    ReplayError,
    RunHalted,
    StoreError,
    UsageError,
    error_with_location,
)
from dragoman.core.layers import ConversationContext, ProvidesUserProfile
from dragoman.core.personas import UserProfile
from dragoman.core.progress import AwaitedParty
from dragoman.core.protocols import (
    ConversationProgress,
    Environment,
    EnvironmentFactory,
    Session,
    SessionStart,
    suite_turn_protocol,
)
from dragoman.core.scores import Score
from dragoman.core.tasks import Task
from dragoman.core.texts.decoding import escape_surrogates
from dragoman.core.tools import Role
from dragoman.runs.backend import PlayResult, StoppedError
from dragoman.runs.in_flight import InFlightRegistry
from dragoman.runs.plan import Cell
from dragoman.scoring.replay import replay
from dragoman.scoring.reward import Scorer
from dragoman.simulation.orchestrator import (
    Conversation,
    ConversationIO,
    run_guarded,
    termination_for,
)
from dragoman.simulation.participant_errors import stops_run

log = logging.getLogger(__name__)


class Player:
    """Plays and scores single cells of one setup."""

    def __init__(
        self,
        setup: Setup,
        sounds: AudioStore = NULL_AUDIO_STORE,
        watch: InFlightRegistry | None = None,
    ) -> None:
        """Create a player.

        `sounds` stores audio; by default, none is stored. `watch` registers the conversations
        in progress.
        """
        self._watch = watch or InFlightRegistry()
        self._setup = setup
        self._sounds = sounds
        self._resolve_condition = functools.cache(setup.resolve_condition)
        self._factory: EnvironmentFactory = setup.suite.factory(setup.rules)
        self.scorer = Scorer(self._factory, setup.rules, setup.judge, setup.users, setup.check)

    def keeping(self, sounds: AudioStore) -> "Player":
        """Return a player of the same setup that stores audio in a given store.

        It shares everything that this player has prepared.
        """
        other = copy.copy(self)
        other._sounds = sounds  # noqa: SLF001 - a copy of this one
        return other

    def fresh_environment(self, task: Task) -> Environment:
        """Return a world in the initial state of a task."""
        return self._factory(task)

    def begun_environment(self, task: Task, earlier: Sequence[Episode] = ()) -> Environment:
        """Return a world after the conversations of the task's chain and the task's own history.

        Args:
            task: The task of the world.
            earlier: The conversations that precede it.

        Raises:
            DataError: If the task cannot be set up.
            ReplayError: If one of these conversations failed, or the world does not reproduce them.
        """
        environment = self._factory(task)
        if not (earlier or task.history):
            return environment
        for events in (*map(_final_state, earlier), task.history):
            differing = replay(list(executed_calls(events)), environment)
            if differing and self._setup.rules.replay_must_repeat:
                raise ReplayError(f"task {task.id}: its history is not repeated: {differing[0]}")
        environment.take_changes()
        return environment

    async def play(self, cell: Cell, earlier: Sequence[Episode] = ()) -> tuple[Episode, Score]:
        """Play one conversation and score it."""
        episode = await self.converse(cell, earlier=earlier)
        return episode, await self.score(cell, episode)

    async def finished(
        self, cell: Cell, attempt: int = 0, earlier: Sequence[Episode] = ()
    ) -> PlayResult:
        """Play one conversation and score it, as a backend does.

        Raises:
            StoppedError: If it is stopped while a judge is at work: the conversation itself is
                finished.
        """
        episode = await self.converse(cell, attempt, earlier)
        try:
            return PlayResult(episode, await self.score(cell, episode))
        except BaseException as error:
            raise StoppedError(PlayResult(episode, None)) from error

    async def score(self, cell: Cell, episode: Episode) -> Score:
        """Score one conversation."""
        resolved_condition = self._resolve_condition(cell.condition)
        if not self._setup.scoring_costs:
            return await score_safely(
                self.scorer, cell.task, episode, resolved_condition, cell.spec_key
            )
        with self._watch.waiting(cell, _judge_of(self._setup)):
            return await score_safely(
                self.scorer, cell.task, episode, resolved_condition, cell.spec_key
            )

    async def converse(
        self, cell: Cell, attempt: int = 0, earlier: Sequence[Episode] = ()
    ) -> Episode:
        """Play one conversation.

        Args:
            cell: The cell to play.
            attempt: Number of earlier attempts.
            earlier: The conversations that precede it.
        """
        started = time.time()
        try:
            episode = await self._conversed(cell, attempt, earlier)
        except (RunHalted, StoreError, UsageError):
            raise
        except DragomanError as error:
            episode = _failed_start("infrastructure_error", str(error))
        except BaseException as error:
            if stops_run(error):
                raise
            # An error in a suite ends only its conversation.
            episode = _failed_start("code_error", f"the suite broke: {error_with_location(error)}")
        if episode.ending.detail:
            instructions = msgspec.structs.replace(
                episode.ending, detail=redact_environment(episode.ending.detail)
            )
            episode = msgspec.structs.replace(episode, ending=instructions)
        return msgspec.structs.replace(episode, started=started)

    async def _conversed(self, cell: Cell, attempt: int, earlier: Sequence[Episode]) -> Episode:
        setup = self._setup
        environment = self.begun_environment(cell.task, earlier)
        resolved_condition = self._resolve_condition(cell.condition).of(cell.task)
        instructions = resolved_condition.judged(cell.task)
        turn_protocol = resolved_condition.turn_protocol(
            suite_turn_protocol(setup.suite)(
                instructions, environment, setup.rules, setup.config.limits
            )
        )
        history = turn_protocol.opening()
        shown = resolved_condition.shown(cell.task)
        policy = resolved_condition.policy(setup.suite.policy(cell.task, environment))
        sessions: dict[Role, Session] = {}
        try:
            surfaces = PLAIN_IO
            if resolved_condition.layers:
                with self._watch.waiting(cell, AwaitedParty("instructions")):
                    surfaces = await self._surfaces(
                        cell, resolved_condition, shown, OpeningProgress(history)
                    )
            about_user = _about_user(surfaces)
            for side in turn_protocol.sides:
                who = cell.agent if side == "agent" else cell.user
                opening = SessionStart(
                    task=shown,
                    side=side,
                    seed=cell.seed,
                    policy=policy if side == "agent" else "",
                    history=history,
                    conversation=f"{cell.key}-{attempt}",
                    draw=cell.draw,
                    instructions=surfaces.instructions.get(side, ""),
                    phrases=resolved_condition.phrases,
                    sounds=self._sounds,
                    user_behavior=resolved_condition.user_behavior,
                    key="" if surfaces.context is None else surfaces.context.key,
                    user=about_user if side == "agent" else {},
                    may_ask=resolved_condition.may_ask,
                )
                with self._watch.waiting(cell, AwaitedParty(side)):
                    opened = run_guarded(who.participant.open(opening), f"opening the {side}")
                    sessions[side] = await opened
            conversation = Conversation(
                environment,
                sessions,
                surfaces,
                time.monotonic,
                setup.config.timeout,
            )
            self._watch.begin(cell, conversation)
            try:
                episode = await conversation.run(turn_protocol)
            finally:
                self._watch.end(conversation)
            return (
                episode
                if surfaces.context is None
                else resolved_condition.after(surfaces.context, episode)
            )
        except ParticipantError as error:
            return Episode(history, termination_for(error), 0, 0)
        finally:
            await _close(sessions)

    async def _surfaces(
        self,
        cell: Cell,
        resolved_condition: ResolvedCondition,
        shown: Task,
        begun: ConversationProgress,
    ) -> ConversationIO:
        # The hash contains neither agent nor recognizer: all of them get the same audio.
        same_audio = content_key(cell.task.digest, cell.trial, self._setup.config.seed)
        agent = cell.agent
        context = ConversationContext(
            shown, same_audio, cell.draw, agent.participant, self._sounds, agent.model
        )
        instruction_source = resolved_condition.instruction_source(context)
        instructions: dict[Role, str] = {}
        if instruction_source is not None:
            instructions = {
                side: await instruction_source.instructions(side, begun) for side in SIDES
            }
        return ConversationIO(
            resolved_condition.channels(context),
            resolved_condition.views,
            instruction_source,
            instructions,
            context,
            resolved_condition.is_timed,
        )


PLAIN_IO = ConversationIO(IDENTITY_CHANNELS, ResolvedCondition().views)
"""Plain English text; all conversations without layers share it."""


def _judge_of(setup: Setup) -> AwaitedParty:
    """Return the party that a conversation waits for while it is scored."""
    if setup.judge is not None and setup.judge.costs:
        return AwaitedParty("judge", setup.judge.name)
    users = setup.users
    return AwaitedParty("judge of users", (users and users.judge_name) or "")


def _about_user(surfaces: ConversationIO) -> UserProfile:
    """Return the facts about the user that the agent is told when its session opens."""
    instruction_source = surfaces.instruction_source
    if instruction_source is not None and isinstance(instruction_source, ProvidesUserProfile):
        return instruction_source.user_profile()
    return {}


class OpeningProgress(msgspec.Struct, frozen=True):
    """A conversation before its first reply, in the form that layers read."""

    events: tuple[Event, ...]
    steps: int = 0
    errors: int = 0
    seconds: float = 0.0


def _failed_start(reason: TerminationReason, why: str) -> Episode:
    """Return a conversation that never began, with the reason."""
    return Episode((), Termination(reason, escape_surrogates(why)), 0, 0)


def _final_state(episode: Episode) -> tuple[Event, ...]:
    """Return the events that shaped a conversation's world, or raise ReplayError if it failed."""
    if episode.is_fault:
        raise ReplayError(f"a conversation that comes before was broken: {episode.ending.detail}")
    return episode.events


async def score_safely(
    scorer: Scorer, task: Task, episode: Episode, resolved_condition: ResolvedCondition, draw: str
) -> Score:
    """Score one conversation.

    If a check or a judge fails, the conversation is Unscored and not lost.
    """
    try:
        resolved_condition = resolved_condition.of(task)
        return await scorer.score(
            resolved_condition.judged(task), episode, resolved_condition.wording(task), draw
        )
    except RunHalted:
        raise
    except BaseException as error:
        if stops_run(error):
            raise
        # The conversation must not be lost, whatever failed.
        return scorer.broken(redact_environment(escape_surrogates(error_with_location(error))))


async def _close(sessions: Mapping[Role, Session]) -> None:
    """Close every session even if some fail to close; the finished conversation is kept."""
    for side, session in sessions.items():
        try:
            await run_guarded(session.close(), f"closing the {side}")
        except ParticipantError as error:
            log.warning("%s", error)
