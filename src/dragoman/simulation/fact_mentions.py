"""Fact mentions in a text: a fact is asked for, read back correctly, or read back wrongly.

A question names a fact by one of its keywords. The text up to the next named fact is searched for
a value: the fact's own, another of its shape (a wrong read-back), or none (a question).
"""

import difflib
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import msgspec

from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.tasks import KnownFact
from dragoman.simulation.text_segmentation import (
    candidate_spans,
    sort_longest_first,
    whole_phrase_pattern,
)

ALIKE = 0.6
"""Similarity (0 to 1) from which two values count as one, one of them misrecognized."""

Reading = Literal["right", "wrong", "asked"]


class NamedSpan(msgspec.Struct, frozen=True):
    """Place in a sentence where the thing with a given number is named."""

    start: int
    end: int
    number: int


_AROUND = ".,;:!?\"'()[]{}*`"


class Mention(msgspec.Struct, frozen=True):
    """A fact that a text names: read back rightly, read back wrongly, or asked for."""

    fact: KnownFact
    reading: Reading


def split_sentences(text: str, phrases: Phrasebook) -> list[str]:
    """Return the sentences of a text; semicolons and line breaks divide as well."""
    parts = phrases.writing.sentence_break.split(text)
    return [sentence for sentence in parts if sentence.strip()]


def find_name_spans(
    sentence: str, names: Sequence[Sequence[str]], phrases: Phrasebook
) -> list[NamedSpan]:
    """Return the places where a sentence names things, in order.

    Args:
        sentence: The sentence.
        names: The keywords of each thing; a keyword inside a longer one does not count.
        phrases: The phrases of its language.
    """
    places = sorted(
        (
            NamedSpan(match.start(), match.end(), number)
            for number, keywords in enumerate(names)
            for keyword in keywords
            if keyword.strip()
            for match in _occurrences(keyword, sentence, phrases)
        ),
        key=lambda place: (place.start, -place.end, place.number),
    )
    kept: list[NamedSpan] = []
    for place in places:
        if not kept or place.start >= kept[-1].end or _same(place, kept[-1]):
            kept.append(place)
    return kept


def find_mentions(
    text: str, facts: Sequence[KnownFact], phrases: Phrasebook
) -> tuple[Mention, ...]:
    """Return the facts that a text names, each once: wrongly read before asked before right."""
    found: dict[str, Mention] = {}
    order: tuple[Reading, ...] = ("right", "asked", "wrong")
    for fact, segment in _segments(text, facts, phrases):
        others = [other.value for other in facts if other.name != fact.name]
        mention = Mention(fact, _reading(fact, segment, others, phrases))
        known = found.get(fact.name)
        if known is None or order.index(mention.reading) > order.index(known.reading):
            found[fact.name] = mention
    return tuple(_resolve_repeated_value(mention, text, phrases) for mention in found.values())


def contradicted_facts(
    text: str, facts: Sequence[KnownFact], phrases: Phrasebook
) -> list[KnownFact]:
    """Return the facts of which a text says that they are something else, however unlike them."""
    return [
        fact
        for fact, segment in _segments(text, facts, phrases)
        if not contains_value(segment, fact.value, phrases)
        and (stated := phrases.hears.value.match(segment)) is not None
        and not _says_nothing((stated["value"] or "").casefold(), phrases)
    ]


def contains_value(text: str, value: str, phrases: Phrasebook) -> bool:
    """Return whether a text contains a value as a whole, whatever its case."""
    return whole_phrase_pattern(value, phrases).search(text) is not None


def resembles(one: str, other: str) -> bool:
    """Return whether two values may be one value, one of them misrecognized."""
    matcher = difflib.SequenceMatcher(None, one.casefold(), other.casefold(), autojunk=False)
    return matcher.ratio() >= ALIKE


def segment_about(
    text: str, fact: KnownFact, facts: Sequence[KnownFact], phrases: Phrasebook
) -> str | None:
    """Return what a text says about a fact, up to the next one.

    The result is None if the text does not name the fact.
    """
    parts = [said for named, said in _parts(text, facts, phrases) if named == fact]
    return " ".join(parts) if parts else None


def _resolve_repeated_value(mention: Mention, text: str, phrases: Phrasebook) -> Mention:
    """Return a mention as right where nothing is wrong and its value is repeated elsewhere."""
    if mention.reading == "asked" and contains_value(text, mention.fact.value, phrases):
        return Mention(mention.fact, "right")
    return mention


def _segments(
    text: str, facts: Sequence[KnownFact], phrases: Phrasebook
) -> Iterator[tuple[KnownFact, str]]:
    for sentence in split_sentences(text, phrases):
        yield from _parts(sentence, facts, phrases)


def _parts(
    text: str, facts: Sequence[KnownFact], phrases: Phrasebook
) -> Iterator[tuple[KnownFact, str]]:
    """Yield each fact that a text names, with what follows up to the next one."""
    places = find_name_spans(
        text, [(*fact.keywords, phrases.label(fact.name)) for fact in facts], phrases
    )
    for place in places:
        ends = [other.start for other in places if other.start > place.start]
        yield facts[place.number], text[place.end : min(ends, default=len(text))]


def _occurrences(keyword: str, sentence: str, phrases: Phrasebook) -> Iterator[re.Match[str]]:
    """Return where a keyword stands, as it is or with an ending."""
    return whole_phrase_pattern(keyword, phrases, phrases.writing.keyword_endings).finditer(
        sentence
    )


def _same(one: NamedSpan, other: NamedSpan) -> bool:
    return (one.start, one.end) == (other.start, other.end)


def _reading(fact: KnownFact, segment: str, others: Sequence[str], phrases: Phrasebook) -> Reading:
    if contains_value(segment, fact.value, phrases):
        return "right"
    own = [
        stretch
        for stretch in candidate_spans(segment, fact.value, _AROUND, phrases)
        if not any(contains_value(other, stretch, phrases) for other in others)
    ]
    is_wrong = any(_stands_for(stretch, fact.value, phrases) for stretch in own)
    return "wrong" if is_wrong else "asked"


def _stands_for(stretch: str, value: str, phrases: Phrasebook) -> bool:
    """Return whether a stretch is what somebody would say who took it for the value."""
    if _asks(stretch.casefold(), phrases):
        return False
    looks, own = character_shape(stretch), character_shape(value)
    if any((kind in own) != (kind in looks) for kind in "9A@"):
        return False
    return resembles(stretch, value) or (looks == own and any(k in own for k in "9A@"))


def _asks(stretch: str, phrases: Phrasebook) -> bool:
    """Return whether a stretch is made of words of a question alone."""
    if phrases.writing.spaced:
        return set(stretch.split()) <= phrases.words.asking
    for word in sort_longest_first(phrases.words.asking):
        stretch = stretch.replace(word, "")
    return not stretch.strip()


def _says_nothing(stated: str, phrases: Phrasebook) -> bool:
    """Return whether what a fact is said to be is a word of a question or of a judgement."""
    known = phrases.words.asking | phrases.words.judged
    return stated in known if phrases.writing.spaced else stated.startswith(tuple(known))


def character_shape(value: str) -> str:
    """Return a value's kinds of signs, runs as one: `#S100` is `#A9`, `Maren Holt` is `Aa Aa`."""
    kinds: tuple[tuple[Callable[[str], bool], str], ...] = (
        (str.isdigit, "9"),
        (str.isupper, "A"),
        (str.isalpha, "a"),
    )
    signs = [next((kind for test, kind in kinds if test(sign)), sign) for sign in value]
    return "".join(s for at, s in enumerate(signs) if at == 0 or s != signs[at - 1])
