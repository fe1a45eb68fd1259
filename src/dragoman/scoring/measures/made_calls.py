"""The calls of a conversation in their places."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dragoman.core.episodes import Event, Move, executed_calls
from dragoman.core.speech import Called
from dragoman.core.tools import ToolCall, ToolResult


class MadeCall(NamedTuple):
    """A call as the world executed it, its result, and the place of the move that made it."""

    position: int
    call: ToolCall
    result: ToolResult | None

    @property
    def succeeded(self) -> bool:
        """Whether it has a result that is no error."""
        return self.result is not None and not self.result.error


def made_calls(events: Sequence[Event]) -> Iterator[MadeCall]:
    """Yield every call in its order.

    Raises:
        ReplayError: Where results do not follow their calls in order and by id.
    """
    places = [
        place
        for place, event in enumerate(events)
        if isinstance(event, Move) and isinstance(event.reply, Called)
        for _ in event.reply.calls
    ]
    for place, (call, result) in zip(places, executed_calls(events), strict=True):
        yield MadeCall(place, call, result)
