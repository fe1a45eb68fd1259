"""A Markdown document in the parts that a reviewer reads one by one, and put together again."""

import re

_HEADING = re.compile(r"#{1,6}\s")
_FENCE = re.compile(r"\s{0,3}(```+|~~~+)")
LONGEST_WHOLE = 1_000
"""Characters of a document that is shown in one piece."""


def sections(document: str) -> tuple[str, ...]:
    """Return a document's parts, each from one heading up to the next; joined they are the document.

    A line of a fenced code block is no heading.
    """
    parts: list[list[str]] = [[]]
    fence = ""
    for line in document.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        elif not fence and _HEADING.match(line) and "".join(parts[-1]).strip():
            parts.append([])
        parts[-1].append(line)
    return tuple("".join(part) for part in parts)


def aligned_sections(source: str, translation: str) -> tuple[tuple[str, str], ...]:
    """Return the parts of a document beside those of its translation.

    One pair of the whole where the document is short, or the two fall into different numbers of parts.
    """
    own, translated = sections(source), sections(translation)
    if len(source) <= LONGEST_WHOLE or len(own) != len(translated):
        return ((source, translation),)
    return tuple(zip(own, translated, strict=True))
