"""The agent works alone, from a ticket, with the tools of both sides (tau2-bench: 1.7).

Every reply must call a tool; calling `done` ends the work.
"""

from collections.abc import Sequence

from dragoman.benchmarks.kit.half_duplex import limited
from dragoman.core.episodes import Ending, Event
from dragoman.core.protocols import Ask, Directive, Execute, Limits, Progress, World
from dragoman.core.rules import Rules
from dragoman.core.speech import Called, Said, Unparsed
from dragoman.core.stop_tokens import STOP
from dragoman.core.tools import Role, ToolResult, Toolset, ToolSpec

DONE = ToolSpec(
    "done",
    "Call this when everything that the ticket asks for is done, or cannot be done.",
    {"type": "object", "properties": {}, "required": []},
)


def solo_tools(world: World) -> Toolset:
    """Return what the agent sees: its own tools, the user's, and `done`."""
    return Toolset((*world.tools("agent"), *world.tools("user"), DONE), must_call=True)


class Solo:
    """The protocol of one ticket."""

    sides: tuple[Role, ...] = ("agent",)

    def __init__(
        self, world: World, rules: Rules, limits: Limits, history: Sequence[Event] = ()
    ) -> None:
        """Prepare the protocol; `history` is what the agent has done before."""
        self._history = tuple(history)
        self._tools = solo_tools(world)
        self._rules = rules
        self._limits = limits

    def opening(self) -> tuple[Event, ...]:
        """Return the history: there is no conversation, and nobody greets."""
        return self._history

    def next(self, progress: Progress) -> Directive:
        """Ask for the first call without counting it as a step, then route and limit."""
        if not progress.events:
            return Ask("agent", self._tools, is_step=False)
        directive = self._route(progress.events[-1])
        if isinstance(directive, Execute):
            return directive
        return limited(directive, progress, self._limits, self._rules)

    def _route(self, event: Event) -> Ask | Execute | Ending:
        if isinstance(event, ToolResult):
            return Ask("agent", self._tools)
        match event.reply:
            case Called(calls=calls):
                is_done = any(call.name == DONE.name for call in calls)
                return Ending("agent_stop") if is_done else Execute(calls)
            case Said(utterance=utterance):
                if STOP in utterance.intended:
                    return Ending("agent_stop")
                return Ending("agent_error", "words in solo mode, where every reply is a call")
            case Unparsed(error=error):
                own_fault = self._rules.bad_reply_is_the_speakers
                return Ending("agent_error" if own_fault else "infrastructure_error", error)
