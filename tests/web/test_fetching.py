"""Real connections: internal, oversized and endless resources are refused with reasons."""

import asyncio
import gzip
import zlib
from collections.abc import Callable

import msgspec
import pytest
from aiohttp import web

from dragoman.testing.local_web import Handler, LocalNames
from dragoman.web.address_guard import why_blocked
from dragoman.web.exchange import HttpExchange
from dragoman.web.fetcher import Fetcher, FetchLimits, FetchRequest

Asked = Callable[..., HttpExchange]

SMALL = FetchLimits(most_bytes=100_000, seconds=5)
LOCAL = "http://127.0.0.1:PORT"


async def hello(request: web.Request) -> web.Response:  # noqa: ARG001 - a handler's signature
    return web.json_response({"hello": "world"})


def points_to(place: str, status: int = 302) -> Handler:
    async def turn(request: web.Request) -> web.Response:
        port = str(request.url.port)
        return web.Response(status=status, headers={"Location": place.replace("PORT", port)})

    return turn


def sends(body: bytes, **headers: str) -> Handler:
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    async def send(request: web.Request) -> web.Response:  # noqa: ARG001 - a handler's signature
        return web.Response(body=body, headers=named)

    return send


def test_an_answer_is_an_exchange(asked: Asked) -> None:
    came = asked({"/": hello}, f"{LOCAL}/?q=1")
    assert (came.status, came.body, came.failure) == (200, b'{"hello": "world"}', "")
    assert came.headers["content-type"] == "application/json; charset=utf-8"
    assert came.url.endswith("/?q=1")


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://127.0.0.1:PORT/", "loopback address"),
        ("http://2130706433:PORT/", "loopback address"),
        ("http://0x7f000001:PORT/", "loopback address"),
        ("http://0x7f.1:PORT/", "loopback address"),
        ("http://0177.0.0.1:PORT/", "loopback address"),
        ("http://017700000001:PORT/", "loopback address"),
        ("http://127.1:PORT/", "loopback address"),
        ("http://[::1]:PORT/", "loopback address"),
        ("http://[::ffff:127.0.0.1]:PORT/", "loopback address"),
        ("http://[::ffff:7f00:1]:PORT/", "loopback address"),
        ("http://[64:ff9b::7f00:1]:PORT/", "loopback address"),
        ("http://[2002:7f00:1::]:PORT/", "loopback address"),
        ("http://localhost:PORT/", "loopback address"),
        ("http://127\u30020\u30020\u30021:PORT/", "loopback address"),
        ("http://\uff11\uff12\uff17.0.0.1:PORT/", "loopback address"),
        ("http://inside.example:PORT/", "private address"),
        ("http://six.example:PORT/", "loopback address"),
        ("http://cloud.example:PORT/", "metadata address"),
        ("http://shared.example:PORT/", "address that a provider shares out"),
        ("http://169.254.169.254/latest/meta-data", "metadata address"),
        ("http://0xa9fea9fe/latest/meta-data", "metadata address"),
        ("http://[fe80::1%25eth0]:PORT/", "link-local address"),
        ("http://0.0.0.0:PORT/", "address that is not public"),
        ("http://224.0.0.1/", "multicast address"),
        ("http://1572395042/", "an address that is not written as 93.184.216.34"),
        ("http://user:pass@public.example/", "credentials in the address"),
        ("http://public.example@127.0.0.1:PORT/", "credentials in the address"),
        ("file:///etc/passwd", "no address of the web (file)"),
        ("gopher://127.0.0.1:PORT/_GET", "no address of the web (gopher)"),
        ("ftp://public.example/", "no address of the web (ftp)"),
        ("//public.example/", "no address of the web (no scheme)"),
        ("http://[::1:PORT/", "no address of the web"),
        ("http://public.example:99999/", "no address of the web"),
        ("http:///path", "no address of the web (no host)"),
        ("http://public.example\\@127.0.0.1/", "no address of the web (blanks or too long)"),
        ("http://public.example/\r\nHost: inside", "no address of the web (blanks or too long)"),
    ],
)
def test_what_leads_inside_is_refused_with_its_reason(asked: Asked, url: str, why: str) -> None:
    """A server listens at the port, so only the refusal keeps it from answering."""
    names = LocalNames(
        {
            "localhost": ["127.0.0.1"],
            "inside.example": ["10.0.0.1"],
            "six.example": ["::ffff:127.0.0.1"],
            "cloud.example": ["169.254.169.254"],
            "shared.example": ["100.64.0.1"],
        }
    )
    came = asked({"/": hello}, url, refuses=why_blocked, names=names)
    assert came.failure == f"refused: {why}"
    assert came.status == 0


def test_a_name_that_changes_between_two_looks_leads_nowhere(asked: Asked) -> None:
    names = LocalNames({"turns.example": ["93.184.216.34", "127.0.0.1"]})
    asyncio.run(names.resolve("turns.example"))
    came = asked({"/": hello}, "http://turns.example:PORT/", refuses=why_blocked, names=names)
    assert names.asked == ["turns.example", "turns.example"]
    assert came.failure == "refused: loopback address"


def test_a_name_that_changes_at_a_redirect_leads_nowhere(asked: Asked) -> None:
    names = LocalNames({"turns.example": ["127.0.0.1", "10.0.0.1"]})

    async def closing(request: web.Request) -> web.Response:
        there = f"http://turns.example:{request.url.port}/"
        response = web.Response(status=302, headers={"Location": there})
        response.force_close()
        return response

    came = asked({"/": hello, "/turn": closing}, "http://turns.example:PORT/turn", names=names)
    assert came.failure == "refused: private address"
    assert len(names.asked) == 2


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("http://169.254.169.254/latest/meta-data", "metadata address"),
        ("http://[::ffff:10.0.0.1]/", "private address"),
        ("http://0xa000001/", "private address"),
        ("file:///etc/passwd", "no address of the web (file)"),
        ("gopher://127.0.0.1/", "no address of the web (gopher)"),
        ("http://user@127.0.0.1:PORT/", "credentials in the address"),
        ("/turn", "it points elsewhere more than 5 times"),
    ],
)
def test_a_redirect_is_looked_at_like_an_address(asked: Asked, place: str, why: str) -> None:
    came = asked({"/": hello, "/turn": points_to(place)}, f"{LOCAL}/turn")
    assert came.failure == f"refused: {why}"
    assert came.status == 302


def test_a_redirect_elsewhere_is_followed_without_keys(asked: Asked) -> None:
    async def seen(request: web.Request) -> web.Response:
        return web.json_response({"key": request.headers.get("X-Api-Key", "")})

    names = LocalNames({"other.example": ["127.0.0.1"]})
    keyed = FetchRequest("", headers={"X-Api-Key": "k"})
    paths = {
        "/": seen,
        "/near": points_to("/"),
        "/far": points_to("http://other.example:PORT/"),
    }
    near = asked(paths, f"{LOCAL}/near", request=keyed, names=names)
    far = asked(paths, f"{LOCAL}/far", request=keyed, names=names)
    assert (near.body, far.body) == (b'{"key": "k"}', b'{"key": ""}')
    assert len(far.redirects) == 1


def test_what_is_posted_stays_where_it_was_sent(asked: Asked) -> None:
    async def echo(request: web.Request) -> web.Response:
        return web.json_response([request.method, (await request.read()).decode()])

    post = FetchRequest("", "POST", body=b"text")
    names = LocalNames({"other.example": ["127.0.0.1"]})
    paths = {
        "/": echo,
        "/near": points_to("/", 307),
        "/after": points_to("/", 303),
        "/far": points_to("http://other.example:PORT/", 308),
    }
    assert asked(paths, f"{LOCAL}/near", request=post).body == b'["POST", "text"]'
    assert asked(paths, f"{LOCAL}/after", request=post).body == b'["GET", ""]'
    far = asked(paths, f"{LOCAL}/far", request=post, names=names)
    assert far.failure == "refused: the posted body would be sent to another host"


@pytest.mark.parametrize("method", ["DELETE", "PUT", "PATCH", "CONNECT"])
def test_nothing_is_changed_elsewhere(asked: Asked, method: str) -> None:
    came = asked({"/": hello}, LOCAL + "/", request=FetchRequest("", method))
    assert came.failure == f"refused: {method} is not called"


def test_ten_gigabytes_are_not_begun(asked: Asked) -> None:
    async def large(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "10000000000"})
        await response.prepare(request)
        await response.write(b"x" * 1_000)
        return response

    came = asked({"/": large}, LOCAL + "/", limits=SMALL)
    assert came.failure == "too large: more than 100,000 bytes (10,000,000,000 announced)"


def test_a_body_that_never_ends_is_cut_off(asked: Asked) -> None:
    async def endless(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b"x" * 65_536)

    came = asked({"/": endless}, LOCAL + "/", limits=SMALL)
    assert came.failure == "too large: more than 100,000 bytes"
    assert len(came.body) == 100_000


def test_a_body_that_drips_without_end_is_given_up(asked: Asked) -> None:
    async def dripping(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b"x")
            await asyncio.sleep(0.01)

    came = asked({"/": dripping}, LOCAL + "/", limits=FetchLimits(seconds=0.1))
    assert came.failure == "timeout: no whole answer within 0.1 seconds"


BOMB = b"\0" * 20_000_000


@pytest.mark.parametrize(
    ("coding", "packed"),
    [
        ("gzip", gzip.compress(BOMB, mtime=0)),
        ("deflate", zlib.compress(BOMB)),
        ("deflate", zlib.compress(BOMB, wbits=-15)),
    ],
)
def test_a_bomb_is_bounded_on_the_side_that_it_grows_to(
    asked: Asked, coding: str, packed: bytes
) -> None:
    assert len(packed) < SMALL.most_bytes
    came = asked({"/": sends(packed, Content_Encoding=coding)}, LOCAL + "/", limits=SMALL)
    assert came.failure.startswith("too large: more than 100,000 bytes (")
    assert came.failure.endswith(" compressed)")
    assert len(came.body) == 100_000


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip, gzip", "compress"])
def test_codings_that_were_not_asked_for_are_refused(asked: Asked, coding: str) -> None:
    came = asked({"/": sends(b"x", Content_Encoding=coding)}, LOCAL + "/")
    assert came.failure == (
        f"broken: it is compressed in a way that was not asked for ('{coding}')"
    )


@pytest.mark.parametrize(
    ("coding", "packed"),
    [
        ("gzip", gzip.compress(b"text", mtime=0)),
        ("deflate", zlib.compress(b"text")),
        ("deflate", zlib.compress(b"text", wbits=-15)),
        ("identity", b"text"),
    ],
)
def test_what_was_asked_for_is_unpacked(asked: Asked, coding: str, packed: bytes) -> None:
    came = asked({"/": sends(packed, Content_Encoding=coding)}, LOCAL + "/")
    assert (came.body, came.failure) == (b"text", "")


def test_what_is_cut_within_its_packing_is_broken(asked: Asked) -> None:
    packed = gzip.compress(b"text" * 1_000, mtime=0)[:-12]
    came = asked({"/": sends(packed, Content_Encoding="gzip")}, LOCAL + "/")
    assert came.failure == "broken: it stops within what is compressed"


def test_no_server_and_no_name_are_told_apart(asked: Asked) -> None:
    nobody = asked({}, "http://127.0.0.1:9/")
    assert nobody.failure == "connect: no connection (Connection refused)"
    nowhere = asked({}, "http://nowhere.example/", names=LocalNames({}))
    assert nowhere.failure == "dns: no address found for the name"


def test_headers_that_are_no_text_are_readable_all_the_same() -> None:
    async def ask() -> HttpExchange:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nX-City: M\xfcnchen\r\nContent-Length: 1\r\n\r\nx")
            await writer.drain()
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        async with server, Fetcher(refuses=lambda _: "") as fetcher:
            port = server.sockets[0].getsockname()[1]
            return await fetcher.fetch(FetchRequest(f"http://127.0.0.1:{port}/"))

    came = asyncio.run(ask())
    assert (came.body, came.headers["x-city"]) == (b"x", "M\ufffdnchen")
    assert msgspec.json.encode(came)


def test_an_answer_that_stops_is_cut(asked: Asked) -> None:
    async def stops(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "100"})
        await response.prepare(request)
        await response.write(b"x")
        assert request.transport is not None
        request.transport.close()
        return response

    assert asked({"/": stops}, LOCAL + "/").failure == "cut: the connection was cut"
