"""Glossary of a domain: values in prose, labels of values in schemas, and conflicts.

A label belongs to a value set. Two sets that label one value differently are told apart by the
words around it. If these do not help, the value stays as in the world's data. `pending` is a status
near the word "status" and an ordinary word elsewhere, so a value carries the names of its fields.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

import msgspec

from dragoman.conditions.language.artifacts import Schema
from dragoman.conditions.language.languages import Language
from dragoman.conditions.language.value_sets import fold_spelling, value_set_from_artifact
from dragoman.curation.translation.segments import Segment
from dragoman.scoring.language_detection import Detector
from dragoman.store.translation_memory import SourceText

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORD = re.compile(r"\w+")
_SEPARATOR = r"[ _\-]"
_BEFORE = 40
_AFTER = 24
_STOPS = re.compile(r"[.!?;\n]")
_NEVER = re.compile(r"(?!)")


class Value(msgspec.Struct, frozen=True):
    """One value of a value set.

    Attributes:
        file: The schema file.
        value_set: The key of its value set.
        canonical: The value as in the world's data.
        fields: The fields that may hold it, `Model.field`.
        cues: Names of these fields and of the value set in prose, in lower case.
    """

    file: str
    value_set: str
    canonical: str
    fields: tuple[str, ...]
    cues: frozenset[str]


class ValueMention(NamedTuple):
    """A place in a text that may mean a value, and the values that match its spelling."""

    start: int
    end: int
    values: tuple[Value, ...]


class Mentions:
    """A search for spellings of values: as written, with spaces or hyphens, in any case."""

    def __init__(self, values: tuple[Value, ...]) -> None:
        self.values = values
        self._by_spelling: dict[str, list[Value]] = {}
        for value in values:
            if not value.canonical.isdecimal():
                self._by_spelling.setdefault(fold_spelling(value.canonical), []).append(value)
        self._pattern = _pattern_of(self._by_spelling)

    def among(self, text: str) -> tuple[Value, ...]:
        """Return the values that a whole text may mean.

        Values with exactly this spelling take precedence over others.
        """
        found = self._by_spelling.get(fold_spelling(text), [])
        return tuple(each for each in found if each.canonical == text) or tuple(found)

    def find(self, text: str) -> Iterator[ValueMention]:
        """Yield the places that may mean a value, in order."""
        for found in self._pattern.finditer(text):
            yield ValueMention(found.start(), found.end(), self.among(found.group()))


def values_of(schemas: Mapping[str, Schema]) -> tuple[Value, ...]:
    """Return the values of a domain's schemas, by file, value set and value."""
    return tuple(
        Value(file, key, value.canonical, fields, cues)
        for file, schema in schemas.items()
        for key, value_set in schema.value_sets.items()
        for fields in (_fields_of(schema, key),)
        for cues in (_cues_of(key, fields),)
        for value in value_set.values
    )


def cued_values(text: str, start: int, end: int, values: tuple[Value, ...]) -> tuple[Value, ...]:
    """Return the values whose field is named near a place, in the same sentence."""
    before = _STOPS.split(text[max(0, start - _BEFORE) : start])[-1]
    after = _STOPS.split(text[end : end + _AFTER])[0]
    return _values_with_cue(values, f" {_words(before)} | {_words(after)} ")


def values_cued_on_line(
    text: str, start: int, end: int, values: tuple[Value, ...]
) -> tuple[Value, ...]:
    """Return the values whose field is named anywhere on the line of a place."""
    before = text[text.rfind("\n", 0, start) + 1 : start]
    after = text[end:].partition("\n")[0]
    return _values_with_cue(values, f" {_words(before)} | {_words(after)} ")


def _values_with_cue(values: tuple[Value, ...], words: str) -> tuple[Value, ...]:
    """Return the values with a cue among words.

    A cue does not count if it is a part of a longer cue there: "status" in "sim status".
    """
    cues = {cue for each in values for cue in each.cues if f" {cue} " in words}
    inner = {cue for cue in cues for other in cues if cue != other and f" {cue} " in f" {other} "}
    return tuple(each for each in values if each.cues & (cues - inner))


def _words(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold().replace("_", " ")))


def _fields_of(schema: Schema, key: str) -> tuple[str, ...]:
    named = re.compile(rf"\b{re.escape(key)}\b")
    own = schema.value_sets[key]
    owner = (f"{own.owner_model}.{own.owner_field}",) if own.owner_field else ()
    found = (
        f"{model}.{field}"
        for model, text in schema.models.items()
        for field, described in text.fields.items()
        if described.value_set == key or named.search(described.annotation)
    )
    return tuple(dict.fromkeys((*owner, *found)))


def _cues_of(key: str, fields: tuple[str, ...]) -> frozenset[str]:
    names = (key, *(field.rpartition(".")[2] for field in fields))
    return frozenset(_words(_HUMP.sub(" ", name).replace(".", " ")) for name in names)


def _pattern_of(spellings: Mapping[str, object]) -> re.Pattern[str]:
    longest_first = sorted(spellings, key=lambda spelling: (-len(spelling), spelling))
    forms = (_SEPARATOR.join(map(re.escape, spelling.split(" "))) for spelling in longest_first)
    either = "|".join(forms)
    if not either:
        return _NEVER
    return re.compile(rf"(?<![A-Za-z0-9_])(?:{either})(?![A-Za-z0-9_])", re.IGNORECASE)


Key = tuple[str, str, str]
"""File, value set, value."""


class Term(msgspec.Struct, frozen=True):
    """A value and its label, with the fields that may hold it."""

    canonical: str
    label: str
    fields: tuple[str, ...]


class Conflict(msgspec.Struct, frozen=True):
    """A value with different labels: each label with its value sets and their fields."""

    canonical: str
    labels: Mapping[str, tuple[str, ...]]

    def __str__(self) -> str:
        named = (f"{label!r} in {', '.join(places)}" for label, places in self.labels.items())
        return f"{self.canonical!r} is {'; '.join(named)}"


class Glossary:
    """Labels by value set."""

    def __init__(self, values: tuple[Value, ...], labels: Mapping[Key, str]) -> None:
        self.values = values
        self.mentions = Mentions(values)
        self._labels = dict(labels)

    def label(self, values: tuple[Value, ...]) -> str | None:
        """Return the common label of values; None if there is none or if they differ."""
        found = {self._labels.get((each.file, each.value_set, each.canonical)) for each in values}
        return found.pop() if len(found) == 1 else None

    def labels(self, values: tuple[Value, ...]) -> tuple[str, ...]:
        """Return all labels of values."""
        return tuple(term.label for term in self.terms(values))

    def label_at(self, text: str, start: int, end: int) -> str | None:
        """Return the label of a value at a place in a text; None if it is ambiguous."""
        values = self.mentions.among(text[start:end])
        return self.label(values) or self.label(values_cued_on_line(text, start, end, values))

    def terms(self, values: tuple[Value, ...]) -> tuple[Term, ...]:
        """Return the distinct pairs of values and labels, with their fields."""
        fields: dict[tuple[str, str], dict[str, None]] = {}
        for each in values:
            label = self._labels.get((each.file, each.value_set, each.canonical))
            if label is not None:
                places = each.fields or (each.value_set,)
                fields.setdefault((each.canonical, label), {}).update(dict.fromkeys(places))
        return tuple(Term(*pair, tuple(places)) for pair, places in fields.items())

    @cached_property
    def by_field(self) -> Mapping[str, Mapping[str, str]]:
        """Labels by value, for all value sets of fields with the same name, by that name."""
        found: dict[str, dict[str, str]] = {}
        for each in self.values:
            for field in each.fields:
                for term in self.terms((each,)):
                    found.setdefault(field.rpartition(".")[2], {})[term.canonical] = term.label
        return found

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        """Values with different labels in different value sets."""
        found: dict[str, dict[str, list[str]]] = {}
        for each in self.values:
            label = self._labels.get((each.file, each.value_set, each.canonical))
            if label is not None:
                place = f"{each.file}: {each.value_set} ({', '.join(each.fields) or 'no field'})"
                found.setdefault(each.canonical, {}).setdefault(label, []).append(place)
        return tuple(
            Conflict(canonical, {label: tuple(places) for label, places in labels.items()})
            for canonical, labels in found.items()
            if len(labels) > 1
        )


NO_GLOSSARY = Glossary((), {})
"""The empty glossary, for use before labels are translated."""


def glossary_of(schemas: Mapping[str, Schema], where: str) -> Glossary:
    """Return the glossary of a domain's translated schemas, which are merged set by set.

    Args:
        schemas: Translated schemas by file.
        where: The domain and language, for messages.

    Raises:
        DataError: If labels of a value set cannot be mapped back to values, or if a label is blank.
    """
    labels: dict[Key, str] = {}
    for file, schema in schemas.items():
        for key, text in schema.value_sets.items():
            proven = value_set_from_artifact(f"{where}: {file}: {key}", text)
            labels.update({(file, key, value): label for value, label in proven.labels.items()})
    return Glossary(values_of(schemas), labels)


def glossary_for(segment: Segment, glossary: Glossary) -> tuple[Term, ...]:
    """Return the terms that a translator of a segment needs, in order of occurrence.

    A value of one ordinary word is a term only if its field is named near it.
    """
    found: dict[Term, None] = {}
    for mention in glossary.mentions.find(segment.source):
        values = mention.values
        if " " not in fold_spelling(segment.source[mention.start : mention.end]):
            values = cued_values(segment.source, mention.start, mention.end, values)
        found.update(dict.fromkeys(glossary.terms(values)))
    return tuple(found)


_LABEL = "/label/"


def is_of_value_set(segment: Segment) -> bool:
    """Return whether a segment is a value, whose translation is its label."""
    return _LABEL in segment.context


class LabelRegistry:
    """The used spellings of each value set: the values themselves, then their labels."""

    def __init__(self, segments: Iterable[Segment]) -> None:
        self._taken: dict[str, dict[str, str]] = {}
        for segment in segments:
            if is_of_value_set(segment):
                spellings = self._taken.setdefault(segment.context, {})
                spellings[fold_spelling(segment.source)] = segment.source

    def take(self, source: SourceText, label: str) -> str | None:
        """Register a label for a value; return the other value that has it, or None."""
        spellings = self._taken.get(source.context)
        if spellings is None:
            return None
        holder = spellings.setdefault(fold_spelling(label), source.text)
        return None if holder == source.text else holder

    def others(self, source: SourceText) -> tuple[str, ...]:
        """Return the spellings of a value set that belong to other values."""
        spellings = self._taken.get(source.context, {})
        return tuple(each for each, holder in spellings.items() if holder != source.text)


def translation_notes(
    language: Language, glossary: Glossary, detector: Detector | None
) -> Iterator[str]:
    """Yield notes on the translations into a language, one line each."""
    for conflict in glossary.conflicts:
        yield f"{conflict}: where a text does not name the field, the value stays"
    if detector is None and language.script == "LATIN":
        yield (
            f"texts in a language that is not {language.name} may have passed: "
            "pip install 'dragoman[language]' tells them"
        )
