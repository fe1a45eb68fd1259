"""Plain text: the channel and the tool view that change nothing."""

from dragoman.core.speech import Utterance
from dragoman.core.tools import ToolCall, ToolResult, Toolset
from dragoman.core.usage import Usage


class PlainChannel:
    """Words arrive as they were meant."""

    async def carry(self, utterance: Utterance) -> Utterance:
        """Return the utterance as it is."""
        return utterance

    def take_usage(self) -> tuple[Usage, ...]:
        """Return nothing: plain text costs nothing to carry."""
        return ()


class PlainView:
    """Tools are shown, called and answered in the world's own values."""

    def show(self, tools: Toolset) -> Toolset:
        """Return the tools as they are."""
        return tools

    def canonical(self, call: ToolCall) -> ToolCall:
        """Return the call as it is."""
        return call

    def present(self, result: ToolResult, call: ToolCall) -> ToolResult:  # noqa: ARG002 - one answer to every call
        """Return the result as it is."""
        return result
