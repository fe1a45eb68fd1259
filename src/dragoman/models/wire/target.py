"""One address that answers calls, with what was learned about it."""

import asyncio
import itertools
import math
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from dragoman.models.wire.breaker import Breaker
from dragoman.models.wire.pacing import Pacer
from dragoman.models.wire.transport import Fault, Transport

NOT_REACHED = frozenset({"dns", "connect"})
NO_ROOM = frozenset({"rate_limited", "overloaded"})
WAS_REACHED = frozenset({"rate_limited", "malformed", "oversized"})
GIVEN_UP = "it has stopped answering"
"""What is said of a call that waits where nothing comes while others are served elsewhere."""

SPREAD_SECONDS = 0.05
TELLING = 8
"""So many calls in a row that broke, or brought nothing, say that an endpoint works no more."""


class Target:
    """Where calls go, how many at a time, and whether it answers.

    Args:
        name: The endpoint in messages.
        transport: Carries what is sent.
        proxy: The address of a proxy, or None.
        outage: Seconds after which not answering ends the run.
        url: Where every call goes; "" where each call says so itself.

    Attributes:
        served_at: When a call was last answered well there.
    """

    def __init__(
        self,
        name: str,
        transport: Transport,
        proxy: str | None = None,
        outage: float = 1_800.0,
        url: str = "",
    ) -> None:
        self.name = name
        self.transport = transport
        self.proxy = proxy
        self.url = url
        self.served_at = -math.inf
        # How many calls broke since one was answered well, and when anything was heard.
        self._broken = 0
        self._heard_at = -math.inf
        # When each call that waits for an answer began, oldest first.
        self._waits: dict[asyncio.Timeout, float] = {}
        self.pacer = Pacer(now)
        self.breaker = Breaker(name, outage, now)
        self._paused_until = 0.0

    @property
    def has_served(self) -> bool:
        """Whether any call was answered well there."""
        return self.served_at > -math.inf

    @property
    def is_serving(self) -> bool:
        """Whether calls are answered well there at the moment."""
        return not self.pacer.is_late(self.served_at)

    @property
    def is_free(self) -> bool:
        """Whether it answered well before and nobody asks it at the moment."""
        return self.has_served and not self._waits and not self.breaker.is_down

    @property
    def is_asked(self) -> bool:
        """Whether calls wait for an answer there."""
        return bool(self._waits)

    @property
    def is_open(self) -> bool:
        """Whether a call may go there now, as far as room allows."""
        return not self.breaker.is_down and self._paused_until <= now()

    @property
    def pressure(self) -> float:
        """How many calls are there or wait for it, for each that it takes at a time."""
        return (self.pacer.holding + self.pacer.waiting) / self.pacer.limit

    @property
    def is_full(self) -> bool:
        """Whether a call would have to wait for room there."""
        return self.pressure >= 1

    async def ready(self) -> None:
        """Wait until it answers, and until what it asked for is over.

        Raises:
            RunHalted: Where it has not answered for too long.
        """
        if self.breaker.is_down:
            await self.breaker.ready()
        if self._paused_until and (left := self._paused_until - now()) > 0:
            await asyncio.sleep(left + random.uniform(0, SPREAD_SECONDS))  # noqa: S311 - no secret

    def hold(self, seconds: float) -> None:
        """Let nothing more through for some seconds."""
        if seconds > 0:
            self._paused_until = max(self._paused_until, now() + seconds)

    def is_useless_beside(self, other: "Target") -> bool:
        """Whether calls break here, or bring nothing for longer than they hang where others serve.

        Where all calls wait here, nobody is left to show that the other one serves.
        """
        if other.is_serving and self._broken >= TELLING:
            return True
        return (other.is_serving or other.is_free) and self._is_silent_beside(other)

    def _is_silent_beside(self, other: "Target") -> bool:
        if len(self._waits) < TELLING:
            return False
        last_of_few = next(itertools.islice(self._waits.values(), TELLING - 1, None))
        return other.pacer.is_late(max(last_of_few, self._heard_at))

    @asynccontextmanager
    async def answering(self) -> AsyncIterator[None]:
        """Wait for an answer as long as others have not given this endpoint up.

        Raises:
            Fault: Where they have.
        """
        wait = asyncio.timeout(None)
        self._waits[wait] = now()
        try:
            async with wait:
                yield
        except TimeoutError as error:
            raise Fault("timeout", GIVEN_UP) from error
        finally:
            self._waits.pop(wait, None)

    def give_up(self) -> None:
        """Send no more calls there until it answers again, and those that wait for it elsewhere."""
        self.breaker.lose("calls break or bring nothing there, and are answered elsewhere")
        waits, self._waits = self._waits, {}
        for wait in waits:
            wait.reschedule(now())

    def come_back(self) -> None:
        """Send calls there again; a few in a row that break, and it is given up again."""
        self._heard_at = now()
        self._broken = TELLING // 2
        self.breaker.answered()

    def served(self, seconds: float) -> None:
        """Learn that a call was answered well, and how long that took."""
        self.served_at = self._heard_at = now()
        self._broken = 0
        self.pacer.answered(seconds)
        self.breaker.served()

    def learn(self, fault: Fault) -> None:
        """Learn how an attempt broke."""
        if fault.kind != "timeout":
            self._heard_at = now()
        self._broken += fault.kind not in NO_ROOM
        if fault.kind in WAS_REACHED:
            self.breaker.answered()
        else:
            self.breaker.failed(fault.detail)
        if self.breaker.is_down:
            self.pacer.forget()
        elif fault.kind in NO_ROOM:
            self.pacer.refused()


def now() -> float:
    """Return the event loop's time: seconds that never go back, and what all waits go by."""
    return asyncio.get_running_loop().time()
