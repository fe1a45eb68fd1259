from collections.abc import Mapping

import pytest

from dragoman.benchmarks.bfcl.apis.results import ApiRefusal
from dragoman.benchmarks.bfcl.apis.web_search_api import NO_RESULTS, Hits, Page, Query, WebSearchAPI

HITS: list[Mapping[str, object]] = [
    {"title": f"Page {n}", "link": f"http://{n}.example", "snippet": f"words {n}", "rank": n}
    for n in range(12)
]
PAGE = "<html><head><style>p {}</style></head><body><h1>Orla</h1><p>88 metres</p></body></html>"


def api(hits: Hits = HITS, *, page: Page | None = None, snippets: bool = True) -> WebSearchAPI:
    return WebSearchAPI(
        {"show_snippet": snippets}, find=lambda _: hits, read=lambda _: page or Page(PAGE)
    )


def test_a_search_returns_the_first_ten_hits_with_their_snippets() -> None:
    found = api().search_engine_query("orla")
    assert found == [
        {"title": f"Page {n}", "href": f"http://{n}.example", "body": f"words {n}"}
        for n in range(10)
    ]


def test_without_snippets_a_hit_is_title_and_address() -> None:
    found = api(snippets=False).search_engine_query("orla", max_results=1)
    assert found == [{"title": "Page 0", "href": "http://0.example"}]


def test_a_query_carries_its_region() -> None:
    asked: list[Query] = []

    def find(query: Query) -> Hits:
        asked.append(query)
        return []

    engine = WebSearchAPI({}, find=find, read=lambda _: Page())
    assert engine.search_engine_query("orla", region="de-de") == []
    assert engine.search_engine_query(7) == []
    assert asked == [Query("orla", "de-de"), Query("7", "wt-wt")]


def test_a_reply_without_results_is_an_error_that_the_agent_sees() -> None:
    assert api(None).search_engine_query("orla") == {"error": NO_RESULTS}


def test_a_hit_that_lacks_a_field_breaks_the_call() -> None:
    with pytest.raises(KeyError, match="snippet"):
        api([{"title": "t", "link": "l"}]).search_engine_query("orla")


@pytest.mark.parametrize(
    ("mode", "content"),
    [("raw", PAGE), ("markdown", "# Orla\n\n88 metres"), ("truncate", "Orla\n88 metres")],
)
def test_a_page_is_read_as_it_is_wanted(mode: str, content: str) -> None:
    assert api().fetch_url_content("http://a.example", mode) == {"content": content}


@pytest.mark.parametrize("url", ["ftp://a.example", "a.example", "", None, 7])
def test_what_is_no_address_of_the_web_is_refused(url: object) -> None:
    with pytest.raises(ApiRefusal, match="Invalid URL"):
        api().fetch_url_content(url)


def test_a_page_that_cannot_be_had_says_why() -> None:
    found = api(page=Page(error="status 404 Not Found")).fetch_url_content("http://a.example")
    assert found == {
        "error": "An error occurred while fetching http://a.example: status 404 Not Found"
    }


def test_an_unknown_mode_is_told_after_the_page_was_fetched() -> None:
    assert api().fetch_url_content("http://a.example", "pdf") == {
        "error": "An error occurred while fetching http://a.example: Unsupported mode: pdf"
    }
