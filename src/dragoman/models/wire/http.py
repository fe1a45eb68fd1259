"""Bytes over HTTP: one connection pool, bounded bodies, and every way to break as one kind of fault."""

import asyncio
from collections.abc import Mapping

import aiohttp

from dragoman.models.wire.transport import Answer, Fault, FaultKind, Timeouts

MOST_BYTES = 64 * 1024 * 1024
"""The largest body that is read."""


class Http:
    """A pool of connections, opened on first use and bound to the event loop that used it.

    No cap on connections: how many calls are under way is the gate's business.
    """

    def __init__(self, timeouts: Timeouts) -> None:
        self._timeouts = aiohttp.ClientTimeout(
            total=timeouts.total, connect=timeouts.connect, sock_read=timeouts.read
        )
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def post(
        self, url: str, headers: Mapping[str, str], body: bytes, proxy: str | None = None
    ) -> Answer:
        """Send a body and return the answer, whatever its status.

        Raises:
            Fault: Where no whole answer came.
        """
        try:
            async with self._open().post(
                url, data=body, headers=headers, proxy=proxy, allow_redirects=False
            ) as response:
                return Answer(response.status, response.headers, await _whole(response))
        except (aiohttp.ClientError, OSError) as error:
            fault = _fault(error)
        # Raised out here so that nothing hangs on it: the library's errors quote what was received.
        raise fault

    async def close(self) -> None:
        """Close all connections."""
        session, self._session = self._session, None
        if session is not None and self._loop is asyncio.get_running_loop():
            await session.close()

    def _open(self) -> aiohttp.ClientSession:
        loop = asyncio.get_running_loop()
        if self._session is None or self._loop is not loop:
            self._loop = loop
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


async def _whole(response: aiohttp.ClientResponse) -> bytes:
    coding = response.headers.get("Content-Encoding", "identity").strip().lower()
    if coding not in {"", "identity"}:
        raise Fault("broken_http", "the answer is compressed, which was not asked for")
    if (response.content_length or 0) > MOST_BYTES:
        raise Fault("oversized", f"the answer has more than {MOST_BYTES:,} bytes")
    content = bytearray()
    async for chunk in response.content.iter_any():
        content += chunk
        if len(content) > MOST_BYTES:
            raise Fault("oversized", f"the answer has more than {MOST_BYTES:,} bytes")
    return bytes(content)


def _fault(error: Exception) -> Fault:
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
