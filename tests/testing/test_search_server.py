import asyncio
from typing import Any

import aiohttp

from dragoman.testing.local_web import SearchFaults, WebPage, serve_search

PAGES = {
    "tower": WebPage("Orla", "the tower of orla " * 10, "<p>88 metres</p>"),
    "old": WebPage("Old", "older", points_to="/pages/tower"),
}


def asked(*queries: dict[str, str], faults: SearchFaults | None = None) -> list[tuple[int, Any]]:
    async def go() -> list[tuple[int, Any]]:
        async with serve_search(PAGES, faults) as url, aiohttp.ClientSession() as client:
            answers = []
            for query in queries:
                async with client.get(url, params=query) as response:
                    answers.append((response.status, await response.json()))
            return answers

    return asyncio.run(go())


def test_pages_that_hold_a_word_are_found() -> None:
    ((status, found),) = asked({"q": "Tower height"})
    (hit,) = found["organic_results"]
    assert status == 200
    assert hit["title"] == "Orla"
    assert hit["link"].endswith("/pages/tower")
    assert len(hit["snippet"]) == 80


def test_what_nothing_holds_has_no_results_at_all() -> None:
    assert asked({"q": "lighthouse"}) == [(200, {"search_information": {}})]


def test_queries_fail_in_the_order_given_and_then_no_more() -> None:
    answers = asked(*[{"q": "older"}] * 3, faults=SearchFaults((429, 500)))
    assert [status for status, _ in answers] == [429, 500, 200]


def test_a_query_without_the_key_is_refused() -> None:
    faults = SearchFaults(key="k")
    answers = asked({"q": "older"}, {"q": "older", "api_key": "k"}, faults=faults)
    assert [status for status, _ in answers] == [401, 200]


def test_pages_lie_beside_the_search() -> None:
    async def go() -> tuple[str, int]:
        async with serve_search(PAGES) as url, aiohttp.ClientSession() as client:
            base = url.removesuffix("/search")
            async with client.get(f"{base}/pages/old") as page:
                text = await page.text()
            async with client.get(f"{base}/pages/none") as none:
                return text, none.status

    assert asyncio.run(go()) == ("<p>88 metres</p>", 404)
