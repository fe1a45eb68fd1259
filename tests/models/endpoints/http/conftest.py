"""Servers that speak TLS, and the event loops that a run may be played on."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest
import trustme

from dragoman.config.event_loop import run_event_loop
from dragoman.testing.local_server import HOST

T = TypeVar("T")
Behaving = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Any]
Play = Callable[[Coroutine[Any, Any, T]], T]
Serving = Callable[..., AbstractAsyncContextManager[int]]


@pytest.fixture(params=[asyncio.run, run_event_loop], ids=["asyncio", "libuv"])
def play(request: pytest.FixtureRequest) -> Play[Any]:
    """Run a coroutine to its end, on each of the loops."""
    chosen: Play[Any] = request.param
    return chosen


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    """The authority that signs certificates."""
    return trustme.CA()


@pytest.fixture
def trusting(authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make clients trust the authority's certificates."""
    authority.cert_pem.write_to_path(tmp_path / "authority.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))


@pytest.fixture
def certified(authority: trustme.CA) -> ssl.SSLContext:
    """The TLS context of a server on this machine, with its certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_alpn_protocols(["h2", "http/1.1"])
    authority.issue_cert("localhost", HOST).configure_cert(context)
    return context


@asynccontextmanager
async def served(behave: Behaving, context: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """Handle each connection with a given function; yield the port."""

    serving: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            await behave(reader, writer)
        await closed(writer)

    def served_one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(serve(reader, writer))
        serving.add(task)
        task.add_done_callback(lambda _: writer.transport.abort())

    server = await asyncio.start_server(served_one, HOST, 0, ssl=context)
    async with server:
        yield server.sockets[0].getsockname()[1]
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)
        await asyncio.sleep(0.01)  # connections end in the loop's next rounds


async def closed(writer: asyncio.StreamWriter) -> None:
    """Send the remaining bytes, and close a connection."""
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()


@pytest.fixture
def serving() -> Serving:
    """Open a server."""
    return served
