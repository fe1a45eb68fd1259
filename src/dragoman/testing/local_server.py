"""A server on the loopback address as a context manager, in a thread or an event loop.

The port can be closed and opened again while the server runs.
"""

import asyncio
import os
import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Self

from aiohttp import web

from dragoman.core.errors import UsageError
from dragoman.testing.request_handler import Exchange
from dragoman.testing.request_log import LogView
from dragoman.testing.server_config import Outage, OutageKind

HOST = "127.0.0.1"
BACKLOG = 2048


class Listener:
    """Accepts connections while it is open, and refuses them otherwise."""

    def __init__(self, protocol: Callable[[], asyncio.Protocol], port: int) -> None:
        """Prepare a listener.

        Args:
            protocol: Function that makes the protocol object of a connection.
            port: Port to listen on; 0 takes a free port, which is kept from then on.
        """
        self.port = port
        self._protocol = protocol
        self._accepting: asyncio.Task[asyncio.Server] | None = None

    def open(self) -> None:
        """Start to listen; the event loop must be running.

        Raises:
            UsageError: If the port is taken.
        """
        if self._accepting is not None:
            return
        try:
            bound = socket.create_server((HOST, self.port), backlog=BACKLOG)
        except (OSError, OverflowError) as error:
            reason = os.strerror(error.errno or 0) if isinstance(error, OSError) else "no such port"
            raise UsageError(f"port {self.port}: {reason}: choose another, or 0") from error
        self.port = bound.getsockname()[1]
        loop = asyncio.get_running_loop()
        serving = loop.create_server(self._protocol, sock=bound, backlog=BACKLOG)
        self._accepting = loop.create_task(serving)

    def close(self) -> None:
        """Refuse new connections; open ones stay."""
        task, self._accepting = self._accepting, None
        if task is not None and task.done():
            task.result().close()
        elif task is not None:
            task.add_done_callback(lambda done: done.result().close())


class ServingThread:
    """Holds an asynchronous context open in a thread."""

    def __init__(self, context: AbstractAsyncContextManager[object]) -> None:
        self._context = context
        self._loop = asyncio.new_event_loop()
        self._leaving = asyncio.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._entered: Future[None] = Future()

    def enter(self) -> None:
        """Start the thread; return once the context is entered, or raise its error."""
        self._thread.start()
        self._entered.result()

    def leave(self) -> None:
        """Leave the context and wait for the thread."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._leaving.set)
        self._thread.join()

    def call(self, act: Callable[[], None]) -> None:
        """Run a function in the thread's loop and wait for it."""

        async def acting() -> None:
            act()

        asyncio.run_coroutine_threadsafe(acting(), self._loop).result()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._hold())

    async def _hold(self) -> None:
        try:
            await self._context.__aenter__()
        except BaseException as error:  # noqa: BLE001 - handed to the thread that waits
            self._entered.set_exception(error)
            return
        self._entered.set_result(None)
        await self._leaving.wait()
        await self._context.__aexit__(None, None, None)


STOPPING_SECONDS = 0.1


class LocalServer:
    """A server of routes: `with` uses a thread, `async with` none. It can be entered once."""

    def __init__(
        self,
        application: web.Application,
        exchange: Exchange,
        outages: tuple[Outage, ...],
        port: int = 0,
    ) -> None:
        """Prepare a server, which starts when it is entered.

        Args:
            application: The routes.
            exchange: Exchange that handles the requests of the routes.
            outages: Planned outages.
            port: Port to listen on; 0 takes a free port.
        """
        self._exchange = exchange
        self._outages = outages
        self._listener = Listener(self._protocol, port)
        self._runner = web.AppRunner(
            application,
            access_log=None,
            handler_cancellation=True,
            shutdown_timeout=STOPPING_SECONDS,
        )
        self._thread: ServingThread | None = None
        self._windows: list[asyncio.TimerHandle] = []

    @property
    def origin(self) -> str:
        """The address without any path."""
        return f"http://{HOST}:{self._listener.port}"

    @property
    def log(self) -> LogView:
        """The counts at this instant."""
        return self._exchange.log.view()

    @property
    def outage(self) -> OutageKind | None:
        """The current outage; a test sets it to begin or end one."""
        return self._exchange.outage

    @outage.setter
    def outage(self, kind: OutageKind | None) -> None:
        if self._thread is None:
            self._switch(kind)
        else:
            self._thread.call(lambda: self._switch(kind))

    def __enter__(self) -> Self:
        self._thread = ServingThread(self)
        self._thread.enter()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._thread is not None:
            self._thread.leave()

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        try:
            self._listener.open()
        except UsageError:
            await self._runner.cleanup()
            self._exchange.log.close()
            raise
        loop = asyncio.get_running_loop()
        for outage in self._outages:
            ending = outage.after + outage.seconds
            self._windows += (
                loop.call_later(outage.after, self._switch, outage.kind),
                loop.call_later(ending, self._switch, None),
            )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for window in self._windows:
            window.cancel()
        self._listener.close()
        await self._runner.cleanup()
        self._exchange.log.close()

    def _protocol(self) -> asyncio.Protocol:
        server = self._runner.server
        if server is None:
            raise RuntimeError("the server accepts connections before it was entered")
        return server()

    def _switch(self, kind: OutageKind | None) -> None:
        self._exchange.outage = kind
        if kind == "refused":
            self._listener.close()
        else:
            self._listener.open()
