"""Paths on the loopback address, each with a function that answers."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager

from aiohttp import web

from dragoman.testing.listening import HOST

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

_STOPPING_SECONDS = 0.1


@asynccontextmanager
async def serving_paths(handlers: Mapping[str, Handler]) -> AsyncIterator[int]:
    """Serve some paths while the context is open, for any method; gives the port."""
    application = web.Application()
    for path, handler in handlers.items():
        application.router.add_route("*", path, handler)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=_STOPPING_SECONDS)
    await runner.setup()
    try:
        await web.TCPSite(runner, HOST, 0).start()
        yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()
