"""A stretch of a text and the words that are said for it."""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

SignKind = Literal["formula", "quantity", "range", "path", "tag", "sign", "code"]
"""What is written with signs: `x^2`, `5 m/s`, `5-10`, `/etc/hosts`, `#Road`, `C#`, `{"a": 1}`."""


class SignWording(NamedTuple):
    """A stretch of a text, what kind it is, and what is said for it."""

    start: int
    end: int
    kind: SignKind
    said: str


def apart(
    wordings: Iterable[SignWording], length: int, taken: Iterable[tuple[int, int]] = ()
) -> list[SignWording]:
    """Return wordings in their order that overlap neither each other nor what is taken.

    Args:
        wordings: Of those that overlap the first one counts.
        length: Of the text.
        taken: Stretches that stay as they are.
    """
    is_taken = bytearray(length)
    for start, end in taken:
        is_taken[start:end] = b"\1" * (end - start)
    chosen = []
    for each in wordings:
        if not any(is_taken[each.start : each.end]):
            is_taken[each.start : each.end] = b"\1" * (each.end - each.start)
            chosen.append(each)
    return sorted(chosen)


def worded_text(text: str, wordings: Sequence[SignWording]) -> str:
    """Return a text with the words in place of what is written."""
    parts, end = [], 0
    for each in wordings:
        parts += [text[end : each.start], each.said]
        end = each.end
    return "".join((*parts, text[end:]))
