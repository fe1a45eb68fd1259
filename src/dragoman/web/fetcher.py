"""HTTP fetcher for addresses that come from data, guarded at every redirect.

The guard checks the address that is connected to, each time: a name that resolves to one address
when it is checked and to another when it is used leads nowhere.
"""

import asyncio
import os
import re
import socket
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Literal, Self
from urllib.parse import urljoin, urlsplit

import aiohttp
import msgspec
from aiohttp.abc import AbstractResolver
from yarl import URL

from dragoman.core.version import VERSION
from dragoman.web.address_guard import IpAddress, numeric_host, why_blocked
from dragoman.web.exchange import HttpExchange
from dragoman.web.response_bodies import (
    ACCEPTED,
    BodyTooLongError,
    ContentEncodingError,
    bounded_body,
)

AGENT = f"dragoman/{VERSION}"

FailureKind = Literal[
    "refused", "unasked", "dns", "connect", "timeout", "cut", "too large", "broken"
]
"""Why there is no whole answer: we would not ask, could not tell whether we may, no address, no
connection, none in time, broken off, more than is read, no HTTP."""

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_KEEPS_METHOD = frozenset({307, 308})
_PLAIN_HEADERS = frozenset({"accept", "accept-encoding", "accept-language", "user-agent"})
_METHODS = frozenset({"GET", "POST"})
_LONGEST_URL = 8_000


class FetchLimits(msgspec.Struct, frozen=True):
    """How much of an answer is waited for and read.

    Attributes:
        seconds: For all of it, redirects included.
        most_bytes: Of its body, also unpacked.
        most_redirects: How often it may point elsewhere.
    """

    seconds: float = 20.0
    most_bytes: int = 2_000_000
    most_redirects: int = 5


class FetchRequest(msgspec.Struct, frozen=True):
    """What is asked: GET, or POST with a body."""

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = {}
    body: bytes = b""


class Fetcher:
    """Fetches what addresses from data lead to; an asynchronous context manager.

    Args:
        limits: How much is waited for and read.
        refuses: Says why an address must not be reached; "" where it may be.
        resolver: Finds addresses of names; that of the machine where not given.
    """

    def __init__(
        self,
        limits: FetchLimits | None = None,
        refuses: Callable[[IpAddress], str] = why_blocked,
        resolver: AbstractResolver | None = None,
    ) -> None:
        self.limits = limits or FetchLimits()
        self._refuses = refuses
        self._resolver = resolver
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        connector = aiohttp.TCPConnector(
            limit=0,
            resolver=self._resolver or aiohttp.ThreadedResolver(),
            use_dns_cache=False,
            socket_factory=self._socket,
            # One address after the other: racing ones would hide why the first was refused.
            happy_eyeballs_delay=None,
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={"User-Agent": AGENT, "Accept-Encoding": ACCEPTED},
            timeout=aiohttp.ClientTimeout(total=None),
            auto_decompress=False,
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._session is not None:
            await self._session.close()

    async def fetch(self, request: FetchRequest, at: str = "") -> HttpExchange:
        """Return what was asked and what came; whatever went wrong is its `failure`, "KIND: what".

        Keys are still in it: `web.exchange.redact_exchange` takes them out before it is stored.
        """
        way = _RedirectChain(request)
        now = asyncio.get_running_loop().time
        began = now()
        try:
            async with asyncio.timeout(self.limits.seconds):
                await self._follow(way)
        except TimeoutError:
            way.fail("timeout", f"no whole answer within {self.limits.seconds:g} seconds")
        except _RefusedError as error:
            way.fail("refused", str(error))
        except BodyTooLongError as error:
            way.body = error.read
            way.fail("too large", str(error))
        except ContentEncodingError as error:
            way.fail("broken", str(error))
        except (aiohttp.ClientError, OSError, ValueError) as error:
            way.fail(*_fault(error))
        return HttpExchange(
            request.method,
            request.url,
            dict(request.headers),
            request.body,
            way.status,
            way.headers,
            way.body,
            at,
            way.failure,
            tuple(way.redirects),
            round(now() - began, 3),
        )

    async def _follow(self, way: "_RedirectChain") -> None:
        if self._session is None:
            raise RuntimeError("a fetcher is entered before it fetches")
        for _ in range(self.limits.most_redirects + 1):
            self._check(way.asked)
            asked = way.asked
            async with self._session.request(
                asked.method,
                _preserve_escapes(asked.url),
                headers=asked.headers,
                data=asked.body or None,
                allow_redirects=False,
            ) as response:
                way.status, way.headers = response.status, _joined_headers(response)
                place = way.headers.get("location", "")
                if response.status not in _REDIRECTS or not place:
                    way.body = await bounded_body(
                        response.content.iter_any(), response.headers, self.limits.most_bytes
                    )
                    return
            way.turn(place)
        raise _RefusedError(f"it points elsewhere more than {self.limits.most_redirects} times")

    def _check(self, request: FetchRequest) -> None:
        """Refuse requests on the basis of the address alone.

        Everything else is checked on connection.
        """
        if request.method not in _METHODS:
            raise _RefusedError(f"{request.method[:20]} is not called")
        url = request.url
        if len(url) > _LONGEST_URL or "\\" in url or any(c <= " " or c == "\x7f" for c in url):
            raise _RefusedError("no address of the web (blanks or too long)")
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"}:
            raise _RefusedError(f"no address of the web ({parts.scheme[:20] or 'no scheme'})")
        if "@" in parts.netloc:
            raise _RefusedError("credentials in the address")
        if not parts.hostname:
            raise _RefusedError("no address of the web (no host)")
        address = numeric_host(parts.hostname)
        if address is None:
            return
        why = self._refuses(address)
        if why:
            raise _RefusedError(why)
        if str(address) != parts.hostname and "." in str(address):
            raise _RefusedError(f"an address that is not written as {address}")

    def _socket(self, info: tuple[int, int, int, str, tuple[object, ...]]) -> socket.socket:
        """Return a socket for the very address that is connected to next."""
        address = numeric_host(str(info[4][0]))
        if address is None:
            raise _RefusedError("no address of a machine")
        why = self._refuses(address)
        if why:
            raise _RefusedError(why)
        return socket.socket(info[0], info[1], info[2])


def _preserve_escapes(url: str) -> URL:
    """Return an address whose escapes are sent as they are.

    `%2C` in a list is a sign of a value, `,` is not.
    """
    return URL(url, encoded=_is_escaped(url) is not None)


_is_escaped = re.compile(r"(?:%[0-9A-Fa-f]{2}|[A-Za-z0-9\-._~:/?\[\]@!$&'()*+,;=])*").fullmatch
"""Pattern of a valid address without a fragment.

All other characters of it are escaped.
"""


class _RefusedError(Exception):
    """Why something is not asked."""


class _RedirectChain:
    """Where a request has come to."""

    def __init__(self, request: FetchRequest) -> None:
        self.asked = request
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""
        self.failure = ""
        self.redirects: list[str] = []

    def fail(self, kind: FailureKind, detail: str) -> None:
        self.failure = f"{kind}: {detail}"

    def turn(self, place: str) -> None:
        """Ask where an answer points to next: elsewhere without keys and without a body."""
        old, url = self.asked, urljoin(self.asked.url, place)
        self.redirects.append(url)
        keeps = old.method == "GET" or self.status in _KEEPS_METHOD
        if _origin(old.url) == _origin(url):
            headers = old.headers
        elif keeps and old.method == "POST":
            raise _RefusedError("what is posted would be sent to another host")
        else:
            headers = {k: v for k, v in old.headers.items() if k.lower() in _PLAIN_HEADERS}
        if keeps:
            self.asked = FetchRequest(url, old.method, headers, old.body)
        else:
            headers = {k: v for k, v in headers.items() if k.lower() != "content-type"}
            self.asked = FetchRequest(url, "GET", headers)


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.lower()


def _joined_headers(response: aiohttp.ClientResponse) -> dict[str, str]:
    """Return headers with names in small letters; one that comes twice is joined."""
    headers: dict[str, str] = {}
    for name, value in response.headers.items():
        low, said = _readable(name.lower()), _readable(value)
        headers[low] = f"{headers[low]}, {said}" if low in headers else said
    return headers


def _readable(text: str) -> str:
    """Return a header's text; bytes that are none are U+FFFD, and no record could carry them."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _fault(error: Exception) -> tuple[FailureKind, str]:
    """Return what one of the library's errors says of the way to a server."""
    kind: FailureKind = "broken"
    match error:
        case aiohttp.ClientConnectorDNSError():
            kind, detail = "dns", "no address found for the name"
        case aiohttp.ClientConnectorCertificateError():
            kind, detail = "connect", "its certificate is not to be trusted"
        case aiohttp.ClientConnectorError():
            kind, detail = "connect", f"no connection ({_reason(error.os_error)})"
        case aiohttp.ServerDisconnectedError() | aiohttp.ClientPayloadError():
            kind, detail = "cut", "the connection was cut"
        case aiohttp.InvalidURL() | ValueError():
            kind, detail = "refused", "no address of the web"
        case OSError():
            kind, detail = "cut", f"the connection broke ({_reason(error)})"
        case _:
            detail = f"no HTTP answer ({type(error).__name__})"
    return kind, detail


def _reason(error: OSError) -> str:
    """Return what the system says, without the addresses that the library adds."""
    return os.strerror(error.errno) if error.errno else type(error).__name__
