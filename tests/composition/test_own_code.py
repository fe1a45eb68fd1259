"""Exceptions of a user's own code are its failure; Ctrl-C and a cancellation are not."""

import asyncio
import signal
from collections.abc import Callable

import pytest

from dragoman.simulation.participant_errors import stops_run


class Odd(BaseException):
    """An exception that a library might derive directly from BaseException."""


OWN = [
    *(ValueError(), MemoryError(), RecursionError(), StopAsyncIteration(), OSError()),
    *(SystemExit(3), GeneratorExit(), asyncio.CancelledError(), Odd()),
    BaseExceptionGroup("", [Odd()]),
]


def caught(raising: Callable[[], object]) -> bool:
    """Return whether an exception of a function in a task would stop a run."""

    async def task() -> bool:
        try:
            raising()
        except BaseException as error:  # noqa: BLE001 - the point of it
            return stops_run(error)
        raise AssertionError("nothing was raised")

    return asyncio.run(task())


@pytest.mark.parametrize("error", [*OWN, KeyboardInterrupt()], ids=repr)
def test_whatever_own_code_raises_in_a_task_is_its_own(error: BaseException) -> None:
    def raising() -> None:
        raise error

    assert not caught(raising)


def test_a_persons_second_ctrl_c_stops_the_run() -> None:
    def interrupted() -> None:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        assert caught(interrupted)


def test_a_cancellation_of_the_run_stops_it() -> None:
    async def waiting() -> bool:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError as error:
            return stops_run(error)
        return False

    async def cancelled() -> bool:
        task = asyncio.create_task(waiting())
        await asyncio.sleep(0)
        task.cancel()
        return await task

    assert asyncio.run(cancelled())


def test_without_a_task_a_persons_ctrl_c_and_a_coroutine_let_go_stop_what_runs() -> None:
    assert stops_run(KeyboardInterrupt())
    assert stops_run(GeneratorExit())
    assert not stops_run(SystemExit())
