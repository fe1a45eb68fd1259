"""What documents refer to on other hosts, through the guard that all addresses from data go through."""

import asyncio
from collections.abc import Callable

from dragoman.core.errors import DataError
from dragoman.curation.apis.collecting.source_files import Fetch
from dragoman.web.address_guard import IpAddress, why_blocked
from dragoman.web.fetcher import Fetcher, FetchLimits, FetchRequest

_OK = 200
_LIMITS = FetchLimits(seconds=20.0, most_bytes=4 << 20)
_MOST_FETCHED = 500
"""Addresses that one command asks, those that failed too."""


def guarded_fetch(refuses: Callable[[IpAddress], str] = why_blocked) -> Fetch:
    """Return what gets a file of another host, each once.

    Args:
        refuses: Says why an address must not be reached; "" where it may be.
    """
    known: dict[str, bytes | DataError] = {}

    def fetch(address: str) -> bytes:
        if address not in known:
            known[address] = (
                _fetched(address, refuses)
                if len(known) < _MOST_FETCHED
                else DataError(f"more than {_MOST_FETCHED} files of other hosts are referred to")
            )
        found = known[address]
        if isinstance(found, DataError):
            raise DataError(str(found))
        return found

    return fetch


def _fetched(address: str, refuses: Callable[[IpAddress], str]) -> bytes | DataError:
    async def ask() -> bytes | DataError:
        async with Fetcher(_LIMITS, refuses) as fetcher:
            exchange = await fetcher.fetch(FetchRequest(address))
        if exchange.failure:
            return DataError(exchange.failure)
        if exchange.status != _OK:
            return DataError(f"its host answered with status {exchange.status}")
        return exchange.body

    return asyncio.run(ask())
