"""Worker process, and the framing of its messages: `python -m dragoman.distributed.worker`.

The first frame describes the work; every other frame is an item. Answers leave in the order in
which they are ready. The process ends when its input ends, so it never outlives a run, even a
killed one.
"""

import asyncio
import contextlib
import importlib
import os
import signal
import struct
import sys
from asyncio import IncompleteReadError, StreamReader
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import cast

import msgspec

from dragoman.config.event_loop import run_event_loop
from dragoman.core.errors import DragomanError, error_with_location
from dragoman.distributed.worker_pool import TaskFn, WorkerSpec

HEAD = struct.Struct(">IQB")
"""The head of a frame: length of the content, number of the item, and message kind."""

DO, ANSWER, BROKE, REFUSED, BEAT = range(5)
"""Message kinds between the pool and its workers.

They are an item, its answer, the reason for a missing answer, the reason why the work cannot be
opened at all, and a sign-of-life request.
"""


def encode_frame(number: int, kind: int, content: bytes) -> bytes:
    """Return a frame: the head and the content."""
    return HEAD.pack(len(content), number, kind) + content


async def read_frame(reader: StreamReader) -> tuple[int, int, bytes] | None:
    """Return number, kind and content of the next frame; None if the other side is gone."""
    try:
        length, number, kind = HEAD.unpack(await reader.readexactly(HEAD.size))
        return number, kind, await reader.readexactly(length)
    except (IncompleteReadError, ConnectionError):
        return None


Open = Callable[[bytes], AbstractAsyncContextManager[TaskFn]]


def open_task(work: WorkerSpec) -> AbstractAsyncContextManager[TaskFn]:
    """Return the context manager, not yet entered, of the task function of a work."""
    sys.path[:0] = [folder for folder in work.path if folder not in sys.path]
    module, _, name = work.opener.partition(":")
    opener = cast("Open", getattr(importlib.import_module(module), name))
    return opener(work.given)


def main() -> None:
    """Answer the items from standard input until it ends."""
    # An interrupt of the run reaches its workers too; they end when the run closes their input.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.dup(1)
    # An agent's printed text must not be taken for an answer.
    os.dup2(2, 1)
    run_event_loop(_serve(answers))


async def _serve(answers: int) -> None:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=2**20)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
    transport, protocol = await loop.connect_write_pipe(
        asyncio.streams.FlowControlMixin, os.fdopen(answers, "wb")
    )
    writer = asyncio.StreamWriter(transport, protocol, None, loop)
    first = await read_frame(reader)
    if first is None:
        return
    number, _, content = first
    try:
        async with open_task(msgspec.msgpack.decode(content, type=WorkerSpec)) as do:
            writer.write(encode_frame(number, ANSWER, b""))
            await _answer_all(reader, writer, do)
    except DragomanError as error:
        writer.write(encode_frame(number, REFUSED, str(error).encode()))
        await writer.drain()


async def _answer_all(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, do: TaskFn
) -> None:
    doing: set[asyncio.Task[None]] = set()
    while (frame := await read_frame(reader)) is not None:
        number, kind, item = frame
        if kind == BEAT:
            writer.write(encode_frame(number, ANSWER, b""))
            continue
        task = asyncio.create_task(_answer(number, item, writer, do))
        doing.add(task)
        task.add_done_callback(doing.discard)
    for task in doing:
        task.cancel()
    await asyncio.gather(*doing, return_exceptions=True)


async def answer_item(item: bytes, do: TaskFn) -> tuple[int, bytes]:
    """Return the kind and the content of the answer to an item, whatever error occurs."""
    try:
        return ANSWER, await do(item)
    except Exception as error:  # noqa: BLE001 - the run is told, and the others go on
        return BROKE, error_with_location(error).encode("utf-8", "replace")


async def _answer(number: int, item: bytes, writer: asyncio.StreamWriter, do: TaskFn) -> None:
    writer.write(encode_frame(number, *await answer_item(item, do)))
    with contextlib.suppress(ConnectionError):
        await writer.drain()


if __name__ == "__main__":
    main()
