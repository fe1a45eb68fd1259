"""Reads public web pages for an agent: a model chooses the addresses, so none may lead inside.

An address counts by what it resolves to, at every step of a redirect. Text, time and the number of
steps are bounded; whatever goes wrong is something that the agent is told.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Callable
from urllib.parse import urljoin, urlsplit

import aiohttp
import msgspec
from aiohttp.abc import AbstractResolver, ResolveResult

from dragoman.benchmarks.bfcl.apis.web.http_bodies import TooLongError, bounded_body
from dragoman.benchmarks.bfcl.apis.web.web_search import Page
from dragoman.core.version import VERSION

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_FAILED = 400
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_HEADERS = {
    "User-Agent": f"Mozilla/5.0 (compatible; dragoman/{VERSION})",
    "Accept": "text/html,application/xhtml+xml,*/*;q=0.8",
    "Accept-Language": "en-US,en;q=0.5",
    # A compressed page could grow without bound while it is read.
    "Accept-Encoding": "identity",
}


def is_public(address: IpAddress) -> bool:
    """Whether an address is one of the public internet, also behind an IPv6 form of IPv4."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if address in _NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
        if address.teredo is not None:
            return False
    return address.is_global and not address.is_multicast


class PageReader(msgspec.Struct, frozen=True):
    """Reads pages.

    Attributes:
        allows: Says which addresses may be reached.
        seconds: How long a page may take.
        most_bytes: The largest page that is read.
        most_steps: How often a page may point elsewhere.
    """

    allows: Callable[[IpAddress], bool] = is_public
    seconds: float = 20.0
    most_bytes: int = 2_000_000
    most_steps: int = 5

    async def read(self, url: str) -> Page:
        """Return a page, or a page that says why there is none."""
        try:
            async with asyncio.timeout(self.seconds):
                return Page(await self._followed(url))
        except TimeoutError:
            return Page(error=f"no page within {self.seconds:g} seconds")
        except _NoPageError as error:
            return Page(error=str(error))
        except TooLongError as error:
            return Page(error=f"the page has {error}")
        except aiohttp.ClientConnectorError as error:
            return Page(error=f"cannot connect: {error.os_error.strerror or error.os_error}")
        except (aiohttp.ClientError, OSError, ValueError) as error:
            return Page(error=f"no page came ({type(error).__name__})")

    async def _followed(self, url: str) -> str:
        connector = aiohttp.TCPConnector(resolver=_Resolver(self.allows), use_dns_cache=False)
        async with aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=_HEADERS,
            auto_decompress=False,
        ) as session:
            for _ in range(self.most_steps + 1):
                self._check(url)
                async with session.get(url, allow_redirects=False) as response:
                    if response.status not in _REDIRECTS:
                        return await self._text(response)
                    url = urljoin(url, response.headers.get("Location", ""))
        raise _NoPageError(f"it points elsewhere more than {self.most_steps} times")

    def _check(self, url: str) -> None:
        """Refuse what is no address of the web; names are checked when they are resolved."""
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise _NoPageError("no address of the web")
        try:
            address = ipaddress.ip_address(parts.hostname)
        except ValueError:
            return
        if not self.allows(address):
            raise _NoPageError(_INSIDE)

    async def _text(self, response: aiohttp.ClientResponse) -> str:
        if response.status >= _FAILED:
            raise _NoPageError(f"status {response.status} {response.reason or ''}".strip())
        if response.headers.get("Content-Encoding", "identity").lower() not in {"", "identity"}:
            raise _NoPageError("the page is compressed, which was not asked for")
        content = await bounded_body(response, self.most_bytes)
        try:
            return content.decode(response.charset or "utf-8", "replace")
        except LookupError:
            return content.decode("utf-8", "replace")


_INSIDE = "the address is not one of the public internet"


class _NoPageError(Exception):
    """Why there is no page."""


class _Resolver(AbstractResolver):
    """Resolves names, and refuses those of which any address is not allowed."""

    def __init__(self, allows: Callable[[IpAddress], bool]) -> None:
        self._allows = allows
        self._names = aiohttp.ThreadedResolver()

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_UNSPEC,
    ) -> list[ResolveResult]:
        found = await self._names.resolve(host, port, family)
        for entry in found:
            if not self._allows(ipaddress.ip_address(entry["host"].partition("%")[0])):
                raise _NoPageError(_INSIDE)
        return found

    async def close(self) -> None:
        await self._names.close()
