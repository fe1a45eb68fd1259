"""Registry of conversations in flight: which are being played, and what each is waiting for."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

import msgspec

from dragoman.core.progress import AwaitedParty
from dragoman.runs.plan import Cell


class InFlightConversation(msgspec.Struct, frozen=True):
    """A conversation, whom it waits for, and for how many seconds."""

    cell: Cell
    awaited: AwaitedParty
    seconds: float

    @property
    def what(self) -> str:
        """What it waits for, in words."""
        return self.awaited.what


class AwaitsParty(Protocol):
    """What is under way, such as a conversation."""

    @property
    def awaited(self) -> AwaitedParty:
        """Whom it waits for now."""
        ...

    @property
    def moved(self) -> float:
        """When it last went on, by its clock."""
        ...


class _Step(msgspec.Struct, frozen=True):
    """A part of a conversation beside its exchange: its opening, or its scoring."""

    awaited: AwaitedParty
    moved: float


class InFlightRegistry:
    """Knows the conversations under way; it may be asked from any thread.

    Its clock is the conversations' own.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._under_way: dict[int, tuple[Cell, AwaitsParty]] = {}

    def begin(self, cell: Cell, waiter: AwaitsParty) -> None:
        """Know a conversation from now on."""
        self._under_way[id(waiter)] = (cell, waiter)

    def end(self, waiter: AwaitsParty) -> None:
        """Forget a conversation that is over."""
        del self._under_way[id(waiter)]

    @contextmanager
    def waiting(self, cell: Cell, awaited: AwaitedParty) -> Iterator[None]:
        """Know that a conversation waits for somebody before its exchange, or after it."""
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
