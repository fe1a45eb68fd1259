"""Calls in flight: the limit adapts to the server, and no slot is lost or doubled."""

import asyncio
import random
import statistics
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.models.endpoints.adaptive_limit import FIRST_LIMIT
from dragoman.models.endpoints.concurrency_limiter import ConcurrencyLimiter

REFUSING_SECONDS = 0.05

Run = Callable[[Coroutine[Any, Any, Any]], Any]


def new_limiter() -> ConcurrencyLimiter:
    return ConcurrencyLimiter(asyncio.get_running_loop().time)


class Endpoint:
    """A simulated server with a concurrency limit that refuses other calls.

    It also refuses some calls at random.
    """

    def __init__(self, capacity: float = float("inf"), chance: float = 0.0) -> None:
        self._capacity = capacity
        self._chance = chance
        self._random = random.Random(7)  # noqa: S311 - a simulation
        self.under_way = self.peak = self.answered = 0

    async def answers(self, seconds: float) -> bool:
        if self.under_way >= self._capacity or self._random.random() < self._chance:
            await asyncio.sleep(REFUSING_SECONDS)
            return False
        self.under_way += 1
        self.peak = max(self.peak, self.under_way)
        try:
            await asyncio.sleep(seconds)
        finally:
            self.under_way -= 1
        self.answered += 1
        return True


async def call(limiter: ConcurrencyLimiter, endpoint: Endpoint, seconds: float = 1.0) -> None:
    """Make one call as the gate does: try again after a second without a free slot."""
    while True:
        slot = await limiter.enter()
        try:
            if await endpoint.answers(seconds):
                limiter.answered(seconds)
                return
            limiter.refused()
        finally:
            limiter.leave(slot)
        await asyncio.sleep(1)


async def many(
    limiter: ConcurrencyLimiter, endpoint: Endpoint, workers: int, each: int
) -> list[float]:
    """Make many calls of half a second to one and a half; return the limit after each."""
    draws = random.Random(11)  # noqa: S311 - a simulation
    limits: list[float] = []

    async def work() -> None:
        for _ in range(each):
            await call(limiter, endpoint, draws.uniform(0.5, 1.5))
            limits.append(limiter.limit)

    await asyncio.gather(*(work() for _ in range(workers)))
    return limits


def test_never_more_calls_than_the_limit_are_under_way(in_virtual_time: Run) -> None:
    async def go() -> None:
        limiter, endpoint = new_limiter(), Endpoint()
        calls = [asyncio.create_task(call(limiter, endpoint)) for _ in range(300)]
        while endpoint.answered < 300:
            assert endpoint.under_way <= int(limiter.limit)
            assert limiter.holding <= int(limiter.limit)
            await asyncio.sleep(0.1)
        await asyncio.gather(*calls)
        assert limiter.holding == 0

    in_virtual_time(go())


def test_a_slow_first_answer_is_not_taken_for_a_hanging_one(in_virtual_time: Run) -> None:
    async def go() -> None:
        limiter, endpoint = new_limiter(), Endpoint()
        calls = [asyncio.create_task(call(limiter, endpoint, 60)) for _ in range(100)]
        await asyncio.sleep(50)
        assert endpoint.under_way == FIRST_LIMIT
        await asyncio.gather(*calls)

    in_virtual_time(go())


def test_the_limit_grows_as_long_as_somebody_waits_and_is_served(in_virtual_time: Run) -> None:
    async def go() -> None:
        limiter, endpoint = new_limiter(), Endpoint()
        await many(limiter, endpoint, 500, 10)
        assert endpoint.peak == 500

    in_virtual_time(go())


def test_the_limit_stays_where_nobody_waits(in_virtual_time: Run) -> None:
    async def go() -> None:
        limiter = new_limiter()
        await many(limiter, Endpoint(), 4, 50)
        assert limiter.limit == FIRST_LIMIT

    in_virtual_time(go())


@pytest.mark.slow
@pytest.mark.parametrize("capacity", [1, 5, 40, 200])
@pytest.mark.nightly
def test_the_limit_finds_what_a_server_takes(in_virtual_time: Run, capacity: int) -> None:
    async def go() -> None:
        limiter, endpoint = new_limiter(), Endpoint(capacity)
        # A small server is found out by fewer calls.
        workers = 300 if capacity > FIRST_LIMIT else 60
        limits = await many(limiter, endpoint, workers, 10)
        assert endpoint.peak == capacity
        third = len(limits) // 3
        assert statistics.median(limits[third : 2 * third]) <= 1.5 * capacity + FIRST_LIMIT
        # Calls of one second each; the last calls no longer fill the server.
        ideal = len(limits) / capacity
        assert ideal <= asyncio.get_running_loop().time() <= ideal / 0.85 + 10

    in_virtual_time(go())


@pytest.mark.slow
@pytest.mark.parametrize("chance", [0.1, 0.3, 0.5])
def test_refusals_at_random_cost_hardly_more_than_their_share(
    in_virtual_time: Run, chance: float
) -> None:
    workers, first_minute, whole = 200, 60, 360

    async def go() -> None:
        limiter, endpoint = new_limiter(), Endpoint(chance=chance)

        async def work() -> None:
            while True:
                await call(limiter, endpoint)

        tasks = [asyncio.create_task(work()) for _ in range(workers)]
        await asyncio.sleep(first_minute)
        before = endpoint.answered
        await asyncio.sleep(whole - first_minute)
        rate = (endpoint.answered - before) / (whole - first_minute)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        # A call takes a second, and for every refusal a second and the refusal itself.
        ideal = workers / (1 + chance / (1 - chance) * (1 + REFUSING_SECONDS))
        assert 0.85 * ideal <= rate <= ideal * 1.05

    in_virtual_time(go())


def test_refusals_before_the_first_answer_are_no_measure_of_what_is_lost(
    in_virtual_time: Run,
) -> None:
    async def go() -> None:
        limiter, endpoint = new_limiter(), Endpoint(capacity=15, chance=0.5)

        async def work() -> None:
            while True:
                await call(limiter, endpoint, 3.0)

        tasks = [asyncio.create_task(work()) for _ in range(120)]
        for _ in range(4):
            # A server that refuses at once, while its first answers are under way.
            await asyncio.sleep(0.3)
            for _ in range(60):
                limiter.refused()
        await asyncio.sleep(100)
        before = endpoint.answered
        await asyncio.sleep(100)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        # Fifteen at a time, three seconds each.
        assert endpoint.answered - before > 0.8 * 15 * 100 / 3

    in_virtual_time(go())


def test_a_burst_of_refusals_counts_once(in_virtual_time: Run) -> None:
    async def go() -> None:
        limiter, endpoint = new_limiter(), Endpoint()
        await many(limiter, endpoint, 16, 5)
        before = limiter.limit
        for _ in range(100):
            limiter.refused()
        assert limiter.limit >= before * 0.7

    in_virtual_time(go())


def test_the_limit_never_falls_below_one(in_virtual_time: Run) -> None:
    async def go() -> None:
        limiter = new_limiter()
        for _ in range(1_000):
            slot = await limiter.enter()
            await asyncio.sleep(1)
            limiter.refused()
            limiter.leave(slot)
        assert limiter.limit == 1
        assert await asyncio.wait_for(limiter.enter(), 1)

    in_virtual_time(go())


@pytest.mark.parametrize(("usual", "held"), [(8.0, 8.0), (60.0, 15.0), (None, 1.0)])
def test_a_refused_call_holds_its_slot_as_long_as_an_answer_takes(
    in_virtual_time: Run, usual: float | None, held: float
) -> None:
    async def go() -> None:
        limiter = new_limiter()
        if usual is not None:
            limiter.answered(usual)
        slot = await limiter.enter()
        limiter.leave(slot, is_refused=True)
        await asyncio.sleep(held - 0.1)
        assert limiter.holding == 1
        await asyncio.sleep(0.2)
        assert limiter.holding == 0

    in_virtual_time(go())


def test_calls_that_hang_give_way(in_virtual_time: Run) -> None:
    async def go() -> None:
        limiter, endpoint = new_limiter(), Endpoint()
        await many(limiter, endpoint, 16, 3)
        hanging = [asyncio.create_task(call(limiter, endpoint, 10_000)) for _ in range(16)]
        await asyncio.sleep(0)
        await asyncio.wait_for(call(limiter, endpoint), 10)
        assert endpoint.under_way == 16
        for one in hanging:
            one.cancel()
        await asyncio.gather(*hanging, return_exceptions=True)
        assert limiter.holding == 0

    in_virtual_time(go())


def test_a_slot_given_to_a_call_that_is_cancelled_goes_to_the_next(in_virtual_time: Run) -> None:
    async def go() -> None:
        limiter = new_limiter()
        slots = [await limiter.enter() for _ in range(int(FIRST_LIMIT))]
        first, second = (asyncio.create_task(limiter.enter()) for _ in range(2))
        await asyncio.sleep(0)
        limiter.leave(slots.pop())
        first.cancel()
        await asyncio.wait_for(second, 0.001)
        assert first.cancelled()
        assert limiter.holding == FIRST_LIMIT

    in_virtual_time(go())


def test_those_who_gave_up_waiting_are_forgotten(in_virtual_time: Run) -> None:
    async def go() -> None:
        limiter = new_limiter()
        slots = [await limiter.enter() for _ in range(int(FIRST_LIMIT))]
        waiting = [asyncio.create_task(limiter.enter()) for _ in range(50)]
        await asyncio.sleep(0)
        for one in waiting:
            one.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        for slot in slots:
            limiter.answered(1.0)
            limiter.leave(slot)
        assert (limiter.holding, limiter.limit) == (0, FIRST_LIMIT)

    in_virtual_time(go())


@settings(max_examples=settings().max_examples // 5)
@given(
    st.lists(
        st.tuples(
            st.floats(0, 5, allow_nan=False),  # when it begins
            st.floats(0, 5, allow_nan=False),  # how long it takes
            st.none() | st.floats(0, 5, allow_nan=False),  # when it is cancelled
        ),
        min_size=20,
        max_size=80,
    )
)
def test_no_slot_is_lost_or_doubled_whatever_is_cancelled(
    in_virtual_time: Run, calls: list[tuple[float, float, float | None]]
) -> None:
    async def go() -> None:
        limiter, endpoint = new_limiter(), Endpoint(capacity=12)

        async def one(begin: float, seconds: float, cancelled: float | None) -> None:
            await asyncio.sleep(begin)
            try:
                await asyncio.wait_for(call(limiter, endpoint, seconds), cancelled)
            except TimeoutError:
                return

        await asyncio.gather(*(one(*each) for each in calls))
        assert limiter.holding == 0
        taken = [await asyncio.wait_for(limiter.enter(), 1) for _ in range(int(limiter.limit))]
        assert limiter.holding == len(taken)

    in_virtual_time(go())
