"""HTTP client: a connection pool, DNS, TLS and proxies, and failures as `TransportError`.

Bodies are bounded; the client does not follow redirects and does not decompress.
"""

import asyncio
import contextlib
import functools
import re
import socket
import ssl
from asyncio import StreamReader, StreamReaderProtocol, Transport
from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import msgspec
from aiohappyeyeballs import AddrInfoType, start_connection
from yarl import URL

from dragoman.models.http.connection_reuse import ASKED_AGAIN, SURPLUS, PeerTrust, report_source
from dragoman.models.http.http_connection import HttpConnection
from dragoman.models.http.http_request import (
    Destination,
    Peer,
    RequestHeadCache,
    destination_of_url,
    peer_of_url,
    proxy_lines,
)
from dragoman.models.http.transport import (
    CHAT_BYTES,
    GOOD,
    HttpResponse,
    Timeouts,
    TransportError,
    describe_os_error,
)

LOOKED_UP_SECONDS = 300.0
"""Seconds for which the addresses of a name are cached."""

NEXT_ADDRESS_SECONDS = 0.25
"""Seconds after which the next address of a name is tried in parallel."""

PROXY_STATUS = re.compile(rb"HTTP/1\.[01] ([0-9]{3})\b")
STREAM = socket.SOCK_STREAM

P = TypeVar("P", bound=asyncio.Protocol)


class Connector:
    """Opens connections in one event loop.

    Args:
        seconds: Longest time to open a connection.
        make: Function that makes the protocol object of a connection to a peer.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        seconds: float,
        make: Callable[[Peer], HttpConnection],
    ) -> None:
        self._loop = loop
        self._seconds = seconds
        self._make = make
        self._found: dict[tuple[str, int], tuple[float, Sequence[AddrInfoType]]] = {}
        self._searches: dict[tuple[str, int], asyncio.Lock] = {}

    async def opened(self, peer: Peer) -> HttpConnection:
        """Open a connection.

        Raises:
            TransportError: If no connection can be opened; the error says why.
        """
        try:
            async with asyncio.timeout(self._seconds):
                return await self._connected(peer)
        except TimeoutError:
            fault = TransportError("connect", "no connection in time")
        except ssl.SSLCertVerificationError:
            fault = TransportError("connect", "its certificate is not to be trusted")
        except OSError as error:
            fault = TransportError("connect", f"no connection ({describe_os_error(error)})")
        # The error is raised outside of the handler, because the original may quote received data.
        raise fault

    async def _connected(self, peer: Peer) -> HttpConnection:
        make = functools.partial(self._make, peer)
        if peer.proxy is None:
            return (await self._linked(peer, make))[1]
        proxy = peer_of_url(peer.proxy)
        if proxy is None:
            raise TransportError("connect", "no address of a proxy")
        if not peer.tunnelled:
            return (await self._linked(proxy, make))[1]
        return await self._through(proxy, peer)

    async def _linked(self, peer: Peer, protocol: Callable[[], P]) -> tuple[Transport, P]:
        """Connect a protocol to the host of an address."""
        addresses = await self._addresses(peer.host, peer.port)
        connected = await start_connection(addresses, happy_eyeballs_delay=NEXT_ADDRESS_SECONDS)
        try:
            return await self._loop.create_connection(
                protocol,
                sock=connected,
                ssl=self._trust if peer.secure else None,
                server_hostname=peer.host.rstrip(".") if peer.secure else None,
            )
        except BaseException:
            connected.close()
            raise

    async def _through(self, proxy: Peer, peer: Peer) -> HttpConnection:
        """Ask a proxy for a tunnel to a peer, and start TLS with the peer in it."""
        reader = StreamReader(loop=self._loop)
        way, _ = await self._linked(proxy, lambda: StreamReaderProtocol(reader, loop=self._loop))
        try:
            way.write(_question(peer))
            await _require_proxy_tunnel(reader)
            connection = self._make(peer)
            transport = await self._loop.start_tls(
                way, connection, self._trust, server_hostname=peer.host.rstrip(".")
            )
        except BaseException:
            way.abort()
            raise
        if transport is None:
            raise ConnectionResetError
        connection.connection_made(transport)
        return connection

    @functools.cached_property
    def _trust(self) -> ssl.SSLContext:
        """The context of trusted certificates.

        Loading the certificates takes long, so it happens once, on first use.
        """
        context = ssl.create_default_context()
        context.set_alpn_protocols(["http/1.1"])
        return context

    async def _addresses(self, host: str, port: int) -> Sequence[AddrInfoType]:
        """Return the addresses of a host.

        They are the host itself if it is numeric, or the result of DNS.
        """
        with contextlib.suppress(OSError, UnicodeError):
            return socket.getaddrinfo(host, port, type=STREAM, flags=socket.AI_NUMERICHOST)
        name = host, port
        async with self._searches.setdefault(name, asyncio.Lock()):
            at, addresses = self._found.get(name, (0.0, []))
            if not addresses or self._loop.time() > at + LOOKED_UP_SECONDS:
                addresses = await self._searched(host, port)
                self._found[name] = self._loop.time(), addresses
        return addresses

    async def _searched(self, host: str, port: int) -> Sequence[AddrInfoType]:
        with contextlib.suppress(OSError, UnicodeError):
            return await self._loop.getaddrinfo(host, port, type=STREAM, flags=socket.AI_ADDRCONFIG)
        raise TransportError("dns", f"no address found for {host}")


def _question(peer: Peer) -> bytes:
    """Return the request that asks a proxy for a tunnel."""
    at = f"[{peer.host}]:{peer.port}" if ":" in peer.host else f"{peer.host}:{peer.port}"
    lines = [f"CONNECT {at} HTTP/1.1", f"Host: {at}"]
    lines += [] if peer.proxy is None else proxy_lines(peer.proxy)
    return "\r\n".join([*lines, "", ""]).encode()


async def _require_proxy_tunnel(reader: StreamReader) -> None:
    """Read a proxy's answer.

    Raises:
        TransportError: If the proxy refuses the tunnel.
    """
    head = b""
    with contextlib.suppress(asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        head = await reader.readuntil(b"\r\n\r\n")
    answer = PROXY_STATUS.match(head)
    if answer is None:
        raise TransportError("connect", "the proxy did not answer in HTTP")
    if answer[1] != b"200":
        raise TransportError("connect", f"the proxy refused with status {answer[1].decode()}")


KEPT_SECONDS = 15.0
"""Seconds that an idle connection is kept.

After a longer time, the other end may be closing it.
"""

MOST_LISTENED_TO = 64
"""Maximum number of idle connections that are monitored.

Data that arrives on such a connection belongs to no request.
"""

LISTENED_SECONDS = 1.0
"""Longest time for which connections are monitored before they are closed with the client."""


class ConnectionPool:
    """All connections of one event loop; the callers limit their number.

    Args:
        loop: The event loop.
        timeouts: Time limits.
        trust: Function that returns the reliability of a peer.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        timeouts: Timeouts,
        trust: Callable[[Peer], PeerTrust],
    ) -> None:
        self.loop = loop
        self._trust_in = trust
        self._listened_to: deque[HttpConnection] = deque()
        self._read_seconds = timeouts.read
        self._idle: defaultdict[Peer, deque[HttpConnection]] = defaultdict(deque)
        self._all: set[HttpConnection] = set()
        self._none_left = asyncio.Event()
        self._opener = Connector(loop, min(timeouts.connect, timeouts.total), self._made)

    async def connection(self, peer: Peer) -> HttpConnection:
        """Return a connection to a peer: the one that was used last, or a new one.

        Raises:
            TransportError: If none can be opened.
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

    async def opened(self, peer: Peer) -> HttpConnection:
        """Return a new connection to a peer.

        Raises:
            TransportError: If none can be opened.
        """
        connection = await self._opener.opened(peer)
        if connection.is_open:
            self._all.add(connection)
        return connection

    def give_back(self, peer: Peer, connection: HttpConnection) -> None:
        """Keep a connection for the next call if it can carry one."""
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
        """Close all connections, and return once they are closed.

        Connections that carried several calls are monitored first, for up to twice the time of
        their slowest answer.
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

    def _is_fresh(self, connection: HttpConnection) -> bool:
        return connection.is_free and self.loop.time() <= connection.freed_at + KEPT_SECONDS

    def _unheard(self) -> float:
        """Return the time until which late answers can arrive.

        A connection that is one answer behind should have delivered it by then.
        """
        return max(
            (
                connection.freed_at + min(2 * connection.slowest, LISTENED_SECONDS)
                for connection in self._all
                if connection.answered > 1 and connection.is_free
            ),
            default=0.0,
        )

    def _retire(self, connection: HttpConnection) -> None:
        """Stop reusing a connection; if it carried several calls, it may be one answer behind."""
        if connection.answered > 1:
            self._listen(connection)
        else:
            connection.abort()

    def _listen(self, connection: HttpConnection) -> None:
        """Keep a connection for a while, only to detect late data."""
        if len(self._listened_to) >= MOST_LISTENED_TO:
            self._listened_to.popleft().abort()
        self._listened_to.append(connection)
        self.loop.call_later(KEPT_SECONDS, connection.abort)

    def _made(self, peer: Peer) -> HttpConnection:
        return HttpConnection(self.loop, self._read_seconds, self._lost, self._trust_in(peer))

    def _lost(self, connection: HttpConnection) -> None:
        self._all.discard(connection)
        if connection in self._listened_to:
            self._listened_to.remove(connection)
        self._none_left.set()


LARGE_AT_ONCE = 16
"""Largest number of large bodies that are read at the same time, to bound their memory."""


class HttpClient:
    """HTTP client with a connection pool that is opened on first use and bound to its event loop.

    The number of connections has no limit, because the endpoint client limits the calls in flight.
    Redirects are returned like other answers. The client does not ask for compression, because a
    compressed body could grow without bound. If an answer may belong to another request, the client
    sends the request again over a new connection. One surplus byte of a peer ends the reuse of
    connections to it for the life of this client.
    """

    def __init__(self, timeouts: Timeouts, large_at_once: int = LARGE_AT_ONCE) -> None:
        self._timeouts = timeouts
        self._large_at_once = large_at_once
        self._large = asyncio.Semaphore(large_at_once)
        self._pool: ConnectionPool | None = None
        self._heads = RequestHeadCache()
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
            TransportError: If no whole answer came.
        """
        where = destination_of_url(url, proxy)
        request = self._heads.head(where, headers, body), body
        return await self._exchanged(where, request, most_bytes)

    async def get(
        self,
        url: str,
        headers: Mapping[str, str],
        proxy: str | None = None,
        most_bytes: int = CHAT_BYTES,
    ) -> HttpResponse:
        """Get an address and return the answer, whatever its status.

        Raises:
            TransportError: If no whole answer came.
        """
        where = destination_of_url(url, proxy)
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
        """Return the answer to a request.

        If it may belong to another one, send the request again.
        """
        pool = self._open()
        ends_at = pool.loop.time() + self._timeouts.total
        connection = await pool.connection(where.peer)
        try:
            answer = await connection.exchange(request, most_bytes, ends_at, self._large)
        finally:
            pool.give_back(where.peer, connection)
        if not connection.doubt:
            return _report_faults(answer, connection, {})
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
        return _report_faults(second, fresh, {ASKED_AGAIN: 1})

    def _open(self) -> ConnectionPool:
        loop = asyncio.get_running_loop()
        if self._pool is None or self._pool.loop is not loop:
            self._large = asyncio.Semaphore(self._large_at_once)
            self._pool = ConnectionPool(loop, self._timeouts, self._trust_in)
        return self._pool

    def _trust_in(self, peer: Peer) -> PeerTrust:
        trust = self._trust.get(peer)
        if trust is None:
            trust = self._trust[peer] = PeerTrust(peer.name)
        return trust


def _report_faults(
    answer: HttpResponse, connection: HttpConnection, faults: Mapping[str, int]
) -> HttpResponse:
    """Return an answer with the faults of its peer, and report its connection to the caller."""
    report_source(connection.read_over)
    if surplus := connection.trust.unreported():
        faults = {**faults, SURPLUS: surplus}
    return msgspec.structs.replace(answer, faults=faults) if faults else answer
