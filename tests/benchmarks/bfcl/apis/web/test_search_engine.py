"""Queries over real connections to a search engine that breaks on demand."""

import asyncio
from collections.abc import Sequence

import pytest

from dragoman.benchmarks.bfcl.apis.web_search_api import Hits, Query
from dragoman.benchmarks.bfcl.apis.web_search_clients import SearchEngine
from dragoman.core.errors import ParticipantError, RunHalted
from dragoman.core.usage import Usage
from dragoman.testing.local_web import SearchFaults, WebPage, serve_search

PAGES = {"tower": WebPage("Orla", "the tower of orla")}
KEY = "canary-31415926"
ORLA = Query("orla tower", "wt-wt")


class Waits:
    """Notes how long it should wait instead of waiting."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def found(
    *statuses: int, query: Query = ORLA, key: str = "", waits: Waits | None = None
) -> tuple[Hits, Usage]:
    async def ask() -> tuple[Hits, Usage]:
        async with serve_search(PAGES, SearchFaults(statuses, KEY)) as url:
            engine = SearchEngine(url, key or KEY, 100.0, waits or Waits())
            return await engine.find(query)

    return asyncio.run(ask())


def test_a_query_returns_what_is_found() -> None:
    hits, usage = found()
    assert hits is not None
    assert [hit["title"] for hit in hits] == ["Orla"]
    assert (usage.purpose, usage.calls, usage.faults) == ("search", 1, {})


def test_a_reply_without_results_is_none() -> None:
    hits, _ = found(query=Query("nothing", "wt-wt"))
    assert hits is None


@pytest.mark.parametrize("statuses", [(429,), (500, 429, 503)])
def test_what_passes_is_waited_for_and_counted(statuses: Sequence[int]) -> None:
    waits = Waits()
    hits, usage = found(*statuses, waits=waits)
    assert hits
    assert usage.faults == {"search": len(statuses)}
    assert len(waits.seconds) == len(statuses)
    assert all(2**n <= seconds <= 2 ** (n + 1) for n, seconds in enumerate(waits.seconds, 1))


def test_patience_ends() -> None:
    with pytest.raises(ParticipantError, match=r"does not answer: status 429 \(gave up") as raised:
        found(*[429] * 50)
    assert raised.value.usage.calls == 0


def test_a_wrong_key_ends_the_run_and_is_not_repeated() -> None:
    with pytest.raises(RunHalted, match="refuses \\(status 401\\)") as raised:
        found(key="wrong-canary")
    assert "canary" not in str(raised.value)


def test_a_refused_query_ends_one_conversation() -> None:
    with pytest.raises(ParticipantError, match="status 400"):
        found(400)


def test_nobody_there_is_told_without_the_key() -> None:
    engine = SearchEngine("http://127.0.0.1:9/search", KEY, 1.0, Waits())
    with pytest.raises(ParticipantError, match="does not answer: ClientConnectorError") as raised:
        asyncio.run(engine.find(ORLA))
    assert KEY not in str(raised.value)


def test_a_key_that_results_say_back_is_in_none() -> None:
    page = WebPage(f"Orla, {KEY}", f"the tower of orla, {KEY}")

    async def ask() -> tuple[Hits, Usage]:
        async with serve_search({"tower": page}, SearchFaults((), KEY)) as url:
            return await SearchEngine(url, KEY).find(ORLA)

    hits, _ = asyncio.run(ask())
    assert hits is not None
    assert [hit["title"] for hit in hits] == ["Orla, ***"]
    assert KEY not in str(hits)
