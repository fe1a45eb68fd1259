"""WebSocketConnector over real connections, and reasons why one cannot be opened."""

import asyncio
import base64
import hashlib
import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import pytest

from dragoman.models.http.transport import Timeouts, TransportError
from dragoman.models.http.websocket import HandshakeError, WebSocketConnector

Behaving = Callable[[asyncio.StreamReader, asyncio.StreamWriter], object]
RawServer = Callable[[Behaving], AbstractAsyncContextManager[str]]
GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
PING = b"\x89\x00"
QUICK = Timeouts(connect=2.0, read=2.0, total=20.0)


async def open_at(url: str, proxy: str | None = None) -> None:
    sockets = WebSocketConnector(QUICK)
    try:
        await sockets.open(url.replace("http://", "ws://"), {}, proxy)
    finally:
        await sockets.close()


class Server:
    """A server that answers every request with the same bytes, and records the requests."""

    def __init__(self, answer: bytes) -> None:
        self.answer = answer
        self.heads: list[str] = []

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(self.answer)
        await writer.drain()


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirection_is_an_answer_and_is_not_followed(serving: RawServer, status: int) -> None:
    elsewhere = Server(b"")

    async def go() -> int:
        async with serving(elsewhere) as other:
            head = f"HTTP/1.1 {status} Elsewhere\r\nLocation: {other}\r\nContent-Length: 0\r\n\r\n"
            async with serving(Server(head.encode())) as url:
                with pytest.raises(HandshakeError) as caught:
                    await open_at(url)
        return caught.value.answer.status

    assert asyncio.run(go()) == status
    assert elsewhere.heads == []


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        ("ws://models.example/v1/realtime", "GET ws://models.example/v1/realtime "),
        ("wss://models.example/v1/realtime", "CONNECT models.example:443 "),
    ],
)
def test_a_proxy_is_asked_for_the_address_and_its_refusal_is_no_connection(
    serving: RawServer, url: str, asked: str
) -> None:
    proxy = Server(b"HTTP/1.1 407 Authenticate\r\nContent-Length: 0\r\n\r\n")

    async def go() -> None:
        async with serving(proxy) as at:
            with pytest.raises((HandshakeError, TransportError)):
                await open_at(url, at.removesuffix("/v1"))

    asyncio.run(go())

    (head,) = proxy.heads
    assert head.startswith(asked)


def test_an_answer_that_is_no_websocket_is_a_fault(serving: RawServer) -> None:
    async def go() -> TransportError:
        async with serving(Server(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")) as url:
            with pytest.raises(TransportError) as caught:
                await open_at(url)
        return caught.value

    fault = asyncio.run(go())
    assert (fault.kind, fault.detail) == ("broken_http", "no WebSocket")


async def pings_and_goes(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    (key,) = re.findall(r"Sec-WebSocket-Key: (\S+)", head)
    accepted = base64.b64encode(hashlib.sha1(f"{key}{GUID}".encode()).digest()).decode()  # noqa: S324 - the protocol's own
    lines = ("HTTP/1.1 101 Go", "Upgrade: websocket", "Connection: Upgrade")
    answer = "\r\n".join((*lines, f"Sec-WebSocket-Accept: {accepted}", "", ""))
    writer.write(answer.encode() + PING * 1_000)
    await writer.drain()
    writer.transport.abort()


def test_a_server_that_asks_for_a_sign_of_life_and_goes_has_cut_the_connection(
    serving: RawServer,
) -> None:
    async def go() -> TransportError:
        sockets = WebSocketConnector(QUICK)
        async with serving(pings_and_goes) as url:
            socket = await sockets.open(url.replace("http://", "ws://"), {})
            with pytest.raises(TransportError) as caught:
                await socket.receive()
            await socket.close()
        await sockets.close()
        return caught.value

    assert asyncio.run(go()).kind == "cut"
