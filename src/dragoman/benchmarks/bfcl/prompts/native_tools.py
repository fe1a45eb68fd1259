"""Functions as tools for native calling: JSON schemas, and names that providers accept."""

import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from dragoman.benchmarks.bfcl.prompts.documents import Document, Schema, properties_of, type_of
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
    """Return the functions' names by those that providers accept: `_` in place of every dot.

    Raises:
        DataError: Where two functions would have one name, or a name is too long.
    """
    originals: dict[str, str] = {}
    for name in names:
        accepted = _UNACCEPTED.sub("_", name)
        if accepted in originals or len(accepted) > _MAX_NAME:
            raise DataError(f"function {name:.100}: no name of its own that a provider accepts")
        originals[accepted] = name
    return originals


def native_tools(documents: Sequence[Document], float_note: str) -> tuple[ToolSpec, ...]:
    """Return functions as tools, under the names of `native_names`.

    Args:
        documents: The functions as a model is shown them, with notes on their language.
        float_note: What is added to the description of a parameter that is no whole number.

    Raises:
        DataError: Where a function has no acceptable name or a type that JSON schemas have not.
    """
    accepted = native_names(document.name for document in documents)
    return tuple(
        ToolSpec(name, document.description, _converted(document.parameters, float_note))
        for name, document in zip(accepted, documents, strict=True)
    )


def original_call(call: ToolCall, originals: Mapping[str, str]) -> ToolCall:
    """Return a call of a tool under the function's own name; a name that was not shown stays."""
    return msgspec.structs.replace(call, name=originals.get(call.name, call.name))


def _converted(schema: Schema, float_note: str) -> Schema:
    kind = type_of(schema)
    if kind not in _JSON_TYPES:
        raise DataError(f"a parameter is of the unknown type {kind!r:.50}")
    converted: Schema = {**schema, "type": _JSON_TYPES[kind]}
    if "properties" in schema:
        converted["properties"] = {
            name: _with_float_note(inner, _converted(inner, float_note), float_note)
            for name, inner in properties_of(schema).items()
        }
    if "items" in schema:
        converted["items"] = _converted(msgspec.convert(schema["items"], Schema), float_note)
    return converted


def _with_float_note(schema: Schema, converted: Schema, float_note: str) -> Schema:
    if type_of(schema) != "float":
        return converted
    described = f"{schema.get('description', '')}{float_note}"
    return {**converted, "format": "float", "description": described}
