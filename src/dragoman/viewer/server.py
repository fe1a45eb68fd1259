"""The HTTP server of the viewer: routes, static files and its life on the loopback address."""

import errno
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from importlib.resources import files

from aiohttp import web

from dragoman.core.errors import DragomanError, UsageError
from dragoman.report.html_parts import stylesheet
from dragoman.viewer import (
    compare_pages,
    conversation_list,
    conversation_page,
    run_list,
    run_pages,
)
from dragoman.viewer.http_security import Handler, add_headers, guard
from dragoman.viewer.open_runs import Library
from dragoman.viewer.page_workers import PageWorkers
from dragoman.viewer.rendering import Route, prepare, render

ROUTES: tuple[Route, ...] = (
    run_list.RUNS_ROUTE,
    run_list.STATE_ROUTE,
    run_pages.OVERVIEW_ROUTE,
    run_pages.PROGRESS_ROUTE,
    conversation_list.CONVERSATIONS_ROUTE,
    conversation_page.CONVERSATION_ROUTE,
    conversation_page.SOUND_ROUTE,
    compare_pages.COMPARE_ROUTE,
)


TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


async def static_file(request: web.Request) -> web.Response:
    """Return a file of the viewer's own.

    Raises:
        HTTPNotFound: If the viewer has no file of this name.
    """
    found = _contents().get(request.match_info["name"])
    if found is None:
        raise web.HTTPNotFound(text="The viewer does not have this file.")
    kind, content = found
    return web.Response(body=content, content_type=kind, charset="utf-8")


@cache
def _contents() -> dict[str, tuple[str, bytes]]:
    own = {
        entry.name: entry.read_bytes()
        for entry in (files("dragoman.viewer") / "static").iterdir()
        if entry.is_file()
    }
    named = {"report.css": stylesheet().encode(), **own}
    return {
        name: (TYPES[ending], content)
        for name, content in named.items()
        for ending in TYPES
        if name.endswith(ending)
    }


HOST = "127.0.0.1"
STOPPING_SECONDS = 0.1


def application(library: Library) -> web.Application:
    """Return the viewer of these runs."""
    found = web.Application(middlewares=[_explain, guard])
    found.on_response_prepare.append(add_headers)
    # Separate threads, so that pages never block the event loop.
    readers = PageWorkers(library)

    async def close(_: web.Application) -> None:
        await readers.close()

    found.on_cleanup.append(close)
    found.router.add_get("/static/{name}", static_file)
    for page in ROUTES:
        found.router.add_get(page.route, _answering(page, readers))
    return found


def _answering(page: Route, readers: PageWorkers) -> Handler:
    async def handle(request: web.Request) -> web.StreamResponse:
        return await readers.answer(page, request)

    return handle


@web.middleware
async def _explain(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Render errors as a page of the viewer."""
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
    """Serve runs, and yield the address.

    Args:
        library: The runs.
        port: The port; 0 takes a free port.

    Raises:
        UsageError: If the port is taken.
    """
    prepare()
    runner = web.AppRunner(application(library), access_log=None, shutdown_timeout=STOPPING_SECONDS)
    await runner.setup()
    try:
        site = web.TCPSite(runner, HOST, port)
        try:
            await site.start()
        except OSError as error:
            why = "the port is in use" if error.errno == errno.EADDRINUSE else error.strerror
            raise UsageError(f"--port {port}: {why}: choose another, or 0 for any") from error
        yield f"http://{HOST}:{runner.addresses[0][1]}/"
    finally:
        await runner.cleanup()
