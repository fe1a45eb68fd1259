"""A world in which functions are web APIs: a call is answered as its API would, and nothing changes."""

from collections.abc import Mapping

from dragoman.benchmarks.itc.records import Replies
from dragoman.core.protocols import StateDelta
from dragoman.core.tools import NO_TOOLS, Change, Role, ToolCall, ToolKind, ToolResult, Toolset

MAX_RESULT = 20_000
"""Characters of an answer that an agent is shown."""


class AnsweredCalls:
    """The functions of one task, answered.

    Args:
        tools: What is offered.
        operations: The operations' own names by those of native calls.
        replies: What they answer.
    """

    def __init__(self, tools: Toolset, operations: Mapping[str, str], replies: Replies) -> None:
        self._tools = tools
        self._operations = operations
        self._replies = replies

    def tools(self, side: Role) -> Toolset:
        """Return the functions on offer."""
        return self._tools if side == "agent" else NO_TOOLS

    def kind(self, name: str) -> ToolKind | None:
        """Return that every API only tells something."""
        return "read" if name in self._tools else None

    def owner(self, call: ToolCall) -> Role | None:
        """Return the agent for every function on offer."""
        return "agent" if call.name in self._tools and call.by == "agent" else None

    def call(self, call: ToolCall) -> ToolResult:
        """Answer a call; one of a function that is not offered is refused."""
        if call.name not in self._tools or call.malformed:
            why = call.malformed or f"there is no function {call.name!r:.80}"
            return ToolResult(call.id, call.name, f"Error: {why}", call.by, error=True)
        reply = self._replies(self._operations[call.name], call.arguments)
        return ToolResult(
            call.id, call.name, reply.text[:MAX_RESULT], call.by, error=reply.is_error
        )

    def take_changes(self) -> tuple[Change, ...]:
        """Return no changes."""
        return ()

    def delta(self) -> StateDelta:
        """Return no differences."""
        return {}
