"""HTTP clients of web search: a SerpAPI-compatible search engine, and public web pages.

The model chooses addresses of pages, so the reader refuses addresses of internal networks.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator
from http import HTTPStatus

import aiohttp
import msgspec

from dragoman.benchmarks.bfcl.apis.web_search_api import Hits, Page, Query
from dragoman.core.errors import ParticipantError, RunHalted
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.texts.redaction import redact
from dragoman.core.usage import SEARCH, Usage
from dragoman.core.version import VERSION
from dragoman.web.address_guard import IpAddress, why_blocked
from dragoman.web.exchange import HttpExchange
from dragoman.web.fetcher import Fetcher, FetchLimits, FetchRequest
from dragoman.web.response_bodies import (
    ACCEPTED,
    BodyTooLongError,
    ContentEncodingError,
    body_text,
    bounded_body,
)

_FAILED = 400
_HEADERS = {
    "User-Agent": f"Mozilla/5.0 (compatible; dragoman/{VERSION})",
    "Accept": "text/html,application/xhtml+xml,*/*;q=0.8",
    "Accept-Language": "en-US,en;q=0.5",
}


class PageReader(msgspec.Struct, frozen=True):
    """Reads pages.

    Attributes:
        refuses: Function that returns why an address is blocked; "" if it may be reached.
        limits: Limits on the time and the size of a fetch.
    """

    refuses: Callable[[IpAddress], str] = why_blocked
    limits: FetchLimits = FetchLimits()

    async def read(self, url: str) -> Page:
        """Return a page, or a page that says why there is none."""
        async with Fetcher(self.limits, self.refuses) as fetcher:
            came = await fetcher.fetch(FetchRequest(url, headers=_HEADERS))
        if came.failure:
            return Page(error=came.failure)
        if came.status >= _FAILED:
            return Page(error=f"status {came.status} {_phrase(came)}".strip())
        return Page(body_text(came.body, came.headers).text)


def _phrase(came: HttpExchange) -> str:
    try:
        return HTTPStatus(came.status).phrase
    except ValueError:
        return ""


_RATE_LIMITED = 429
_BROKEN = 500
_OK = 200
_REFUSED = frozenset({401, 403, 404})
_LONGEST_PAUSE = 120.0
_MOST_BYTES = 8_000_000
_MOST_SHOWN = 200

Pause = Callable[[float], Awaitable[None]]


class _TryAgainError(Exception):
    """A failure that a later attempt may not have."""


class SearchEngine:
    """A client of a search engine that waits when the engine limits the rate.

    Args:
        address: The search engine's address, without a query.
        key: The key that is sent with every query; "" for none. It appears in no message.
        retry_for: Total length of pauses after which one query is given up, in seconds.
        pause: Function that waits for a number of seconds.
    """

    def __init__(
        self, address: str, key: str = "", retry_for: float = 1_800.0, pause: Pause = asyncio.sleep
    ) -> None:
        self._address = address
        self._key = key
        self._retry_for = retry_for
        self._pause = pause

    async def find(self, query: Query) -> tuple[Hits, Usage]:
        """Return the first hits (None if no results came at all) and the usage.

        Raises:
            ParticipantError: If no reply came before the pauses exceeded `retry_for`.
            RunHalted: If the search engine refuses every query.
        """
        faults, last = 0, ""
        for pause in _pauses(self._retry_for):
            try:
                hits = await self._asked(query)
            except _TryAgainError as error:
                faults += 1
                last = str(error)
            else:
                return hits, self._usage(1, faults)
            await self._pause(pause)
        failure = ParticipantError(
            f"the search engine does not answer: {last} (gave up after {faults} attempts)"
        )
        failure.usage = self._usage(0, faults)
        raise failure

    async def _asked(self, query: Query) -> Hits:
        parameters = {"engine": "duckduckgo", "q": query.keywords, "kl": query.region}
        if self._key:
            parameters["api_key"] = self._key
        timeout = aiohttp.ClientTimeout(total=60)
        try:
            async with (
                aiohttp.ClientSession(
                    timeout=timeout, headers={"Accept-Encoding": ACCEPTED}, auto_decompress=False
                ) as session,
                session.get(self._address, params=parameters, allow_redirects=False) as response,
            ):
                chunks = response.content.iter_any()
                body = await bounded_body(chunks, response.headers, _MOST_BYTES)
                return self._read(response.status, redact(body, (self._key,)))
        except (aiohttp.ClientError, OSError, BodyTooLongError, ContentEncodingError) as error:
            # The library's errors quote the address, in which the key stands.
            fault = _TryAgainError(type(error).__name__)
        raise fault

    def _read(self, status: int, body: bytes) -> Hits:
        shown = " ".join(body[: 4 * _MOST_SHOWN].decode("utf-8", "replace").split())[:_MOST_SHOWN]
        if status in _REFUSED:
            raise RunHalted(f"the search engine refuses (status {status}): {shown}")
        if status == _RATE_LIMITED or status >= _BROKEN:
            raise _TryAgainError(f"status {status}")
        try:
            reply = msgspec.json.decode(body, type=_Reply)
        except DECODING_ERRORS as error:
            raise _TryAgainError(f"no reply of a search engine: {error}") from error
        if str(_RATE_LIMITED) in reply.error:
            raise _TryAgainError(shown)
        if status != _OK:
            raise ParticipantError(f"the search engine refuses (status {status}): {shown}")
        return reply.organic_results

    def _usage(self, calls: int, faults: int) -> Usage:
        counted = {"search": faults} if faults else {}
        return Usage(SEARCH, "search", calls=calls, input_tokens=0, output_tokens=0, faults=counted)


class _Reply(msgspec.Struct):
    organic_results: list[dict[str, object]] | None = None
    error: str = ""


def _pauses(retry_for: float) -> Iterator[float]:
    """Yield increasing pauses of 2, 4, ... seconds until the patience ends.

    Each pause has a random addition of at most its own length.
    """
    length, waited = 2.0, 0.0
    while waited <= retry_for:
        pause = length + random.uniform(0, length)  # noqa: S311 - no secret
        yield pause
        waited += pause
        length = min(2 * length, _LONGEST_PAUSE)
