"""The terms of a domain in a language: what its translated schemas call each value.

A label belongs to a value set. Two sets that call one value differently are told apart by the words
around it, and where these do not tell, the value stays as the world has it: nothing overwrites.
"""

from collections.abc import Mapping
from functools import cached_property

import msgspec

from dragoman.conditions.language.artifacts import Schema
from dragoman.conditions.language.value_sets import fold_spelling, value_set_from_artifact
from dragoman.curation.translation.segments import Segment
from dragoman.curation.translation.values import Mentions, Value, cued, cued_on_line, values_of

Key = tuple[str, str, str]
"""File, value set, value."""


class Term(msgspec.Struct, frozen=True):
    """A value and its label, with the fields that may hold it."""

    canonical: str
    label: str
    fields: tuple[str, ...]


class Conflict(msgspec.Struct, frozen=True):
    """A value that value sets call differently: each label with the value sets and their fields."""

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
        """Return the one label of what may be meant; None where there is none, or several are."""
        found = {self._labels.get((each.file, each.value_set, each.canonical)) for each in values}
        return found.pop() if len(found) == 1 else None

    def labels(self, values: tuple[Value, ...]) -> tuple[str, ...]:
        """Return every label of what may be meant."""
        return tuple(term.label for term in self.terms(values))

    def label_at(self, text: str, start: int, end: int) -> str | None:
        """Return the label of a value that stands in a text; None where it is not clear which."""
        values = self.mentions.among(text[start:end])
        return self.label(values) or self.label(cued_on_line(text, start, end, values))

    def terms(self, values: tuple[Value, ...]) -> tuple[Term, ...]:
        """Return values with their labels, each pair once."""
        fields: dict[tuple[str, str], dict[str, None]] = {}
        for each in values:
            label = self._labels.get((each.file, each.value_set, each.canonical))
            if label is not None:
                places = each.fields or (each.value_set,)
                fields.setdefault((each.canonical, label), {}).update(dict.fromkeys(places))
        return tuple(Term(*pair, tuple(places)) for pair, places in fields.items())

    @cached_property
    def by_field(self) -> Mapping[str, Mapping[str, str]]:
        """Labels by value of all value sets that fields of one name may hold, by that name."""
        found: dict[str, dict[str, str]] = {}
        for each in self.values:
            for field in each.fields:
                for term in self.terms((each,)):
                    found.setdefault(field.rpartition(".")[2], {})[term.canonical] = term.label
        return found

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        """Values that value sets call differently."""
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
"""Before labels are translated there are none."""


def glossary_of(schemas: Mapping[str, Schema], where: str) -> Glossary:
    """Return the glossary of a domain's translated schemas, which are merged set by set.

    Args:
        schemas: Translated schemas by file.
        where: The domain and language, for messages.

    Raises:
        DataError: Where a value set has no way back, or a label is blank.
    """
    labels: dict[Key, str] = {}
    for file, schema in schemas.items():
        for key, text in schema.value_sets.items():
            proven = value_set_from_artifact(f"{where}: {file}: {key}", text)
            labels.update({(file, key, value): label for value, label in proven.labels.items()})
    return Glossary(values_of(schemas), labels)


def glossary_for(segment: Segment, glossary: Glossary) -> tuple[Term, ...]:
    """Return the terms that a translator of a segment needs, in the order in which they occur.

    A value of one ordinary word is a term only where its field is named beside it.
    """
    found: dict[Term, None] = {}
    for mention in glossary.mentions.find(segment.source):
        values = mention.values
        if " " not in fold_spelling(segment.source[mention.start : mention.end]):
            values = cued(segment.source, mention.start, mention.end, values)
        found.update(dict.fromkeys(glossary.terms(values)))
    return tuple(found)
