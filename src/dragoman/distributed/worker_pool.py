"""Worker pool: distributes items over workers and replaces workers that die or hang.

A worker hangs if it misses its heartbeat. Other workers do the items of a lost worker. Results are
returned to the caller, who stores them, so that a moved item has one answer.
"""

import asyncio
import contextlib
import itertools
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

import msgspec

from dragoman.core.errors import DragomanError, RunHalted

TaskFn = Callable[[bytes], Awaitable[bytes]]
"""A function that does one item; it may be called for any number of items at a time."""

MAX_MOVES = 3
"""Number of workers that die or hang over one item after which it is given up."""

MAX_HANGS = 2
"""Number of workers that hang over one item after which it is given up."""

MAX_DEATHS = 5
"""Number of consecutive deaths, with no item done between them, that end the run."""

GATHERING_SECONDS = 1.0
"""Minimum time in seconds that the first worker waits for the others.

If the first worker itself took longer to start, that time applies.
"""

HEARTBEAT_SECONDS = 5.0
"""Longest time between two heartbeat requests to a worker, in seconds."""


_GO_ON = "resume the run, or repeat the command if it is not a run"


class WorkerTimeouts(msgspec.Struct, frozen=True):
    """Time-outs after which a worker counts as hanging.

    Attributes:
        silence: Seconds without any answer, not even to a heartbeat request.
        item: Seconds without an answer to one item; None for no limit.
    """

    silence: float = 120.0
    item: float | None = None


class WorkerSpec(msgspec.Struct, frozen=True):
    """Description of the work that workers open to do items, as data.

    Attributes:
        opener: `module:function`; called with `given` it returns an asynchronous context manager
            that yields `TaskFn`.
        given: The argument of the opener.
        path: The module search path of this process.
    """

    opener: str
    given: bytes
    path: tuple[str, ...] = ()


def module_path() -> tuple[str, ...]:
    """Return the module search path with absolute folders, for workers in any folder."""
    return tuple(path or str(Path.cwd()) for path in sys.path)


OpenPool = Callable[[WorkerSpec], AbstractAsyncContextManager[TaskFn]]
"""A function that opens a worker pool for a work; the pool closes with its context."""


class WorkerBrokeError(DragomanError):
    """An item that its worker could not answer; the message gives the reason."""


class KilledWorkersError(DragomanError):
    """An item over which several workers died or hung."""


class LostWorker(Exception):  # noqa: N818
    """A worker that is gone, together with its unfinished items."""


class Worker(Protocol):
    """One worker of a pool."""

    async def begin(self, work: WorkerSpec) -> None:
        """Start the worker and return when it is ready.

        Raises:
            UsageError: If the worker cannot open the work.
            LostWorker: If the worker died before it was ready.
        """
        ...

    async def do(self, item: bytes) -> bytes:
        """Return the answer to an item.

        Raises:
            WorkerBrokeError: If the worker could not answer the item.
            LostWorker: If the worker died.
        """
        ...

    async def heartbeat(self) -> None:
        """Return as soon as the worker answers; raise LostWorker if it is gone."""
        ...

    async def end(self) -> None:
        """Stop the worker, whatever it does; callers that wait for an answer get LostWorker."""
        ...


class WorkerPool:
    """Workers, each with its number of unfinished items.

    Args:
        spawn: A function that returns a new worker, not yet started.
        work: The work that the workers open.
        timeouts: Time-outs after which a worker counts as hanging.
    """

    def __init__(
        self, spawn: Callable[[], Worker], work: WorkerSpec, timeouts: WorkerTimeouts
    ) -> None:
        self._make_worker = spawn
        self._work = work
        self._timeouts = timeouts
        self._busy: dict[Worker, int] = {}
        self._leaving: set[Worker] = set()
        self._hung: set[Worker] = set()
        self._suspected: set[Worker] = set()
        self._ready = asyncio.Condition()
        self._deaths = 0
        self._failure: Exception | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def open(self, count: int) -> None:
        """Start workers and wait until all are ready or the waiting time is over.

        The waiting time begins when the first worker is ready. Without it, this worker would
        receive all work at once, and the other workers nothing in the meantime. On a cluster, some
        workers may wait for a core until the run ends.

        Raises:
            DragomanError: If no worker can do the work.
        """
        clock = asyncio.get_running_loop().time
        begun = clock()
        for _ in range(count):
            self._replace()
        await self._present(1)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(clock() - begun, GATHERING_SECONDS)):
                await self._present(count)

    async def do(self, item: bytes) -> bytes:
        """Let the least busy worker do an item, and another worker if that one dies.

        Raises:
            WorkerBrokeError: If the worker could not answer the item.
            KilledWorkersError: If several workers died or hung over the item.
            RunHalted: If workers keep dying without doing any item.
        """
        deaths = hangs = 0
        while hangs < MAX_HANGS and deaths + hangs < MAX_MOVES:
            member = await self._acquire(is_suspect=hangs > 0)
            try:
                async with asyncio.timeout(self._timeouts.item):
                    answer = await member.do(item)
            except LostWorker:
                hangs += member in self._hung
                deaths += member not in self._hung
                await self._remove_dead(member)
            except TimeoutError:
                hangs += 1
                await self._remove_dead(member)
            else:
                self._deaths = 0
                return answer
            finally:
                await self._release(member, is_suspect=hangs > 0)
        if hangs == MAX_HANGS:
            raise KilledWorkersError(f"{hangs} worker processes hung over it")
        raise KilledWorkersError(f"{MAX_MOVES} worker processes died over it")

    async def close(self) -> None:
        """Stop all workers."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(member.end() for member in (*self._busy, *self._leaving)))
        self._busy.clear()

    async def _present(self, count: int) -> None:
        async with self._ready:
            await self._ready.wait_for(
                lambda: len(self._busy) >= count or self._failure is not None
            )
        if self._failure is not None:
            raise self._failure

    async def _acquire(self, *, is_suspect: bool) -> Worker:
        """Return the least busy worker and add one to its items.

        Each item that was unfinished when a worker hung goes to a worker without another such item.
        If that worker hangs too, its item is the cause.
        """

        def fit() -> list[Worker]:
            return [each for each in self._busy if not (is_suspect and each in self._suspected)]

        async with self._ready:
            await self._ready.wait_for(lambda: fit() or self._failure is not None)
            if self._failure is not None:
                raise self._failure
            member = min(fit(), key=self._busy.__getitem__)
            self._busy[member] += 1
            if is_suspect:
                self._suspected.add(member)
        return member

    async def _release(self, member: Worker, *, is_suspect: bool) -> None:
        if member in self._busy:
            self._busy[member] -= 1
        if is_suspect:
            async with self._ready:
                self._suspected.discard(member)
                self._ready.notify_all()

    async def _remove_dead(self, member: Worker) -> None:
        if self._busy.pop(member, None) is None:
            return
        self._leaving.add(member)
        await member.end()
        self._leaving.discard(member)
        self._deaths += 1
        self._replace()

    async def _watched(self, member: Worker) -> None:
        """End a worker that does not answer for too long.

        Each check sends up to two heartbeat requests: if the run itself was suspended for a while,
        the first answer is late.
        """
        while True:
            await asyncio.sleep(min(HEARTBEAT_SECONDS, self._timeouts.silence))
            try:
                if await self._is_alive(member) or await self._is_alive(member):
                    continue
                self._hung.add(member)
            except LostWorker:
                pass
            await self._remove_dead(member)
            return

    async def _is_alive(self, member: Worker) -> bool:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._timeouts.silence / 2):
                await member.heartbeat()
                return True
        return False

    def _replace(self) -> None:
        self._begin(self._spawn())

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _spawn(self) -> None:
        while self._deaths < MAX_DEATHS:
            member, failure = self._make_worker(), None
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
        await self._tell(None, RunHalted(f"{why}: what is finished is stored: {_GO_ON}"))

    async def _tell(self, member: Worker | None, failure: Exception | None) -> None:
        async with self._ready:
            if member is not None:
                self._busy[member] = 0
                self._begin(self._watched(member))
            self._failure = self._failure or failure
            self._ready.notify_all()


@asynccontextmanager
async def open_worker_pool(
    count: int, spawn: Callable[[], Worker], work: WorkerSpec, timeouts: WorkerTimeouts
) -> AsyncIterator[TaskFn]:
    """Open a worker pool and yield the function that lets its workers do items."""
    pool = WorkerPool(spawn, work, timeouts)
    try:
        await pool.open(count)
        yield pool.do
    finally:
        await pool.close()


class PendingCalls:
    """Numbers of the unfinished items of a worker, with the callers that wait for answers."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[bytes]] = {}
        self._is_lost = False

    def expect(self) -> tuple[int, "asyncio.Future[bytes]"]:
        """Return a new number and the future of its answer.

        Raises:
            LostWorker: If no answer can arrive any more.
        """
        if self._is_lost:
            raise LostWorker
        number = next(self._numbers)
        future = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        return number, future

    def forget(self, number: int) -> None:
        """Stop waiting for an answer."""
        self._waiting.pop(number, None)

    def answered(self, number: int, content: bytes) -> None:
        """Pass an answer to the caller that waits for it."""
        future = self._waiting.pop(number, None)
        if future is not None and not future.done():
            future.set_result(content)

    def broke(self, number: int, error: Exception) -> None:
        """Raise an error in the caller that waits for an answer."""
        future = self._waiting.pop(number, None)
        if future is not None and not future.done():
            future.set_exception(error)

    def lose(self) -> None:
        """Raise LostWorker in all callers that wait for an answer."""
        self._is_lost = True
        for number in tuple(self._waiting):
            with contextlib.suppress(asyncio.InvalidStateError):
                self.broke(number, LostWorker())
