"""Function documents as a model is shown them: with notes on the language of the functions."""

import json
from collections.abc import Mapping

import msgspec

from dragoman.benchmarks.bfcl.prompts.texts import PromptTexts, SourceNotes
from dragoman.benchmarks.bfcl.questions import Language

_LISTS = {"ArrayList", "Array", "array"}

Schema = dict[str, object]
"""What a document says of a value, with every key that upstream has, in its order."""


class Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A function document as upstream has it; `parameters` keeps keys that only models are shown.

    `response` is the schema of the result, where the document has one.
    """

    name: str
    description: str
    parameters: Schema
    response: Schema | msgspec.UnsetType = msgspec.UNSET

    @property
    def properties(self) -> Mapping[str, Schema]:
        """The schemas of the parameters by name, in the order of the signature."""
        return properties_of(self.parameters)


def properties_of(schema: Schema) -> Mapping[str, Schema]:
    """Return the schemas inside an object's schema; none where it names none."""
    return msgspec.convert(schema.get("properties", {}), dict[str, Schema])


def type_of(schema: Schema) -> str:
    """Return the name that a schema gives to the type of its value; `string` where it gives none."""
    return str(schema.get("type", "string"))


def with_notes(document: Document, language: Language, texts: PromptTexts) -> Document:
    """Return a document with what a model is told of its language.

    Values of Java and JavaScript are wanted as source text, so that all their types are `string`
    and their descriptions tell the rest.
    """
    description = document.description + texts.language_notes.of(language)
    if language == "python":
        return msgspec.structs.replace(document, description=description)
    notes = texts.parameter_notes.of(language)
    properties = {
        name: _as_text(schema, notes, has_escapes=texts.has_escapes)
        for name, schema in document.properties.items()
    }
    return Document(document.name, description, {**document.parameters, "properties": properties})


def _as_text(schema: Schema, notes: SourceNotes, *, has_escapes: bool) -> Schema:
    kind = type_of(schema)
    description = f"{schema['description']}"
    description += notes.any if kind == "any" else notes.typed.replace("{}", kind)
    dropped: set[str] = set()
    if kind in _LISTS and "items" in schema:
        description += notes.elements.replace(
            "{}", type_of(msgspec.convert(schema["items"], Schema))
        )
        dropped = {"items"}
    elif kind == "dict" and notes.entries and "properties" in schema:
        description += notes.entries.replace(
            "{}", json.dumps(schema["properties"], ensure_ascii=has_escapes)
        )
        dropped = {"properties"}
    kept = {key: value for key, value in schema.items() if key not in dropped}
    return {**kept, "type": "string", "description": description}
