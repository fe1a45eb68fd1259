"""Workers as processes of this machine (over pipes) or as actors of a Ray cluster.

Ray is imported only when the run uses it. Its own retries are off, because an item that was paid
for must not be repeated unnoticed. Items travel in batches, since one call of an actor costs more
than a conversation of a fast agent.
"""

import asyncio
import contextlib
import logging
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from types import ModuleType
from typing import Any

import msgspec

from dragoman.core.errors import DragomanError, UsageError
from dragoman.distributed.worker import (
    ANSWER,
    BEAT,
    BROKE,
    DO,
    REFUSED,
    answer_item,
    encode_frame,
    open_task,
    read_frame,
)
from dragoman.distributed.worker_pool import (
    LostWorker,
    OpenPool,
    PendingCalls,
    TaskFn,
    WorkerBrokeError,
    WorkerSpec,
    WorkerTimeouts,
    open_worker_pool,
)

MODULE = "dragoman.distributed.worker"
READ_AHEAD = 2**20
"""Size of the buffer for answers that are not yet taken, in bytes."""

GRACE_SECONDS = 2.0
OPENING_SECONDS = 900.0
"""Time-out in seconds for a process to open its work."""


class ProcessWorker:
    """A process of its own that answers items until its input ends."""

    def __init__(self) -> None:
        self._process: Process | None = None
        self._frames = PendingCalls()
        self._reading: asyncio.Task[None] | None = None

    async def begin(self, work: WorkerSpec) -> None:
        """Start the process and return when it has opened the work."""
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", MODULE, stdin=PIPE, stdout=PIPE, limit=READ_AHEAD
        )
        self._reading = asyncio.create_task(self._read(self._process))
        try:
            async with asyncio.timeout(OPENING_SECONDS):
                await self.do(msgspec.msgpack.encode(work))
        except TimeoutError:
            raise LostWorker from None

    async def do(self, item: bytes) -> bytes:
        """Send an item and wait for its answer."""
        return await self._asked(DO, item)

    async def heartbeat(self) -> None:
        """Return as soon as the event loop of the process answers."""
        await self._asked(BEAT, b"")

    async def end(self) -> None:
        """Close the input of the process, and kill it if it does not end soon."""
        process = self._process
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GRACE_SECONDS):
                await process.wait()
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        if self._reading is not None:
            await self._reading

    async def _asked(self, kind: int, content: bytes) -> bytes:
        number, answer = self._frames.expect()
        try:
            await self._write(encode_frame(number, kind, content))
            return await answer
        finally:
            self._frames.forget(number)

    async def _write(self, frame: bytes) -> None:
        stdin = None if self._process is None else self._process.stdin
        if stdin is None or stdin.is_closing():
            raise LostWorker
        try:
            stdin.write(frame)
            await stdin.drain()
        except (ConnectionError, RuntimeError) as error:
            raise LostWorker from error

    async def _read(self, process: Process) -> None:
        if process.stdout is None:
            return
        while (frame := await read_frame(process.stdout)) is not None:
            number, kind, content = frame
            if kind == ANSWER:
                self._frames.answered(number, content)
            elif kind == BROKE:
                self._frames.broke(number, WorkerBrokeError(content.decode()))
            elif kind == REFUSED:
                self._frames.broke(number, UsageError(content.decode()))
        self._frames.lose()


def process_pool(count: int, timeouts: WorkerTimeouts) -> OpenPool:
    """Return the opener of a worker pool with this number of processes of this machine."""
    return lambda work: open_worker_pool(count, ProcessWorker, work, timeouts)


AUTO, LOCAL = "auto", "local"
"""The cluster that runs on this machine, and a cluster that is started for the run."""

MOST_AT_ONCE = 64
"""Largest number of items in one call of an actor."""

GATHERING_SECONDS = 0.005
"""Time in seconds that a ready answer waits for other answers, to be sent together."""

Answer = tuple[int, int, bytes]


class RayActor:
    """The actor: it answers items on its machine."""

    def __init__(self, work: bytes) -> None:
        self._work = msgspec.msgpack.decode(work, type=WorkerSpec)
        self._stack = AsyncExitStack()
        self._do: TaskFn | None = None

    async def begin(self) -> str:
        """Open the work and return the reason if it cannot be opened, otherwise ""."""
        try:
            self._do = await self._stack.enter_async_context(open_task(self._work))
        except DragomanError as error:
            return str(error) or type(error).__name__
        return ""

    async def heartbeat(self) -> None:
        """Return at once, as a sign that the event loop runs."""

    async def do_all(self, batch: list[tuple[int, bytes]]) -> AsyncIterator[list[Answer]]:
        """Yield the answers to items as soon as they are ready, some at a time."""
        ready: asyncio.Queue[Answer] = asyncio.Queue()

        async def one(number: int, item: bytes) -> None:
            if self._do is not None:
                ready.put_nowait((number, *await answer_item(item, self._do)))

        tasks = [asyncio.create_task(one(number, item)) for number, item in batch]
        left = len(batch)
        while left:
            answers = [await ready.get()]
            if left > 1:
                await asyncio.sleep(GATHERING_SECONDS)
            while not ready.empty():
                answers.append(ready.get_nowait())
            left -= len(answers)
            yield answers
        await asyncio.gather(*tasks)


class RayWorker:
    """An actor of a cluster, as a worker of a pool."""

    def __init__(self, ray: ModuleType) -> None:
        self._ray = ray
        self._actor: Any = None
        self._frames = PendingCalls()
        self._outbox: list[tuple[int, bytes]] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def begin(self, work: WorkerSpec) -> None:
        """Start the actor and return when it has opened the work.

        The actor may wait for a core for any length of time.
        """
        remote = self._ray.remote(
            num_cpus=1, max_restarts=0, max_task_retries=0, max_concurrency=1_000
        )(RayActor)
        self._actor = remote.remote(msgspec.msgpack.encode(work))
        try:
            refused = await self._actor.begin.remote()
        except self._ray.exceptions.RayError as error:
            raise LostWorker from error
        if refused:
            raise UsageError(f"on a node of the cluster: {refused}")

    async def do(self, item: bytes) -> bytes:
        """Add an item to the next batch and wait for its answer."""
        number, answer = self._frames.expect()
        self._outbox.append((number, item))
        if len(self._outbox) == 1:
            asyncio.get_running_loop().call_soon(self._send)
        try:
            return await answer
        finally:
            self._frames.forget(number)

    async def heartbeat(self) -> None:
        """Return as soon as the event loop of the actor answers."""
        try:
            await self._actor.heartbeat.remote()
        except self._ray.exceptions.RayError as error:
            raise LostWorker from error

    async def end(self) -> None:
        """Kill the actor."""
        # A hanging actor does not even report that it was killed.
        self._frames.lose()
        for task in self._tasks:
            task.cancel()
        if self._actor is not None:
            with suppress(self._ray.exceptions.RayError):
                self._ray.kill(self._actor)

    def _send(self) -> None:
        while self._outbox:
            batch, self._outbox = self._outbox[:MOST_AT_ONCE], self._outbox[MOST_AT_ONCE:]
            task = asyncio.create_task(self._exchange(batch))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _exchange(self, batch: list[tuple[int, bytes]]) -> None:
        try:
            async for reference in self._actor.do_all.options(num_returns="streaming").remote(
                batch
            ):
                for number, kind, content in await reference:
                    self._take(number, kind, content)
        except self._ray.exceptions.RayTaskError as error:
            for number, _ in batch:
                self._frames.broke(number, WorkerBrokeError(f"in an actor: {error.cause}"))
        except self._ray.exceptions.RayError:
            self._frames.lose()

    def _take(self, number: int, kind: int, content: bytes) -> None:
        if kind == ANSWER:
            self._frames.answered(number, content)
        else:
            self._frames.broke(number, WorkerBrokeError(content.decode()))


def ray_pool(address: str, count: int, timeouts: WorkerTimeouts) -> OpenPool:
    """Return the opener of a worker pool with this number of actors of a cluster.

    Raises:
        UsageError: If Ray is not installed.
    """
    ray = _installed_ray()

    @asynccontextmanager
    async def open_pool(work: WorkerSpec) -> AsyncIterator[TaskFn]:
        await asyncio.to_thread(_join, ray, address, count)
        try:
            async with open_worker_pool(count, lambda: RayWorker(ray), work, timeouts) as do:
                yield do
        finally:
            await asyncio.to_thread(ray.shutdown)

    return open_pool


def _installed_ray() -> ModuleType:
    try:
        import ray
    except ImportError:
        raise UsageError("--ray needs Ray: pip install 'dragoman[ray]'") from None
    module: ModuleType = ray
    return module


def _join(ray: ModuleType, address: str, count: int) -> None:
    # Start a new cluster; without an address Ray would join one that somebody left behind.
    own = {"num_cpus": count, "include_dashboard": False} if address == LOCAL else {}
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **own)
    except (ConnectionError, RuntimeError, ValueError) as error:
        said = " ".join(str(error).split())[:200]
        raise UsageError(f"--ray {address}: no cluster there ({said})") from None


def pool_from_options(workers: int, ray: str, timeouts: WorkerTimeouts) -> OpenPool | None:
    """Return the opener of the requested worker pool; None if one process does all work.

    Args:
        workers: Number of workers.
        ray: The cluster that runs the workers as actors; "" for processes of this machine.
        timeouts: Time-outs after which a worker counts as hanging.

    Raises:
        UsageError: If the number is below 1, or Ray is requested but not installed.
    """
    if workers < 1:
        raise UsageError(f"--workers {workers}: at least 1")
    if ray:
        return ray_pool(ray, workers, timeouts)
    if workers > 1:
        return process_pool(workers, timeouts)
    return None
