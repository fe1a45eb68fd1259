"""Which conversations of a run are under way, and what each of them waits for."""

import time
from collections.abc import Callable

import msgspec

from dragoman.runs.plan import Cell
from dragoman.simulation.loop import Conversation


class Waiting(msgspec.Struct, frozen=True):
    """A conversation, what it waits for, and for how many seconds."""

    cell: Cell
    what: str
    seconds: float


class Watch:
    """Knows the conversations under way; it may be asked from any thread.

    Its clock is the conversations' own.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._under_way: dict[int, tuple[Cell, Conversation]] = {}

    def begin(self, cell: Cell, conversation: Conversation) -> None:
        """Know a conversation from now on."""
        self._under_way[id(conversation)] = (cell, conversation)

    def end(self, conversation: Conversation) -> None:
        """Forget a conversation that is over."""
        del self._under_way[id(conversation)]

    def stalled(self, seconds: float) -> list[Waiting]:
        """Return all conversations, those that wait longest first, where none got a reply for so long."""
        now = self._clock()
        waiting = [
            Waiting(cell, conversation.waits_for, now - conversation.moved)
            for cell, conversation in tuple(self._under_way.values())
        ]
        if any(entry.seconds < seconds for entry in waiting):
            return []
        return sorted(waiting, key=lambda entry: -entry.seconds)
