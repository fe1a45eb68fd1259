"""Several endpoints behind one gate: load is spread, and failed ones are skipped."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

import pytest

from dragoman.models.endpoints.endpoint_client import HEDGED, EndpointClient, EndpointPacing
from dragoman.models.endpoints.endpoint_pool import Endpoint, loop_time
from dragoman.models.endpoints.rate_limit import RateLimiter
from dragoman.models.http.transport import (
    CHAT_BYTES,
    Attempts,
    CallContext,
    HttpResponse,
    MalformedResponse,
    RetryPolicy,
    TransportError,
)

Run = Callable[[Coroutine[Any, Any, Any]], Any]
WHO = CallContext("agent", "compatible/any")
FINE = HttpResponse(200, {}, b"fine")


class Serving:
    """A transport whose endpoint takes so long, and is away between two moments."""

    def __init__(self, seconds: float = 1.0, away: tuple[float, float] = (-1.0, -1.0)) -> None:
        self._seconds, self._away = seconds, away
        self.bodies: list[bytes] = []
        self.urls: set[str] = set()

    async def post(
        self,
        url: str,
        headers: Mapping[str, str],  # noqa: ARG002 - goes nowhere
        body: bytes,
        proxy: str | None = None,  # noqa: ARG002 - goes nowhere
        most_bytes: int = CHAT_BYTES,  # noqa: ARG002 - goes nowhere
    ) -> HttpResponse:
        self.urls.add(url)
        if self._away[0] <= loop_time() < self._away[1]:
            raise TransportError("connect", "no connection (Connection refused)")
        self.bodies.append(body)
        await asyncio.sleep(self._seconds)
        return FINE

    async def close(self) -> None:
        """Nothing to release."""


def client_to(*transports: Serving, pace: EndpointPacing | None = None) -> EndpointClient:
    endpoints = [
        Endpoint(f"http://{place}", each, url=f"http://{place}/v1" if len(transports) > 1 else "")
        for place, each in enumerate(transports)
    ]
    return EndpointClient("here", endpoints, (), RetryPolicy(outage=60.0), pace or EndpointPacing())


async def send(
    client: EndpointClient, body: bytes = b"hello", call_context: CallContext = WHO
) -> Attempts:
    return (await client.send("http://given/v1", {}, body, bytes, call_context))[1]


def test_calls_are_spread_over_equal_endpoints(in_virtual_time: Run) -> None:
    servers = Serving(), Serving(), Serving()

    async def go() -> None:
        client = client_to(*servers)
        await asyncio.gather(*(send(client) for _ in range(30)))

    in_virtual_time(go())
    assert [len(server.bodies) for server in servers] == [10, 10, 10]
    assert [server.urls for server in servers] == [
        {"http://0/v1"},
        {"http://1/v1"},
        {"http://2/v1"},
    ]


def test_the_only_endpoint_is_asked_where_the_call_says(in_virtual_time: Run) -> None:
    server = Serving()
    in_virtual_time(send(client_to(server)))
    assert server.urls == {"http://given/v1"}


def test_a_call_that_broke_is_sent_to_another_at_once(in_virtual_time: Run) -> None:
    servers = Serving(away=(0.0, 1e9)), Serving(seconds=2.0)

    async def go() -> tuple[float, Attempts]:
        began, attempts = loop_time(), await send(client_to(*servers))
        return loop_time() - began, attempts

    seconds, attempts = in_virtual_time(go())
    assert (seconds, attempts.faults) == (2.0, {"connect": 1})


def test_one_that_is_down_is_left_out_and_asked_again_when_it_is_back(
    in_virtual_time: Run,
) -> None:
    lost, other = Serving(away=(0.0, 100.0)), Serving()

    async def go() -> tuple[int, int, float]:
        client = client_to(lost, other)
        faults = 0
        for _ in range(50):
            done = await asyncio.gather(*(send(client) for _ in range(8)))
            faults += sum(attempts.faults.get("connect", 0) for attempts in done)
        while not any(body == b"hello" for body in lost.bodies):
            await asyncio.gather(*(send(client) for _ in range(8)))
        return faults, len(other.bodies), loop_time()

    faults, answered, back = in_virtual_time(go())
    assert faults == 8, "calls go on failing there"
    assert answered >= 400
    assert 100 < back < 140


class Dying(Serving):
    """A transport whose endpoint breaks in some way between two moments, for any request."""

    def __init__(self, broken: HttpResponse | None, away: tuple[float, float]) -> None:
        super().__init__(seconds=1.0)
        self._broken, self._between = broken, away
        self.answered: list[float] = []

    async def post(
        self,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
        proxy: str | None = None,
        most_bytes: int = CHAT_BYTES,
    ) -> HttpResponse:
        is_away = self._between[0] <= loop_time() < self._between[1]
        if is_away and self._broken is None:
            await asyncio.sleep(300)
            raise TransportError("timeout", "no answer in time")
        if is_away and self._broken is not None:
            return self._broken
        answer = await super().post(url, headers, body, proxy, most_bytes)
        self.answered.append(loop_time())
        return answer


def whole(body: bytes) -> bytes:
    if body != FINE.body:
        raise MalformedResponse("no answer")
    return body


@pytest.mark.parametrize(
    "broken",
    [
        None,
        HttpResponse(500, {}, b"oh"),
        HttpResponse(200, {}, b"<html>"),
    ],
    ids=["hangs", "status 500", "malformed"],
)
def test_one_that_breaks_or_hangs_is_left_out_and_used_again(
    in_virtual_time: Run, broken: HttpResponse | None
) -> None:
    dying, other = Dying(broken, (30.0, 60.0)), Dying(None, (-1.0, -1.0))

    async def go() -> None:
        client = client_to(dying, other)

        async def work() -> None:
            while loop_time() < 110:
                await client.send("http://given/v1", {}, b"hello", whole, WHO)

        await asyncio.gather(*(work() for _ in range(16)))

    def answers(server: Dying, begin: float, end: float) -> int:
        return sum(begin <= moment < end for moment in server.answered)

    in_virtual_time(go())
    # Sixteen calls of a second each, over two endpoints, and then all of them at the other one.
    assert answers(dying, 0, 30) + answers(other, 0, 30) >= 30 * 16 * 0.9
    assert answers(other, 40, 60) >= 20 * 16 * 0.9
    assert answers(dying, 80, 110) >= 30 * 4
    assert answers(dying, 80, 110) + answers(other, 80, 110) >= 30 * 16 * 0.9


def test_calls_that_all_wait_at_one_that_hangs_go_to_the_other(in_virtual_time: Run) -> None:
    hangs, refuses = Dying(None, (30.0, 60.0)), Dying(HttpResponse(429, {}, b""), (30.0, 31.0))

    async def go() -> None:
        client = client_to(hangs, refuses)

        async def work() -> None:
            while loop_time() < 60:
                await client.send("http://given/v1", {}, b"hello", whole, WHO)

        await asyncio.gather(*(work() for _ in range(16)))

    in_virtual_time(go())
    # Calls that were refused in that second wait at the endpoint that hangs, and no others come.
    assert sum(40 <= moment < 60 for moment in refuses.answered) >= 20 * 16 * 0.9


def test_who_waits_for_room_at_one_goes_where_room_is(in_virtual_time: Run) -> None:
    slow, quick = Serving(seconds=1_000.0), Serving(seconds=1.0)

    async def go() -> float:
        client = client_to(slow, quick)
        calls = [asyncio.create_task(send(client)) for _ in range(80)]
        done = 0
        while done < 60:
            await asyncio.sleep(1)
            done = sum(call.done() for call in calls)
        seconds = loop_time()
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        return seconds

    assert in_virtual_time(go()) < 30


def test_a_call_without_an_answer_is_sent_once_more_and_the_first_answer_counts(
    in_virtual_time: Run,
) -> None:
    slow, quick = Serving(seconds=60.0), Serving(seconds=2.0)

    async def go() -> tuple[float, Attempts]:
        client = client_to(slow, quick, pace=EndpointPacing(hedge_after=5.0))
        began, attempts = loop_time(), await send(client)
        return loop_time() - began, attempts

    seconds, attempts = in_virtual_time(go())
    assert (seconds, attempts.seconds, attempts.faults) == (7.0, 2.0, {HEDGED: 1})


def test_a_call_that_is_answered_in_time_is_sent_once(in_virtual_time: Run) -> None:
    server = Serving(seconds=2.0)
    attempts = in_virtual_time(send(client_to(server, pace=EndpointPacing(hedge_after=5.0))))
    assert (len(server.bodies), attempts.faults) == (1, {})


def test_what_may_be_asked_in_a_minute_is_kept(in_virtual_time: Run) -> None:
    server = Serving(seconds=0.0)

    async def go() -> float:
        client = client_to(server, pace=EndpointPacing(RateLimiter(60.0, None, loop_time)))
        began = loop_time()
        await asyncio.gather(*(send(client) for _ in range(63)))
        return loop_time() - began

    assert 59.9 < in_virtual_time(go()) < 60.2


def test_tokens_of_a_minute_are_learnt_from_what_answers_took(in_virtual_time: Run) -> None:
    server = Serving(seconds=0.0)

    async def go() -> float:
        client = client_to(server, pace=EndpointPacing(RateLimiter(None, 6_000.0, loop_time)))
        for _ in range(20):
            await send(client, b"x" * 100)
            client.settle(100, 100)
        began = loop_time()
        for _ in range(60):
            await send(client, b"x" * 100)
            client.settle(100, 100)
        return loop_time() - began

    assert 58 < in_virtual_time(go()) < 62


def test_a_slot_goes_to_whoever_holds_the_fewest(in_virtual_time: Run) -> None:
    server = Serving()

    async def go() -> float:
        client = client_to(server)
        judging = [
            asyncio.create_task(send(client, call_context=CallContext("judge", "any")))
            for _ in range(2_000)
        ]
        await asyncio.sleep(0.5)
        began = loop_time()
        await send(client)
        seconds = loop_time() - began
        await asyncio.gather(*judging)
        return seconds

    assert in_virtual_time(go()) < 3.0
