"""Checks of a text's parts: headings, list items, code, lines, white space around it."""

from collections.abc import Callable, Iterator

from dragoman.conditions.language.text_invariants import (
    code_spans_of,
    headings_of,
    lines_of,
    list_items_of,
)
from dragoman.curation.translation.checks.anomalies import Anomaly
from dragoman.curation.translation.checks.translated import Translated

_PARTS: tuple[tuple[str, Callable[[str], list[str]]], ...] = (
    ("heading-lost", headings_of),
    ("list-item-lost", list_items_of),
    ("code-span-lost", code_spans_of),
)


def parts(text: Translated) -> Iterator[Anomaly]:
    """Find another number of headings, list items or code spans."""
    for code, parts_of in _PARTS:
        had, has = len(parts_of(text.source)), len(parts_of(text.target))
        if had != has:
            what = f"{had} in English, {has} in the translation"
            yield text.anomaly(code, what, abs(had - has))


def line_breaks(text: Translated) -> Iterator[Anomaly]:
    """Find another number of lines, blank ones left out."""
    had, has = len(lines_of(text.source)), len(lines_of(text.target))
    if had != has and text.target.strip():
        yield text.anomaly("line-breaks", f"{had} lines in English, {has} in the translation")


def outer_space(text: Translated) -> Iterator[Anomaly]:
    """Find other white space before or after the text."""
    if text.target.strip() and _around(text.source) != _around(text.target):
        yield text.anomaly("outer-space", "white space around the text is not the source's")


def _around(text: str) -> tuple[str, str]:
    inner = text.strip()
    before, _, after = text.partition(inner)
    return before, after
