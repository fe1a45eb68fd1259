"""Virtual time that passes only while everything waits, and servers with any bytes."""

import asyncio
import contextlib
import selectors
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, TypeVar

import pytest

from dragoman.testing.local_server import HOST

T = TypeVar("T")
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Behaving = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
RawServer = Callable[[Behaving], AbstractAsyncContextManager[str]]


class Skipping(selectors.SelectSelector):
    """Waits for nothing: the time that would pass has passed. A wait without an end fails."""

    now = 0.0

    def select(self, timeout: float | None = None) -> Any:  # noqa: ANN401 - typeshed's own is private
        ready = super().select(0)
        if ready:
            return ready
        if timeout is None:
            raise AssertionError("everything waits, and nothing is to come")
        self.now += max(timeout, 0)
        return ready


class SkippingLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self.skipping = Skipping()
        super().__init__(self.skipping)

    def time(self) -> float:
        return self.skipping.now


class InVirtualTime:
    """Runs a coroutine in an event loop whose clock leaps over every wait."""

    def __call__(self, work: Coroutine[Any, Any, T]) -> T:
        with asyncio.Runner(loop_factory=SkippingLoop) as runner:
            return runner.run(work)


@pytest.fixture(scope="session")
def in_virtual_time() -> InVirtualTime:
    """Run a coroutine without waiting: seconds and hours pass at once, exactly."""
    return InVirtualTime()


@asynccontextmanager
async def raw_server(behave: Behaving) -> AsyncIterator[str]:
    """Serve connections on loopback by hand, after reading a request's head; yield the address."""

    writers: list[asyncio.StreamWriter] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        try:
            await behave(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            return
        finally:
            writer.close()

    server = await asyncio.start_server(serve, HOST, 0)
    async with server:
        yield f"http://{HOST}:{server.sockets[0].getsockname()[1]}/v1"
    # A client may hold its end a little longer than the loop lives.
    for writer in writers:
        with contextlib.suppress(AttributeError):  # it has let go by itself
            writer.transport.abort()
    await asyncio.sleep(0)


@pytest.fixture
def serving() -> RawServer:
    """Return a function that opens a server with a given handler for each connection."""
    return raw_server
