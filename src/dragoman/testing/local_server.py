"""A server on the loopback address as a context manager, whatever it answers."""

import asyncio
from types import TracebackType
from typing import Self

from aiohttp import web

from dragoman.core.errors import UsageError
from dragoman.testing.capacity import Outage, OutageKind
from dragoman.testing.exchange import Exchange
from dragoman.testing.listening import HOST, Listener
from dragoman.testing.request_log import LogView
from dragoman.testing.serving_thread import ServingThread

STOPPING_SECONDS = 0.1


class LocalServer:
    """Routes, served: `with` uses a thread, `async with` none. A server is entered once."""

    def __init__(
        self,
        application: web.Application,
        exchange: Exchange,
        outages: tuple[Outage, ...],
        port: int = 0,
    ) -> None:
        """Prepare a server; entering it starts it.

        Args:
            application: The routes.
            exchange: What they take requests through.
            outages: Times of no service.
            port: Where to listen; 0 takes a free port.
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
        """The outage that there is; set it to begin or end one."""
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
