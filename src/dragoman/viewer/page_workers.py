"""Worker threads that make pages, each with its own open runs, and a cache of recent pages."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Lock
from typing import NamedTuple

import msgspec
from aiohttp import web

from dragoman.viewer.open_runs import Library, OpenedRun
from dragoman.viewer.rendering import PageRequest, Route

WORKERS = 2
"""Number of threads that make pages: while one waits for a disk or an index, the other works.

More threads would wait for the interpreter in turns, and the slowest pages would be slower.
"""

FRESH_SECONDS = 5.0
"""Seconds for which an unchanged page may be shown again.

A page states the age of its contents.
"""

MOST_PAGES, MOST_CHARACTERS = 256, 500_000
"""Maximum number of cached pages, and of characters of a cached page."""


class PageAddress(NamedTuple):
    """The identity of a request: its path and the query."""

    path: str
    query: str


class _CachedPage(msgspec.Struct, frozen=True):
    """A page, the state of its run, and the time at which it was made."""

    text: str
    content_type: str
    moment: tuple[object, ...]
    made: float


class PageCache:
    """A cache of recent pages for all readers, who often open the same ones."""

    def __init__(self) -> None:
        self._pages: OrderedDict[PageAddress, _CachedPage] = OrderedDict()
        self._lock = Lock()

    def again(self, asked: PageAddress, moment: tuple[object, ...]) -> web.Response | None:
        """Return a recent page of the same state of its run."""
        with self._lock:
            found = self._pages.get(asked)
        if found is None or found.moment != moment:
            return None
        if time.monotonic() - found.made > FRESH_SECONDS:
            return None
        return web.Response(text=found.text, content_type=found.content_type, charset="utf-8")

    def keep(
        self, asked: PageAddress, moment: tuple[object, ...], answer: web.StreamResponse
    ) -> None:
        """Store a page of a state of its run."""
        if not isinstance(answer, web.Response) or answer.status != web.HTTPOk.status_code:
            return
        text = answer.text
        if text is None or len(text) > MOST_CHARACTERS:
            return
        made = _CachedPage(text, answer.content_type, moment, time.monotonic())
        with self._lock:
            self._pages[asked] = made
            self._pages.move_to_end(asked)
            while len(self._pages) > MOST_PAGES:
                self._pages.popitem(last=False)


class PageWorkers:
    """Worker threads, each with its own open runs; the least busy one answers a request."""

    def __init__(self, library: Library) -> None:
        self._pages = PageCache()
        self._libraries = [library, *(library.for_another_thread() for _ in range(WORKERS - 1))]
        self._threads = [ThreadPoolExecutor(1, f"reader-{at}") for at in range(WORKERS)]
        self._waiting = [0] * WORKERS
        self._making: dict[PageAddress, asyncio.Future[web.StreamResponse]] = {}

    async def answer(self, page: Route, request: web.Request) -> web.StreamResponse:
        """Return a page, made by a thread; equal requests that wait at once share one page."""
        if not page.is_text:
            return await self._answer(page, request)
        shown = PageAddress(request.path, request.query_string)
        making = self._making.get(shown)
        if making is None:
            making = self._making[shown] = asyncio.ensure_future(self._answer(page, request))
            making.add_done_callback(partial(self._made_once, shown))
        # A reader that goes away must not end the work that others wait for.
        return _copy_of(await asyncio.shield(making))

    def _made_once(self, shown: PageAddress, making: "asyncio.Future[web.StreamResponse]") -> None:
        del self._making[shown]
        if not making.cancelled():
            making.exception()  # Without a look, asyncio would report an error that nobody awaits.

    async def _answer(self, page: Route, request: web.Request) -> web.StreamResponse:
        at = min(range(WORKERS), key=self._waiting.__getitem__)
        query = {name: tuple(request.query.getall(name)) for name in request.query}
        asked = PageRequest(
            self._libraries[at], request.path, request.match_info, query, time.time()
        )
        shown = PageAddress(request.path, request.query_string)
        self._waiting[at] += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._threads[at], self._made, page, asked, shown)
        finally:
            self._waiting[at] -= 1

    def _made(self, page: Route, asked: PageRequest, shown: PageAddress) -> web.StreamResponse:
        runs = page.runs(asked)
        if not runs:
            return page.answer(asked)
        moment = _moment(runs)
        again = self._pages.again(shown, moment)
        if again is not None:
            return again
        answer = page.answer(asked)
        if _moment(runs) == moment:
            self._pages.keep(shown, moment, answer)
        return answer

    async def close(self) -> None:
        """Close the open runs, each in its thread."""
        loop = asyncio.get_running_loop()
        for thread, library in zip(self._threads, self._libraries, strict=True):
            await loop.run_in_executor(thread, library.close)
            thread.shutdown()


def _moment(runs: Iterable[OpenedRun]) -> tuple[object, ...]:
    """Return a value that changes with every write to one of the runs or its index."""
    return tuple((run.name, *run.moment()) for run in runs)


def _copy_of(answer: web.StreamResponse) -> web.StreamResponse:
    """Return a page that can be sent although the given one was sent already."""
    if not isinstance(answer, web.Response):
        return answer
    return web.Response(
        text=answer.text,
        status=answer.status,
        content_type=answer.content_type,
        charset=answer.charset,
    )
