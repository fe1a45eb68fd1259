"""Classification of exceptions: an agent's or user's own error, infrastructure, or Ctrl-C.

A user's code may raise anything, including exceptions that Python reserves: `GeneratorExit`,
`SystemExit`, `KeyboardInterrupt`, `CancelledError`. All of these are failures of that code. Ctrl-C
of a person and cancellation of the run are not, though they pass through it.
"""

import asyncio
import signal
import threading
import traceback

from dragoman.core.errors import CodeError, ParticipantError, error_with_location


def participant_error(who: str, error: BaseException) -> ParticipantError:
    """Return the failure of a participant whose code raised, in one line.

    A failed connection is infrastructure, also if a client wrapped it in an error of its own; all
    other errors must be fixed in the code.
    """
    kind = ParticipantError if _is_connection(error) else CodeError
    return kind(f"{who} raised {error_with_location(error)}")


def _is_connection(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ConnectionError | TimeoutError):
            return True
        error = error.__cause__
    return False


def stops_run(error: BaseException) -> bool:
    """Return whether an exception that came out of a user's code must stop the run.

    Args:
        error: The exception, caught in the task that ran the code.
    """
    if isinstance(error, Exception):
        return False
    task = _current_task()
    if isinstance(error, asyncio.CancelledError):
        return task is None or task.cancelling() > 0
    if isinstance(error, GeneratorExit):
        # Without a task it is the interpreter that lets go of a coroutine.
        return task is None
    if isinstance(error, KeyboardInterrupt):
        return _is_typed(error, task)
    return False


def _is_typed(error: KeyboardInterrupt, task: asyncio.Task[object] | None) -> bool:
    """Return whether a person pressed Ctrl-C; an unclear case counts as a person."""
    if threading.current_thread() is not threading.main_thread():
        return False
    # An event loop answers the first Ctrl-C with a cancellation, and raises at the second.
    if task is None or signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        return True
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return task.cancelling() > 0 or (
        bool(frames) and frames[-1].f_code.co_filename == asyncio.runners.__file__
    )


def _current_task() -> asyncio.Task[object] | None:
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None
