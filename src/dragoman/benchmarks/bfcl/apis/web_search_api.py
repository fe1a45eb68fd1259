"""`WebSearchAPI`: web search and pages, with pages as plain text or Markdown."""

from collections.abc import Callable, Mapping, Sequence
from html.parser import HTMLParser
from typing import Any

import msgspec

from dragoman.benchmarks.bfcl.apis.results import ApiRefusal, LongTexts

_UNSEEN = frozenset({"script", "style"})
_BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "dd",
        "div",
        "dl",
        "dt",
        "footer",
        "form",
        "header",
        "hr",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "table",
        "tbody",
        "thead",
        "tr",
        "ul",
    ]
)
_BEGINNINGS: Mapping[str, str] = {
    **{f"h{level}": f"\n\n{'#' * level} " for level in range(1, 7)},
    **dict.fromkeys(_BLOCKS, "\n\n"),
    "br": "\n",
    "li": "\n- ",
    "td": " ",
    "th": " ",
}


def page_to_text(html: str) -> str:
    """Return the pieces of text of a page, one per line, without scripts and styles."""
    parser = _Words()
    parser.feed(html)
    parser.close()
    return "\n".join(parser.pieces)


def page_to_markdown(html: str) -> str:
    """Return a page's text with its headings, lists and links as Markdown."""
    parser = _Markdown()
    parser.feed(html)
    parser.close()
    lines = (" ".join(line.split()) for line in "".join(parser.pieces).splitlines())
    return _without_gaps(lines_of=list(lines))


class _Visible(HTMLParser):
    """Reads a page and passes on what is text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._unseen += tag in _UNSEEN

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNSEEN and self._unseen:
            self._unseen -= 1

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.add(data)

    def add(self, text: str) -> None:
        self.pieces.append(text)


class _Words(_Visible):
    """Keeps every piece of text that is more than white space."""

    def add(self, text: str) -> None:
        if stripped := text.strip():
            self.pieces.append(stripped)


class _Markdown(_Visible):
    """Writes a beginning where an element begins, and a link's address behind its words."""

    def __init__(self) -> None:
        super().__init__()
        self._links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        super().handle_starttag(tag, attrs)
        if tag in _BEGINNINGS:
            self.pieces.append(_BEGINNINGS[tag])
        if tag == "a":
            self._links.append(dict(attrs).get("href") or "")
            self.pieces.append("[")

    def handle_endtag(self, tag: str) -> None:
        super().handle_endtag(tag)
        if tag == "a" and self._links:
            self.pieces.append(f"]({self._links.pop()})")
        elif tag.startswith("h") and tag in _BEGINNINGS:
            self.pieces.append("\n\n")

    def add(self, text: str) -> None:
        # A line break in a source is a space on a page.
        self.pieces.append(" ".join(text.splitlines()) if text.strip() else " ")


def _without_gaps(lines_of: list[str]) -> str:
    kept: list[str] = []
    for line in lines_of:
        if line or (kept and kept[-1]):
            kept.append(line)
    return "\n".join(kept).strip()


NO_RESULTS = "Failed to retrieve the search results from server. Please try again later."


class Query(msgspec.Struct, frozen=True):
    """A query for a search engine; `region` is one of the engine's own names."""

    keywords: str
    region: str


class Page(msgspec.Struct, frozen=True):
    """A web page: its text, or the reason why there is none."""

    text: str = ""
    error: str = ""


Hits = Sequence[Mapping[str, object]] | None
"""Hits of a search engine; None if its reply holds no results at all."""

Find = Callable[[Query], Hits]
ReadPage = Callable[[str], Page]

_READINGS: Mapping[str, Callable[[str], str]] = {
    "raw": str,
    "markdown": page_to_markdown,
    "truncate": page_to_text,
}
"""Readers of a page, by the form that a model may request."""


class WebSearchAPI:
    """Web search and pages for one environment; it has no changing state.

    Args:
        scenario: Object with `show_snippet`: whether a hit comes with a piece of its text.
        find: Function that sends a query to the search engine.
        read: Function that returns the page at an address.
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
            raise ApiRefusal(f"Invalid URL: {url}")
        page = self._read(url)
        reading = _READINGS.get(str(mode))
        error = page.error or ("" if reading else f"Unsupported mode: {mode}")
        if error or reading is None:
            return {"error": f"An error occurred while fetching {url}: {error}"}
        return {"content": reading(page.text)}

    def _shown(self, hit: Mapping[str, object]) -> dict[str, object]:
        shown = {"title": hit["title"], "href": hit["link"]}
        return {**shown, "body": hit["snippet"]} if self._with_snippets else shown
