"""Where in a text stands what must stay."""

import re
from collections.abc import Iterable, Iterator

from dragoman.conditions.language.text_invariants import BOLD, CODE_SPAN, LITERAL, QUOTED
from dragoman.conditions.language.tool_messages import PLACEHOLDER
from dragoman.core.stop_tokens import MARKER
from dragoman.core.texts.entities import find_entities
from dragoman.curation.translation.protection.domain import DomainData
from dragoman.curation.translation.protection.fields import is_named_for_ids
from dragoman.curation.translation.protection.kept_words import word_places
from dragoman.curation.translation.protection.placeholders import placeholders_in
from dragoman.curation.translation.protection.shapes import fits, shapes_of
from dragoman.curation.translation.protection.spans import Kind, Span, settled
from dragoman.curation.translation.protection.terms import ProtectedTerms, terms_of
from dragoman.curation.translation.segments import Component
from dragoman.curation.translation.values import Mentions, cued

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


class Protection:
    """Finds in a text what stays; it belongs to one domain alone.

    Attributes:
        terms: What stays.
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
        """Return what stays in a text, in order and without overlaps; each text is read once.

        Args:
            text: The text.
            component: What its file is for.
            kept: What stays in this text alone; see `Segment.kept`.
        """
        key = (text, component in _DESCRIBED, kept)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = settled(self._candidates(*key))
        return found

    def is_id(self, word: str) -> bool:
        """Whether a word is an id of the data, or has the shape of one."""
        return word in self._ids or fits(word, self.shapes)

    def _candidates(self, text: str, is_described: bool, kept: tuple[str, ...]) -> Iterator[Span]:
        """Yield what may have to stay; what comes first wins where two overlap."""
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
        """Yield ids, identifiers and names of one word."""
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
        """Return whether a name that calls repeat is a value too, which may have a label."""
        return "value" if self._values.among(name) else "name"

    def _called(self, text: str) -> Iterator[Span]:
        for found in _CALLED.finditer(text):
            if found.group() in self.terms.identifiers:
                yield Span(found.start(), found.end(), "identifier")

    def _cued(self, text: str) -> Iterator[Span]:
        for found in self._values.find(text):
            if cued(text, found.start, found.end, found.values):
                yield Span(found.start, found.end, "value", is_prose=True)


def protection_of(data: DomainData) -> Protection:
    """Find what must stay in the texts of a domain from its data."""
    return Protection(terms_of(data))


def _is_capitalised(word: re.Match[str], text: str) -> bool:
    """Whether a word has its capital because a sentence begins with it."""
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
