"""Places in a text that must stay, and how places that overlap are settled."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

Kind = Literal[
    "placeholder",
    "marker",
    "address",
    "template",
    "heading",
    "code",
    "literal",
    "identifier",
    "id",
    "phone",
    "name",
    "value",
]
"""What a span is; `address` is an e-mail or web address, `value` one of a value set."""


class Span(NamedTuple):
    """A place in a text that must stay.

    `is_prose` is set where a value stands among words, which its label would have to agree with.
    """

    start: int
    end: int
    kind: Kind
    is_prose: bool = False


def settled(candidates: Iterable[Span]) -> tuple[Span, ...]:
    """Return the spans that do not overlap one that came before them, in the text's order."""
    taken: set[int] = set()
    kept: list[Span] = []
    for span in candidates:
        if taken.isdisjoint(range(span.start, span.end)):
            taken.update(range(span.start, span.end))
            kept.append(span)
    return tuple(sorted(kept))


def without(text: str, spans: tuple[Span, ...]) -> str:
    """Return a text with a space in the place of spans."""
    parts: list[str] = []
    end = 0
    for span in spans:
        parts += (text[end : span.start], " ")
        end = span.end
    return "".join((*parts, text[end:]))
