"""Holds money back for what is under way, so that a limit is passed by one call at most."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from decimal import Decimal

from dragoman.core.costs import NOTHING
from dragoman.core.errors import ParticipantError, tell_delay

MARGIN = 2
"""What the dearest of a kind is multiplied by: calls grow with their conversations."""

Left = Callable[[], Decimal | None]
"""Returns what may still be spent, None where nothing can be held back of it; raises where it is spent."""


class Reservations:
    """Lets work begin as long as what is under way can be paid for.

    For each piece of work twice the dearest seen of its kind is held back. What does not fit waits
    until it does, or until nothing else is under way; the first of a kind goes alone. Nobody overtakes.
    """

    def __init__(self) -> None:
        self._dearest: dict[str, Decimal] = {}
        self._held = NOTHING
        self._under_way = 0
        self._line: deque[asyncio.Event] = deque()

    @asynccontextmanager
    async def room(self, kind: str, left: Left) -> AsyncIterator[None]:
        """Wait until a piece of work of this kind may begin; it is under way until left.

        Raises:
            RunHalted: Where the limit is reached.
        """
        held = await self._admitted(kind, left)
        try:
            yield
        finally:
            self._under_way -= 1
            self._held -= held
            self._wake()

    def learn(self, kind: str, amount: Decimal) -> None:
        """Take note of what one piece of work came to."""
        self._dearest[kind] = max(amount, self._dearest.get(kind, NOTHING))

    async def _admitted(self, kind: str, left: Left) -> Decimal:
        if not self._line and (held := self._fitting(kind, left)) is not None:
            return self._take(held)
        turn = asyncio.Event()
        self._line.append(turn)
        try:
            while self._line[0] is not turn or (held := self._fitting(kind, left)) is None:
                turn.clear()
                await turn.wait()
            return self._take(held)
        except asyncio.CancelledError as cut:
            tell_delay(cut, ParticipantError("the budget has no room for another call yet"))
            raise
        finally:
            self._line.remove(turn)
            self._wake()

    def _fitting(self, kind: str, left: Left) -> Decimal | None:
        """Return what is held back for a piece of work that may begin; None where it has to wait."""
        room = left()
        if room is None:
            return NOTHING
        dearest = self._dearest.get(kind)
        held = room if dearest is None else MARGIN * dearest
        return held if not self._under_way or self._held + held <= room else None

    def _take(self, held: Decimal) -> Decimal:
        self._under_way += 1
        self._held += held
        return held

    def _wake(self) -> None:
        if self._line:
            self._line[0].set()
