"""Tool schemas: derive them from a toolkit's methods, and validate arguments against them.

Names, types and Google-style docstrings of methods become JSON schemas. Validators are
compiled once per tool.
"""

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, get_type_hints

import msgspec

from dragoman.core.errors import DataError, ToolError
from dragoman.core.tools import ToolKind, Toolset, ToolSpec

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


def _type(name: str, schema: Mapping[str, Any], defs: Mapping[str, Any]) -> Any:  # noqa: ANN401
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


_ARGUMENT = re.compile(r"^    (\w+): (.+)$")
_SECTION = re.compile(r"^(Args|Returns|Raises):$")


def derive_toolset(toolkit: type, kinds: Mapping[str, ToolKind]) -> Toolset:
    """Return the schemas of a toolkit's tools, in the order of `kinds`.

    Raises:
        DataError: If a method lacks a docstring, or the docstring does not describe one of its
            arguments.
    """
    return Toolset(tuple(_tool(toolkit, name, kinds[name]) for name in kinds))


def _tool(toolkit: type, name: str, kind: ToolKind) -> ToolSpec:
    method = getattr(toolkit, name)
    description, described = _parse_docstring(inspect.getdoc(method) or "")
    signature = inspect.signature(method).parameters
    hints = {
        argument: hint
        for argument, hint in get_type_hints(method).items()
        if argument in signature and argument != "self"
    }
    if not description or set(described) != set(hints):
        wanted = " and ".join(filter(None, ("the tool", ", ".join(hints))))
        raise DataError(
            f"tool {name} of {toolkit.__name__}: its docstring must describe {wanted}, "
            f"arguments under `Args:` as `name: description`"
        )
    properties = {
        argument: _add_string_type(
            msgspec.json.schema(Annotated[hint, msgspec.Meta(description=described[argument])])
        )
        for argument, hint in hints.items()
    }
    required = [
        argument for argument in hints if signature[argument].default is inspect.Parameter.empty
    ]
    schema: dict[str, object] = {"type": "object", "properties": properties, "required": required}
    return ToolSpec(name, description, schema, kind)


def _add_string_type(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema with its allowed strings typed, as model providers want them."""
    return {"type": "string", **schema} if "enum" in schema else schema


def _parse_docstring(docstring: str) -> tuple[str, Mapping[str, str]]:
    """Return what a docstring says before its sections, and of each argument."""
    summary: list[str] = []
    described: dict[str, str] = {}
    section, last = "", ""
    for line in docstring.splitlines():
        if heading := _SECTION.match(line):
            section = heading.group(1)
        elif not section:
            summary.append(line)
        elif section == "Args" and (found := _ARGUMENT.match(line)):
            last = found.group(1)
            described[last] = found.group(2)
        elif section == "Args" and line.strip() and last:
            described[last] += f" {line.strip()}"
    return " ".join(" ".join(summary).split()), described
