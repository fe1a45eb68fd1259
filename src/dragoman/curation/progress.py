"""How steps tell how far they are, and how they end where a person stops them."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager

Advance = Callable[[int], None]
"""Is told how many more are done."""

Progress = Callable[[str, int | None], AbstractContextManager[Advance]]
"""A factory of context managers that report the progress of an activity.

It is called with a title and a total; the total is None if it is unknown.
"""


class StepStopped(KeyboardInterrupt):
    """A person stopped a step: what it did is stored, and the same call goes on with the rest."""


@contextmanager
def show_nothing(title: str, total: int | None) -> Iterator[Advance]:  # noqa: ARG001
    """Show no progress."""
    yield lambda _: None


@contextmanager
def stopping_here() -> Iterator[None]:
    """Raise StepStopped where a person stops what goes on inside."""
    try:
        yield
    except KeyboardInterrupt as error:
        raise StepStopped from error


def run_with_progress(
    title: str, total: int, work: Callable[[Advance], Awaitable[None]], progress: Progress
) -> None:
    """Run one piece of work to its end, on an event loop of its own.

    Raises:
        StepStopped: Where a person stops it.
    """

    async def run(advance: Advance) -> None:
        await work(advance)

    with stopping_here(), progress(title, total) as advance:
        asyncio.run(run(advance))


class ProgressInTurn(ExitStack):
    """Shows the progress of several things, one after the other."""

    def __init__(self, progress: Progress) -> None:
        super().__init__()
        self._progress = progress

    def begin(self, title: str, total: int) -> Advance:
        """End the last one and begin the next; return what is told how many more are done."""
        self.close()
        return self.enter_context(self._progress(title, total))
