"""The text of a web page: its words alone, or with headings, lists and links as Markdown."""

from collections.abc import Mapping
from html.parser import HTMLParser

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


def words_of(html: str) -> str:
    """Return the pieces of text of a page, one in each line; scripts and styles are no text."""
    parser = _Words()
    parser.feed(html)
    parser.close()
    return "\n".join(parser.pieces)


def markdown_of(html: str) -> str:
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
