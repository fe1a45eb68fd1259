"""Tool schemas from a toolkit's own methods: their names, types and Google-style docstrings."""

import inspect
import re
from collections.abc import Mapping
from typing import Annotated, Any, get_type_hints

import msgspec

from dragoman.core.errors import DataError
from dragoman.core.tools import ToolKind, Toolset, ToolSpec

_ARGUMENT = re.compile(r"^    (\w+): (.+)$")
_SECTION = re.compile(r"^(Args|Returns|Raises):$")


def toolset_of(toolkit: type, kinds: Mapping[str, ToolKind]) -> Toolset:
    """Return the schemas of a toolkit's tools, in the order of `kinds`.

    Raises:
        DataError: Where a method lacks a docstring or does not describe one of its arguments.
    """
    return Toolset(tuple(_tool(toolkit, name, kinds[name]) for name in kinds))


def _tool(toolkit: type, name: str, kind: ToolKind) -> ToolSpec:
    method = getattr(toolkit, name)
    description, described = _parsed(inspect.getdoc(method) or "")
    signature = inspect.signature(method).parameters
    hints = {
        argument: hint
        for argument, hint in get_type_hints(method).items()
        if argument in signature and argument != "self"
    }
    if not description or set(described) != set(hints):
        wanted = " and ".join(filter(None, ("what it does", ", ".join(hints))))
        raise DataError(
            f"tool {name} of {toolkit.__name__}: its docstring must say {wanted}, "
            f"arguments under `Args:` as `name: what it is`"
        )
    properties = {
        argument: _inlined(
            msgspec.json.schema(Annotated[hint, msgspec.Meta(description=described[argument])])
        )
        for argument, hint in hints.items()
    }
    required = [
        argument for argument in hints if signature[argument].default is inspect.Parameter.empty
    ]
    schema: dict[str, object] = {"type": "object", "properties": properties, "required": required}
    return ToolSpec(name, description, schema, kind)


def _inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema with its allowed strings typed, as model providers want them."""
    return {"type": "string", **schema} if "enum" in schema else schema


def _parsed(docstring: str) -> tuple[str, Mapping[str, str]]:
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
