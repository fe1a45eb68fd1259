"""One address that answers calls, with what was learned about it."""

import asyncio
import math
import random

from dragoman.models.wire.breaker import Breaker
from dragoman.models.wire.pacing import Pacer
from dragoman.models.wire.transport import Fault, Transport

NOT_REACHED = frozenset({"dns", "connect"})
NO_ROOM = frozenset({"rate_limited", "overloaded"})
WAS_REACHED = frozenset({"rate_limited", "malformed", "oversized"})
SPREAD_SECONDS = 0.05


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
        self.pacer = Pacer(now)
        self.breaker = Breaker(name, outage, now)
        self._paused_until = 0.0

    @property
    def has_served(self) -> bool:
        """Whether any call was answered well there."""
        return self.served_at > -math.inf

    @property
    def is_open(self) -> bool:
        """Whether a call may go there now, as far as room allows."""
        return not self.breaker.is_down and self._paused_until <= now()

    @property
    def pressure(self) -> float:
        """How many calls are there or wait for it, for each that it takes at a time."""
        return (self.pacer.holding + self.pacer.waiting) / self.pacer.limit

    async def ready(self) -> None:
        """Wait until it answers, and until what it asked for is over.

        Raises:
            RunHalted: Where it has not answered for too long.
        """
        await self.breaker.ready()
        left = self._paused_until - now()
        if left > 0:
            await asyncio.sleep(left + random.uniform(0, SPREAD_SECONDS))  # noqa: S311 - no secret

    def hold(self, seconds: float) -> None:
        """Let nothing more through for some seconds."""
        if seconds > 0:
            self._paused_until = max(self._paused_until, now() + seconds)

    def learn(self, fault: Fault) -> None:
        """Learn how an attempt broke."""
        if fault.kind in NO_ROOM:
            self.pacer.refused()
        if fault.kind in WAS_REACHED:
            self.breaker.answered()
        else:
            self.breaker.failed(fault.detail)


def now() -> float:
    """Return the event loop's time: seconds that never go back, and what all waits go by."""
    return asyncio.get_running_loop().time()
