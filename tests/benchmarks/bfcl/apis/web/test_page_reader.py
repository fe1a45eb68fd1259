"""Pages over real connections: what is public is read, what is not is refused at every step."""

import asyncio
import ipaddress
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web

from dragoman.benchmarks.bfcl.apis.web.page_reader import PageReader, is_public
from dragoman.benchmarks.bfcl.apis.web.web_search import Page
from dragoman.testing.search_server import WebPage, searching

LOOPBACK = ipaddress.ip_address("127.0.0.1")
PAGES = {
    "tower": WebPage("Tower", "tower", "<p>88 mètres</p>"),
    "old": WebPage("Old", "", points_to="/pages/tower"),
    "inside": WebPage("Inside", "", points_to="http://169.254.169.254/latest/meta-data"),
    "hidden": WebPage("Hidden", "", points_to="http://[::ffff:10.0.0.1]/"),
    "file": WebPage("File", "", points_to="file:///etc/hostname"),
    "round": WebPage("Round", "", points_to="/pages/round"),
}


def reader(**limits: Any) -> PageReader:  # noqa: ANN401 - fields of the reader
    """Return a reader that may also reach the tests' own server."""
    return PageReader(lambda address: address == LOOPBACK or is_public(address), **limits)


def page(name: str, reading: PageReader | None = None) -> Page:
    async def ask() -> Page:
        async with searching(PAGES) as url:
            return await (reading or reader()).read(url.replace("/search", f"/pages/{name}"))

    return asyncio.run(ask())


def answered_by(
    answer: Callable[[web.Request], Awaitable[web.StreamResponse]], reading: PageReader
) -> Page:
    async def ask() -> Page:
        application = web.Application()
        application.router.add_get("/", answer)
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            return await reading.read(f"http://127.0.0.1:{runner.addresses[0][1]}/")
        finally:
            await runner.cleanup()

    return asyncio.run(ask())


def test_a_page_is_read_with_its_characters() -> None:
    assert page("tower") == Page("<p>88 mètres</p>")


def test_a_page_may_point_to_another() -> None:
    assert page("old") == Page("<p>88 mètres</p>")


def test_what_is_not_there_says_its_status() -> None:
    assert page("none") == Page(error="status 404 Not Found")


@pytest.mark.parametrize("name", ["inside", "hidden"])
def test_a_page_that_points_inside_is_refused(name: str) -> None:
    assert page(name).error == "the address is not one of the public internet"


def test_a_page_that_points_to_a_file_is_refused() -> None:
    assert page("file").error == "no address of the web"


def test_pages_that_point_to_each_other_end() -> None:
    assert page("round").error == "it points elsewhere more than 5 times"


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "localhost", "[::1]", "10.1.2.3", "192.168.0.1", "169.254.169.254"),
        *("[::]", "[fe80::1]", "[fd00::1]", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]"),
    ],
)
def test_addresses_inside_are_refused_however_they_are_written(host: str) -> None:
    """A server listens on this machine: nothing but the refusal keeps it from being read."""

    async def ask() -> Page:
        async with searching(PAGES) as url:
            port = url.rpartition(":")[2].partition("/")[0]
            return await PageReader().read(f"http://{host}:{port}/pages/tower")

    assert asyncio.run(ask()) == Page(error="the address is not one of the public internet")


@pytest.mark.parametrize("host", ["2130706433", "127.1", ""])
def test_what_is_no_name_of_a_machine_is_refused(host: str) -> None:
    found = asyncio.run(PageReader().read(f"http://{host}:9/"))
    assert found.error in {"no page came (InvalidUrlClientError)", "no address of the web"}


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1::1", True),
        ("100.64.0.1", False),
        ("192.0.2.1", False),
        ("64:ff9b::a00:1", False),
        ("2002:a00:1::", False),
        ("2001:0:1::1", False),
        ("ff02::1", False),
        ("::ffff:93.184.216.34", True),
    ],
)
def test_an_address_counts_by_what_it_stands_for(address: str, public: bool) -> None:
    assert is_public(ipaddress.ip_address(address)) is public


def test_a_page_that_never_ends_is_cut_off() -> None:
    async def endless(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b"x" * 65_536)

    found = answered_by(endless, reader(most_bytes=100_000))
    assert found == Page(error="the page has more than 100,000 bytes")


def test_a_page_that_does_not_come_is_given_up() -> None:
    async def silent(request: web.Request) -> web.StreamResponse:  # noqa: ARG001 - a handler's signature
        await asyncio.sleep(60)
        return web.Response()

    assert answered_by(silent, reader(seconds=0.2)) == Page(error="no page within 0.2 seconds")


def test_a_page_of_an_unknown_character_set_is_read_as_utf_8() -> None:
    async def strange(request: web.Request) -> web.StreamResponse:  # noqa: ARG001 - a handler's signature
        headers = {"Content-Type": "text/html; charset=klingon"}
        return web.Response(body="mètres".encode(), headers=headers)

    assert answered_by(strange, reader()) == Page("mètres")


def test_a_compressed_page_is_refused() -> None:
    async def packed(request: web.Request) -> web.StreamResponse:  # noqa: ARG001 - a handler's signature
        return web.Response(body=b"\x1f\x8b", headers={"Content-Encoding": "gzip"})

    assert "compressed" in answered_by(packed, reader()).error
