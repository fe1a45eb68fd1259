"""The process that does items of a work: `python -m dragoman.spreading.worker`.

Its first frame says what the work is; every other is an item. Answers leave in the order in which they
are ready. It ends when its input does, so it outlives nobody: not a run that was killed either.
"""

import asyncio
import contextlib
import importlib
import os
import signal
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import cast

import msgspec

from dragoman.core.errors import DragomanError, placed
from dragoman.spreading.crew import Do, Work
from dragoman.spreading.frames import ANSWER, BEAT, BROKE, REFUSED, framed, read_frame
from dragoman.wiring.event_loops import run_to_end

Open = Callable[[bytes], AbstractAsyncContextManager[Do]]


def opened(work: Work) -> AbstractAsyncContextManager[Do]:
    """Return what does a work's items, before it is entered."""
    sys.path[:0] = [folder for folder in work.path if folder not in sys.path]
    module, _, name = work.opener.partition(":")
    opener = cast("Open", getattr(importlib.import_module(module), name))
    return opener(work.given)


def main() -> None:
    """Do what comes by standard input until it ends."""
    # Who interrupts the run interrupts its workers too; they end when the run lets go of them.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.dup(1)
    # What an agent prints must not be taken for an answer.
    os.dup2(2, 1)
    run_to_end(_serve(answers))


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
        async with opened(msgspec.msgpack.decode(content, type=Work)) as do:
            writer.write(framed(number, ANSWER, b""))
            await _answer_all(reader, writer, do)
    except DragomanError as error:
        writer.write(framed(number, REFUSED, str(error).encode()))
        await writer.drain()


async def _answer_all(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, do: Do) -> None:
    doing: set[asyncio.Task[None]] = set()
    while (frame := await read_frame(reader)) is not None:
        number, kind, item = frame
        if kind == BEAT:
            writer.write(framed(number, ANSWER, b""))
            continue
        task = asyncio.create_task(_answer(number, item, writer, do))
        doing.add(task)
        task.add_done_callback(doing.discard)
    for task in doing:
        task.cancel()
    await asyncio.gather(*doing, return_exceptions=True)


async def answered(item: bytes, do: Do) -> tuple[int, bytes]:
    """Return the kind and the content of what an item is answered with, whatever breaks."""
    try:
        return ANSWER, await do(item)
    except Exception as error:  # noqa: BLE001 - the run is told, and the others go on
        return BROKE, placed(error).encode("utf-8", "replace")


async def _answer(number: int, item: bytes, writer: asyncio.StreamWriter, do: Do) -> None:
    writer.write(framed(number, *await answered(item, do)))
    with contextlib.suppress(ConnectionError):
        await writer.drain()


if __name__ == "__main__":
    main()
