"""Checks a call's arguments against its tool's schema, compiled once per tool."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec

from dragoman.core.errors import ToolError
from dragoman.core.tools import Toolset, ToolSpec

Validator = Callable[[dict[str, object]], None]

_SIMPLE: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "null": None,
}


def compile_validators(tools: Toolset) -> Mapping[str, Validator]:
    """Return one validator per tool; a validator raises ToolError naming the argument."""
    return {tool.name: _validator(tool) for tool in tools}


def _validator(tool: ToolSpec) -> Validator:
    record = _record(tool.name, tool.parameters, {})

    def validate(arguments: dict[str, object]) -> None:
        try:
            msgspec.convert(arguments, record, strict=True)
        except msgspec.ValidationError as error:
            raise ToolError(f"invalid arguments: {error}") from error

    return validate


def _record(name: str, schema: Mapping[str, Any], defs: Mapping[str, Any]) -> type[msgspec.Struct]:
    defs = schema.get("$defs", defs)
    required = set(schema.get("required", ()))
    fields: list[Any] = [
        (f"f{index}", _type(field, part, defs))
        if field in required
        else (f"f{index}", _type(field, part, defs), msgspec.UNSET)
        for index, (field, part) in enumerate(schema.get("properties", {}).items())
    ]
    names = {f"f{index}": field for index, field in enumerate(schema.get("properties", {}))}
    return msgspec.defstruct(
        f"{name} arguments",
        sorted(fields, key=len),
        rename=names,
        forbid_unknown_fields=schema.get("additionalProperties") is not True,
        frozen=True,
    )


def _type(name: str, schema: Mapping[str, Any], defs: Mapping[str, Any]) -> Any:  # noqa: ANN401 - a type form
    """Return the Python type of a schema part; what this cannot express accepts anything."""
    kind = schema.get("type")
    if "enum" in schema:
        known = all(isinstance(value, str | int) for value in schema["enum"])
        return Literal[tuple(schema["enum"])] if known else Any
    if kind == "array":
        return list[_type(name, schema.get("items", {}), defs)]  # type: ignore[misc]  # built at run time
    if kind == "object":
        return _record(name, schema, defs) if "properties" in schema else dict[str, Any]
    return _SIMPLE.get(kind, Any) if isinstance(kind, str) else Any
