"""Bytes over HTTP: one connection pool, bounded bodies, and every way to break as one kind of fault."""

import asyncio
from collections.abc import Mapping
from datetime import timedelta

from pyreqwest.client import Client, ClientBuilder
from pyreqwest.exceptions import PyreqwestError
from pyreqwest.proxy import ProxyBuilder
from pyreqwest.response import Response

from dragoman.models.wire.http_faults import fault_of
from dragoman.models.wire.transport import CHAT_BYTES, Fault, HttpResponse, Timeouts

SMALL_BYTES = 256 * 1024
"""Bodies that are no larger are all read at once."""

LARGE_AT_ONCE = 16
"""How many larger ones are read at the same time: what they hold together is bounded."""

ERROR_BYTES = 64 * 1024
"""What is read of the body of an error."""

IDLE_SECONDS = 15
"""How long a connection is kept that nothing is sent over: less than servers usually keep it."""

NAME = "dragoman"
OK = 200


class Http:
    """A pool of connections, opened on first use.

    No cap on connections: how many calls are under way is the gate's business. Sockets, parsing and
    encryption are in threads outside the interpreter's lock.
    """

    def __init__(self, timeouts: Timeouts, large_at_once: int = LARGE_AT_ONCE) -> None:
        self._large_at_once = large_at_once
        self._large = asyncio.Semaphore(large_at_once)
        self._timeouts = timeouts
        self._clients: dict[str | None, Client] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    async def post(
        self,
        url: str,
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
        url: str,
        headers: Mapping[str, str],
        body: bytes | None,
        proxy: str | None,
        most_bytes: int,
    ) -> HttpResponse:
        """Post a body, or get what is there where there is none."""
        task = asyncio.current_task()
        asked = task.cancelling() if task is not None else 0
        try:
            return await self._exchanged(url, headers, body, proxy, most_bytes)
        finally:
            # Where an answer is there when its call is cut off, the library returns it all the same.
            if task is not None and task.cancelling() > asked:
                raise asyncio.CancelledError

    async def _exchanged(
        self,
        url: str,
        headers: Mapping[str, str],
        body: bytes | None,
        proxy: str | None,
        most_bytes: int,
    ) -> HttpResponse:
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            client = self._client(proxy, loop)
            asked = client.get(url) if body is None else client.post(url).body_bytes(body)
            request = asked.headers(headers)
            # Nothing is read ahead: what a body brings, and when, is looked at as it comes.
            async with request.streamed_read_buffer_limit(0).build_streamed() as response:
                arrivals: list[tuple[int, float]] = []
                content = await self._content(response, most_bytes, arrivals)
                return HttpResponse(response.status, response.headers, content, arrivals)
        except (PyreqwestError, OSError, ValueError) as error:
            fault = fault_of(error, url, loop.time() - began, self._timeouts)
        # Raised out here so that nothing hangs on it: the library's errors quote what was received.
        raise fault

    async def close(self) -> None:
        """Close all connections."""
        clients, self._clients = self._clients, {}
        for client in clients.values():
            await client.close()

    async def _content(
        self, response: Response, most_bytes: int, arrivals: list[tuple[int, float]]
    ) -> bytes:
        """Return a body; of an error only its beginning, which says what is wrong."""
        coding = response.headers.get("Content-Encoding", "identity").strip().lower()
        if coding not in {"", "identity"}:
            raise Fault("broken_http", "the answer is compressed, which was not asked for")
        small = min(SMALL_BYTES, most_bytes)
        length = _length(response)
        if response.status == OK and length is not None and length <= small:
            return bytes(await response.bytes())
        content = bytearray()
        if response.status != OK:
            await _read_up_to(ERROR_BYTES, response, content, arrivals)
            return bytes(content[:ERROR_BYTES])
        if (length or 0) <= most_bytes:
            if await _read_up_to(small, response, content, arrivals):
                return bytes(content)
            async with self._large:
                if await _read_up_to(most_bytes, response, content, arrivals):
                    return bytes(content)
        # What is raised may be kept for long, and with it all that this function holds.
        content.clear()
        raise Fault("oversized", f"the answer has more than {most_bytes:,} bytes")

    def _client(self, proxy: str | None, loop: asyncio.AbstractEventLoop) -> Client:
        if self._loop is not loop:
            self._loop = loop
            self._large = asyncio.Semaphore(self._large_at_once)
        if proxy not in self._clients:
            self._clients[proxy] = _opened(self._timeouts, proxy)
        return self._clients[proxy]


def _opened(timeouts: Timeouts, proxy: str | None) -> Client:
    asked = ClientBuilder().no_proxy().follow_redirects(False).referer(False).user_agent(NAME)
    # A compressed body could grow without bound while it is read.
    plain = asked.gzip(False).brotli(False).zstd(False).deflate(False)
    patient = (
        plain.default_headers({"Accept-Encoding": "identity"})
        .connect_timeout(timedelta(seconds=timeouts.connect))
        .read_timeout(timedelta(seconds=timeouts.read))
        .timeout(timedelta(seconds=timeouts.total))
        .pool_idle_timeout(timedelta(seconds=IDLE_SECONDS))
    )
    return (patient if proxy is None else patient.proxy(ProxyBuilder.all(proxy))).build()


def _length(response: Response) -> int | None:
    """Return the length that an answer states; the library refuses one that is no number."""
    stated = response.headers.get("Content-Length")
    return None if stated is None else int(stated)


async def _read_up_to(
    most_bytes: int, response: Response, content: bytearray, arrivals: list[tuple[int, float]]
) -> bool:
    """Add what comes to a body's content, and when; False where there is more than these bytes."""
    now = asyncio.get_running_loop().time
    reader = response.body_reader
    while len(content) <= most_bytes:
        chunk = await reader.read_chunk()
        if chunk is None:
            return True
        content += chunk
        arrivals.append((len(content), now()))
    return False
