"""Parsing of translated tool docstrings, and value sets that only their prose lists.

The headings and the names of arguments stay English; everything else is translated. Some parameters
are plain strings in the schema, although the tool accepts only a few values, which its description
lists in quotes. Translated descriptions quote labels instead, so these parameters need a value map,
as parameters with an enumeration do.
"""

import re
from collections.abc import Iterator, Mapping

import msgspec

from dragoman.conditions.language.text_invariants import LITERAL
from dragoman.core.tools import Toolset

_HEADING = re.compile(r"(Args|Returns|Raises):")
_ARGUMENT = re.compile(r" {4}(\w+)(?: \([^)]*\))?: (.*)")


class ToolText(msgspec.Struct, frozen=True):
    """Parsed docstring of a tool.

    `description` is the text before the sections; `arguments` has the description of each argument,
    by name, with its line breaks.
    """

    description: str
    arguments: dict[str, str]
    returns: str = ""
    raises: str = ""

    @property
    def everything(self) -> str:
        """The whole text, for checks of all parts."""
        return "\n".join((self.description, *self.arguments.values(), self.returns, self.raises))


def parse_docstring(docstring: str) -> ToolText:
    """Take a docstring apart."""
    sections: dict[str, list[str]] = {"": []}
    current = ""
    for line in docstring.splitlines():
        heading = _HEADING.fullmatch(line.strip()) if not line.startswith(" ") else None
        if heading:
            current = heading.group(1)
            sections.setdefault(current, [])
        else:
            sections[current].append(line)
    return ToolText(
        description="\n".join(sections[""]).strip(),
        arguments=_arguments(sections.get("Args", [])),
        returns=_join_lines(sections.get("Returns", [])),
        raises=_join_lines(sections.get("Raises", [])),
    )


def _arguments(lines: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    last = ""
    for line in lines:
        argument = _ARGUMENT.fullmatch(line)
        if argument:
            last = argument.group(1)
            found[last] = argument.group(2)
        elif last and line.strip():
            found[last] += f"\n{line.strip()}"
    return found


def _join_lines(lines: list[str]) -> str:
    return " ".join(line.strip() for line in lines if line.strip())


def compose_docstrings(tools: Toolset) -> dict[str, str]:
    """Return docstrings made from schemas, for tools without any."""
    return {tool.name: _compose_docstring(tool.description, tool.parameters) for tool in tools}


def _compose_docstring(description: str, parameters: Mapping[str, object]) -> str:
    properties = parameters.get("properties")
    described = [
        f"    {name}: {text}"
        for name, schema in (properties.items() if isinstance(properties, Mapping) else ())
        if isinstance(schema, Mapping) and isinstance(text := schema.get("description"), str)
    ]
    indented = [entry.replace("\n", "\n        ") for entry in described]
    return "\n".join([description.strip(), *(["", "Args:", *indented] if indented else [])])


class DiscoveredEnum(msgspec.Struct, frozen=True):
    """A parameter whose description quotes values of one value set.

    Attributes:
        tool: The tool.
        parameter: Its parameter.
        value_set: The key of the value set.
        quoted: The values that the description quotes.
        in_schema: Whether the schema lists values too.
    """

    tool: str
    parameter: str
    value_set: str
    quoted: tuple[str, ...]
    in_schema: bool


def quoted_literals(text: str) -> tuple[str, ...]:
    """Return what stands in single quotes in a text, in order."""
    return tuple(LITERAL.findall(text))


def discover_enums(
    tools: Toolset, value_sets: Mapping[str, tuple[str, ...]]
) -> tuple[DiscoveredEnum, ...]:
    """Return the parameters whose English descriptions quote values of exactly one value set.

    Args:
        tools: Tools with English descriptions.
        value_sets: Canonical values by the key of the value set.
    """
    return tuple(
        DiscoveredEnum(tool.name, name, key, literals, "enum" in schema)
        for tool in tools
        for name, schema in _properties(tool.parameters)
        if (literals := quoted_literals(str(schema.get("description", ""))))
        and (key := _only_owner(literals, value_sets))
    )


def _properties(parameters: Mapping[str, object]) -> Iterator[tuple[str, Mapping[str, object]]]:
    properties = parameters.get("properties")
    for name, schema in properties.items() if isinstance(properties, Mapping) else ():
        if isinstance(schema, Mapping):
            yield name, schema


def _only_owner(literals: tuple[str, ...], value_sets: Mapping[str, tuple[str, ...]]) -> str:
    """Return the one set that holds all literals, or "" if none or several do."""
    owners = [key for key, values in value_sets.items() if set(literals) <= set(values)]
    return owners[0] if len(owners) == 1 else ""
