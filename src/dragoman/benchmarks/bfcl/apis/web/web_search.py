"""A search engine and the pages that it finds: the WebSearchAPI of the web search entries."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from dragoman.benchmarks.bfcl.apis.long_texts import LongTexts
from dragoman.benchmarks.bfcl.apis.results import Refused
from dragoman.benchmarks.bfcl.apis.web.page_text import markdown_of, words_of

NO_RESULTS = "Failed to retrieve the search results from server. Please try again later."


class Query(msgspec.Struct, frozen=True):
    """What is put to a search engine; `region` is one of its own names."""

    keywords: str
    region: str


class Page(msgspec.Struct, frozen=True):
    """What the web answered: a text, or why there is none."""

    text: str = ""
    error: str = ""


Hits = Sequence[Mapping[str, object]] | None
"""What a search engine found; None where its reply holds no results at all."""

Find = Callable[[Query], Hits]
ReadPage = Callable[[str], Page]

_READINGS: Mapping[str, Callable[[str], str]] = {
    "raw": str,
    "markdown": markdown_of,
    "truncate": words_of,
}
"""How a page may be wanted."""


class WebSearchAPI:
    """Search and pages for one world; nothing in it changes.

    Args:
        scenario: Holds `show_snippet`: whether a hit comes with a piece of its text.
        find: Puts a query to the search engine.
        read: Returns the page at an address.
    """

    __slots__ = ("_find", "_read", "_with_snippets")

    def __init__(
        self,
        scenario: Mapping[str, Any],
        _long: LongTexts | None = None,
        *,
        find: Find,
        read: ReadPage,
    ) -> None:
        self._with_snippets = bool(scenario.get("show_snippet", True))
        self._find = find
        self._read = read

    def state(self) -> dict[str, object]:
        """Return nothing: there is nothing to compare."""
        return {}

    def search_engine_query(
        self, keywords: object, max_results: int | None = 10, region: object = "wt-wt"
    ) -> list[dict[str, object]] | dict[str, object]:
        """Return what the search engine found first."""
        hits = self._find(Query(str(keywords), str(region)))
        if hits is None:
            return {"error": NO_RESULTS}
        return [self._shown(hit) for hit in hits[:max_results]]

    def fetch_url_content(self, url: object, mode: object = "raw") -> dict[str, object]:
        """Return the content of a page."""
        if not isinstance(url, str) or not url.startswith(("http://", "https://")):
            raise Refused(f"Invalid URL: {url}")
        page = self._read(url)
        reading = _READINGS.get(str(mode))
        error = page.error or ("" if reading else f"Unsupported mode: {mode}")
        if error or reading is None:
            return {"error": f"An error occurred while fetching {url}: {error}"}
        return {"content": reading(page.text)}

    def _shown(self, hit: Mapping[str, object]) -> dict[str, object]:
        shown = {"title": hit["title"], "href": hit["link"]}
        return {**shown, "body": hit["snippet"]} if self._with_snippets else shown
