"""Reads public web pages for an agent: a model chooses the addresses, so none may lead inside.

Text, time and the number of steps are bounded; whatever goes wrong is something that the agent is told.
"""

from collections.abc import Callable
from http import HTTPStatus

import msgspec

from dragoman.benchmarks.bfcl.apis.web.web_search import Page
from dragoman.core.apis.exchanges import HttpExchange
from dragoman.core.version import VERSION
from dragoman.web.addresses import IpAddress, why_inside
from dragoman.web.charsets import body_text
from dragoman.web.fetching import Fetcher, FetchLimits, FetchRequest

_FAILED = 400
_HEADERS = {
    "User-Agent": f"Mozilla/5.0 (compatible; dragoman/{VERSION})",
    "Accept": "text/html,application/xhtml+xml,*/*;q=0.8",
    "Accept-Language": "en-US,en;q=0.5",
}


class PageReader(msgspec.Struct, frozen=True):
    """Reads pages.

    Attributes:
        refuses: Says why an address must not be reached; "" where it may be.
        limits: How much of a page is waited for and read.
    """

    refuses: Callable[[IpAddress], str] = why_inside
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
