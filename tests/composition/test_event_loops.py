"""The event loop of runs."""

import asyncio
import inspect
import itertools
import time

import pytest

from dragoman.config import event_loop
from dragoman.config.event_loop import run_event_loop


async def steps_of_the_clock() -> list[float]:
    """Return the differences between readings of the loop's clock, with some work between them."""
    now = asyncio.get_running_loop().time
    readings = []
    for _ in range(20):
        readings.append(now())
        began = time.perf_counter()
        while time.perf_counter() - began < 0.0001:
            pass
    return [after - before for before, after in itertools.pairwise(readings)]


def test_its_clock_goes_on_while_less_than_a_millisecond_passes() -> None:
    assert all(step > 0 for step in run_event_loop(steps_of_the_clock()))


def test_it_returns_what_is_returned() -> None:
    async def answer() -> int:
        return 42

    assert run_event_loop(answer()) == 42


def test_work_that_is_stopped_before_it_begins_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(event_loop, "_loop_factory", stopped)
    work = steps_of_the_clock()
    with pytest.raises(KeyboardInterrupt):
        run_event_loop(work)
    assert inspect.getcoroutinestate(work) == inspect.CORO_CLOSED
