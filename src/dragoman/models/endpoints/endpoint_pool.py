"""Load balancing over replicas of an endpoint, with hedged requests (a slow one is sent twice).

Each endpoint has its own concurrency limiter and circuit breaker. A call goes to the endpoint with
the most free capacity. If a hedged call stays unanswered, it is sent a second time, and the first
answer is used.
"""

import asyncio
import contextlib
import itertools
import math
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from typing import TypeVar

from dragoman.core.usage import NO_ROOM
from dragoman.models.endpoints.circuit_breaker import CircuitBreaker
from dragoman.models.endpoints.concurrency_limiter import ConcurrencyLimiter
from dragoman.models.http.transport import HttpResponse, Transport, TransportError

NOT_REACHED = frozenset({"dns", "connect"})
WAS_REACHED = frozenset({"rate_limited", "malformed", "oversized"})
GIVEN_UP = "it has stopped answering"
"""Message of a call that was waiting at an endpoint without answers while others serve."""

SPREAD_SECONDS = 0.05
TELLING = 8
"""Number of failed or unanswered calls in a row after which an endpoint counts as broken."""


class Endpoint:
    """One endpoint with its transport, concurrency limiter and circuit breaker.

    Args:
        name: The endpoint's name in messages.
        transport: Transport of the requests.
        proxy: The address of a proxy, or None.
        outage: Seconds without an answer after which the run ends.
        url: Address of every call; "" if each call has its own.

    Attributes:
        served_at: Time of the last good answer.
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
        # Number of failed calls since the last good answer, and the time of the last sign of life.
        self._broken = 0
        self._heard_at = -math.inf
        # The time at which each call that waits for an answer began, oldest first.
        self._waits: dict[asyncio.Timeout, float] = {}
        self.limiter = ConcurrencyLimiter(loop_time)
        self.breaker = CircuitBreaker(name, outage, loop_time)
        self._paused_until = 0.0

    @property
    def has_served(self) -> bool:
        """Whether the endpoint has given a good answer."""
        return self.served_at > -math.inf

    @property
    def is_serving(self) -> bool:
        """Whether the endpoint currently gives good answers."""
        return not self.limiter.is_late(self.served_at)

    @property
    def is_free(self) -> bool:
        """Whether the endpoint has given good answers before and is idle."""
        return self.has_served and not self._waits and not self.breaker.is_down

    @property
    def is_asked(self) -> bool:
        """Whether calls wait for an answer of the endpoint."""
        return bool(self._waits)

    @property
    def is_open(self) -> bool:
        """Whether a call may be sent to the endpoint now if it has capacity."""
        return not self.breaker.is_down and self._paused_until <= loop_time()

    @property
    def pressure(self) -> float:
        """Number of calls that are in flight or waiting, divided by the limit."""
        return (self.limiter.holding + self.limiter.waiting) / self.limiter.limit

    @property
    def is_full(self) -> bool:
        """Whether a call would have to wait for a slot."""
        return self.pressure >= 1

    async def ready(self) -> None:
        """Wait until the endpoint is up and the pause that it asked for has ended.

        Raises:
            RunHalted: If the endpoint has not answered for too long.
        """
        if self.breaker.is_down:
            await self.breaker.ready()
        if self._paused_until and (left := self._paused_until - loop_time()) > 0:
            await asyncio.sleep(left + random.uniform(0, SPREAD_SECONDS))  # noqa: S311 - no secret

    def hold(self, seconds: float) -> None:
        """Pause the endpoint for some seconds."""
        if seconds > 0:
            self._paused_until = max(self._paused_until, loop_time() + seconds)

    def is_useless_beside(self, other: "Endpoint") -> bool:
        """Return whether calls fail or hang here while the other endpoint serves.

        If all calls wait here, the other endpoint is idle: then it suffices that it served before.
        """
        if other.is_serving and self._broken >= TELLING:
            return True
        return (other.is_serving or other.is_free) and self._is_silent_beside(other)

    def _is_silent_beside(self, other: "Endpoint") -> bool:
        if len(self._waits) < TELLING:
            return False
        last_of_few = next(itertools.islice(self._waits.values(), TELLING - 1, None))
        return other.limiter.is_late(max(last_of_few, self._heard_at))

    @asynccontextmanager
    async def answering(self) -> AsyncIterator[None]:
        """Wait for an answer until the pool gives this endpoint up.

        Raises:
            TransportError: If the pool has given the endpoint up.
        """
        wait = asyncio.timeout(None)
        self._waits[wait] = loop_time()
        try:
            async with wait:
                yield
        except TimeoutError as error:
            raise TransportError("timeout", GIVEN_UP) from error
        finally:
            self._waits.pop(wait, None)

    def give_up(self) -> None:
        """Mark the endpoint as down, and end the waits of its calls.

        The calls are then sent to other endpoints.
        """
        self.breaker.lose("calls break or bring nothing there, and are answered elsewhere")
        waits, self._waits = self._waits, {}
        for wait in waits:
            wait.reschedule(loop_time())

    def come_back(self) -> None:
        """Use the endpoint again; a few failures in a row are then enough to give it up again."""
        self._heard_at = loop_time()
        self._broken = TELLING // 2
        self.breaker.answered()

    def served(self, seconds: float) -> None:
        """Record a good answer and its duration."""
        self.served_at = self._heard_at = loop_time()
        self._broken = 0
        self.limiter.answered(seconds)
        self.breaker.served()

    def learn(self, fault: TransportError) -> None:
        """Record a failed attempt."""
        if fault.kind != "timeout":
            self._heard_at = loop_time()
        self._broken += fault.kind not in NO_ROOM
        if fault.kind in WAS_REACHED:
            self.breaker.answered()
        else:
            self.breaker.failed(fault.detail)
        if self.breaker.is_down:
            self.limiter.forget()
        elif fault.kind in NO_ROOM:
            self.limiter.refused()


def loop_time() -> float:
    """Return the event loop's time: seconds that never go back; all waits use it."""
    return asyncio.get_running_loop().time()


PROBE_SECONDS = 15.0
"""Longest answer to a probe of an endpoint that was down, in seconds."""

LOOK_AGAIN = 1.0
"""Seconds after which waiting calls at one of several endpoints are checked again.

They wait for room or for an answer.
"""

WORKS_BELOW = 500
"""Statuses from here on mean that an endpoint is still broken, whatever the request was."""

T = TypeVar("T")
Probe = Callable[[Endpoint], Awaitable[HttpResponse]]


class EndpointPool:
    """Distributes calls over endpoints by free capacity, and avoids endpoints that do not answer.

    Args:
        endpoints: At least one endpoint.
    """

    def __init__(self, endpoints: Collection[Endpoint]) -> None:
        self._all = tuple(endpoints)
        self._probes: dict[Endpoint, asyncio.Task[None]] = {}
        self._timer: asyncio.TimerHandle | None = None

    @property
    def first(self) -> Endpoint:
        """The first endpoint, which may be the only one."""
        return self._all[0]

    def has_other(self, failed_at: Collection[Endpoint]) -> bool:
        """Return whether an endpoint at which the call has not failed accepts calls now."""
        return len(self._all) > 1 and any(at.is_open for at in self._all if at not in failed_at)

    async def enter(
        self, purpose: str, failed_at: Collection[Endpoint], probe: Probe | None
    ) -> tuple[Endpoint, object]:
        """Wait for a free slot; return its endpoint and the slot, which goes back to the limiter.

        Args:
            purpose: Purpose of the call.
            failed_at: Endpoints at which the call failed before; other endpoints are preferred.
            probe: Function that asks an endpoint which is down whether it answers again.

        Raises:
            RunHalted: If the endpoint has not answered for too long.
        """
        while True:
            if len(self._all) > 1:
                self._leave_out_useless()
            at = self._chosen(failed_at)
            if probe is not None and len(self._all) > 1:
                self._look_for_lost(probe)
            await at.ready()
            slot = await self._slot(at, purpose)
            if slot is not None and (len(self._all) == 1 or at.is_open or not self.has_other({at})):
                return at, slot
            if slot is not None:
                at.limiter.leave(slot)

    async def _slot(self, at: Endpoint, purpose: str) -> object | None:
        """Wait for a slot at an endpoint.

        If the pool has other endpoints, the wait is limited; the result is None if it took longer.
        """
        if len(self._all) == 1:
            return await at.limiter.enter(purpose)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LOOK_AGAIN):
                return await at.limiter.enter(purpose)
        return None

    def answered(self, at: Endpoint, attempt: Awaitable[T]) -> Awaitable[T]:
        """Await an attempt; with several endpoints, the wait ends when its endpoint is given up.

        Raises:
            TransportError: If the transport failed.
        """
        return attempt if len(self._all) == 1 else self._watched(at, attempt)

    async def _watched(self, at: Endpoint, attempt: Awaitable[T]) -> T:
        async with at.answering():
            self._look_later()
            return await attempt

    def _look_later(self) -> None:
        """Check for broken endpoints while calls wait, as no further call may trigger the check."""
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(LOOK_AGAIN, self._look)

    def _look(self) -> None:
        self._timer = None
        self._leave_out_useless()
        if any(at.is_asked for at in self._all):
            self._look_later()

    def _leave_out_useless(self) -> None:
        """Give up endpoints at which calls fail or hang while another one serves."""
        for at in self._all:
            others = (other for other in self._all if other is not at)
            if not at.breaker.is_down and any(map(at.is_useless_beside, others)):
                at.give_up()

    def _chosen(self, failed_at: Collection[Endpoint]) -> Endpoint:
        if len(self._all) == 1:
            return self.first
        taking = [at for at in self._all if at.is_open] or self._all
        return min(taking, key=lambda at: (at.is_full, at in failed_at, *_room(at)))

    def _look_for_lost(self, probe: Probe) -> None:
        """Probe endpoints that are down and due, in parallel with the calls that others answer."""
        if not any(at.is_open for at in self._all):
            return
        for at in self._all:
            if at not in self._probes and at.breaker.takes_turn():
                self._probes[at] = asyncio.create_task(self._probed(at, probe))

    async def _probed(self, at: Endpoint, probe: Probe) -> None:
        try:
            async with asyncio.timeout(PROBE_SECONDS):
                answer = await probe(at)
        except (TransportError, TimeoutError):
            return
        finally:
            del self._probes[at]
        if answer.status < WORKS_BELOW:
            at.come_back()


def _room(at: Endpoint) -> tuple[float, float]:
    return (at.breaker.next_try if at.breaker.is_down else 0.0, at.pressure)


async def send_hedged(
    once: Callable[[], Awaitable[T]], is_due: Callable[[], float], on_second: Callable[[], None]
) -> T:
    """Return the first good result of one sending or two; if both fail, raise the first error.

    Args:
        once: Function that sends the call.
        is_due: Function that returns the seconds until the first sending has taken too long.
        on_second: Function that is called before the second sending.
    """
    sent: list[asyncio.Future[T]] = [asyncio.ensure_future(once())]
    try:
        while (left := is_due()) > 0 and not sent[0].done():
            await asyncio.wait(sent, timeout=left)
        if not sent[0].done():
            on_second()
            sent.append(asyncio.ensure_future(once()))
        return await _first_good(sent)
    finally:
        for each in sent:
            each.cancel()
        await asyncio.gather(*sent, return_exceptions=True)


async def _first_good(sent: list[asyncio.Future[T]]) -> T:
    waiting, broken = set(sent), []
    while waiting:
        done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for each in done:
            error = each.exception()
            if not isinstance(error, TransportError):
                return each.result()
            broken.append(error)
    raise broken[0]
