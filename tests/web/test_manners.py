"""Crawl policy over real connections: the wishes of hosts are respected."""

import asyncio
from collections import Counter
from collections.abc import Sequence

import pytest
from aiohttp import web

from dragoman.testing.local_web import Handler, serve_paths
from dragoman.web.address_guard import why_blocked_locally
from dragoman.web.crawl_policy import CrawlPolicy, PoliteFetcher, parse_robots
from dragoman.web.exchange import HttpExchange
from dragoman.web.fetcher import Fetcher, FetchRequest


class Clock:
    """A clock that only waiting moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waits: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds


def fetched(
    robots: Handler, paths: Sequence[str], clock: Clock, pause: float = 0.5
) -> tuple[list[HttpExchange], Counter[str]]:
    seen: Counter[str] = Counter()

    async def answer(request: web.Request) -> web.StreamResponse:
        seen[request.path] += 1
        return await robots(request) if request.path == "/robots.txt" else web.Response(text="x")

    async def ask() -> list[HttpExchange]:
        async with (
            serve_paths({"/{path:.*}": answer}) as port,
            Fetcher(refuses=why_blocked_locally) as fetcher,
        ):
            polite = PoliteFetcher(fetcher, CrawlPolicy(pause), lambda: clock.now, clock.sleep)
            return [
                await polite.fetch(FetchRequest(f"http://127.0.0.1:{port}{path}")) for path in paths
            ]

    return asyncio.run(ask()), seen


def says(text: str, status: int = 200) -> Handler:
    async def answer(request: web.Request) -> web.Response:  # noqa: ARG001 - a handler's signature
        return web.Response(text=text, status=status)

    return answer


def test_a_host_is_not_asked_for_what_its_robots_txt_disallows() -> None:
    came, seen = fetched(
        says("User-agent: *\nDisallow: /private\n"), ["/a", "/private/b", "/c"], Clock(), 0
    )
    assert [each.failure for each in came] == [
        "", "refused: the host's robots.txt disallows it", "",
    ]  # fmt: skip
    assert seen == {"/robots.txt": 1, "/a": 1, "/c": 1}


@pytest.mark.parametrize(
    ("status", "failure"),
    [
        (404, ""),
        (403, ""),
        (500, "unasked: the host's robots.txt answers 500"),
        (503, "unasked: the host's robots.txt answers 503"),
    ],
)
def test_without_a_robots_txt_all_is_allowed_and_with_one_that_breaks_nothing_for_now(
    status: int, failure: str
) -> None:
    came, seen = fetched(says("", status), ["/a"], Clock())
    assert came[0].failure == failure
    assert seen["/a"] == (0 if failure else 1)


def test_one_host_is_asked_with_pauses_and_other_time_is_its_own() -> None:
    clock = Clock()
    fetched(says(""), ["/a", "/b", "/c"], clock, pause=2.0)
    assert clock.waits == [2.0, 2.0, 2.0]


def test_a_host_that_does_not_answer_fails_as_it_failed_for_its_robots_txt() -> None:
    async def ask() -> HttpExchange:
        async with Fetcher(refuses=why_blocked_locally) as fetcher:
            return await PoliteFetcher(fetcher).fetch(FetchRequest("http://127.0.0.1:9/a"))

    assert asyncio.run(ask()).failure.startswith("connect: ")


RULES = """
# for everybody
User-agent: *
Disallow: /
User-agent: other
User-agent: Dragoman # us
Disallow: /a
Allow: /a/b
Disallow: /*.json$
Disallow: /x*y*z
Disallow:
Disallow: /caf%c3%a9
"""


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        *(("/", True), ("/a", False), ("/a/c", False), ("/a/b", True), ("/a/b/c", True)),
        *(("/v1.json", False), ("/v1.json?q=1", True), ("/v1.jsonl", True)),
        *(("/x-y-z", False), ("/x-z-y", True), ("/café", False), ("/caf%C3%A9", False)),
    ],
)
def test_the_longest_rule_of_the_group_that_names_us_decides(path: str, allowed: bool) -> None:
    assert parse_robots(RULES, "dragoman").allows(path) is allowed


def test_without_a_group_of_our_own_that_for_everybody_holds() -> None:
    assert not parse_robots(RULES, "stranger").allows("/a/b")
    assert parse_robots("no such file\n<html>", "dragoman").allows("/a")


def test_a_pattern_of_many_stars_is_no_work() -> None:
    rules = parse_robots("User-agent: *\nDisallow: /" + "*a" * 2_000 + "b", "dragoman")
    assert rules.allows("/" + "a" * 4_000)
