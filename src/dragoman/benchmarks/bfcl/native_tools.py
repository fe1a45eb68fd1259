"""Function documents as native tools: JSON schemas, and names that providers accept.

Changes that a language makes to tools are carried back to the documents that prompts show.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from dragoman.benchmarks.bfcl.prompts import Schema, ShownDocument, properties_of, type_of
from dragoman.core.errors import DataError
from dragoman.core.tools import ToolCall, ToolSpec

_JSON_TYPES = {
    "integer": "integer",
    "float": "number",
    "string": "string",
    "any": "string",
    "boolean": "boolean",
    "array": "array",
    "tuple": "array",
    "dict": "object",
}
_UNACCEPTED = re.compile(r"[^a-zA-Z0-9_-]")
_MAX_NAME = 64


def native_names(names: Iterable[str]) -> dict[str, str]:
    """Return the functions' names by acceptable names, which have `_` for every dot.

    Raises:
        DataError: If two functions would have the same name, or a name is too long.
    """
    originals: dict[str, str] = {}
    for name in names:
        accepted = _UNACCEPTED.sub("_", name)
        if accepted in originals or len(accepted) > _MAX_NAME:
            raise DataError(f"function {name:.100}: no name of its own that a provider accepts")
        originals[accepted] = name
    return originals


def native_tools(documents: Sequence[ShownDocument], float_note: str) -> tuple[ToolSpec, ...]:
    """Return functions as tools, under the names of `native_names`.

    Args:
        documents: The functions as a model is shown them, with notes on their language.
        float_note: The note that is added to the description of a float parameter.

    Raises:
        DataError: If a function has no acceptable name, or a type that JSON schemas lack.
    """
    accepted = native_names(document.name for document in documents)
    return tuple(
        ToolSpec(name, document.description, _convert_schema(document.parameters, float_note))
        for name, document in zip(accepted, documents, strict=True)
    )


def original_call(call: ToolCall, originals: Mapping[str, str]) -> ToolCall:
    """Return a call of a tool under the function's own name; a name that was not shown stays."""
    return msgspec.structs.replace(call, name=originals.get(call.name, call.name))


def _convert_schema(schema: Schema, float_note: str) -> Schema:
    kind = type_of(schema)
    if kind not in _JSON_TYPES:
        raise DataError(f"a parameter is of the unknown type {kind!r:.50}")
    converted: Schema = {**schema, "type": _JSON_TYPES[kind]}
    if "properties" in schema:
        converted["properties"] = {
            name: _with_float_note(inner, _convert_schema(inner, float_note), float_note)
            for name, inner in properties_of(schema).items()
        }
    if "items" in schema:
        converted["items"] = _convert_schema(msgspec.convert(schema["items"], Schema), float_note)
    return converted


def _with_float_note(schema: Schema, converted: Schema, float_note: str) -> Schema:
    if type_of(schema) != "float":
        return converted
    described = f"{schema.get('description', '')}{float_note}"
    return {**converted, "format": "float", "description": described}


_VALUES = ("enum", "default")


def localize_documents(
    documents: Sequence[ShownDocument], tools: Iterable[ToolSpec], float_note: str
) -> tuple[ShownDocument, ...]:
    """Return documents with the descriptions and listed values of the matching tools.

    Args:
        documents: The documents, with the notes that their tools have.
        tools: The tools; a document without one stays as it is.
        float_note: The note that tools add to the description of a float parameter.
    """
    by_name = {tool.name: tool for tool in tools}
    shown = _Shown(float_note)
    return tuple(
        document if (tool := by_name.get(name)) is None else shown.document(document, tool)
        for name, document in zip(
            native_names(document.name for document in documents), documents, strict=True
        )
    )


class _Shown(NamedTuple):
    float_note: str

    def document(self, document: ShownDocument, tool: ToolSpec) -> ShownDocument:
        parameters = self.schema(document.parameters, tool.parameters)
        return msgspec.structs.replace(
            document, description=tool.description, parameters=parameters
        )

    def schema(self, schema: Schema, shown: Mapping[str, object]) -> Schema:
        """Return a schema with the texts of another schema.

        The other schema differs in texts and type names.
        """
        changed = {key: shown[key] for key in _VALUES if key in schema and key in shown}
        if "description" in schema:
            changed["description"] = self._description(schema, shown)
        if "properties" in schema:
            others = properties_of(dict(shown))
            changed["properties"] = {
                name: self.schema(inner, others.get(name, inner))
                for name, inner in properties_of(schema).items()
            }
        if "items" in schema:
            inner = msgspec.convert(schema["items"], Schema)
            changed["items"] = self.schema(
                inner, msgspec.convert(shown.get("items", inner), Schema)
            )
        return {key: changed.get(key, value) for key, value in schema.items()}

    def _description(self, schema: Schema, shown: Mapping[str, object]) -> object:
        text = shown.get("description", schema["description"])
        if type_of(schema) == "float" and isinstance(text, str):
            return text.removesuffix(self.float_note)
        return text
