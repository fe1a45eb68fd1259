"""Bytes over HTTP: one connection pool, bounded bodies, and every way to break as one kind of fault."""

import asyncio
from collections.abc import Mapping

import msgspec
from yarl import URL

from dragoman.models.wire.http1.connection import Connection
from dragoman.models.wire.http1.peer_trust import ASKED_AGAIN, SURPLUS, PeerTrust
from dragoman.models.wire.http1.pool import Pool
from dragoman.models.wire.http1.requests import Destination, Heads, Peer, destination_of
from dragoman.models.wire.sources import came_over
from dragoman.models.wire.transport import CHAT_BYTES, GOOD, HttpResponse, Timeouts

LARGE_AT_ONCE = 16
"""How many large bodies are read at the same time: what they hold together is bounded."""


class Http:
    """A pool of connections, opened on first use and bound to the event loop that used it.

    No cap on connections: how many calls are under way is the gate's business. Redirections are
    answers like others, and compression is not asked for: a compressed body could grow without bound.
    An answer that may belong to another request is asked for again over a new connection, and one
    surplus byte of a peer ends the reuse of connections to it for the life of this client.
    """

    def __init__(self, timeouts: Timeouts, large_at_once: int = LARGE_AT_ONCE) -> None:
        self._timeouts = timeouts
        self._large_at_once = large_at_once
        self._large = asyncio.Semaphore(large_at_once)
        self._pool: Pool | None = None
        self._heads = Heads()
        self._trust: dict[Peer, PeerTrust] = {}

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
        """Return the answer to a request; one that may be another's is asked for again."""
        pool = self._open()
        ends_at = pool.loop.time() + self._timeouts.total
        connection = await pool.connection(where.peer)
        try:
            answer = await connection.exchange(request, most_bytes, ends_at, self._large)
        finally:
            pool.give_back(where.peer, connection)
        if not connection.doubt:
            return _told(answer, connection, {})
        ends_at = pool.loop.time() + self._timeouts.total
        fresh = await pool.opened(where.peer)
        try:
            second = await fresh.exchange(request, most_bytes, ends_at, self._large)
        finally:
            pool.give_back(where.peer, fresh)
        if second.status in GOOD and connection.doubt == "equal":
            if second.body == answer.body:
                connection.trust.gave_equal()
            else:
                connection.found_surplus()
        return _told(second, fresh, {ASKED_AGAIN: 1})

    def _open(self) -> Pool:
        loop = asyncio.get_running_loop()
        if self._pool is None or self._pool.loop is not loop:
            self._large = asyncio.Semaphore(self._large_at_once)
            self._pool = Pool(loop, self._timeouts, self._trust_in)
        return self._pool

    def _trust_in(self, peer: Peer) -> PeerTrust:
        trust = self._trust.get(peer)
        if trust is None:
            trust = self._trust[peer] = PeerTrust(peer.name)
        return trust


def _told(answer: HttpResponse, connection: Connection, faults: Mapping[str, int]) -> HttpResponse:
    """Return an answer with what went wrong at its peer, and tell who asks where it came from."""
    came_over(connection.read_over)
    if surplus := connection.trust.untold():
        faults = {**faults, SURPLUS: surplus}
    return msgspec.structs.replace(answer, faults=faults) if faults else answer
