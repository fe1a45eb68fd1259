"""A world in which functions are on offer and nothing happens: calls are judged, not executed."""

from dragoman.core.protocols import StateDelta
from dragoman.core.tools import NO_TOOLS, Change, Role, ToolCall, ToolKind, ToolResult, Toolset


class OfferedTools:
    """The functions of one question; the agent sees them and nobody executes them."""

    def __init__(self, tools: Toolset) -> None:
        self._tools = tools

    def tools(self, side: Role) -> Toolset:
        """Return the functions on offer."""
        return self._tools if side == "agent" else NO_TOOLS

    def kind(self, name: str) -> ToolKind | None:
        """Return that nothing is known of what a function would do."""
        return "generic" if name in self._tools else None

    def owner(self, call: ToolCall) -> Role | None:
        """Return the agent for every function on offer."""
        return "agent" if call.name in self._tools and call.by == "agent" else None

    def call(self, call: ToolCall) -> ToolResult:
        """Refuse: there is nothing behind the functions."""
        content = "This function is on offer only: it is not executed."
        return ToolResult(call.id, call.name, content, call.by, error=True)

    def take_changes(self) -> tuple[Change, ...]:
        """Return no changes."""
        return ()

    def delta(self) -> StateDelta:
        """Return no differences."""
        return {}
