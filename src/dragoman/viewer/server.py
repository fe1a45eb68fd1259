"""The server: routes, threads that read, and its life on the loopback address."""

import errno
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

from dragoman.core.errors import DragomanError, UsageError
from dragoman.viewer.guarding import Handler, add_headers, guard
from dragoman.viewer.library import Library
from dragoman.viewer.readers import Readers
from dragoman.viewer.rendering import prepare, render
from dragoman.viewer.requests import Route
from dragoman.viewer.routes import ROUTES
from dragoman.viewer.static_files import static_file

HOST = "127.0.0.1"
STOPPING_SECONDS = 0.1


def application(library: Library) -> web.Application:
    """Return the viewer of these runs."""
    found = web.Application(middlewares=[_explain, guard])
    found.on_response_prepare.append(add_headers)
    # Threads of their own, so that pages never block the loop.
    readers = Readers(library)

    async def close(_: web.Application) -> None:
        await readers.close()

    found.on_cleanup.append(close)
    found.router.add_get("/static/{name}", static_file)
    for page in ROUTES:
        found.router.add_get(page.route, _answering(page, readers))
    return found


def _answering(page: Route, readers: Readers) -> Handler:
    async def handle(request: web.Request) -> web.StreamResponse:
        return await readers.answer(page, request)

    return handle


@web.middleware
async def _explain(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Say on a page of ours what could not be shown."""
    try:
        return await handler(request)
    except web.HTTPException as error:
        status, said = error.status, error.text or error.reason
    except DragomanError as error:
        status, said = web.HTTPInternalServerError.status_code, str(error)
    text = render("refused.html.j2", path=request.path, said=said, status=status)
    return web.Response(text=text, status=status, content_type="text/html", charset="utf-8")


@asynccontextmanager
async def serving(library: Library, port: int = 0) -> AsyncIterator[str]:
    """Serve runs and yield the address.

    Args:
        library: The runs.
        port: Where to listen; 0 takes a free port.

    Raises:
        UsageError: Where the port is taken.
    """
    prepare()
    runner = web.AppRunner(application(library), access_log=None, shutdown_timeout=STOPPING_SECONDS)
    await runner.setup()
    try:
        site = web.TCPSite(runner, HOST, port)
        try:
            await site.start()
        except OSError as error:
            why = "it is taken" if error.errno == errno.EADDRINUSE else error.strerror
            raise UsageError(f"--port {port}: {why}: choose another, or 0 for any") from error
        yield f"http://{HOST}:{runner.addresses[0][1]}/"
    finally:
        await runner.cleanup()
