"""Progress reporting of steps, and their end on an interrupt by the user."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager

Advance = Callable[[int], None]
"""A callback that receives the number of items finished since the last call."""

Progress = Callable[[str, int | None], AbstractContextManager[Advance]]
"""A factory of context managers that report the progress of an activity.

It is called with a title and a total; the total is None if it is unknown.
"""


class StepStopped(KeyboardInterrupt):
    """The user interrupted a step.

    Its results so far are stored, and the same call continues with the rest.
    """


@contextmanager
def show_nothing(title: str, total: int | None) -> Iterator[Advance]:  # noqa: ARG001
    """Show no progress."""
    yield lambda _: None


@contextmanager
def stopping_here() -> Iterator[None]:
    """Raise StepStopped if the user interrupts the enclosed code."""
    try:
        yield
    except KeyboardInterrupt as error:
        raise StepStopped from error


def run_with_progress(
    title: str, total: int, work: Callable[[Advance], Awaitable[None]], progress: Progress
) -> None:
    """Run asynchronous work to its end, on a new event loop.

    Raises:
        StepStopped: If the user interrupts it.
    """

    async def run(advance: Advance) -> None:
        await work(advance)

    with stopping_here(), progress(title, total) as advance:
        asyncio.run(run(advance))


class ProgressInTurn(ExitStack):
    """Progress of several activities, reported one after the other."""

    def __init__(self, progress: Progress) -> None:
        super().__init__()
        self._progress = progress

    def begin(self, title: str, total: int) -> Advance:
        """End the last activity, begin the next one, and return its progress callback."""
        self.close()
        return self.enter_context(self._progress(title, total))
