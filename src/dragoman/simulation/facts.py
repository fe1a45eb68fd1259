"""What is said about facts: which are asked for, which are read back, and whether rightly.

A question names a fact by one of its keywords. What follows up to the next named fact is looked at
for a value: the fact's own, another of its shape (a read-back that is wrong), or none (a question).
"""

import difflib
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import msgspec

from dragoman.core.tasks import Fact

ALIKE = 0.6
"""Two values that resemble each other this much (0 to 1) are one value, one of them misheard."""

Reading = Literal["right", "wrong", "asked"]


class NamedSpan(msgspec.Struct, frozen=True):
    """Where in a sentence the thing of that number is named."""

    start: int
    end: int
    number: int


_SENTENCE = re.compile(r"(?<=\w{3}\.)\s+|(?<=[!?;])\s+|\n+")
_WORD = re.compile(r"\S+")
_ASKING = frozenset(
    {
        *("a", "all", "and", "are", "as", "for", "give", "i", "is", "it", "me", "my", "of"),
        *("please", "tell", "that", "the", "to", "was", "what", "you", "your"),
    }
)
"""Words of a question; no value that was misheard is made of these alone."""
_STATED = re.compile(r"\s*(?:is|was)(?:\s+([^\s,.;:?!]+)|\s*(?:[.;]|$))", re.IGNORECASE)
_JUDGED = frozenset(
    {
        *("correct", "different", "invalid", "missing", "needed", "not", "now", "on", "registered"),
        *("required", "right", "still", "unknown", "updated", "valid", "wrong"),
    }
)
"""Words behind `is` that say something about a fact and not what it is."""
_AROUND = ".,;:!?\"'()[]{}*`"


class Mention(msgspec.Struct, frozen=True):
    """A fact that a text names: read back rightly, read back wrongly, or asked for."""

    fact: Fact
    reading: Reading


def label(fact: Fact) -> str:
    """Return what a fact is called in conversation."""
    return fact.name.replace("_", " ")


def sentences(text: str) -> list[str]:
    """Return the sentences of a text; semicolons and line breaks divide as well."""
    return [sentence for sentence in _SENTENCE.split(text) if sentence.strip()]


def named_in(sentence: str, names: Sequence[Sequence[str]]) -> list[NamedSpan]:
    """Return where a sentence names things, in its order.

    Args:
        sentence: What was said.
        names: The keywords of each thing; a keyword inside a longer one does not count.
    """
    places = sorted(
        (
            NamedSpan(match.start(), match.end(), number)
            for number, keywords in enumerate(names)
            for keyword in keywords
            if keyword.strip()
            for match in _occurrences(keyword, sentence)
        ),
        key=lambda place: (place.start, -place.end, place.number),
    )
    kept: list[NamedSpan] = []
    for place in places:
        if not kept or place.start >= kept[-1].end or _same(place, kept[-1]):
            kept.append(place)
    return kept


def mentions(text: str, facts: Sequence[Fact]) -> tuple[Mention, ...]:
    """Return the facts that a text names, each once: wrongly read before asked before right."""
    found: dict[str, Mention] = {}
    order: tuple[Reading, ...] = ("right", "asked", "wrong")
    for fact, segment in _segments(text, facts):
        others = [other.value for other in facts if other.name != fact.name]
        mention = Mention(fact, _reading(fact, segment, others))
        known = found.get(fact.name)
        if known is None or order.index(mention.reading) > order.index(known.reading):
            found[fact.name] = mention
    return tuple(_settled(mention, text) for mention in found.values())


def misstated(text: str, facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts of which a text says that they are something else, however unlike them."""
    return [
        fact
        for fact, segment in _segments(text, facts)
        if not repeats(segment, fact.value)
        and (stated := _STATED.match(segment)) is not None
        and (stated[1] or "").casefold() not in _ASKING | _JUDGED
    ]


def repeats(text: str, value: str) -> bool:
    """Whether a text contains a value as a whole, whatever its case."""
    pattern = rf"(?<!\w){re.escape(value.strip())}(?!\w)"
    return re.search(pattern, text, re.IGNORECASE) is not None


def resembles(one: str, other: str) -> bool:
    """Whether two values may be one, of which one was misheard."""
    matcher = difflib.SequenceMatcher(None, one.casefold(), other.casefold(), autojunk=False)
    return matcher.ratio() >= ALIKE


def segment_of(text: str, fact: Fact, facts: Sequence[Fact]) -> str | None:
    """Return what a text says about a fact, up to the next one; None where it does not name it."""
    parts = [said for named, said in _parts(text, facts) if named == fact]
    return " ".join(parts) if parts else None


def _settled(mention: Mention, text: str) -> Mention:
    """Return a mention as right where nothing is wrong and its value is repeated elsewhere."""
    if mention.reading == "asked" and repeats(text, mention.fact.value):
        return Mention(mention.fact, "right")
    return mention


def _segments(text: str, facts: Sequence[Fact]) -> Iterator[tuple[Fact, str]]:
    for sentence in sentences(text):
        yield from _parts(sentence, facts)


def _parts(text: str, facts: Sequence[Fact]) -> Iterator[tuple[Fact, str]]:
    """Yield each fact that a text names, with what follows up to the next one."""
    places = named_in(text, [(*fact.keywords, label(fact)) for fact in facts])
    for place in places:
        ends = [other.start for other in places if other.start > place.start]
        yield facts[place.number], text[place.end : min(ends, default=len(text))]


def _occurrences(keyword: str, sentence: str) -> Iterator[re.Match[str]]:
    """Return where a keyword stands, in the singular or the plural."""
    return re.finditer(
        rf"(?<!\w){re.escape(keyword.strip())}(?:e?s)?(?!\w)", sentence, re.IGNORECASE
    )


def _same(one: NamedSpan, other: NamedSpan) -> bool:
    return (one.start, one.end) == (other.start, other.end)


def _reading(fact: Fact, segment: str, others: Sequence[str]) -> Reading:
    if repeats(segment, fact.value):
        return "right"
    candidates = _stretches(segment, len(fact.value.split()))
    own = [
        stretch for stretch in candidates if not any(repeats(other, stretch) for other in others)
    ]
    return "wrong" if any(_stands_for(stretch, fact.value) for stretch in own) else "asked"


def _stretches(segment: str, size: int) -> list[str]:
    words = [match.group().strip(_AROUND) for match in _WORD.finditer(segment)]
    return [" ".join(words[at : at + size]) for at in range(len(words) - size + 1)]


def _stands_for(stretch: str, value: str) -> bool:
    """Whether a stretch is what somebody would say who took it for the value."""
    if set(stretch.casefold().split()) <= _ASKING:
        return False
    looks, own = shape(stretch), shape(value)
    if any((kind in own) != (kind in looks) for kind in "9A@"):
        return False
    return resembles(stretch, value) or (looks == own and any(k in own for k in "9A@"))


def shape(value: str) -> str:
    """Return a value's kinds of signs, runs as one: `#S100` is `#A9`, `Maren Holt` is `Aa Aa`."""
    kinds: tuple[tuple[Callable[[str], bool], str], ...] = (
        (str.isdigit, "9"),
        (str.isupper, "A"),
        (str.isalpha, "a"),
    )
    signs = [next((kind for test, kind in kinds if test(sign)), sign) for sign in value]
    return "".join(s for at, s in enumerate(signs) if at == 0 or s != signs[at - 1])
