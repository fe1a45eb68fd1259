"""Event loop of runs: uvloop where it is available, with one-line error reports."""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from dragoman.core.errors import RunHalted, error_with_location

log = logging.getLogger(__name__)

T = TypeVar("T")


def run_event_loop(work: Coroutine[object, object, T]) -> T:
    """Run a coroutine as `asyncio.run` does, on uvloop if it is installed.

    uvloop does not exist on Windows.

    Raises:
        RunHalted: If a task of the user's own code ended the program.
    """
    try:
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            runner.get_loop().set_exception_handler(_log_task_error)
            return runner.run(work)
    except SystemExit as error:
        # A task of the user's own code raised it, and the loop cancelled all other tasks.
        raise RunHalted(
            f"the user's own code ended the program: {error_with_location(error)}"
        ) from error
    finally:  # the coroutine has not begun if Ctrl-C came while the loop was made
        work.close()


def _log_task_error(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log in one line the exception of a task that nothing awaits.

    The user's own code started such a task.
    """
    error = context.get("exception")
    if error is None:
        loop.default_exception_handler(context)
    else:
        log.warning("%s: %s", context["message"], error_with_location(error))


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:
        return None

    class ExactLoop(uvloop.Loop):
        """A libuv loop with an exact clock.

        libuv's own clock counts whole milliseconds, so that a quick answer would have a duration of
        0.
        """

        time = staticmethod(time.monotonic)

    return ExactLoop
