"""Goodput of the gate with servers that do not state their limits, in virtual time."""

import asyncio
import math
import random
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, NamedTuple

import pytest

from dragoman.core.errors import ParticipantError
from dragoman.models.endpoints.endpoint_client import EndpointClient
from dragoman.models.endpoints.endpoint_pool import Endpoint, loop_time
from dragoman.models.http.transport import (
    CHAT_BYTES,
    CallContext,
    HttpResponse,
    MalformedResponse,
    RetryPolicy,
    TransportError,
)

Run = Callable[[Coroutine[Any, Any, Any]], Any]

pytestmark = pytest.mark.slow

WHO = CallContext("agent", "compatible/any")
NETWORK_SECONDS = 0.02
WARM, SECONDS = 60.0, 240.0
FINE = HttpResponse(200, {}, b"fine")
REFUSED = HttpResponse(429, {}, b"")


class Server(NamedTuple):
    """Limits and faults of a simulated server.

    `at_a_time` and `a_second` are its limits. The second one is counted over `over` seconds, or
    evenly if `over` is 0. `counts` means that refused calls count as well. Between the two moments
    of `away` the server cannot be reached, and between those of `closed` it refuses every call.
    """

    seconds: tuple[float, float] = (2.0, 4.0)
    at_a_time: float = math.inf
    a_second: float = math.inf
    over: float = 0.0
    counts: bool = True
    refused: float = 0.0
    broken: float = 0.0
    hanging: float = 0.0
    away: tuple[float, float] = (math.inf, math.inf)
    closed: tuple[float, float] = (math.inf, math.inf)

    @property
    def mean(self) -> float:
        return sum(self.seconds) / 2


class Simulated:
    """A transport to a server with random faults that never states a retry time."""

    def __init__(self, server: Server, seed: int) -> None:
        self._server, self._random = server, random.Random(seed)  # noqa: S311 - a simulation
        self._under_way = 0
        self._left, self._last = server.a_second, 0.0
        self._times: deque[float] = deque()
        self.asked = 0

    async def post(
        self,
        url: str,  # noqa: ARG002 - goes nowhere
        headers: Mapping[str, str],  # noqa: ARG002 - goes nowhere
        body: bytes,  # noqa: ARG002 - goes nowhere
        proxy: str | None = None,  # noqa: ARG002 - goes nowhere
        most_bytes: int = CHAT_BYTES,  # noqa: ARG002 - goes nowhere
    ) -> HttpResponse:
        await asyncio.sleep(NETWORK_SECONDS)
        self.asked += 1
        if self._server.away[0] <= loop_time() < self._server.away[1]:
            raise TransportError("connect", "no connection (Connection refused)")
        if self._server.closed[0] <= loop_time() < self._server.closed[1]:
            return REFUSED
        if self._under_way >= self._server.at_a_time or not self._is_in_time():
            return REFUSED
        self._under_way += 1
        try:
            return await self._answer()
        finally:
            self._under_way -= 1

    async def close(self) -> None:
        """Nothing to release."""

    def _is_in_time(self) -> bool:
        server = self._server
        if math.isinf(server.a_second):
            return True
        if server.over:
            while self._times and self._times[0] <= loop_time() - server.over:
                self._times.popleft()
            is_let_in = len(self._times) < server.a_second * server.over
            if is_let_in or server.counts:
                self._times.append(loop_time())
            return is_let_in
        filled = self._left + (loop_time() - self._last) * server.a_second
        self._left, self._last = min(server.a_second, filled), loop_time()
        is_let_in = self._left >= 1
        if is_let_in or server.counts:
            self._left = max(0.0, self._left - 1)
        return is_let_in

    async def _answer(self) -> HttpResponse:
        server, drawn = self._server, self._random.random()
        if drawn < server.refused:
            return REFUSED
        if drawn < server.refused + server.broken:
            return HttpResponse(500, {}, b"")
        if drawn < server.refused + server.broken + server.hanging:
            await asyncio.sleep(60)
            raise TransportError("timeout", "no answer in time")
        await asyncio.sleep(self._random.uniform(*server.seconds))
        return FINE


class Played(NamedTuple):
    """Answers per second after the first minute and in all, and calls per answer."""

    later: float
    whole: float
    asked: float


async def played(callers: int, *servers: Server, seed: int = 1) -> Played:
    """Let callers ask through the gate, one call after the other each, for four minutes."""
    random.seed(seed)
    transports = [Simulated(server, seed + place) for place, server in enumerate(servers)]
    targets = [Endpoint(f"http://{place}", each, url="u") for place, each in enumerate(transports)]
    client = EndpointClient("here", targets, (), RetryPolicy())
    answers: list[float] = []

    async def work() -> None:
        while True:
            try:
                await client.send("u", {}, b"{}", read, WHO)
            except ParticipantError:
                continue
            answers.append(loop_time())

    tasks = [asyncio.ensure_future(work()) for _ in range(callers)]
    await asyncio.sleep(SECONDS)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    later = sum(moment >= WARM for moment in answers) / (SECONDS - WARM)
    asked = sum(each.asked for each in transports) / len(answers)
    return Played(later, len(answers) / SECONDS, asked)


def read(body: bytes) -> bytes:
    if body != FINE.body:
        raise MalformedResponse("no answer")
    return body


QUICK, USUAL = (0.1, 0.3), (0.5, 1.5)
BROKEN = {"refused": 0.5, "broken": 0.05, "hanging": 0.005}


@pytest.mark.parametrize(
    ("server", "share"),
    [
        (Server(at_a_time=20), 0.9),
        (Server(at_a_time=20, refused=0.5), 0.9),
        (Server(USUAL, at_a_time=5, refused=0.5), 0.9),
        (Server(USUAL, at_a_time=100, refused=0.3), 0.9),
        (Server((3.0, 5.0), at_a_time=8), 0.9),
    ],
)
def test_a_server_that_takes_so_many_at_a_time_is_kept_busy(
    in_virtual_time: Run, server: Server, share: float
) -> None:
    got = in_virtual_time(played(180, server))
    assert got.later >= share * server.at_a_time / server.mean


@pytest.mark.parametrize("callers", [120, 400])
def test_many_callers_are_served_where_there_is_no_limit_and_half_is_refused(
    in_virtual_time: Run, callers: int
) -> None:
    server = Server(refused=0.5, broken=0.05, hanging=0.002)
    got = in_virtual_time(played(callers, server))
    # Of a thousand attempts 443 are answered, 555 break at once and two hang for a minute.
    each = server.mean + (0.555 * (0.25 + NETWORK_SECONDS) + 0.002 * 60) / 0.443
    assert got.later >= 0.9 * callers / each
    assert got.asked < 2.5


@pytest.mark.parametrize(
    ("server", "share"),
    [
        (Server(a_second=12.0), 0.85),
        (Server(QUICK, a_second=30.0), 0.85),
        (Server(USUAL, a_second=20.0, over=10.0), 0.6),
        (Server(a_second=12.0, refused=0.2), 0.75),
    ],
)
def test_a_server_that_counts_what_it_refuses_is_not_hammered(
    in_virtual_time: Run, server: Server, share: float
) -> None:
    got = in_virtual_time(played(120, server))
    assert got.later >= share * server.a_second * (1 - server.refused)
    assert got.asked < 2.5


def test_a_server_that_does_not_count_what_it_refuses_gives_all_that_it_can(
    in_virtual_time: Run,
) -> None:
    got = in_virtual_time(played(120, Server(USUAL, a_second=5.0, counts=False)))
    assert got.later >= 0.95 * 5


@pytest.mark.parametrize(
    "server", [Server(at_a_time=20, refused=0.5), Server(a_second=12.0)], ids=["random", "counting"]
)
def test_a_server_that_was_closed_for_a_while_is_kept_busy_again(
    in_virtual_time: Run, server: Server
) -> None:
    got = in_virtual_time(played(120, server._replace(closed=(20.0, 50.0))))
    assert got.later >= 0.8 * min(server.a_second, server.at_a_time / server.mean)


def test_of_two_that_count_what_they_refuse_the_one_that_is_left_serves_what_it_can(
    in_virtual_time: Run,
) -> None:
    dying = Server(a_second=12.0, away=(60.0, math.inf))
    got = in_virtual_time(played(120, Server(a_second=12.0), dying))
    assert got.later >= 0.85 * 12
