"""Pool of speech worker processes, so that the event loop never waits for an engine."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from typing import Self, TypeVar

import msgspec

from dragoman.core.errors import ParticipantError, UsageError
from dragoman.speech.embedded.worker_messages import (
    HEAD_BYTES,
    Job,
    JobFailed,
    Outcome,
    frame_length,
    frame_message,
)

MAX_ATTEMPTS = 3
"""A job that this many workers died of is given up."""

_MODULE = "dragoman.speech.embedded.worker"

_OUTCOMES = msgspec.msgpack.Decoder(Outcome)

_Answer = TypeVar("_Answer")


class _Worker:
    """A process, whose answers one at a time may read."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.reading = asyncio.Lock()


class SpeechWorkerPool:
    """A fixed number of worker processes within one event loop, started when first needed."""

    def __init__(self, count: int) -> None:
        """Have at most `count` workers.

        Raises:
            UsageError: For less than one, and on systems on which a process cannot fork.
        """
        if count < 1:
            raise UsageError(f"{count} speech workers cannot speak; have one at least")
        if not hasattr(os, "fork"):
            raise UsageError("embedded speech needs Linux or macOS: its workers fork")
        self._free = asyncio.Semaphore(count)
        self._idle: list[_Worker] = []
        self._all: set[_Worker] = set()
        self._ending: dict[_Worker, asyncio.Task[None]] = {}
        self._is_closed = False

    async def do(self, job: Job, kind: type[_Answer]) -> _Answer:
        """Return the answer to a job, waiting for a free worker.

        Cancelling it ends the worker's process: the next job gets a new one.

        Raises:
            UsageError: If the user can fix the problem: the extra is not installed.
            ParticipantError: If the engine fails, or killed its workers.
        """
        content = frame_message(msgspec.msgpack.encode(job))
        async with self._free:
            for _ in range(MAX_ATTEMPTS):
                outcome = await self._attempt(content)
                if outcome is not None:
                    return _answer_in(outcome, kind)
        raise ParticipantError(f"a speech job ended {MAX_ATTEMPTS} workers and is given up")

    async def close(self) -> None:
        """End all workers, whatever they do; nothing can be asked afterwards."""
        self._is_closed = True
        for worker in tuple(self._all):
            await self._end(worker)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _attempt(self, content: bytes) -> Outcome | None:
        """Have one worker do a job; None if it died of it."""
        worker = await self._taken()
        is_done = False
        try:
            async with worker.reading:
                outcome = await _exchange_frames(worker.process, content)
            is_done = outcome is not None
        finally:
            if is_done:
                self._idle.append(worker)
            else:
                await self._end(worker)
        return outcome

    async def _taken(self) -> _Worker:
        if self._is_closed:
            raise ParticipantError("the speech workers are closed")
        while self._idle:
            worker = self._idle.pop()
            if worker.process.returncode is None:
                return worker
            await self._end(worker)
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", _MODULE, stdin=PIPE, stdout=PIPE, start_new_session=True
        )
        worker = _Worker(process)
        self._all.add(worker)
        return worker

    async def _end(self, worker: _Worker) -> None:
        """End a process, regardless of the number of callers.

        The process also ends if the waiting caller is cancelled.
        """
        if worker not in self._all:
            return
        if worker not in self._ending:
            self._ending[worker] = asyncio.create_task(self._ended(worker))
        await asyncio.shield(self._ending[worker])

    async def _ended(self, worker: _Worker) -> None:
        """Kill a process with the child that does its job, and let go of its pipes."""
        process = worker.process
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        if process.stdin:
            process.stdin.close()
        # A caller that waits for the answer is told first that none comes.
        async with worker.reading:
            await process.communicate()
        self._all.discard(worker)
        if worker in self._idle:
            self._idle.remove(worker)
        del self._ending[worker]


async def _exchange_frames(worker: Process, content: bytes) -> Outcome | None:
    if worker.stdin is None or worker.stdout is None:
        raise ParticipantError("a speech worker was started without pipes")
    try:
        worker.stdin.write(content)
        await worker.stdin.drain()
        head = await worker.stdout.readexactly(HEAD_BYTES)
        answer = await worker.stdout.readexactly(frame_length(head))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    outcome: Outcome = _OUTCOMES.decode(answer)
    return outcome


def _answer_in(outcome: Outcome, kind: type[_Answer]) -> _Answer:
    if isinstance(outcome, JobFailed):
        raise (UsageError if outcome.is_usage else ParticipantError)(outcome.reason)
    return msgspec.msgpack.decode(outcome.answer, type=kind)
