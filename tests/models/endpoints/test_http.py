"""Bytes over real connections, and every way in which they break."""

import asyncio
import gzip
import socketserver
import threading
import time
import tracemalloc
import zlib
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import pytest

from dragoman.models.http.http_client import HttpClient
from dragoman.models.http.http_connection import ERROR_BYTES
from dragoman.models.http.transport import (
    CHAT_BYTES,
    HttpResponse,
    Timeouts,
    TransportError,
    TransportErrorKind,
)
from dragoman.testing.fault_injection import UNRESOLVABLE_URL
from dragoman.testing.local_server import HOST

Behaving = Callable[[asyncio.StreamReader, asyncio.StreamWriter], object]
RawServer = Callable[[Behaving], AbstractAsyncContextManager[str]]
CANARY = "sk-canary-2718281828459045"
PATIENT = Timeouts(connect=20.0, read=20.0, total=20.0)


async def post(url: str, timeouts: Timeouts = PATIENT) -> HttpResponse:
    http = HttpClient(timeouts)
    try:
        return await http.post(url, {"Authorization": f"Bearer {CANARY}"}, b"{}")
    finally:
        await http.close()


async def posted(
    serving: RawServer, behave: Behaving, timeouts: Timeouts = PATIENT
) -> HttpResponse:
    async with serving(behave) as url:
        return await post(url, timeouts)


def answering(*pieces: bytes) -> Behaving:
    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        for piece in pieces:
            writer.write(piece)
            await writer.drain()

    return behave


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:  # noqa: ARG001 - a server's signature
    await reader.read(-1)


def whole(body: bytes, head: bytes = b"HTTP/1.1 200 OK", *headers: bytes) -> bytes:
    length = b"Content-Length: %d" % len(body)
    return b"\r\n".join([head, length, *headers, b"", body])


def fault_of(serving: RawServer, behave: Behaving, timeouts: Timeouts = PATIENT) -> TransportError:
    with pytest.raises(TransportError) as caught:
        asyncio.run(posted(serving, behave, timeouts))
    return caught.value


def test_an_answer_comes_with_its_status_and_headers_in_any_case(serving: RawServer) -> None:
    content = whole(b'{"x": 1}', b"HTTP/1.1 429 Slow down", b"RETRY-AFTER: 7")
    answer = asyncio.run(posted(serving, answering(content)))
    assert (answer.status, answer.body) == (429, b'{"x": 1}')
    assert answer.headers["retry-after"] == "7"


def test_an_answer_without_a_length_is_read_to_its_end(serving: RawServer) -> None:
    answer = asyncio.run(posted(serving, answering(b"HTTP/1.1 200 OK\r\n\r\n", b"ab", b"cd")))
    assert answer.body == b"abcd"


def test_an_answer_says_when_its_pieces_came(serving: RawServer) -> None:
    async def go() -> tuple[float, HttpResponse, float]:
        now = asyncio.get_running_loop().time
        return now(), await posted(serving, answering(whole(b"a" * 100_000))), now()

    began, answer, ended = asyncio.run(go())
    counts, times = zip(*answer.arrivals, strict=True)
    assert counts[-1] == 100_000
    assert sorted(counts) == list(counts)
    assert sorted([began, *times, ended]) == [began, *times, ended]


def test_neither_compression_nor_a_name_is_told_of_the_client(serving: RawServer) -> None:
    heads: list[bytes] = []

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(whole(b"{}"))

    asyncio.run(posted(serving, behave))
    assert b"Accept-Encoding: identity" in heads[0]
    assert b"User-Agent" not in heads[0]


def test_a_redirect_is_an_answer_and_is_not_followed(serving: RawServer) -> None:
    content = whole(b"", b"HTTP/1.1 302 Found", b"Location: http://127.0.0.1:1/elsewhere")
    assert asyncio.run(posted(serving, answering(content))).status == 302


@pytest.mark.parametrize(
    ("kind", "sent"),
    [
        pytest.param("cut", b"", id="nothing"),
        pytest.param("cut", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", id="half a body"),
        pytest.param(
            "cut",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
            id="half a chunk",
        ),
        pytest.param("broken_http", b"hello\r\n\r\n", id="no HTTP"),
        pytest.param("broken_http", b"HTTP/1.1 200 OK\r\nA: " + b"x" * 99_999, id="a long header"),
        pytest.param(
            "broken_http", b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n", id="a negative length"
        ),
        pytest.param(
            "broken_http", b"HTTP/1.1 200 OK\r\nContent-Length: NaN\r\n\r\n", id="no number"
        ),
        pytest.param(
            "oversized",
            b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
            id="a length beyond measure",
        ),
    ],
)
def test_what_breaks_is_told_by_its_kind(
    serving: RawServer, kind: TransportErrorKind, sent: bytes
) -> None:
    assert fault_of(serving, answering(sent)).kind == kind


def test_a_bad_chunk_is_no_answer(serving: RawServer) -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert fault_of(serving, answering(head, b"zz\r\nab\r\n")).kind in {"broken_http", "cut"}


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_compressed_body_is_never_unpacked(serving: RawServer, coding: str) -> None:
    bomb = gzip.compress(b"0" * 1_000_000) if coding == "gzip" else zlib.compress(b"0" * 1_000_000)
    content = whole(bomb, b"HTTP/1.1 200 OK", f"Content-Encoding: {coding}".encode())
    fault = fault_of(serving, answering(content))
    assert (fault.kind, fault.detail) == (
        "broken_http",
        "the answer is compressed, which was not asked for",
    )


def test_a_body_without_end_is_read_up_to_a_bound(serving: RawServer) -> None:
    piece = b"x" * 1_048_576
    pieces = [piece] * (CHAT_BYTES // len(piece) + 2)
    fault = fault_of(serving, answering(b"HTTP/1.1 200 OK\r\n\r\n", *pieces))
    assert (fault.kind, fault.detail) == ("oversized", "the answer has more than 8,388,608 bytes")


def test_a_body_may_be_as_large_as_the_bound(serving: RawServer) -> None:
    head = b"HTTP/1.1 200 OK\r\n\r\n"
    answer = asyncio.run(posted(serving, answering(head, b"x" * CHAT_BYTES)))
    assert len(answer.body) == CHAT_BYTES


def test_of_an_error_only_the_beginning_is_read(serving: RawServer) -> None:
    head = b"HTTP/1.1 502 Bad Gateway\r\n\r\nsorry"
    answer = asyncio.run(posted(serving, answering(head, *[b"x" * 65_536] * 64)))
    assert (answer.status, answer.body[:6]) == (502, b"sorryx")
    assert len(answer.body) == ERROR_BYTES


def test_large_bodies_are_read_a_few_at_a_time(serving: RawServer) -> None:
    calls = 16

    async def go() -> list[object]:
        piece = b"x" * 65_536
        http = HttpClient(Timeouts(), large_at_once=2)
        async with serving(answering(b"HTTP/1.1 200 OK\r\n\r\n", *[piece] * 129)) as url:
            posts = (http.post(url, {}, b"{}") for _ in range(calls))
            ended: list[object] = list(await asyncio.gather(*posts, return_exceptions=True))
        await http.close()
        return ended

    tracemalloc.start()
    ended = asyncio.run(go())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert {getattr(end, "kind", end) for end in ended} == {"oversized"}
    assert peak < calls * CHAT_BYTES / 2


@pytest.mark.parametrize("sent", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"])
def test_silence_ends_by_itself(serving: RawServer, sent: bytes) -> None:
    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(sent)
        await silent(reader, writer)

    fault = fault_of(serving, behave, Timeouts(connect=20, read=0.2))
    assert (fault.kind, fault.detail) == ("timeout", "no answer in time")


def test_bytes_that_dribble_end_with_the_time_for_a_whole_answer(serving: RawServer) -> None:
    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        for _ in range(100):
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.02)

    with pytest.raises(TransportError, match="no answer in time"):
        asyncio.run(posted(serving, behave, Timeouts(connect=20, read=20, total=0.2)))


def test_a_handshake_that_hangs_is_no_connection(serving: RawServer) -> None:
    async def go() -> None:
        async with serving(silent) as url:
            await post(url.replace("http://", "https://"), Timeouts(connect=0.2, read=20))

    with pytest.raises(TransportError, match="no connection in time") as caught:
        asyncio.run(go())
    assert caught.value.kind == "connect"


def test_a_name_that_nobody_knows_is_told() -> None:
    with pytest.raises(
        TransportError, match=r"no address found for no-such-host\.invalid"
    ) as caught:
        asyncio.run(post(UNRESOLVABLE_URL, Timeouts()))
    assert caught.value.kind == "dns"


def test_a_port_where_nobody_listens_is_told(serving: RawServer) -> None:
    async def go() -> None:
        async with serving(silent) as url:
            pass
        await post(url)

    with pytest.raises(TransportError, match=r"no connection \(.+\)") as caught:
        asyncio.run(go())
    assert caught.value.kind == "connect"


@pytest.mark.parametrize(
    "sent",
    [
        f"{CANARY} nonsense\r\n\r\n".encode(),
        f"HTTP/1.1 {CANARY}\r\n\r\n".encode(),
        f"HTTP/1.1 200 OK\r\n{CANARY}\r\n\r\n".encode(),
    ],
)
def test_no_key_hangs_on_a_fault(serving: RawServer, sent: bytes) -> None:
    fault = fault_of(serving, answering(sent))
    assert CANARY not in repr(fault) + fault.detail
    assert (fault.__cause__, fault.__context__) == (None, None)


def test_a_call_that_is_cancelled_leaves_the_others_alone(serving: RawServer) -> None:
    all_came, one_was_cancelled = asyncio.Barrier(6), asyncio.Event()

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        await all_came.wait()
        await one_was_cancelled.wait()
        writer.write(whole(b"{}"))

    async def go() -> list[int | BaseException]:
        http = HttpClient(Timeouts())
        try:
            async with serving(behave) as url:
                calls = [asyncio.create_task(http.post(url, {}, b"{}")) for _ in range(5)]
                await all_came.wait()
                calls[2].cancel()
                one_was_cancelled.set()
                done = await asyncio.gather(*calls, return_exceptions=True)
        finally:
            await http.close()
        return [one.status if isinstance(one, HttpResponse) else one for one in done]

    done = asyncio.run(go())
    assert [type(one) for one in done] == [int, int, asyncio.CancelledError, int, int]


class AtOnce(socketserver.StreamRequestHandler):
    """Answers each request of a connection at once, in a thread of its own."""

    def handle(self) -> None:
        while self.rfile.readline():
            while len(self.rfile.readline()) > 2:
                pass
            self.rfile.read(2)
            self.wfile.write(whole(b"{}"))


def test_a_call_that_is_cut_off_ends_so_also_where_its_answer_is_there_already() -> None:
    async def go(url: str) -> list[bool]:
        http = HttpClient(PATIENT)
        await http.post(url, {}, b"{}")
        ends = []
        for _ in range(30):
            call = asyncio.create_task(http.post(url, {}, b"{}"))
            await asyncio.sleep(0)
            time.sleep(0.002)  # noqa: ASYNC251 - the answer comes, and the loop has not seen it
            was_under_way = call.cancel()
            await asyncio.wait([call])
            ends += [call.cancelled()] if was_under_way else []
        await http.close()
        return ends

    with socketserver.ThreadingTCPServer((HOST, 0), AtOnce) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        ends = asyncio.run(go(f"http://{HOST}:{server.server_address[1]}/"))
        server.shutdown()
    assert len(ends) > 5
    assert all(ends)


def test_connections_are_used_again_and_closed(serving: RawServer) -> None:
    opened: list[str] = []

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        opened.append(HOST)
        for number in range(3):
            await reader.readuntil(b"{}")
            writer.write(whole(b"%d" % number))

    async def go() -> None:
        http = HttpClient(Timeouts())
        async with serving(behave) as url:
            for _ in range(3):
                await http.post(url, {}, b"{}")
            await http.close()
            await http.close()

    asyncio.run(go())
    assert opened == [HOST]
