"""Changes of a text by place."""

from collections.abc import Iterable
from typing import NamedTuple


class TextEdit(NamedTuple):
    """What takes the place of a stretch of a text, and the phenomenon that it is."""

    start: int
    end: int
    said: str
    phenomenon: str


def edited(text: str, edits: Iterable[TextEdit]) -> tuple[str, tuple[str, ...]]:
    """Return the changed text and the phenomena in their order; of edits that overlap the first counts."""
    parts: list[str] = []
    made: list[str] = []
    end = 0
    for edit in sorted(edits, key=lambda each: (each.start, each.end)):
        if edit.start < end:
            continue
        parts += [text[end : edit.start], edit.said]
        made.append(edit.phenomenon)
        end = edit.end
    return "".join((*parts, text[end:])), tuple(made)
