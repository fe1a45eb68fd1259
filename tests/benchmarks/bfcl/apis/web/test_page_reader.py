"""Pages over real connections: public ones are read, others are refused at every step."""

import asyncio
import ipaddress
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web

from dragoman.benchmarks.bfcl.apis.web_search_api import Page
from dragoman.benchmarks.bfcl.apis.web_search_clients import PageReader
from dragoman.testing.local_web import WebPage, serve_search
from dragoman.web.address_guard import IpAddress, why_blocked
from dragoman.web.fetcher import FetchLimits

LOOPBACK = ipaddress.ip_address("127.0.0.1")
PAGES = {
    "tower": WebPage("Tower", "tower", "<p>88 mètres</p>"),
    "old": WebPage("Old", "", points_to="/pages/tower"),
    "inside": WebPage("Inside", "", points_to="http://169.254.169.254/latest/meta-data"),
    "hidden": WebPage("Hidden", "", points_to="http://[::ffff:10.0.0.1]/"),
    "file": WebPage("File", "", points_to="file:///etc/hostname"),
    "round": WebPage("Round", "", points_to="/pages/round"),
}


def reader(**limits: Any) -> PageReader:  # noqa: ANN401 - fields of the limits
    """Return a reader that may also reach the tests' own server."""
    return PageReader(_refuses, FetchLimits(**limits))


def _refuses(address: IpAddress) -> str:
    return "" if address == LOOPBACK else why_blocked(address)


def page(name: str, reading: PageReader | None = None) -> Page:
    async def ask() -> Page:
        async with serve_search(PAGES) as url:
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


@pytest.mark.parametrize(
    ("name", "why"), [("inside", "metadata address"), ("hidden", "private address")]
)
def test_a_page_that_points_inside_is_refused(name: str, why: str) -> None:
    assert page(name).error == f"refused: {why}"


def test_a_page_that_points_to_a_file_is_refused() -> None:
    assert page("file").error == "refused: no address of the web (file)"


def test_pages_that_point_to_each_other_end() -> None:
    assert page("round").error == "refused: it points elsewhere more than 5 times"


def test_what_listens_on_this_machine_is_not_read() -> None:
    """A server listens, so only the refusal keeps the page from being read."""

    async def ask() -> Page:
        async with serve_search(PAGES) as url:
            return await PageReader().read(url.replace("/search", "/pages/tower"))

    assert asyncio.run(ask()) == Page(error="refused: loopback address")


def test_a_page_that_never_ends_is_cut_off() -> None:
    async def endless(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b"x" * 65_536)

    found = answered_by(endless, reader(most_bytes=100_000))
    assert found == Page(error="too large: more than 100,000 bytes")


def test_a_page_that_does_not_come_is_given_up() -> None:
    async def silent(request: web.Request) -> web.StreamResponse:  # noqa: ARG001 - a handler's signature
        await asyncio.sleep(60)
        return web.Response()

    assert answered_by(silent, reader(seconds=0.2)) == Page(
        error="timeout: no whole answer within 0.2 seconds"
    )


def test_a_page_of_an_unknown_character_set_is_read_as_utf_8() -> None:
    async def strange(request: web.Request) -> web.StreamResponse:  # noqa: ARG001 - a handler's signature
        headers = {"Content-Type": "text/html; charset=klingon"}
        return web.Response(body="mètres".encode(), headers=headers)

    assert answered_by(strange, reader()) == Page("mètres")


def test_a_page_that_is_compressed_badly_is_none() -> None:
    async def packed(request: web.Request) -> web.StreamResponse:  # noqa: ARG001 - a handler's signature
        return web.Response(body=b"\x1f\x8b", headers={"Content-Encoding": "gzip"})

    assert answered_by(packed, reader()).error == "broken: it stops within what is compressed"
