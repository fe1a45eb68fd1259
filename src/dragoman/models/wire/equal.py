"""Several endpoints that give the same answers: where the next call goes, and which is left out."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Collection
from typing import TypeVar

from dragoman.models.wire.target import Target
from dragoman.models.wire.transport import Fault, HttpResponse

PROBE_SECONDS = 15.0
"""How long an endpoint that was down may take to show that it answers again."""

LOOK_AGAIN = 1.0
"""Seconds after which calls that wait at one of several, for room or an answer, are looked after."""

WORKS_BELOW = 500
"""Statuses from here on say that an endpoint still does not work, whatever it was asked."""

T = TypeVar("T")
Probe = Callable[[Target], Awaitable[HttpResponse]]


class Equal:
    """Lets calls in where there is most room, and not where nobody answers.

    Args:
        endpoints: At least one.
    """

    def __init__(self, endpoints: Collection[Target]) -> None:
        self._all = tuple(endpoints)
        self._probes: dict[Target, asyncio.Task[None]] = {}
        self._timer: asyncio.TimerHandle | None = None

    @property
    def first(self) -> Target:
        """The only one, where there is one."""
        return self._all[0]

    def has_other(self, failed_at: Collection[Target]) -> bool:
        """Whether another one than those where a call failed takes calls now."""
        return len(self._all) > 1 and any(at.is_open for at in self._all if at not in failed_at)

    async def enter(
        self, purpose: str, failed_at: Collection[Target], probe: Probe | None
    ) -> tuple[Target, object]:
        """Wait for room and return where it is, with the slot to hand back to its pacer.

        Args:
            purpose: Whose call it is.
            failed_at: Where the call failed before: the others come first.
            probe: Asks one that is down whether it answers again.

        Raises:
            RunHalted: Where none of them has answered for too long.
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
                at.pacer.leave(slot)

    async def _slot(self, at: Target, purpose: str) -> object | None:
        """Wait for room, or where others may have some meanwhile, for a while: None where it took longer."""
        if len(self._all) == 1:
            return await at.pacer.enter(purpose)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LOOK_AGAIN):
                return await at.pacer.enter(purpose)
        return None

    def answered(self, at: Target, attempt: Awaitable[T]) -> Awaitable[T]:
        """Await an attempt; where others serve, none outlasts the endpoint that it waits for.

        Raises:
            Fault: Where it broke on the way.
        """
        return attempt if len(self._all) == 1 else self._watched(at, attempt)

    async def _watched(self, at: Target, attempt: Awaitable[T]) -> T:
        async with at.answering():
            self._look_later()
            return await attempt

    def _look_later(self) -> None:
        """Look for useless ones while calls wait, as there may be nobody who comes with another."""
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(LOOK_AGAIN, self._look)

    def _look(self) -> None:
        self._timer = None
        self._leave_out_useless()
        if any(at.is_asked for at in self._all):
            self._look_later()

    def _leave_out_useless(self) -> None:
        """Give up those where calls break or hang, as long as another one serves."""
        for at in self._all:
            others = (other for other in self._all if other is not at)
            if not at.breaker.is_down and any(map(at.is_useless_beside, others)):
                at.give_up()

    def _chosen(self, failed_at: Collection[Target]) -> Target:
        if len(self._all) == 1:
            return self.first
        taking = [at for at in self._all if at.is_open] or self._all
        return min(taking, key=lambda at: (at.is_full, at in failed_at, *_room(at)))

    def _look_for_lost(self, probe: Probe) -> None:
        """Ask those that are down and due, beside the calls that others answer meanwhile."""
        if not any(at.is_open for at in self._all):
            return
        for at in self._all:
            if at not in self._probes and at.breaker.takes_turn():
                self._probes[at] = asyncio.create_task(self._probed(at, probe))

    async def _probed(self, at: Target, probe: Probe) -> None:
        try:
            async with asyncio.timeout(PROBE_SECONDS):
                answer = await probe(at)
        except (Fault, TimeoutError):
            return
        finally:
            del self._probes[at]
        if answer.status < WORKS_BELOW:
            at.come_back()


def _room(at: Target) -> tuple[float, float]:
    return (at.breaker.next_try if at.breaker.is_down else 0.0, at.pressure)
