"""Connections that wait for their next call, and all that are open."""

import asyncio
from collections import defaultdict, deque

from dragoman.models.wire.http1.connection import Connection
from dragoman.models.wire.http1.opening import Opener
from dragoman.models.wire.http1.requests import Peer
from dragoman.models.wire.transport import Timeouts

KEPT_SECONDS = 15.0
"""For so long a connection that carries nothing is kept: longer, and the other end may be closing it."""


class Pool:
    """All connections of one event loop; how many there are is the business of who asks for them."""

    def __init__(self, loop: asyncio.AbstractEventLoop, timeouts: Timeouts) -> None:
        self.loop = loop
        self._read_seconds = timeouts.read
        self._idle: defaultdict[Peer, deque[Connection]] = defaultdict(deque)
        self._all: set[Connection] = set()
        self._none_left = asyncio.Event()
        self._opener = Opener(loop, min(timeouts.connect, timeouts.total), self._made)

    async def connection(self, peer: Peer) -> Connection:
        """Return one that leads to a peer: the one that was used last, or a new one.

        Raises:
            Fault: Where none can be opened.
        """
        idle = self._idle[peer]
        while idle:
            connection = idle.pop()
            if self._is_fresh(connection):
                return connection
            connection.abort()
        connection = await self._opener.opened(peer)
        if connection.is_open:
            self._all.add(connection)
        return connection

    def give_back(self, peer: Peer, connection: Connection) -> None:
        """Keep a connection for the next call, if it can carry one."""
        if not connection.is_free:
            connection.abort()
            return
        idle = self._idle[peer]
        while idle and idle[0].freed_at + KEPT_SECONDS < connection.freed_at:
            idle.popleft().abort()
        idle.append(connection)

    async def close(self) -> None:
        """Close all connections; return when they are."""
        for connection in tuple(self._all):
            connection.abort()
        while self._all:
            self._none_left.clear()
            await self._none_left.wait()

    def _is_fresh(self, connection: Connection) -> bool:
        return connection.is_free and self.loop.time() <= connection.freed_at + KEPT_SECONDS

    def _made(self) -> Connection:
        return Connection(self.loop, self._read_seconds, self._lost)

    def _lost(self, connection: Connection) -> None:
        self._all.discard(connection)
        self._none_left.set()
