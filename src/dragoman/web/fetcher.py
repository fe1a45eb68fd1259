"""HTTP fetcher for addresses that come from data, guarded at every redirect.

The guard checks the very address of each connection. A name that resolves to one address during a
check and to another during use therefore gives no access.
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
"""Kinds of incomplete answers.

They are: a refused request, an unknown permission, no address, no connection, a time-out, a broken
connection, a body above the limit, and an answer that is not HTTP.
"""

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_KEEPS_METHOD = frozenset({307, 308})
_PLAIN_HEADERS = frozenset({"accept", "accept-encoding", "accept-language", "user-agent"})
_METHODS = frozenset({"GET", "POST"})
_LONGEST_URL = 8_000


class FetchLimits(msgspec.Struct, frozen=True):
    """Limits of time and size for one answer.

    Attributes:
        seconds: Seconds for the whole exchange, redirects included.
        most_bytes: Largest size of the body in bytes, also after decompression.
        most_redirects: Largest number of redirects.
    """

    seconds: float = 20.0
    most_bytes: int = 2_000_000
    most_redirects: int = 5


class FetchRequest(msgspec.Struct, frozen=True):
    """A request: GET, or POST with a body."""

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = {}
    body: bytes = b""


class Fetcher:
    """HTTP fetcher for addresses from data; an asynchronous context manager.

    Args:
        limits: Limits of time and size.
        refuses: A function that returns why an address must not be reached, or "".
        resolver: The resolver of names; the machine's own by default.
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
            # One address after the other: parallel attempts would hide why the first was refused.
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
        """Return the exchange of a request; an error is its `failure`, "KIND: detail".

        The exchange still holds keys: `web.exchange.redact_exchange` removes them before it is
        stored.
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
        """Raise an error for requests whose address alone is not allowed.

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
        """Return a socket for the very address of the next connection."""
        address = numeric_host(str(info[4][0]))
        if address is None:
            raise _RefusedError("no address of a machine")
        why = self._refuses(address)
        if why:
            raise _RefusedError(why)
        return socket.socket(info[0], info[1], info[2])


def _preserve_escapes(url: str) -> URL:
    """Return an address whose escapes are sent unchanged.

    In a list, `%2C` is part of a value and `,` is not.
    """
    return URL(url, encoded=_is_escaped(url) is not None)


_is_escaped = re.compile(r"(?:%[0-9A-Fa-f]{2}|[A-Za-z0-9\-._~:/?\[\]@!$&'()*+,;=])*").fullmatch
"""Pattern of a valid address without a fragment.

All other characters of it are escaped.
"""


class _RefusedError(Exception):
    """A request that is not sent; the message gives the reason."""


class _RedirectChain:
    """State of a request along its redirects."""

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
        """Prepare the request to the target of a redirect.

        A request to another host has no keys and no body.
        """
        old, url = self.asked, urljoin(self.asked.url, place)
        self.redirects.append(url)
        keeps = old.method == "GET" or self.status in _KEEPS_METHOD
        if _origin(old.url) == _origin(url):
            headers = old.headers
        elif keeps and old.method == "POST":
            raise _RefusedError("the posted body would be sent to another host")
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
    """Return headers with names in small letters; repeated headers are joined."""
    headers: dict[str, str] = {}
    for name, value in response.headers.items():
        low, said = _readable(name.lower()), _readable(value)
        headers[low] = f"{headers[low]}, {said}" if low in headers else said
    return headers


def _readable(text: str) -> str:
    """Return a header's text, with U+FFFD for bytes that are not text.

    No record could carry such bytes.
    """
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _fault(error: Exception) -> tuple[FailureKind, str]:
    """Return the kind and the detail of an error that the HTTP library raised."""
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
    """Return the system's error text, without the addresses that the library adds."""
    return os.strerror(error.errno) if error.errno else type(error).__name__
