"""Placeholders: mask do-not-translate spans before translation, restore them after.

A placeholder such as `⟦1⟧` contains no letter of any language, needs no space next to it, and its
number names its slot. Translators may return other brackets, spaces, or digits of other scripts. A
placeholder that the source itself contains is masked like any other span.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

import msgspec

from dragoman.conditions.language.text_invariants import BOLD, CODE_SPAN, LITERAL, QUOTED, is_han
from dragoman.conditions.language.tool_messages import PLACEHOLDER
from dragoman.core.stop_tokens import MARKER
from dragoman.core.texts.entities import find_entities
from dragoman.curation.translation.do_not_translate import (
    DomainData,
    ProtectedTerms,
    is_named_for_ids,
    matches_shape,
    shapes_of,
    terms_of,
    word_places,
)
from dragoman.curation.translation.glossary import NO_GLOSSARY, Glossary, Mentions, cued_values
from dragoman.curation.translation.segments import Component, Segment

_BRACKETS = (
    ("\u27e6", "\u27e7"),
    ("\u301a", "\u301b"),
    ("\u3010", "\u3011"),
    ("\u3016", "\u3017"),
    (r"\[\[", r"\]\]"),
    ("\uff3b\uff3b", "\uff3d\uff3d"),
)
# One digit class matches all scripts: Thai and full-width digits are `\d` too.
_READ = re.compile("|".join(rf"{opened}\s?(\d{{1,6}})\s?{closed}" for opened, closed in _BRACKETS))


class PlacedPlaceholder(NamedTuple):
    """A placeholder in a text: its number and its span."""

    number: int
    start: int
    end: int


def placeholder(number: int) -> str:
    """Return the placeholder with a number."""
    return f"\u27e6{number}\u27e7"


def placeholders_in(text: str) -> Iterator[PlacedPlaceholder]:
    """Yield the placeholders of a text in any of their forms, in order."""
    for found in _READ.finditer(text):
        digits = next(group for group in found.groups() if group is not None)
        yield PlacedPlaceholder(int(digits), found.start(), found.end())


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
"""The kind of a span.

`address` is an e-mail or web address, and `value` a value of a value set.
"""


class Span(NamedTuple):
    """A span of a text that must stay.

    `is_prose` is true for a value among words, with which its label would have to agree.
    """

    start: int
    end: int
    kind: Kind
    is_prose: bool = False


def without_overlaps(candidates: Iterable[Span]) -> tuple[Span, ...]:
    """Return the spans that do not overlap an earlier candidate, in the text's order."""
    taken: set[int] = set()
    kept: list[Span] = []
    for span in candidates:
        if taken.isdisjoint(range(span.start, span.end)):
            taken.update(range(span.start, span.end))
            kept.append(span)
    return tuple(sorted(kept))


def blank_spans(text: str, spans: tuple[Span, ...]) -> str:
    """Return a text with each span replaced by a space."""
    parts: list[str] = []
    end = 0
    for span in spans:
        parts += (text[end : span.start], " ")
        end = span.end
    return "".join((*parts, text[end:]))


_IN_ADDRESS = r"\{\w+\}|[^\s<>\"'`)\]{}"
_WEB = re.compile(rf"(?:https?://|www\.)(?:{_IN_ADDRESS}])*(?:{_IN_ADDRESS}.,;:!?])")
_WORD = re.compile(r"(?<![A-Za-z0-9_#])#?[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*(?![A-Za-z0-9_])")
_CALLED = re.compile(r"(?<![A-Za-z0-9_])[A-Za-z]\w*(?=\()")
_TWO_NAMES = re.compile(r"(?<!\w)([A-Z][\w'-]*)(?= ([A-Z][\w'-]*)(?!\w))")
_NUMBERED = re.compile(r"_\d+$")
_HEADING = re.compile(r"^(?:Args|Returns|Raises):(?=[ \t]*$)", re.MULTILINE)
_PARAMETER = re.compile(r"^ {4}(\w+)(?=(?: \([^)\n]*\))?:)", re.MULTILINE)
_ERROR = re.compile(r"(?<![A-Za-z0-9_])(?:[A-Z][a-z]+)+(?:Error|Exception)(?![A-Za-z0-9_])")
_CLASS = re.compile(r"[A-Z][a-z0-9]+[A-Z]\w*")
_QUOTES = "'\"\u201c\u201d"
_DESCRIBED: frozenset[Component] = frozenset({"tools", "functions"})
_NEVER = re.compile(r"(?!)")


class DoNotTranslate:
    """A search for the terms that must stay in the texts of one domain.

    Attributes:
        terms: The terms that stay.
        shapes: The shapes of its ids.
    """

    def __init__(self, terms: ProtectedTerms) -> None:
        self.terms = terms
        self.shapes = shapes_of(
            each for field, found in terms.ids.items() if is_named_for_ids(field) for each in found
        )
        self._values = Mentions(terms.values)
        self._ids = frozenset[str]().union(*terms.ids.values())
        self._names = terms.names - terms.people
        self._long_names = _either(name for name in self._names if not _WORD.fullmatch(name))
        self._found: dict[tuple[str, bool, tuple[str, ...]], tuple[Span, ...]] = {}

    def spans(
        self, text: str, component: Component, kept: tuple[str, ...] = ()
    ) -> tuple[Span, ...]:
        """Return the spans of a text that must stay, in order and without overlaps.

        Results are cached.

        Args:
            text: The text.
            component: The component of its file.
            kept: Terms that stay in this text only; see `Segment.kept`.
        """
        key = (text, component in _DESCRIBED, kept)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = without_overlaps(self._candidates(*key))
        return found

    def is_id(self, word: str) -> bool:
        """Return whether a word is an id of the data, or has the shape of one."""
        return word in self._ids or matches_shape(word, self.shapes)

    def _candidates(self, text: str, is_described: bool, kept: tuple[str, ...]) -> Iterator[Span]:
        """Yield candidates for spans that must stay; of overlapping ones the first counts."""
        yield from (Span(each.start, each.end, "placeholder") for each in placeholders_in(text))
        for word in kept:
            yield from (Span(*place, "literal") for place in word_places(text, word))
        yield from _spans(MARKER, text, "marker")
        yield from _spans(_WEB, text, "address")
        yield from _entities(text)
        yield from _spans(PLACEHOLDER, text, "template")
        yield from self._marked(text, is_described)
        if is_described:
            yield from self._docstring(text)
        for found in self._long_names.finditer(text):
            yield Span(found.start(), found.end(), self._name_or_value(found.group()))
        yield from self._full_names(text)
        yield from self._words(text)
        yield from self._called(text)
        yield from self._cued(text)

    def _marked(self, text: str, is_described: bool) -> Iterator[Span]:
        """Yield values and literals in quotes, code and bold, and other code."""
        for found in CODE_SPAN.finditer(text):
            inner = found.group(1).strip(_QUOTES)
            if self._values.among(inner):
                start = text.index(inner, found.start())
                yield Span(start, start + len(inner), "value")
            else:
                yield Span(found.start(), found.end(), "code")
        for pattern in (LITERAL, QUOTED, BOLD):
            for found in pattern.finditer(text):
                if self._values.among(found.group(1)):
                    yield Span(*found.span(1), "value")
                elif found.group(1) in self.terms.literals or (is_described and pattern is LITERAL):
                    kind = (
                        self._kind_of(found.group(1)) if _WORD.fullmatch(found.group(1)) else None
                    )
                    yield Span(*found.span(1), kind or "literal")

    def _docstring(self, text: str) -> Iterator[Span]:
        yield from _spans(_HEADING, text, "heading")
        yield from _spans(_ERROR, text, "identifier")
        for found in _PARAMETER.finditer(text):
            if found.group(1) in self.terms.identifiers:
                yield Span(*found.span(1), "identifier")

    def _full_names(self, text: str) -> Iterator[Span]:
        for found in _TWO_NAMES.finditer(text):
            if self.terms.people.issuperset(found.group(1, 2)):
                yield Span(found.start(), found.end(2), "name")

    def _words(self, text: str) -> Iterator[Span]:
        """Yield the spans of ids, identifiers and names of one word."""
        for found in _WORD.finditer(text):
            kind = self._kind_of(found.group())
            if kind == "name" and _is_capitalised(found, text):
                continue
            if kind is not None:
                yield Span(found.start(), found.end(), kind)
            elif "-" in found.group():
                yield from self._parts(found)

    def _parts(self, word: re.Match[str]) -> Iterator[Span]:
        start = word.start()
        for part in word.group().split("-"):
            kind = self._kind_of(part)
            if kind is not None:
                yield Span(start, start + len(part), kind)
            start += len(part) + 1

    def _kind_of(self, word: str) -> Kind | None:
        if self.is_id(word) or _NUMBERED.search(word):
            return "id"
        if "_" in word:
            return "value" if self._values.among(word) else "identifier"
        if word in self._names:
            return self._name_or_value(word)
        return "identifier" if word in self.terms.identifiers and _CLASS.fullmatch(word) else None

    def _name_or_value(self, name: str) -> Kind:
        """Return the kind of a name that calls repeat; a value may have a label."""
        return "value" if self._values.among(name) else "name"

    def _called(self, text: str) -> Iterator[Span]:
        for found in _CALLED.finditer(text):
            if found.group() in self.terms.identifiers:
                yield Span(found.start(), found.end(), "identifier")

    def _cued(self, text: str) -> Iterator[Span]:
        for found in self._values.find(text):
            if cued_values(text, found.start, found.end, found.values):
                yield Span(found.start, found.end, "value", is_prose=True)


def find_do_not_translate(data: DomainData) -> DoNotTranslate:
    """Find the terms that must stay in the texts of a domain from its data."""
    return DoNotTranslate(terms_of(data))


def _is_capitalised(word: re.Match[str], text: str) -> bool:
    """Return whether a word may be capitalized only because it begins a sentence."""
    before = text[: word.start()].rstrip(" \t\"'*-")
    return word.group().istitle() and (not before or before[-1] in ".!?:\n")


def _spans(pattern: re.Pattern[str], text: str, kind: Kind) -> Iterator[Span]:
    return (Span(found.start(), found.end(), kind) for found in pattern.finditer(text))


def _entities(text: str) -> Iterator[Span]:
    for found in find_entities(text):
        if found.kind in {"email", "phone"}:
            yield Span(found.start, found.end, "address" if found.kind == "email" else "phone")


def _either(texts: Iterable[str]) -> re.Pattern[str]:
    longest_first = sorted(texts, key=lambda each: (-len(each), each))
    either = "|".join(map(re.escape, longest_first))
    return re.compile(rf"(?<!\w)(?:{either})(?!\w)") if either else _NEVER


FaultCode = Literal["placeholder-lost", "placeholder-doubled", "placeholder-invented"]


class MaskSlot(msgspec.Struct, frozen=True):
    """The content behind a placeholder.

    Attributes:
        placeholder: The placeholder, `⟦1⟧`.
        source: The masked text of the source.
        restored: The text that replaces the placeholder: the same, or the label of a value.
        kind: The kind of the span.
        count: Number of its occurrences in the source.
    """

    placeholder: str
    source: str
    restored: str
    kind: Kind
    count: int


class Masked(msgspec.Struct, frozen=True):
    """A source with placeholders.

    Texts that differ only in ids are equal except for their slots.
    """

    text: str
    slots: tuple[MaskSlot, ...]

    @property
    def has_words(self) -> bool:
        """Whether the text contains letters outside of placeholders."""
        found = placeholders_in(self.text)
        spans = tuple(Span(each.start, each.end, "placeholder") for each in found)
        return any(map(str.isalpha, blank_spans(self.text, spans)))

    def slot(self, number: int) -> MaskSlot | None:
        """Return the slot of the placeholder with a number; None if there is none."""
        return self.slots[number - 1] if 0 < number <= len(self.slots) else None


class PlaceholderFault(msgspec.Struct, frozen=True):
    """A placeholder that did not come back as often as it was given.

    Attributes:
        code: Whether it was lost, doubled or invented.
        placeholder: The placeholder.
        restored: The text behind it; "" for an invented one.
        expected: Number of its occurrences in the request.
        found: Number of its occurrences in the answer.
    """

    code: FaultCode
    placeholder: str
    restored: str
    expected: int
    found: int


class Restored(msgspec.Struct, frozen=True):
    """A restored translation; if it has faults, it must be requested again."""

    text: str
    faults: tuple[PlaceholderFault, ...] = ()


def mask(
    segment: Segment, do_not_translate: DoNotTranslate, glossary: Glossary = NO_GLOSSARY
) -> Masked:
    """Mask the spans of a segment that must stay.

    A value with a label in the glossary is masked if it is quoted, in code or written with
    underscores, and is restored as the label. A stand-alone label is not masked.
    """
    if segment.mode == "label":
        return Masked(segment.source, ())
    parts: list[str] = []
    numbers: dict[tuple[str, str, Kind], int] = {}
    counts: Counter[int] = Counter()
    end = 0
    for span, restored in _placeholder_replacements(segment, do_not_translate, glossary):
        source = segment.source[span.start : span.end]
        number = numbers.setdefault((source, restored, span.kind), len(numbers) + 1)
        counts[number] += 1
        parts += (segment.source[end : span.start], placeholder(number))
        end = span.end
    parts.append(segment.source[end:])
    slots = tuple(
        MaskSlot(placeholder(number), source, restored, kind, counts[number])
        for (source, restored, kind), number in numbers.items()
    )
    return Masked("".join(parts), slots)


def restore(masked: Masked, text: str) -> Restored:
    """Restore the masked spans of a translation, and report faulty placeholders.

    The outer white space is that of the source. A space between a Chinese label and adjacent
    Chinese characters is removed.
    """
    text = _with_space_of(masked.text, text)
    pieces: list[str] = []
    labels: list[int] = []
    counts: Counter[int] = Counter()
    end = 0
    for placed in placeholders_in(text):
        counts[placed.number] += 1
        slot = masked.slot(placed.number)
        if slot is not None and slot.restored != slot.source:
            labels.append(len(pieces) + 1)
        written = text[placed.start : placed.end] if slot is None else slot.restored
        pieces += (text[end : placed.start], written)
        end = placed.end
    pieces.append(text[end:])
    for at in labels:
        _close_up(pieces, at)
    return Restored("".join(pieces), _faults(masked, counts))


def _placeholder_replacements(
    segment: Segment, do_not_translate: DoNotTranslate, glossary: Glossary
) -> Iterator[tuple[Span, str]]:
    """Yield the spans to mask, with the text that replaces each of them."""
    text = segment.source
    for span in do_not_translate.spans(text, segment.component, segment.kept):
        label = glossary.label_at(text, span.start, span.end) if span.kind == "value" else None
        if label is None:
            yield span, text[span.start : span.end]
        elif not span.is_prose:
            yield span, label


def _with_space_of(source: str, text: str) -> str:
    inner = source.strip()
    if not inner or not text.strip():
        return text
    before, _, after = source.partition(inner)
    return f"{before}{text.strip()}{after}"


def _close_up(pieces: list[str], at: int) -> None:
    """Remove spaces between a label and its neighbours if both are Han."""
    before = pieces[at - 1].rstrip(" ")
    if is_han((before or "".join(pieces[: at - 1]))[-1:]) and is_han(pieces[at][:1]):
        pieces[at - 1] = before
    after = pieces[at + 1].lstrip(" ")
    if is_han((after or "".join(pieces[at + 2 :]))[:1]) and is_han(pieces[at][-1:]):
        pieces[at + 1] = after


def _faults(masked: Masked, counts: Counter[int]) -> tuple[PlaceholderFault, ...]:
    found: list[PlaceholderFault] = []
    for number, slot in enumerate(masked.slots, 1):
        count = counts.pop(number, 0)
        if count != slot.count:
            code: FaultCode = "placeholder-lost" if count < slot.count else "placeholder-doubled"
            found.append(PlaceholderFault(code, slot.placeholder, slot.restored, slot.count, count))
    invented = sorted(counts)
    found += (
        PlaceholderFault("placeholder-invented", placeholder(number), "", 0, counts[number])
        for number in invented
    )
    return tuple(found)
