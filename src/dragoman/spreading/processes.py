"""Workers that are processes of this machine, fed through pipes."""

import asyncio
import contextlib
import sys
from asyncio.subprocess import PIPE, Process

import msgspec

from dragoman.core.errors import UsageError
from dragoman.spreading.crew import (
    LostWorker,
    OpenCrew,
    UnderWay,
    Work,
    WorkerBrokeError,
    WorkerPatience,
    crew_of,
)
from dragoman.spreading.frames import ANSWER, BEAT, BROKE, DO, REFUSED, framed, read_frame

MODULE = "dragoman.spreading.worker"
READ_AHEAD = 2**20
"""How many bytes of answers are read before they are taken."""

GRACE_SECONDS = 2.0
OPENING_SECONDS = 900.0
"""A process that has not opened its work by then never will."""


class ProcessWorker:
    """A process of its own that does items until its input ends."""

    def __init__(self) -> None:
        self._process: Process | None = None
        self._frames = UnderWay()
        self._reading: asyncio.Task[None] | None = None

    async def begin(self, work: Work) -> None:
        """Start the process; return when it has opened the work, LostWorker where it does not."""
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

    async def beat(self) -> None:
        """Return once its event loop says that it runs."""
        await self._asked(BEAT, b"")

    async def end(self) -> None:
        """Close its input, and kill it where that does not end it soon."""
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
            await self._write(framed(number, kind, content))
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


def by_processes(count: int, patience: WorkerPatience) -> OpenCrew:
    """Return what opens crews of so many processes of this machine."""
    return lambda work: crew_of(count, ProcessWorker, work, patience)
