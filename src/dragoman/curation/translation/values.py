"""Values of value sets in prose: which spelling may mean which value, and which words give it away.

`pending` is a status beside the word "status", and an ordinary word elsewhere. A value is therefore
known together with the names of the fields that may hold it.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec

from dragoman.conditions.language.artifacts import Schema
from dragoman.conditions.language.value_sets import fold_spelling

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
        canonical: The value as the world has it.
        fields: The fields that may hold it, `Model.field`.
        cues: What these fields are called in prose, in small letters.
    """

    file: str
    value_set: str
    canonical: str
    fields: tuple[str, ...]
    cues: frozenset[str]


class ValueMention(NamedTuple):
    """A place in a text that may mean a value, and the values that its spelling fits."""

    start: int
    end: int
    values: tuple[Value, ...]


class Mentions:
    """Finds the spellings of values: as they are, and with spaces, hyphens, other case."""

    def __init__(self, values: tuple[Value, ...]) -> None:
        self.values = values
        self._by_spelling: dict[str, list[Value]] = {}
        for value in values:
            if not value.canonical.isdecimal():
                self._by_spelling.setdefault(fold_spelling(value.canonical), []).append(value)
        self._pattern = _pattern_of(self._by_spelling)

    def among(self, text: str) -> tuple[Value, ...]:
        """Return the values that a whole text may mean; those of its very spelling before others."""
        found = self._by_spelling.get(fold_spelling(text), [])
        return tuple(each for each in found if each.canonical == text) or tuple(found)

    def find(self, text: str) -> Iterator[ValueMention]:
        """Yield what may mean a value, in order."""
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


def cued(text: str, start: int, end: int, values: tuple[Value, ...]) -> tuple[Value, ...]:
    """Return those values whose field is named beside a place, in the same sentence."""
    before = _STOPS.split(text[max(0, start - _BEFORE) : start])[-1]
    after = _STOPS.split(text[end : end + _AFTER])[0]
    return _named(values, f" {_words(before)} | {_words(after)} ")


def cued_on_line(text: str, start: int, end: int, values: tuple[Value, ...]) -> tuple[Value, ...]:
    """Return those values whose field is named anywhere on the line of a place."""
    before = text[text.rfind("\n", 0, start) + 1 : start]
    after = text[end:].partition("\n")[0]
    return _named(values, f" {_words(before)} | {_words(after)} ")


def _named(values: tuple[Value, ...], words: str) -> tuple[Value, ...]:
    """Return values with a cue among words; "status" is none where "sim status" is another's."""
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
