"""Value sets that only the prose of a tool names.

Some parameters are plain strings in the schema although the tool takes a few values only; what it
takes stands in quotes in the English description. Translated descriptions quote labels there, so
these parameters need a map as those with a listed enumeration do.
"""

from collections.abc import Iterator, Mapping

import msgspec

from dragoman.conditions.language.text_rules.markdown import LITERAL
from dragoman.core.tools import Toolset


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
    """Return the one set that holds all literals, or "" where none or several do."""
    owners = [key for key, values in value_sets.items() if set(literals) <= set(values)]
    return owners[0] if len(owners) == 1 else ""
