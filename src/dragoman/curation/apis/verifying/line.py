"""How APIs are called by all steps that call them: on which terms, over the network or from cassettes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from dragoman.core.errors import UsageError
from dragoman.curation.apis.verifying.cassettes import open_cassettes
from dragoman.curation.apis.verifying.keys import keys_from_environment
from dragoman.curation.apis.verifying.verify import Fetch
from dragoman.web.address_guard import why_blocked, why_blocked_locally
from dragoman.web.crawl_policy import CrawlPolicy, PoliteFetcher
from dragoman.web.exchange import HttpExchange
from dragoman.web.fetcher import Fetcher, FetchLimits, FetchRequest


class CallTerms(msgspec.Struct, frozen=True):
    """How APIs are called.

    Attributes:
        allow_local: Whether loopback and private addresses may be.
        concurrency: Operations under way at a time.
        seconds: For one whole answer.
        most_bytes: Of one body.
        pause: Seconds between two requests to one host.
        cassettes: Recorded exchanges that are asked in the place of the network.
        keys: Names of variables of the environment by "HOST/NAME": what calls to a host carry.
    """

    allow_local: bool = False
    concurrency: int = 16
    seconds: float = 20.0
    most_bytes: int = 2_000_000
    pause: float = 0.5
    cassettes: Path | None = None
    keys: dict[str, str] = {}

    def __post_init__(self) -> None:
        """See that they make sense.

        Raises:
            UsageError: Where one does not.
        """
        least = {"concurrency": self.concurrency, "max-bytes": self.most_bytes}
        for option, number in least.items():
            if number < 1:
                raise UsageError(f"--{option} {number}: at least 1")
        if not self.seconds > 0:
            raise UsageError(f"--seconds {self.seconds:g}: more than 0")
        if not self.pause >= 0:
            raise UsageError(f"--pause {self.pause:g}: at least 0")


class ApiLine:
    """What asks APIs, once it is open: cassettes, or the network through the guard.

    Args:
        terms: How they are called.

    Attributes:
        keys: What calls carry.

    Raises:
        UsageError: Where the environment lacks a key.
    """

    def __init__(self, terms: CallTerms) -> None:
        # What is recorded has no keys, and needs none.
        self.keys = () if terms.cassettes else keys_from_environment(terms.keys)
        self._terms = terms
        self._fetch: Fetch | None = None

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Be ready to be asked within.

        Raises:
            UsageError: Where there are no cassettes.
            DataError: Where a file is no cassette.
        """
        terms = self._terms
        if terms.cassettes is not None:
            self._fetch = open_cassettes(terms.cassettes).fetch
            yield
            return
        limits = FetchLimits(terms.seconds, terms.most_bytes)
        refuses = why_blocked_locally if terms.allow_local else why_blocked
        async with Fetcher(limits, refuses) as fetcher:
            self._fetch = PoliteFetcher(fetcher, CrawlPolicy(terms.pause)).fetch
            yield

    async def fetch(self, request: FetchRequest, at: str = "") -> HttpExchange:
        """Return what came, as `PoliteFetcher.fetch` and cassettes do."""
        if self._fetch is None:
            raise RuntimeError("a line is opened before it is asked")
        return await self._fetch(request, at)
