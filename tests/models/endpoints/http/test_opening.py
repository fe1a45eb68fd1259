"""Connections with TLS, by proxies, and those that cannot be opened."""

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Coroutine
from typing import Any

import pytest
from tests.models.endpoints.http.conftest import Behaving, Play, Serving, closed

from dragoman.models.http.http_client import HttpClient
from dragoman.models.http.transport import HttpResponse, Timeouts, TransportError
from dragoman.testing.local_server import HOST

KEY = "sk-canary-1618033988749894"
PATIENT = Timeouts(connect=20.0, read=20.0, total=20.0)
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


async def hello(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while await reader.readuntil(b"{}"):
        writer.write(ANSWER)


async def post(url: str, proxy: str | None = None) -> HttpResponse:
    """Post twice, one after the other."""
    http = HttpClient(PATIENT)
    headers = {"Authorization": f"Bearer {KEY}"}
    try:
        await http.post(url, headers, b"{}", proxy)
        return await http.post(url, headers, b"{}", proxy)
    finally:
        await http.close()


class Proxy:
    """A proxy that answers CONNECT with a line, and forwards the connection if it is good."""

    def __init__(self, line: bytes = b"HTTP/1.1 200 Connection established") -> None:
        self.line = line
        self.heads: list[bytes] = []
        self.seen = bytearray()

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        self.heads.append(head)
        writer.write(self.line + b"\r\nVia: x\r\n\r\n")
        if b" 200 " not in self.line:
            return
        port = int(head.split(b" ")[1].rpartition(b":")[2])
        answers, there = await asyncio.open_connection(HOST, port)
        try:
            await asyncio.gather(self._hand_on(answers, writer), self._hand_on(reader, there))
        finally:
            await closed(there)

    async def _hand_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while piece := await reader.read(65_536):
                self.seen += piece
                writer.write(piece)
        writer.close()


def fault(play: Play[Any], work: Coroutine[Any, Any, object]) -> TransportError:
    with pytest.raises(TransportError) as caught:
        play(work)
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
    return caught.value


@pytest.mark.usefixtures("trusting")
@pytest.mark.parametrize("host", ["localhost", HOST])
def test_a_certificate_that_is_trusted_opens_a_connection(
    play: Play[Any], serving: Serving, certified: ssl.SSLContext, host: str
) -> None:
    async def go() -> HttpResponse:
        async with serving(hello, certified) as port:
            return await post(f"https://{host}:{port}/")

    assert play(go()).body == b"{}"


def test_a_certificate_of_nobodys_is_told(
    play: Play[Any], serving: Serving, certified: ssl.SSLContext
) -> None:
    async def go() -> None:
        async with serving(hello, certified) as port:
            await post(f"https://localhost:{port}/")

    reported = fault(play, go())
    assert (reported.kind, reported.detail) == ("connect", "its certificate is not to be trusted")


@pytest.mark.usefixtures("trusting")
def test_a_certificate_of_another_name_is_told(
    play: Play[Any],
    serving: Serving,
    certified: ssl.SSLContext,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = socket.getaddrinfo

    def everybody_is_here(host: str, *args: Any, **rest: Any) -> object:  # noqa: ANN401 - as the library's
        return found(HOST if host == "other.example" else host, *args, **rest)

    async def go() -> None:
        async with serving(hello, certified) as port:
            await post(f"https://other.example:{port}/")

    monkeypatch.setattr(socket, "getaddrinfo", everybody_is_here)
    assert fault(play, go()).detail == "its certificate is not to be trusted"


def test_what_speaks_no_tls_is_no_connection(play: Play[Any], serving: Serving) -> None:
    async def nonsense(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(10)
        writer.write(f"HTTP/1.1 400 {KEY}\r\n\r\n".encode())

    async def go() -> None:
        async with serving(nonsense) as port:
            await post(f"https://localhost:{port}/")

    reported = fault(play, go())
    assert reported.kind == "connect"
    assert KEY not in reported.detail


@pytest.mark.usefixtures("trusting")
@pytest.mark.parametrize("secure_proxy", [False, True])
def test_a_proxy_opens_a_way_and_reads_nothing_of_what_goes_through(
    play: Play[Any], serving: Serving, certified: ssl.SSLContext, secure_proxy: bool
) -> None:
    proxy = Proxy()

    async def go() -> HttpResponse:
        context = certified if secure_proxy else None
        async with serving(hello, certified) as port, serving(proxy, context) as proxy_port:
            at = f"http{'s' if secure_proxy else ''}://us:word@localhost:{proxy_port}"
            return await post(f"https://localhost:{port}/v1", at)

    assert play(go()).body == b"{}"
    (head,) = proxy.heads
    assert head.startswith(b"CONNECT localhost:")
    assert b"\r\nProxy-Authorization: Basic dXM6d29yZA==\r\n" in head
    assert KEY.encode() not in head + bytes(proxy.seen)
    assert len(proxy.seen) > 100


def test_a_proxy_answers_for_what_is_not_encrypted(play: Play[Any], serving: Serving) -> None:
    heads: list[bytes] = []

    async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            heads.append(await reader.readuntil(b"{}"))
            writer.write(ANSWER)

    async def go() -> HttpResponse:
        async with serving(proxy) as port:
            return await post("http://elsewhere.example:8080/v1", f"http://{HOST}:{port}")

    assert play(go()).body == b"{}"
    assert heads[0].startswith(
        b"POST http://elsewhere.example:8080/v1 HTTP/1.1\r\nHost: elsewhere.example:8080\r\n"
    )


@pytest.mark.parametrize(
    ("line", "detail"),
    [
        (b"HTTP/1.1 407 Who are you", "the proxy refused with status 407"),
        (b"HTTP/1.0 502 Bad Gateway", "the proxy refused with status 502"),
        (f"SSH-2.0 {KEY}".encode(), "the proxy did not answer in HTTP"),
        (b"", "the proxy did not answer in HTTP"),
        (b"x" * 200_000, "the proxy did not answer in HTTP"),
    ],
)
def test_a_proxy_that_opens_no_way_is_told(
    play: Play[Any], serving: Serving, line: bytes, detail: str
) -> None:
    async def go() -> None:
        async with serving(Proxy(line)) as port:
            await post("https://elsewhere.example/v1", f"http://{HOST}:{port}")

    reported = fault(play, go())
    assert (reported.kind, reported.detail) == ("connect", detail)


@pytest.mark.usefixtures("trusting")
@pytest.mark.parametrize("behave", [Proxy(), hello])
def test_a_way_that_leads_to_no_tls_is_no_connection(
    play: Play[Any], serving: Serving, behave: Behaving
) -> None:
    async def deaf(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"no TLS at all, and long enough to be seen as none\r\n\r\n")

    async def go() -> None:
        async with serving(deaf) as port, serving(behave) as proxy_port:
            http = HttpClient(Timeouts(connect=0.5))
            try:
                await http.post(f"https://{HOST}:{port}/", {}, b"{}", f"http://{HOST}:{proxy_port}")
            finally:
                await http.close()

    assert fault(play, go()).kind == "connect"


def test_a_proxy_is_no_socks_server(play: Play[Any]) -> None:
    assert fault(play, post("https://host/", "ftp://proxy:1")).detail == "no address of a proxy"


@pytest.mark.parametrize("host", ["no-such-host.invalid", "a" * 300, "x..y", "1.2.3.4.5"])
def test_a_name_without_an_address_is_told(play: Play[Any], host: str) -> None:
    reported = fault(play, post(f"http://{host}/"))
    assert reported.kind in {"dns", "connect"}
    assert reported.detail in {f"no address found for {host}", "no address of a web server"}


def test_a_name_is_looked_up_once(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    found = socket.getaddrinfo
    searched: list[object] = []

    def counting(*args: Any, **rest: Any) -> object:  # noqa: ANN401 - as the library's
        searched.extend(args[:1] if socket.AI_ADDRCONFIG in args else [])
        return found(*args, **rest)

    async def go() -> list[int]:
        all_came = asyncio.Barrier(20)

        async def together(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"{}")
            await all_came.wait()
            writer.write(ANSWER)

        async with serving(together) as port:
            http = HttpClient(PATIENT)
            calls = (http.post(f"http://localhost:{port}/", {}, b"{}") for _ in range(20))
            answers = await asyncio.gather(*calls)
            await http.close()
        return [answer.status for answer in answers]

    # libuv looks names up by itself.
    monkeypatch.setattr(socket, "getaddrinfo", counting)
    assert asyncio.run(go()) == [200] * 20
    assert searched == ["localhost"]
