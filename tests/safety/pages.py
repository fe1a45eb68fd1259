"""Visits the pages of a local server, one after another."""

import re
import time
from collections.abc import Iterator
from html import unescape
from urllib.error import HTTPError
from urllib.request import ProxyHandler, build_opener

import pytest

TIME_LIMIT = 60
MOST_PAGES = 100
"""Filters have no end, so the number of visited pages is bounded."""

ASK = build_opener(ProxyHandler({})).open
"""Without any proxy that the environment names."""


def wait_for(address: str) -> None:
    """Wait until a server answers."""
    until = time.monotonic() + TIME_LIMIT
    while time.monotonic() < until:
        try:
            with ASK(address, timeout=TIME_LIMIT):
                return
        except HTTPError:
            return
        except OSError:
            time.sleep(0.05)
    pytest.fail(f"nobody answers at {address}")


def crawled(address: str) -> Iterator[tuple[str, bytes]]:
    """Yield every page that links of others lead to, by its path, up to a hundred."""
    known, ahead = {"/"}, ["/"]
    while ahead and len(known) < MOST_PAGES:
        path = ahead.pop(0)
        try:
            with ASK(address + path, timeout=TIME_LIMIT) as answer:
                page = answer.read() + str(answer.headers).encode()
        except OSError as error:  # a page that says no is one too
            page = getattr(error, "read", bytes)()
        yield path, page
        for link in re.findall(rb'(?:href|src)="(/[^"#]*)', page):
            at = unescape(link.decode())
            if at not in known:
                known.add(at)
                ahead.append(at)
