"""Servers for tests of the web package: real ones, on the loopback address."""

import asyncio
from collections.abc import Callable, Mapping

import pytest

from dragoman.testing.local_web import Handler, LocalNames, serve_paths
from dragoman.web.address_guard import IpAddress, why_blocked
from dragoman.web.exchange import HttpExchange
from dragoman.web.fetcher import Fetcher, FetchLimits, FetchRequest


def only_loopback(address: IpAddress) -> str:
    """Allow the tests' own server, and no other internal address."""
    return "" if str(address) == "127.0.0.1" else why_blocked(address)


@pytest.fixture
def asked() -> Callable[..., HttpExchange]:
    """Serve some paths, request one of them, and return the result."""

    def ask(  # noqa: PLR0913 - what a test may choose
        handlers: Mapping[str, Handler],
        url: str,
        *,
        request: FetchRequest | None = None,
        limits: FetchLimits | None = None,
        refuses: Callable[[IpAddress], str] = only_loopback,
        names: LocalNames | None = None,
    ) -> HttpExchange:
        async def asking() -> HttpExchange:
            made = request or FetchRequest("")
            async with (
                serve_paths(handlers) as port,
                Fetcher(limits, refuses, names) as fetcher,
            ):
                place = url.replace("PORT", str(port))
                return await fetcher.fetch(
                    FetchRequest(place, made.method, made.headers, made.body)
                )

        return asyncio.run(asking())

    return ask
