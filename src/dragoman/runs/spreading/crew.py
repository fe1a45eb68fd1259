"""A crew of workers that do items of one work, wherever they are; one that dies is replaced.

What a dead worker had under way is done by the others. Results are what `do` returns, so that whoever
asked stores them: an item that was moved is answered once.
"""

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Protocol

import msgspec

from dragoman.core.errors import DragomanError, RunHalted

Do = Callable[[bytes], Awaitable[bytes]]
"""Does one item; as many may be under way as are asked for."""

MAX_MOVES = 3
"""An item under which so many workers died is given up."""

MAX_DEATHS = 5
"""So many deaths in a row, with nothing done between them, end the run."""


class Work(msgspec.Struct, frozen=True):
    """What workers open to do items, as data.

    Attributes:
        opener: `module:function`; called with `given` it returns an asynchronous context manager that
            yields `Do`.
        given: What it is called with.
        path: Where modules are found, as this process finds them.
    """

    opener: str
    given: bytes
    path: tuple[str, ...] = ()


class WorkerBrokeError(DragomanError):
    """An item that its worker could not answer; its text says why."""


class KilledWorkersError(DragomanError):
    """An item over which several workers died."""


class LostWorker(Exception):  # noqa: N818 - tells the crew of a worker that is gone, and never leaves it
    """A worker that is gone with what it had under way."""


class Member(Protocol):
    """One worker."""

    async def begin(self, work: Work) -> None:
        """Return when it is ready.

        Raises:
            UsageError: Where the work cannot be opened there.
            LostWorker: Where it died before.
        """
        ...

    async def do(self, item: bytes) -> bytes:
        """Return the answer to an item.

        Raises:
            WorkerBrokeError: Where the item broke.
            LostWorker: Where the worker died.
        """
        ...

    async def end(self) -> None:
        """Stop it, whatever it does."""
        ...


class Crew:
    """Workers with what each has under way.

    Args:
        hire: Returns a new worker that has not begun.
        work: What they do.
    """

    def __init__(self, hire: Callable[[], Member], work: Work) -> None:
        self._hire = hire
        self._work = work
        self._busy: dict[Member, int] = {}
        self._ready = asyncio.Condition()
        self._deaths = 0
        self._failure: Exception | None = None
        self._hiring: set[asyncio.Task[None]] = set()

    async def open(self, count: int) -> None:
        """Begin with so many workers; return when the first is ready.

        Raises:
            DragomanError: Where none can do the work.
        """
        for _ in range(count):
            self._replace()
        await self._free()

    async def do(self, item: bytes) -> bytes:
        """Have an item done by whoever has least to do, and by another where that one dies.

        Raises:
            WorkerBrokeError: Where the item broke.
            KilledWorkersError: Where several workers died over it.
            RunHalted: Where workers die and do nothing.
        """
        for _ in range(MAX_MOVES):
            member = await self._free()
            self._busy[member] += 1
            try:
                answer = await member.do(item)
            except LostWorker:
                await self._buried(member)
                continue
            finally:
                if member in self._busy:
                    self._busy[member] -= 1
            self._deaths = 0
            return answer
        raise KilledWorkersError(f"{MAX_MOVES} worker processes died while they played it")

    async def close(self) -> None:
        """Stop all workers."""
        for task in self._hiring:
            task.cancel()
        await asyncio.gather(*self._hiring, return_exceptions=True)
        await asyncio.gather(*(member.end() for member in self._busy))
        self._busy.clear()

    async def _free(self) -> Member:
        async with self._ready:
            await self._ready.wait_for(lambda: self._busy or self._failure is not None)
        if self._failure is not None:
            raise self._failure
        return min(self._busy, key=self._busy.__getitem__)

    async def _buried(self, member: Member) -> None:
        if self._busy.pop(member, None) is None:
            return
        await member.end()
        self._deaths += 1
        self._replace()

    def _replace(self) -> None:
        task = asyncio.create_task(self._hired())
        self._hiring.add(task)
        task.add_done_callback(self._hiring.discard)

    async def _hired(self) -> None:
        while self._deaths < MAX_DEATHS:
            member, failure = self._hire(), None
            is_kept = False
            try:
                await member.begin(self._work)
                is_kept = True
            except LostWorker:
                self._deaths += 1
                continue
            except DragomanError as error:
                failure = error
            finally:
                if not is_kept:
                    await member.end()
            await self._tell(member if is_kept else None, failure)
            return
        why = f"{MAX_DEATHS} workers died one after another and did nothing"
        await self._tell(None, RunHalted(f"{why}: what is finished is stored, resume the run"))

    async def _tell(self, member: Member | None, failure: Exception | None) -> None:
        async with self._ready:
            if member is not None:
                self._busy[member] = 0
            self._failure = self._failure or failure
            self._ready.notify_all()


@asynccontextmanager
async def crew_of(count: int, hire: Callable[[], Member], work: Work) -> AsyncIterator[Do]:
    """Open a crew of so many workers and return what has items done by them."""
    crew = Crew(hire, work)
    try:
        await crew.open(count)
        yield crew.do
    finally:
        await crew.close()


class UnderWay:
    """Numbers for what is under way, and whoever waits for each answer."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[bytes]] = {}
        self._is_lost = False

    def expect(self) -> tuple[int, "asyncio.Future[bytes]"]:
        """Return a number and what its answer comes by.

        Raises:
            LostWorker: Where nothing will come any more.
        """
        if self._is_lost:
            raise LostWorker
        number = next(self._numbers)
        future = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        return number, future

    def forget(self, number: int) -> None:
        """Wait no more for an answer."""
        self._waiting.pop(number, None)

    def answered(self, number: int, content: bytes) -> None:
        """Hand an answer to whoever waits."""
        future = self._waiting.pop(number, None)
        if future is not None and not future.done():
            future.set_result(content)

    def broke(self, number: int, error: Exception) -> None:
        """Tell whoever waits that there is no answer."""
        future = self._waiting.pop(number, None)
        if future is not None and not future.done():
            future.set_exception(error)

    def lose(self) -> None:
        """Tell all who wait that nothing will come."""
        self._is_lost = True
        for number in tuple(self._waiting):
            with contextlib.suppress(asyncio.InvalidStateError):
                self.broke(number, LostWorker())
