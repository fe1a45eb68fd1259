"""The event loop that runs are played on."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import TypeVar

T = TypeVar("T")


def run_to_end(work: Coroutine[object, object, T]) -> T:
    """Run a coroutine as `asyncio.run` does, on libuv's loop where there is one: not on Windows."""
    try:
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            return runner.run(work)
    finally:  # it never began where Ctrl-C came while the loop was made
        work.close()


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:
        return None

    class ExactLoop(uvloop.Loop):
        """libuv's loop; its own clock goes in whole milliseconds, and a quick answer would take none."""

        time = staticmethod(time.monotonic)

    return ExactLoop
