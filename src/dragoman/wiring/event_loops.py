"""The event loop that runs are played on."""

import asyncio
from collections.abc import Coroutine
from typing import TypeVar

T = TypeVar("T")


def run_to_end(work: Coroutine[object, object, T]) -> T:
    """Run a coroutine as `asyncio.run` does, on libuv's loop where there is one: not on Windows."""
    try:
        from uvloop import new_event_loop
    except ImportError:
        return asyncio.run(work)
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(work)
