"""Agents that need no model: what is possible (gold), free (silent) and lost in hearing (literal).

Gold is a pair. Its agent and its user both derive their moves from the task's reference plan, which
falls into stretches of one side each: after its own stretch a side speaks, which hands over to the
other; after the whole plan the agent says what must be said and the user stops.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence

from dragoman.core.protocols import Answer, Heard, Opening, Participant
from dragoman.core.speech import Called, Reply, Said, say
from dragoman.core.tasks import Action, Task
from dragoman.core.tools import Role, ToolCall, Toolset
from dragoman.simulation.hearing import heard_arguments
from dragoman.simulation.offline_user import STOP, OfflineUser
from dragoman.simulation.scripts import spoken_script

Arguments = dict[str, object]
Fill = Callable[[Action], Arguments]


class PlanSession:
    """Plays a fixed sequence of moves; keeps what was heard for those who fill arguments from it.

    `alone` is what it plays instead where every reply must be a call (solo mode).
    """

    def __init__(self) -> None:
        self.heard = ""
        self.moves: Iterator[Reply] = iter(())
        self.alone: Iterator[Reply] | None = None

    async def reply(self, heard: Sequence[Heard], tools: Toolset) -> Answer:
        """Return the next move."""
        for part in heard:
            if isinstance(part, Said):
                self.heard += f"{part.utterance.received or ''}\n"
        if tools.must_call and self.alone is not None:
            self.moves, self.alone = self.alone, None
        return Answer(next(self.moves))

    async def close(self) -> None:
        """Nothing to release."""


class GoldAgent:
    """Plays the agent's side of the reference plan."""

    name = "gold"

    async def open(self, opening: Opening) -> PlanSession:
        """Open a session on the task's plan."""
        session = PlanSession()
        session.moves = _agent_moves(opening.task, lambda action: action.arguments)
        session.alone = _lone_moves(opening.task)
        return session


class GoldUser:
    """Plays the user's side of the reference plan."""

    name = "gold"

    async def open(self, opening: Opening) -> PlanSession:
        """Open a session on the task's plan."""
        session = PlanSession()
        session.moves = _user_moves(opening.task)
        return session


class LiteralAgent:
    """Plays the reference plan, but takes every value that the user has to say from what it heard."""

    name = "literal"

    async def open(self, opening: Opening) -> PlanSession:
        """Open a session on the task's plan."""
        session = PlanSession()
        script = spoken_script(opening.task.scenario)
        session.moves = _agent_moves(
            opening.task, lambda action: heard_arguments(action.arguments, script, session.heard)
        )
        return session


class SilentAgent:
    """Does nothing: its score is the floor of a suite."""

    name = "silent"

    async def open(self, opening: Opening) -> PlanSession:  # noqa: ARG002 - it does not look
        """Open a session that says nothing of use."""
        session = PlanSession()
        session.moves = itertools.repeat(say("..."))
        return session


def partner_of(agent: Participant) -> Participant:
    """Return the user simulator that belongs to an agent where none is named."""
    return GoldUser() if isinstance(agent, GoldAgent) else OfflineUser()


def _stretches(task: Task) -> Iterator[tuple[Role, list[Action]]]:
    actions = () if task.criteria is None else task.criteria.actions or ()
    for side, group in itertools.groupby(actions, key=lambda action: action.by):
        yield side, list(group)


def _agent_moves(task: Task, fill: Fill) -> Iterator[Reply]:
    for side, stretch in _stretches(task):
        if side == "agent":
            yield from _calls(stretch, fill)
        else:
            yield say("Please do your part now and tell me when it is done.")
    must_say = () if task.criteria is None else task.criteria.must_say
    yield say(f"Here is what you asked for: {'; '.join(must_say)}." if must_say else "All done.")
    yield from itertools.repeat(say("Is there anything else?"))


def _lone_moves(task: Task) -> Iterator[Reply]:
    """Yield the moves of both sides as the agent's, where it works alone, then `done`."""
    actions = () if task.criteria is None else task.criteria.actions or ()
    for action in actions:
        yield Called((ToolCall(f"plan_{action.id}", action.name, action.arguments),))
    yield Called((ToolCall("plan_done", "done", {}),))


def _user_moves(task: Task) -> Iterator[Reply]:
    yield say(spoken_script(task.scenario) or "Hello.")
    for side, stretch in _stretches(task):
        if side == "user":
            yield from _calls(stretch, lambda action: action.arguments)
            yield say("Done.")
    yield from itertools.repeat(say(STOP))


def _calls(actions: Sequence[Action], fill: Fill) -> Iterator[Reply]:
    for action in actions:
        yield Called((ToolCall(f"plan_{action.id}", action.name, fill(action), action.by),))
