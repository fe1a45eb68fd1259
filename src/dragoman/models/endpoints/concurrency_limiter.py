"""Concurrency limiter: admits as many calls to one endpoint at a time as it serves.

A refused call holds its slot as long as an answer usually takes; the next call would be refused in
its place, so a server is not asked more often than if it answered. A call that hangs gives up its
slot. There is no fixed cap. Where agent, user and judge share an endpoint, a slot goes to the one
that holds the fewest, so a judge with many questions delays nobody.
"""

import asyncio
import contextlib
import math
from collections import Counter, deque
from collections.abc import Callable

from dragoman.models.endpoints.adaptive_limit import AdaptiveLimit

Clock = Callable[[], float]

HANGING, SHORTEST_HANG = 5.0, 1.0
"""A call hangs after so many times the usual seconds of an answer, and after so many at least."""

FIRST_HELD, LONGEST_HELD = 1.0, 15.0
"""Seconds for which a refused call holds its slot, where nothing was answered yet, and at most."""


class ConcurrencyLimiter:
    """Lets calls through, one slot each, and learns from how they end.

    Args:
        clock: Seconds, never going back.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        # Who waits, by purpose, in the order of coming.
        self._queues: dict[str, deque[asyncio.Future[None]]] = {}
        self._timer: asyncio.TimerHandle | None = None
        # When each call that holds a slot began, oldest first.
        self._holding: dict[object, float] = {}
        # How many slots each purpose holds, those included that its calls have not taken up yet.
        self._shares: Counter[str] = Counter()
        self._purposes: dict[object, str] = {}
        # Slots given to calls that have not resumed yet.
        self._promised = 0
        self._idle_since = -math.inf
        self._search = AdaptiveLimit(clock)

    @property
    def limit(self) -> float:
        """How many calls may be under way."""
        return self._search.limit

    @property
    def holding(self) -> int:
        """How many calls hold a slot."""
        return len(self._holding) + self._promised

    @property
    def waiting(self) -> int:
        """How many calls wait for a slot."""
        return sum(map(len, self._queues.values()))

    async def enter(self, purpose: str = "") -> object:
        """Wait for a slot and return it; hand it to `leave`.

        Args:
            purpose: Whose call it is; slots are shared fairly between purposes.
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
        """Give a slot back; that of a refused call is free after a while."""
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
        """Seconds that an answer usually takes; 0 where none came yet."""
        return self._search.usual

    def is_late(self, began: float) -> bool:
        """Whether a call that began then should have been answered, as far as answers tell."""
        return not self._search.usual or began < self._clock() - self._late_after

    def answered(self, seconds: float) -> None:
        """Learn that a call was answered, and how long that took."""
        self._search.answered(seconds, is_wanted=bool(self._queues))

    def refused(self) -> None:
        """Learn that the server had no room for a call."""
        self._search.refused(is_wanted=bool(self._queues))

    def forget(self) -> None:
        """Ignore the last refusals.

        A server that is unavailable gives no information about its capacity.
        """
        self._search.begin_window()

    @property
    def _late_after(self) -> float:
        """Seconds after which a call is taken for a hanging one."""
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
        """Let in as many as there are slots; look again later if some may come free by hanging."""
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
            # Nothing was answered yet: a slow model is not to be taken for a hanging one.
            return
        oldest = self._clock() - self._late_after
        while self._holding and next(iter(self._holding.values())) < oldest:
            del self._holding[next(iter(self._holding))]

    def _look_again(self) -> None:
        self._timer = None
        self._let_in()
