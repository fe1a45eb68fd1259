"""Bytes over HTTP: one connection pool, bounded bodies, and every way to break as one kind of fault."""

import asyncio
from collections.abc import Mapping

import aiohttp
from yarl import URL

from dragoman.models.wire.transport import CHAT_BYTES, Fault, FaultKind, HttpResponse, Timeouts

SMALL_BYTES = 256 * 1024
"""Bodies that are no larger are all read at once."""

LARGE_AT_ONCE = 16
"""How many larger ones are read at the same time: what they hold together is bounded."""

ERROR_BYTES = 64 * 1024
"""What is read of the body of an error."""

OK = 200


class Http:
    """A pool of connections, opened on first use and bound to the event loop that used it.

    No cap on connections: how many calls are under way is the gate's business.
    """

    def __init__(self, timeouts: Timeouts, large_at_once: int = LARGE_AT_ONCE) -> None:
        self._large_at_once = large_at_once
        self._large = asyncio.Semaphore(large_at_once)
        self._timeouts = aiohttp.ClientTimeout(
            total=timeouts.total, connect=timeouts.connect, sock_read=timeouts.read
        )
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def post(
        self,
        url: str | URL,
        headers: Mapping[str, str],
        body: bytes,
        proxy: str | None = None,
        most_bytes: int = CHAT_BYTES,
    ) -> HttpResponse:
        """Send a body and return the answer, whatever its status.

        Raises:
            Fault: Where no whole answer came.
        """
        return await self._answered(url, headers, body, proxy, most_bytes)

    async def get(
        self,
        url: str,
        headers: Mapping[str, str],
        proxy: str | None = None,
        most_bytes: int = CHAT_BYTES,
    ) -> HttpResponse:
        """Ask for what is at an address and return the answer, whatever its status.

        Raises:
            Fault: Where no whole answer came.
        """
        return await self._answered(url, headers, None, proxy, most_bytes)

    async def _answered(
        self,
        url: str | URL,
        headers: Mapping[str, str],
        body: bytes | None,
        proxy: str | None,
        most_bytes: int,
    ) -> HttpResponse:
        """Post a body, or get what is there where there is none."""
        method = "GET" if body is None else "POST"
        try:
            async with self._open().request(
                method, url, data=body, headers=headers, proxy=proxy, allow_redirects=False
            ) as response:
                arrivals: list[tuple[int, float]] = []
                content = await self._content(response, most_bytes, arrivals)
                return HttpResponse(response.status, response.headers, content, arrivals)
        except (aiohttp.ClientError, OSError) as error:
            fault = fault_of(error)
        # Raised out here so that nothing hangs on it: the library's errors quote what was received.
        raise fault

    async def close(self) -> None:
        """Close all connections."""
        session, self._session = self._session, None
        if session is not None and self._loop is asyncio.get_running_loop():
            await session.close()

    async def _content(
        self,
        response: aiohttp.ClientResponse,
        most_bytes: int,
        arrivals: list[tuple[int, float]],
    ) -> bytes:
        """Return a body; of an error only its beginning, which says what is wrong."""
        coding = response.headers.get("Content-Encoding", "identity").strip().lower()
        if coding not in {"", "identity"}:
            raise Fault("broken_http", "the answer is compressed, which was not asked for")
        content = bytearray()
        if response.status != OK:
            await _read_up_to(ERROR_BYTES, response, content, arrivals)
            return bytes(content[:ERROR_BYTES])
        if (response.content_length or 0) <= most_bytes:
            small = min(SMALL_BYTES, most_bytes)
            if await _read_up_to(small, response, content, arrivals):
                return bytes(content)
            async with self._large:
                if await _read_up_to(most_bytes, response, content, arrivals):
                    return bytes(content)
        # What is raised may be kept for long, and with it all that this function holds.
        content.clear()
        raise Fault("oversized", f"the answer has more than {most_bytes:,} bytes")

    def _open(self) -> aiohttp.ClientSession:
        loop = asyncio.get_running_loop()
        if self._session is None or self._loop is not loop:
            self._loop = loop
            self._large = asyncio.Semaphore(self._large_at_once)
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=self._timeouts,
                headers={"Accept-Encoding": "identity"},
                # A compressed body could grow without bound while it is read.
                auto_decompress=False,
                skip_auto_headers=("User-Agent",),
            )
        return self._session


async def _read_up_to(
    most_bytes: int,
    response: aiohttp.ClientResponse,
    content: bytearray,
    arrivals: list[tuple[int, float]],
) -> bool:
    """Add what comes to a body's content, and when; False where there is more than these bytes."""
    now = asyncio.get_running_loop().time
    while len(content) <= most_bytes:
        chunk = await response.content.readany()
        if not chunk:
            return True
        content += chunk
        arrivals.append((len(content), now()))
    return False


def fault_of(error: Exception) -> Fault:
    """Return what one of the library's errors says of the way to an endpoint."""
    kind: FaultKind = "connect"
    match error:
        case aiohttp.ClientConnectorDNSError():
            kind, detail = "dns", f"no address found for {error.host}"
        case aiohttp.ConnectionTimeoutError():
            detail = "no connection in time"
        case aiohttp.ClientConnectorCertificateError():
            detail = "its certificate is not to be trusted"
        case aiohttp.ClientConnectorError():
            detail = f"no connection ({_reason(error.os_error)})"
        case TimeoutError():
            kind, detail = "timeout", "no answer in time"
        case aiohttp.ServerDisconnectedError() | aiohttp.ClientPayloadError():
            kind, detail = "cut", "the connection was cut"
        case OSError():
            kind, detail = "cut", f"the connection broke ({_reason(error)})"
        case _:
            kind, detail = "broken_http", f"no HTTP answer ({type(error).__name__})"
    return Fault(kind, detail)


def _reason(error: OSError) -> str:
    return error.strerror or type(error).__name__
