"""Checks of what must stay: ids, addresses, identifiers, literals, names, and labels of values."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from dragoman.conditions.language.text_invariants import find_swapped_values
from dragoman.conditions.language.value_sets import fold_spelling
from dragoman.curation.translation.checks.anomalies import Anomaly
from dragoman.curation.translation.checks.translated import Translated
from dragoman.curation.translation.protection.shapes import shape_of
from dragoman.curation.translation.protection.spans import Kind, Span
from dragoman.scoring.required_phrases import date_forms

_CODES: Mapping[Kind, str] = {
    "id": "id-lost",
    "phone": "address-lost",
    "address": "address-lost",
    "marker": "marker-lost",
    "template": "template-lost",
    "identifier": "identifier-lost",
    "heading": "identifier-lost",
    "code": "code-lost",
    "literal": "literal-lost",
    "name": "name-lost",
}
_OPAQUE: frozenset[Kind] = frozenset({"id", "phone", "address"})
_COUNTED: frozenset[Kind] = frozenset({"marker", "template"})


def lost(text: Translated) -> Iterator[Anomaly]:
    """Find what must stay and is not in the translation; templates and markers as often, too."""
    for (kind, word), count in _counts(text.source, text.kept).items():
        if kind not in _CODES:
            continue
        there = len(re.findall(_whole(word), text.target))
        if kind == "name" and any(form in text.target for form in _dates(word, text)):
            continue
        if not there or (kind in _COUNTED and there != count):
            what = f"{word} is not repeated" if not there else f"{word}: {there} for {count}"
            yield text.anomaly(_CODES[kind], what, max(1, abs(count - there)))


def invented(text: Translated) -> Iterator[Anomaly]:
    """Find ids, addresses and templates of the translation that the source has not."""
    for (kind, word), count in _counts(text.target, text.found).items():
        if word in text.source:
            continue
        if kind in _OPAQUE:
            yield text.anomaly("id-invented", f"{word} is not in the source", count)
        elif kind == "template":
            yield text.anomaly("template-lost", f"{word} is not in the source", count)


def swapped(text: Translated) -> Iterator[Anomaly]:
    """Find ids of one shape that first stand in another order than in the source, none lost."""
    source, target = _in_order(text.source, text.kept), _in_order(text.target, text.found)
    for shape, words in source.items():
        others = [word for word in target.get(shape, ()) if word in words]
        if words != others and len(words) == len(others):
            yield text.anomaly("id-swapped", f"{' '.join(words)} became {' '.join(others)}")


def labels(text: Translated) -> Iterator[Anomaly]:
    """Find quoted values that are neither their label nor the value itself in the translation."""
    target = fold_spelling(text.target)
    missing = Counter(
        (text.source[span.start : span.end], called)
        for span in text.kept
        if span.kind == "value"
        and not span.is_prose
        and (called := _not_called(text, span, target))
    )
    for (word, called), count in missing.items():
        yield text.anomaly("label-missing", f"{word!r} is not called {called}", count)


def swapped_values(text: Translated) -> Iterator[Anomaly]:
    """Find values that are named in place of others of fields of one name.

    Values of one word are left out: in prose they are words like any other.
    """
    if text.segment.mode == "label":
        return
    source, target = fold_spelling(text.source), fold_spelling(text.target)
    for field, labels in text.glossary.by_field.items():
        telling = {value: label for value, label in labels.items() if " " in fold_spelling(value)}
        found = find_swapped_values(telling, source, target)
        if found is not None:
            added, fewer = (", ".join(map(repr, each)) for each in (found.added, found.fewer))
            yield text.anomaly("value-swapped", f"{field}: names {added} and not {fewer}")


def _not_called(text: Translated, span: Span, target: str) -> str:
    """Return what a quoted value should have been called; "" where it is called so."""
    word = text.source[span.start : span.end]
    label = text.glossary.label_at(text.source, span.start, span.end)
    every = text.glossary.labels(text.glossary.mentions.among(word))
    accepted = (label,) if label is not None else every
    if any(fold_spelling(each) in target for each in (*accepted, word)):
        return ""
    return " or ".join(map(repr, accepted)) or repr(word)


def _dates(word: str, text: Translated) -> Iterator[str]:
    """Yield the ways in which the language writes an ISO date."""
    return date_forms(word, text.language.dates)


def _in_order(text: str, spans: tuple[Span, ...]) -> dict[str, list[str]]:
    """Return the ids of a text by shape, each once, in order."""
    found: dict[str, dict[str, None]] = {}
    for span in spans:
        if span.kind in _OPAQUE:
            word = text[span.start : span.end]
            found.setdefault(shape_of(word) or str(len(word)), {})[word] = None
    return {shape: list(words) for shape, words in found.items()}


def _counts(text: str, spans: tuple[Span, ...]) -> Counter[tuple[Kind, str]]:
    return Counter((span.kind, text[span.start : span.end]) for span in spans)


def _whole(word: str) -> str:
    return rf"(?<![A-Za-z0-9_]){re.escape(word)}(?![A-Za-z0-9_])"
