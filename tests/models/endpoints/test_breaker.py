"""An endpoint that stops answering: calls wait, one tries now and then, and patience ends."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from itertools import pairwise
from typing import Any

import pytest

from dragoman.core.errors import RunHalted
from dragoman.models.endpoints.circuit_breaker import (
    FAILURES_IN_A_ROW,
    LONGEST_PAUSE,
    CircuitBreaker,
)

Run = Callable[[Coroutine[Any, Any, Any]], Any]


def now() -> float:
    return asyncio.get_running_loop().time()


def new_breaker(retry_for: float = 600) -> CircuitBreaker:
    return CircuitBreaker("http://here", retry_for, now)


def fail(breaker: CircuitBreaker, times: int = FAILURES_IN_A_ROW) -> None:
    for _ in range(times):
        breaker.failed("no connection (Connection refused)")


def test_an_endpoint_that_answers_is_ready_at_once(in_virtual_time: Run) -> None:
    async def go() -> float:
        breaker = new_breaker()
        fail(breaker, FAILURES_IN_A_ROW - 1)
        breaker.answered()
        fail(breaker, FAILURES_IN_A_ROW - 1)
        await breaker.ready()
        assert not breaker.is_down
        return now()

    assert in_virtual_time(go()) == 0


def test_the_tries_at_an_endpoint_that_is_down_become_rarer(in_virtual_time: Run) -> None:
    async def go() -> list[float]:
        breaker = new_breaker()
        fail(breaker)
        tries = []

        async def waits() -> None:
            while True:
                await breaker.ready()
                tries.append(now())
                breaker.failed("no connection")

        callers = [asyncio.create_task(waits()) for _ in range(40)]
        await asyncio.sleep(100)
        for caller in callers:
            caller.cancel()
        await asyncio.gather(*callers, return_exceptions=True)
        return tries

    tries = in_virtual_time(go())
    gaps = [round(later - earlier, 3) for earlier, later in pairwise(tries)]
    assert tries[0] == 0.5
    assert gaps == [1, 2, 4, 8, *[LONGEST_PAUSE] * 5]


def test_everybody_goes_on_as_soon_as_it_answers(in_virtual_time: Run) -> None:
    async def go() -> list[float]:
        breaker = new_breaker()
        fail(breaker)
        resumed = []

        async def waits() -> None:
            await breaker.ready()
            resumed.append(now())

        callers = [asyncio.create_task(waits()) for _ in range(50)]
        await asyncio.sleep(20.25)
        breaker.answered()
        await asyncio.gather(*callers)
        return resumed

    resumed = in_virtual_time(go())
    assert len(resumed) == 50
    assert [at for at in resumed if at > 15.5] == [20.25] * 45


def test_a_caller_that_gives_up_while_it_waits_holds_up_nobody(in_virtual_time: Run) -> None:
    async def go() -> float:
        breaker = new_breaker()
        fail(breaker)
        first = asyncio.create_task(breaker.ready())
        await asyncio.sleep(0.1)
        first.cancel()
        await breaker.ready()
        assert first.cancelled()
        return now()

    assert in_virtual_time(go()) == 0.5


def test_an_outage_and_its_end_are_told_once(
    in_virtual_time: Run, caplog: pytest.LogCaptureFixture
) -> None:
    async def go() -> None:
        breaker = new_breaker()
        fail(breaker, 100)
        await asyncio.sleep(42)
        breaker.answered()
        breaker.answered()

    with caplog.at_level(logging.WARNING):
        in_virtual_time(go())
    assert caplog.messages == [
        "http://here does not answer: no connection (Connection refused). Waiting for it.",
        "http://here answers again after 42 s",
    ]


@pytest.mark.parametrize(("retry_for", "reported"), [(600, "10 minutes"), (5, "[5-9] seconds")])
def test_patience_ends_the_run_for_everybody(
    in_virtual_time: Run, retry_for: float, reported: str
) -> None:
    async def go() -> list[object]:
        breaker = new_breaker(retry_for)
        breaker.answered()
        fail(breaker)

        async def waits() -> None:
            while True:
                await breaker.ready()
                breaker.failed("no connection")

        return await asyncio.gather(*(waits() for _ in range(5)), return_exceptions=True)

    ended = in_virtual_time(go())
    assert [type(one) for one in ended] == [RunHalted] * 5
    with pytest.raises(RunHalted, match=f"http://here has not answered for {reported}: .* resume"):
        raise ended[0]


def test_a_later_outage_has_its_own_patience(in_virtual_time: Run) -> None:
    async def go() -> float:
        breaker = new_breaker(60)
        for _ in range(3):
            fail(breaker)
            await asyncio.sleep(50)
            breaker.answered()
        fail(breaker)
        await breaker.ready()
        return now()

    assert in_virtual_time(go()) == 150.5


def test_an_endpoint_that_never_answered_is_taken_for_a_wrong_address(in_virtual_time: Run) -> None:
    async def go() -> None:
        breaker = new_breaker(3_600)
        fail(breaker)
        while now() < 1_000:
            await breaker.ready()
            breaker.failed("no address found for here")

    with pytest.raises(RunHalted, match="http://here has never answered: check the address"):
        in_virtual_time(go())
