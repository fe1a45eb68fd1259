"""Opens connections: names looked up, addresses tried, TLS spoken, proxies asked for a way through."""

import asyncio
import contextlib
import functools
import re
import socket
import ssl
from asyncio import StreamReader, StreamReaderProtocol, Transport
from collections.abc import Callable, Sequence
from typing import TypeVar

from aiohappyeyeballs import AddrInfoType, start_connection

from dragoman.models.wire.http1.connection import Connection
from dragoman.models.wire.http1.requests import Peer, peer_of, proxy_lines
from dragoman.models.wire.transport import Fault, reason_of

LOOKED_UP_SECONDS = 300.0
"""For so long a name keeps the addresses that were found for it."""

NEXT_ADDRESS_SECONDS = 0.25
"""After so long the next address of a name is tried beside the one before."""

PROXY_STATUS = re.compile(rb"HTTP/1\.[01] ([0-9]{3})\b")
STREAM = socket.SOCK_STREAM

P = TypeVar("P", bound=asyncio.Protocol)


class Opener:
    """Opens connections in one event loop.

    Args:
        seconds: How long opening one may take.
        make: Makes what a connection to a peer is given to.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, seconds: float, make: Callable[[Peer], Connection]
    ) -> None:
        self._loop = loop
        self._seconds = seconds
        self._make = make
        self._found: dict[tuple[str, int], tuple[float, Sequence[AddrInfoType]]] = {}
        self._searches: dict[tuple[str, int], asyncio.Lock] = {}

    async def opened(self, peer: Peer) -> Connection:
        """Open a connection.

        Raises:
            Fault: Where there is none, and why.
        """
        try:
            async with asyncio.timeout(self._seconds):
                return await self._connected(peer)
        except TimeoutError:
            fault = Fault("connect", "no connection in time")
        except ssl.SSLCertVerificationError:
            fault = Fault("connect", "its certificate is not to be trusted")
        except OSError as error:
            fault = Fault("connect", f"no connection ({reason_of(error)})")
        # Raised out here so that nothing hangs on it: an error may quote what was received.
        raise fault

    async def _connected(self, peer: Peer) -> Connection:
        make = functools.partial(self._make, peer)
        if peer.proxy is None:
            return (await self._linked(peer, make))[1]
        proxy = peer_of(peer.proxy)
        if proxy is None:
            raise Fault("connect", "no address of a proxy")
        if not peer.tunnelled:
            return (await self._linked(proxy, make))[1]
        return await self._through(proxy, peer)

    async def _linked(self, peer: Peer, protocol: Callable[[], P]) -> tuple[Transport, P]:
        """Connect a protocol with who is at an address."""
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

    async def _through(self, proxy: Peer, peer: Peer) -> Connection:
        """Ask a proxy for a way to a peer, and speak TLS with the peer over it."""
        reader = StreamReader(loop=self._loop)
        way, _ = await self._linked(proxy, lambda: StreamReaderProtocol(reader, loop=self._loop))
        try:
            way.write(_question(peer))
            await _require_way(reader)
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
        """Whose certificates are trusted: reading them takes long, so once, and where it is needed."""
        context = ssl.create_default_context()
        context.set_alpn_protocols(["http/1.1"])
        return context

    async def _addresses(self, host: str, port: int) -> Sequence[AddrInfoType]:
        """Return where a host is: itself where it is a number, or what its name stands for."""
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
        raise Fault("dns", f"no address found for {host}")


def _question(peer: Peer) -> bytes:
    """Return what a proxy is asked so that it hands on all that follows."""
    at = f"[{peer.host}]:{peer.port}" if ":" in peer.host else f"{peer.host}:{peer.port}"
    lines = [f"CONNECT {at} HTTP/1.1", f"Host: {at}"]
    lines += [] if peer.proxy is None else proxy_lines(peer.proxy)
    return "\r\n".join([*lines, "", ""]).encode()


async def _require_way(reader: StreamReader) -> None:
    """Read what a proxy answers.

    Raises:
        Fault: Where it opens no way.
    """
    head = b""
    with contextlib.suppress(asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        head = await reader.readuntil(b"\r\n\r\n")
    answer = PROXY_STATUS.match(head)
    if answer is None:
        raise Fault("connect", "the proxy did not answer in HTTP")
    if answer[1] != b"200":
        raise Fault("connect", f"the proxy refused with status {answer[1].decode()}")
