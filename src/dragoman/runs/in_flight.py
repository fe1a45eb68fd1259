"""Registry of conversations in flight, and of the party that each waits for."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

import msgspec

from dragoman.core.progress import AwaitedParty
from dragoman.runs.plan import Cell


class InFlightConversation(msgspec.Struct, frozen=True):
    """A conversation, the party that it waits for, and the seconds of waiting."""

    cell: Cell
    awaited: AwaitedParty
    seconds: float

    @property
    def what(self) -> str:
        """Description of the awaited party."""
        return self.awaited.what


class AwaitsParty(Protocol):
    """Protocol of activities that wait for a party, such as conversations."""

    @property
    def awaited(self) -> AwaitedParty:
        """The party that it currently waits for."""
        ...

    @property
    def moved(self) -> float:
        """Time of its last progress, by its clock."""
        ...


class _Step(msgspec.Struct, frozen=True):
    """A part of a conversation outside of its exchange: the opening or the scoring."""

    awaited: AwaitedParty
    moved: float


class InFlightRegistry:
    """Registry of the conversations in flight; any thread may read it.

    It has the same clock as the conversations.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._under_way: dict[int, tuple[Cell, AwaitsParty]] = {}

    def begin(self, cell: Cell, waiter: AwaitsParty) -> None:
        """Register a conversation."""
        self._under_way[id(waiter)] = (cell, waiter)

    def end(self, waiter: AwaitsParty) -> None:
        """Remove a finished conversation."""
        del self._under_way[id(waiter)]

    @contextmanager
    def waiting(self, cell: Cell, awaited: AwaitedParty) -> Iterator[None]:
        """Register that a conversation waits for a party before or after its exchange."""
        step = _Step(awaited, self._clock())
        self.begin(cell, step)
        try:
            yield
        finally:
            self.end(step)

    def stalled(self, seconds: float) -> list[InFlightConversation]:
        """Return all conversations if none got a reply for a number of seconds.

        Those that have waited longest come first.
        """
        now = self._clock()
        waiting = [
            InFlightConversation(cell, waiter.awaited, now - waiter.moved)
            for cell, waiter in tuple(self._under_way.values())
        ]
        if any(entry.seconds < seconds for entry in waiting):
            return []
        return sorted(waiting, key=lambda entry: -entry.seconds)
