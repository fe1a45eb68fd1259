"""Schema files: descriptions of models and fields, and the labels of values."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec

from dragoman.conditions.language.artifacts import (
    ModelText,
    Schema,
    ValueSetText,
    decode_artifact,
    encode_artifact,
)
from dragoman.conditions.language.text_invariants import has_letters
from dragoman.core.texts.decoding import JsonPath, put, value_at
from dragoman.curation.translation.artifacts.file import FileArtifact, SourcedFile
from dragoman.curation.translation.segments import Mode, Segment, address_of

_DIGIT = re.compile(r"\d")
_FEWEST_WORDS = 2


class _Text(NamedTuple):
    place: JsonPath
    text: str
    mode: Mode
    context: str


def schema_artifact(origin: SourcedFile, schema: Schema) -> FileArtifact:
    """Return the schema of one side of a domain as an artifact; its labels are still English."""
    found = {
        address_of(origin.name, each.place): each
        for each in _texts(schema, origin.domain)
        if has_letters(each.text)
    }
    segments = tuple(
        Segment(address, "schema", each.text, each.mode, each.context)
        for address, each in found.items()
    )
    english = _plain(schema)

    def write(texts: Mapping[str, str]) -> bytes:
        written = _plain(schema)
        put(written, {each.place: texts.get(at, each.text) for at, each in found.items()})
        return encode_artifact(msgspec.convert(written, Schema))

    def read(translated: bytes, where: str) -> dict[str, str]:
        other = _plain(decode_artifact(translated, Schema, where))
        there = {
            address: value_at(other, each.place)
            for address, each in found.items()
            if _is_same_value(english, other, each.place)
        }
        return {address: text for address, text in there.items() if isinstance(text, str)}

    return FileArtifact(origin, "schema", segments, write, read)


def is_label(value: str) -> bool:
    """Return whether a value reads as words: `4g_only` is a mode flag, `in_transit` are two words."""
    if "_" not in value:
        return True
    words = [part for part in value.split("_") if part.isalpha()]
    return not _DIGIT.search(value) and len(words) >= _FEWEST_WORDS


def _plain(schema: Schema) -> object:
    """Return a schema as decoded JSON, whose places can be walked and written to."""
    return msgspec.json.decode(msgspec.json.encode(schema))


def label_contexts(schema: Schema, domain: str) -> dict[str, str]:
    """Return the context of the labels of each value set, by its key.

    Sets of the same values have one context, and so the same labels.
    """
    first: dict[frozenset[str], str] = {}
    return {
        key: f"{domain}/label/{first.setdefault(_canonicals(value_set), key)}"
        for key, value_set in schema.value_sets.items()
    }


def _canonicals(value_set: ValueSetText) -> frozenset[str]:
    return frozenset(value.canonical for value in value_set.values)


def _texts(schema: Schema, domain: str) -> Iterator[_Text]:
    prose = f"{domain}/text"
    if schema.module_description:
        yield _Text(("module_description",), schema.module_description, "text", prose)
    for name, model in schema.models.items():
        for place, text in _described(model):
            yield _Text(("models", name, *place), text, "text", prose)
    contexts = label_contexts(schema, domain)
    for key, value_set in schema.value_sets.items():
        yield from _values(key, value_set, contexts[key])


def _described(model: ModelText) -> Iterator[tuple[JsonPath, str]]:
    if model.description:
        yield ("description",), model.description
    for name, field in model.fields.items():
        if field.description:
            yield ("fields", name, "description"), field.description


def _values(key: str, value_set: ValueSetText, context: str) -> Iterator[_Text]:
    for at, value in enumerate(value_set.values):
        mode: Mode = "label" if is_label(value.canonical) else "text"
        place = ("value_sets", key, "values", at, "localized")
        yield _Text(place, value.canonical, mode, context)


def _is_same_value(english: object, translated: object, place: JsonPath) -> bool:
    """Return whether a label stands for the same value in both files; other texts have no value."""
    if place[0] != "value_sets":
        return True
    value = (*place[:-1], "canonical")
    return value_at(english, value) == value_at(translated, value)
