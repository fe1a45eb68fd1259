"""A small local web for tests: a resolver, paths on the loopback address, a search engine.

`async with searching(pages) as url:` gives the address of the search, which answers like SerpAPI or
fails.
"""

import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager

import msgspec
from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult

from dragoman.testing.local_server import HOST


class LocalNames(AbstractResolver):
    """Resolver with a table of names; other names are unknown.

    Args:
        addresses: Addresses of each name, one for each query in turn; the last one repeats.
    """

    def __init__(self, addresses: Mapping[str, Sequence[str]]) -> None:
        self._addresses = {name: list(each) for name, each in addresses.items()}
        self.asked: list[str] = []

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Return the next address of a name.

        Raises:
            OSError: For a name that is not in the table.
        """
        self.asked.append(host)
        left = self._addresses.get(host)
        if not left:
            raise OSError(None, "no such name")
        address = left.pop(0) if len(left) > 1 else left[0]
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=family,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
        ]

    async def close(self) -> None:
        """Do nothing."""


_STOPPING_SECONDS = 0.1
_MOST_SNIPPET = 80


class WebPage(msgspec.Struct, frozen=True):
    """One page: its title, its words and its HTML, or its redirect target."""

    title: str
    words: str
    html: str = ""
    points_to: str = ""


class SearchFaults(msgspec.Struct, frozen=True):
    """Faults of the first queries, in this order.

    Args:
        statuses: Statuses of the answers.
        key: Required `api_key` of queries; empty for none.
    """

    statuses: tuple[int, ...] = ()
    key: str = ""


@asynccontextmanager
async def serve_search(
    pages: Mapping[str, WebPage], faults: SearchFaults | None = None
) -> AsyncIterator[str]:
    """Serve a search over pages while the context is open; the context gives its address.

    Args:
        pages: Pages by the last part of their addresses.
        faults: Faults of the search; none by default.
    """
    faults = faults or SearchFaults()
    failing = iter(faults.statuses)

    async def search(request: web.Request) -> web.Response:
        if faults.key and request.query.get("api_key") != faults.key:
            return _json({"error": "Invalid API key."}, 401)
        status = next(failing, 200)
        if status != 200:  # noqa: PLR2004 - HTTP's
            return _json({"error": f"broken on purpose ({status})"}, status)
        return _json(_results(pages, request), 200)

    async def page(request: web.Request) -> web.Response:
        found = pages.get(request.match_info["name"])
        if found is None:
            raise web.HTTPNotFound
        if found.points_to:
            raise web.HTTPFound(found.points_to)
        return web.Response(text=found.html, content_type="text/html")

    application = web.Application()
    application.router.add_get("/search", search)
    application.router.add_get("/pages/{name}", page)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=_STOPPING_SECONDS)
    await runner.setup()
    try:
        await web.TCPSite(runner, HOST, 0).start()
        yield f"http://{HOST}:{runner.addresses[0][1]}/search"
    finally:
        await runner.cleanup()


def _results(pages: Mapping[str, WebPage], request: web.Request) -> dict[str, object]:
    """Return the pages that contain a word of the query, without a list if there are none."""
    wanted = set(request.query.get("q", "").lower().split())
    found = [
        {
            "title": page.title,
            "link": str(request.url.origin() / "pages" / name),
            "snippet": page.words[:_MOST_SNIPPET],
        }
        for name, page in pages.items()
        if wanted & set(page.words.lower().split())
    ]
    return {"organic_results": found} if found else {"search_information": {}}


def _json(content: object, status: int) -> web.Response:
    body = msgspec.json.encode(content)
    return web.Response(body=body, status=status, content_type="application/json")


Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def serve_paths(handlers: Mapping[str, Handler]) -> AsyncIterator[int]:
    """Serve paths while the context is open, for any method; the context gives the port."""
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
