"""Agent wrapper that replaces call arguments by those of the reference plan (an oracle).

The agent still chooses the tools. The plan is read in the wording of the agent's tools. A call
fulfils the most similar action of its tool that is not fulfilled yet, and gets the arguments of
that action; the arguments that were sent are also kept. Other calls are not changed: of tools that
the plan does not name, repetitions of a planned call, calls that could not be parsed, and calls
that are judged as text.
"""

from collections.abc import Sequence

import msgspec

from dragoman.core.audio import hears_audio
from dragoman.core.layers import AcceptsInstructionUpdates, AcceptsUserProfile
from dragoman.core.personas import UserProfile
from dragoman.core.protocols import Participant, Session, SessionInput, SessionReply, SessionStart
from dragoman.core.replies import Reply, TextReply, ToolCallReply
from dragoman.core.tasks import Action, Task
from dragoman.core.tools import ToolCall, Toolset

_SUFFIX = " with canonical arguments"


def canonical_name(agent: str) -> str:
    """Return the name of an agent whose calls are made canonical."""
    return f"{agent}{_SUFFIX}"


def wrapped_agent_name(name: str) -> str:
    """Return the name of the agent whose calls are made canonical; any other name as it is."""
    return name.removesuffix(_SUFFIX)


class CanonicalAgent:
    """Any agent, its calls made canonical; it sees what these return."""

    def __init__(self, agent: Participant) -> None:
        self.name = canonical_name(agent.name)
        self.agent = agent

    @property
    def hears_audio(self) -> bool:
        """Whether the agent can be given audio itself."""
        return hears_audio(self.agent)

    async def open(self, opening: SessionStart) -> "CanonicalSession":
        """Open a session of the agent on the task's plan."""
        return CanonicalSession(await self.agent.open(opening), opening.task)


class CanonicalSession:
    """One conversation: the plan, and what of it is not fulfilled yet."""

    def __init__(self, session: Session, task: Task) -> None:
        self._session = session
        self._has_turns = bool(task.turns)
        self._plan = () if task.criteria is None else task.criteria.actions or ()
        self._open = list(self._plan)
        self._turn = -1
        self._is_calling = False

    async def reply(self, heard: Sequence[SessionInput], tools: Toolset) -> SessionReply:
        """Return the agent's reply with canonical calls."""
        said = [part for part in heard if isinstance(part, TextReply)]
        if (said or not self._is_calling) and not any(part.clarifies for part in said):
            self._turn += 1
        match await self._session.reply(heard, tools):
            case SessionReply(reply=reply, call_form="") as answer:
                self._is_calling = isinstance(reply, ToolCallReply)
                return msgspec.structs.replace(answer, reply=self._canonical(reply, tools))
            case other:
                return other

    def update_instructions(self, instructions: str) -> None:
        """Pass new instructions to the agent's session if it accepts updates."""
        if isinstance(self._session, AcceptsInstructionUpdates):
            self._session.update_instructions(instructions)

    def set_user_profile(self, user: UserProfile) -> None:
        """Pass the profile of its user to the agent's session if it accepts one."""
        if isinstance(self._session, AcceptsUserProfile):
            self._session.set_user_profile(user)

    async def close(self) -> None:
        """Release what the agent's session holds."""
        await self._session.close()

    def _canonical(self, reply: Reply, tools: Toolset) -> Reply:
        if not isinstance(reply, ToolCallReply):
            return reply
        planned = [action for action in self._plan if self._is_due(action, tools)]
        due = [action for action in self._open if self._is_due(action, tools)]
        calls, fulfilled = with_canonical_arguments(reply.calls, planned, due)
        for action in fulfilled:
            self._open.remove(action)
        return ToolCallReply(calls, reply.text)

    def _is_due(self, action: Action, tools: Toolset) -> bool:
        """Return whether the agent can fulfil an action now: an agent alone plays both sides."""
        is_own = action.by == "agent" or tools.must_call
        return is_own and (not self._has_turns or action.turn == self._turn)


def with_canonical_arguments(
    calls: Sequence[ToolCall], planned: Sequence[Action], due: Sequence[Action]
) -> tuple[tuple[ToolCall, ...], tuple[Action, ...]]:
    """Return calls with the plan's arguments, and the actions that they fulfil.

    Args:
        calls: The calls of one reply.
        planned: All actions that a call may repeat.
        due: The actions among them that are not fulfilled yet.
    """
    left, fulfilled = list(due), []
    # A call that is right keeps its action, whatever wrong one stands before it.
    for call in calls:
        own = next((action for action in left if _is_same(call, action)), None)
        if own is not None:
            left.remove(own)
            fulfilled.append(own)
    canonical = []
    for call in calls:
        own = None if _stays(call, planned) else _most_similar(call, left)
        if own is not None:
            left.remove(own)
            fulfilled.append(own)
        canonical.append(call if own is None else _with_arguments(call, own))
    return tuple(canonical), tuple(fulfilled)


def _stays(call: ToolCall, planned: Sequence[Action]) -> bool:
    return bool(call.malformed) or any(_is_same(call, action) for action in planned)


def _is_same(call: ToolCall, action: Action) -> bool:
    return (call.name, call.arguments, call.positionals) == (
        action.name,
        action.arguments,
        action.positionals,
    )


def _most_similar(call: ToolCall, actions: Sequence[Action]) -> Action | None:
    """Return the first action of the call's tool with which it shares the most arguments."""
    own = [action for action in actions if action.name == call.name]
    return max(own, key=lambda action: _count_shared_arguments(call, action), default=None)


def _count_shared_arguments(call: ToolCall, action: Action) -> int:
    """Return how many arguments a call and an action share; those without a name by value."""
    named = sum(
        name in call.arguments and call.arguments[name] == value
        for name, value in action.arguments.items()
    )
    return named + sum(value in call.arguments.values() for value in action.positionals)


def _with_arguments(call: ToolCall, action: Action) -> ToolCall:
    return msgspec.structs.replace(
        call, arguments=action.arguments, positionals=action.positionals, sent=call.arguments
    )
