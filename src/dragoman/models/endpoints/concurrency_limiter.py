"""Concurrency limiter: admits as many calls to one endpoint at a time as it serves.

A refused call holds its slot for the usual time of an answer. The next call would be refused, too,
so a server does not get more requests than if it answered. A call that hangs loses its slot. The
limiter has no fixed maximum. If agent, user and judge share an endpoint, a free slot goes to the
purpose that holds the fewest, so a judge with many questions does not delay the others.
"""

import asyncio
import contextlib
import math
from collections import Counter, deque
from collections.abc import Callable

from dragoman.models.endpoints.adaptive_limit import AdaptiveLimit

Clock = Callable[[], float]

HANGING, SHORTEST_HANG = 5.0, 1.0
"""Multiple of the usual seconds of an answer after which a call hangs.

The second number is the least number of seconds.
"""

FIRST_HELD, LONGEST_HELD = 1.0, 15.0
"""Seconds for which a refused call holds its slot: before the first answer, and at most."""


class ConcurrencyLimiter:
    """Assigns one slot to each call, and adapts the number of slots to the outcomes of calls.

    Args:
        clock: Clock in seconds that never goes back.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        # Waiting calls by purpose, in the order of arrival.
        self._queues: dict[str, deque[asyncio.Future[None]]] = {}
        self._timer: asyncio.TimerHandle | None = None
        # The time at which each call that holds a slot began, oldest first.
        self._holding: dict[object, float] = {}
        # Number of slots of each purpose, including slots that its calls have not taken up yet.
        self._shares: Counter[str] = Counter()
        self._purposes: dict[object, str] = {}
        # Slots given to calls that have not resumed yet.
        self._promised = 0
        self._idle_since = -math.inf
        self._search = AdaptiveLimit(clock)

    @property
    def limit(self) -> float:
        """Largest number of calls in flight."""
        return self._search.limit

    @property
    def holding(self) -> int:
        """Number of calls that hold a slot."""
        return len(self._holding) + self._promised

    @property
    def waiting(self) -> int:
        """Number of calls that wait for a slot."""
        return sum(map(len, self._queues.values()))

    async def enter(self, purpose: str = "") -> object:
        """Wait for a slot and return it; the caller gives it back with `leave`.

        Args:
            purpose: Purpose of the call; slots are shared fairly between purposes.
        """
        if self._queues or self.holding >= int(self._search.limit):
            await self._turn(purpose)
        else:
            self._shares[purpose] += 1
        now = self._clock()
        if not self._holding and now - self._idle_since >= self._search.window:
            self._search.begin_window()
        slot = object()
        self._holding[slot] = now
        self._purposes[slot] = purpose
        return slot

    def leave(self, slot: object, *, is_refused: bool = False) -> None:
        """Give a slot back; the slot of a refused call becomes free after a while."""
        held = min(self._search.usual or FIRST_HELD, LONGEST_HELD) if is_refused else 0.0
        if held:
            asyncio.get_running_loop().call_later(held, self._free, slot)
        else:
            self._free(slot)

    def _free(self, slot: object) -> None:
        self._holding.pop(slot, None)
        self._release(self._purposes.pop(slot))
        if not self._holding:
            self._idle_since = self._clock()
        if self._queues:
            self._let_in()

    @property
    def usual(self) -> float:
        """Average seconds of an answer; 0 before the first answer."""
        return self._search.usual

    def is_late(self, began: float) -> bool:
        """Return whether a call that began at this time is late.

        It is compared with the usual time of an answer.
        """
        return not self._search.usual or began < self._clock() - self._late_after

    def answered(self, seconds: float) -> None:
        """Record that a call was answered, and its duration."""
        self._search.answered(seconds, is_wanted=bool(self._queues))

    def refused(self) -> None:
        """Record that the server refused a call because it had no capacity."""
        self._search.refused(is_wanted=bool(self._queues))

    def forget(self) -> None:
        """Discard the last refusals.

        A server that is unavailable gives no information about its capacity.
        """
        self._search.begin_window()

    @property
    def _late_after(self) -> float:
        """Seconds after which a call counts as hanging."""
        return max(SHORTEST_HANG, HANGING * self._search.usual)

    async def _turn(self, purpose: str) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._queues.setdefault(purpose, deque()).append(turn)
        self._let_in()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._forget(purpose, turn)
            else:
                self._promised -= 1
                self._release(purpose)
                self._let_in()
            raise
        self._promised -= 1

    def _forget(self, purpose: str, turn: asyncio.Future[None]) -> None:
        queue = self._queues.get(purpose, deque())
        with contextlib.suppress(ValueError):
            queue.remove(turn)
        if not queue:
            self._queues.pop(purpose, None)
        if not self._queues and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _release(self, purpose: str) -> None:
        self._shares[purpose] -= 1
        if not self._shares[purpose]:
            del self._shares[purpose]

    def _let_in(self) -> None:
        """Admit as many calls as there are slots.

        Check again later, as hanging calls may free slots.
        """
        self._drop_hanging()
        while self._queues and self.holding < int(self._search.limit):
            purpose = min(self._queues, key=self._shares.__getitem__)
            turn = self._queues[purpose].popleft()
            if not self._queues[purpose]:
                del self._queues[purpose]
            if not turn.done():
                turn.set_result(None)
                self._promised += 1
                self._shares[purpose] += 1
        if self._queues and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SHORTEST_HANG, self._look_again)

    def _drop_hanging(self) -> None:
        if not self._search.usual:
            # No call was answered yet: a slow model must not count as hanging.
            return
        oldest = self._clock() - self._late_after
        while self._holding and next(iter(self._holding.values())) < oldest:
            del self._holding[next(iter(self._holding))]

    def _look_again(self) -> None:
        self._timer = None
        self._let_in()
