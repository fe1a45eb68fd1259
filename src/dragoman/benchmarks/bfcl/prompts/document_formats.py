"""Function documents as text: JSON, Python docstrings or XML, each just as upstream writes it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from dragoman.benchmarks.bfcl.prompts.documents import Document, Schema, properties_of, type_of

DocumentFormat = Literal["python", "xml", "json"]
"""How function documents are written in a prompt."""

_PYTHON_TYPES = {"string": "str", "number": "float", "integer": "int", "boolean": "bool"}
_INDENT = "    "


def written(
    documents: Sequence[Document], form: DocumentFormat, *, has_escapes: bool = True
) -> str:
    """Return function documents as the text that a prompt holds.

    Args:
        documents: The documents.
        form: How.
        has_escapes: Whether all but ASCII is escaped in JSON.
    """
    match form:
        case "json":
            # The standard encoder, for its escapes and white space are part of the prompt.
            return json.dumps(msgspec.to_builtins(documents), indent=4, ensure_ascii=has_escapes)
        case "python":
            return "\n\n".join(part for each in documents for part in (_docstring(each), "\n"))
        case "xml":
            return "\n".join(map(_element, documents))


# Python


def _docstring(document: Document) -> str:
    lines = [
        f"# Function: {document.name}",
        f'{_INDENT}"""',
        f"{_INDENT}{document.description}",
        "",
    ]
    if document.properties:
        lines.append(f"{_INDENT}Args:")
        lines.extend(_arguments(document.properties, _INDENT * 2))
    return "\n".join([*lines, f'{_INDENT}"""', ""])


def _arguments(properties: Mapping[str, Schema], margin: str) -> Iterator[str]:
    for name, schema in properties.items():
        default = f", default={schema['default']!r}" if "default" in schema else ""
        yield f"{margin}{name} ({_python_type(schema)}{default}): {_described(schema)}"
        yield from _arguments(properties_of(schema), margin + _INDENT)


def _python_type(schema: Schema) -> str:
    kind = type_of(schema)
    if kind in {"array", "list", "tuple"} and "items" in schema:
        return f"list[{_python_type(_inner(schema, 'items'))}]"
    if kind in {"object", "dict"}:
        if "additionalProperties" in schema:
            return f"dict[str, {_python_type(_inner(schema, 'additionalProperties'))}]"
        return "dict"
    return _PYTHON_TYPES.get(kind, kind)


# XML


def _element(document: Document) -> str:
    return "\n".join(
        [
            f'<function name="{document.name}">',
            f"  <desc>{document.description}</desc>",
            "  <params>",
            *_parameters(document.parameters, _INDENT),
            "  </params>",
            "</function>",
            "",
        ]
    )


def _parameters(level: Schema, margin: str) -> Iterator[str]:
    required = level.get("required")
    for name, schema in properties_of(level).items():
        is_required = required is None or (isinstance(required, list) and name in required)
        head = f'name="{name}" type="{_xml_type(schema)}" required="{str(is_required).lower()}"'
        if "default" in schema:
            head += f' default="{schema["default"]!r}"'
        yield f"{margin}<param {head.replace(',', '')}>"
        yield f"{margin}  <desc>{_described(schema)}</desc>"
        if "properties" in schema:
            yield f"{margin}  <params>"
            yield from _parameters(schema, margin + _INDENT)
            yield f"{margin}  </params>"
        yield f"{margin}</param>"


def _xml_type(schema: Schema) -> str:
    kind = type_of(schema)
    if "items" in schema:
        return f"{kind}[{type_of(_inner(schema, 'items'))}]"
    if "additionalProperties" in schema:
        return f"{kind}[{type_of(_inner(schema, 'additionalProperties'))}]"
    return kind


# Both


def _described(schema: Schema) -> str:
    choices = f" Enum values: {schema['enum']!r}." if "enum" in schema else ""
    return f"{schema.get('description', '')}{choices}"


def _inner(schema: Schema, key: str) -> Schema:
    return msgspec.convert(schema[key], Schema)
