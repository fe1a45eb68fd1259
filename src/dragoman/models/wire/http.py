"""Bytes over HTTP: one connection pool, bounded bodies, and every way to break as one kind of fault."""

import asyncio
from collections.abc import Mapping

from yarl import URL

from dragoman.models.wire.http1.pool import Pool
from dragoman.models.wire.http1.requests import Destination, Heads, destination_of
from dragoman.models.wire.transport import CHAT_BYTES, HttpResponse, Timeouts

LARGE_AT_ONCE = 16
"""How many large bodies are read at the same time: what they hold together is bounded."""


class Http:
    """A pool of connections, opened on first use and bound to the event loop that used it.

    No cap on connections: how many calls are under way is the gate's business. Redirections are
    answers like others, and compression is not asked for: a compressed body could grow without bound.
    """

    def __init__(self, timeouts: Timeouts, large_at_once: int = LARGE_AT_ONCE) -> None:
        self._timeouts = timeouts
        self._large_at_once = large_at_once
        self._large = asyncio.Semaphore(large_at_once)
        self._pool: Pool | None = None
        self._heads = Heads()

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
        where = destination_of(url, proxy)
        request = self._heads.head(where, headers, body), body
        return await self._exchanged(where, request, most_bytes)

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
        where = destination_of(url, proxy)
        request = self._heads.head(where, headers, None), b""
        return await self._exchanged(where, request, most_bytes)

    async def close(self) -> None:
        """Close all connections."""
        pool, self._pool = self._pool, None
        if pool is not None and pool.loop is asyncio.get_running_loop():
            await pool.close()

    async def _exchanged(
        self, where: Destination, request: tuple[bytes, bytes], most_bytes: int
    ) -> HttpResponse:
        pool = self._open()
        ends_at = pool.loop.time() + self._timeouts.total
        connection = await pool.connection(where.peer)
        try:
            return await connection.exchange(request, most_bytes, ends_at, self._large)
        finally:
            pool.give_back(where.peer, connection)

    def _open(self) -> Pool:
        loop = asyncio.get_running_loop()
        if self._pool is None or self._pool.loop is not loop:
            self._large = asyncio.Semaphore(self._large_at_once)
            self._pool = Pool(loop, self._timeouts)
        return self._pool
