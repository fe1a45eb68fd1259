"""Connections that wait for their next call, and all that are open."""

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable

from dragoman.models.wire.http1.connection import Connection
from dragoman.models.wire.http1.opening import Opener
from dragoman.models.wire.http1.peer_trust import PeerTrust
from dragoman.models.wire.http1.requests import Peer
from dragoman.models.wire.transport import Timeouts

KEPT_SECONDS = 15.0
"""For so long a connection that carries nothing is kept: longer, and the other end may be closing it."""

MOST_LISTENED_TO = 64
"""Connections that carry nothing more and are listened to: what they still bring was out of step."""

LISTENED_SECONDS = 1.0
"""For no longer connections are listened to before they are closed with the client."""


class Pool:
    """All connections of one event loop; how many there are is the business of who asks for them.

    Args:
        loop: The event loop.
        timeouts: How long to wait.
        trust: Returns what is known of a peer.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        timeouts: Timeouts,
        trust: Callable[[Peer], PeerTrust],
    ) -> None:
        self.loop = loop
        self._trust_in = trust
        self._listened_to: deque[Connection] = deque()
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
            if not self._is_fresh(connection):
                connection.abort()
            elif not connection.is_silent():
                self._listen(connection)
            elif connection.trust.reuses:
                return connection
            else:
                self._retire(connection)
        return await self.opened(peer)

    async def opened(self, peer: Peer) -> Connection:
        """Return a new one that leads to a peer.

        Raises:
            Fault: Where none can be opened.
        """
        connection = await self._opener.opened(peer)
        if connection.is_open:
            self._all.add(connection)
        return connection

    def give_back(self, peer: Peer, connection: Connection) -> None:
        """Keep a connection for the next call, if it can carry one."""
        if not connection.is_free:
            connection.abort()
        elif connection.is_spent or connection.doubt or not connection.trust.reuses:
            self._retire(connection)
        else:
            idle = self._idle[peer]
            while idle and idle[0].freed_at + KEPT_SECONDS < connection.freed_at:
                idle.popleft().abort()
            idle.append(connection)

    async def close(self) -> None:
        """Close all connections; return when they are.

        Those that carried several calls are listened to before, for as long as their answers took.
        """
        try:
            if (left := self._unheard() - self.loop.time()) > 0:
                await asyncio.sleep(left)
        finally:
            for connection in tuple(self._all):
                connection.abort()
        while self._all:
            self._none_left.clear()
            await self._none_left.wait()

    def _is_fresh(self, connection: Connection) -> bool:
        return connection.is_free and self.loop.time() <= connection.freed_at + KEPT_SECONDS

    def _unheard(self) -> float:
        """Return when a connection that is one answer behind should have brought it."""
        return max(
            (
                connection.freed_at + min(2 * connection.slowest, LISTENED_SECONDS)
                for connection in self._all
                if connection.answered > 1 and connection.is_free
            ),
            default=0.0,
        )

    def _retire(self, connection: Connection) -> None:
        """Let one carry nothing more; what carried several calls may be one answer behind."""
        if connection.answered > 1:
            self._listen(connection)
        else:
            connection.abort()

    def _listen(self, connection: Connection) -> None:
        """Keep one for a while only to learn what it still brings."""
        if len(self._listened_to) >= MOST_LISTENED_TO:
            self._listened_to.popleft().abort()
        self._listened_to.append(connection)
        self.loop.call_later(KEPT_SECONDS, connection.abort)

    def _made(self, peer: Peer) -> Connection:
        return Connection(self.loop, self._read_seconds, self._lost, self._trust_in(peer))

    def _lost(self, connection: Connection) -> None:
        self._all.discard(connection)
        if connection in self._listened_to:
            self._listened_to.remove(connection)
        self._none_left.set()
