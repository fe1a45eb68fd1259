"""Translated docstrings of tools: what is said of the tool, its arguments, its result, its errors.

The headings and the names of arguments stay English; everything else is in the language.
"""

import re
from collections.abc import Mapping

import msgspec

from dragoman.core.tools import Toolset

_HEADING = re.compile(r"(Args|Returns|Raises):")
_ARGUMENT = re.compile(r" {4}(\w+)(?: \([^)]*\))?: (.*)")


class ToolText(msgspec.Struct, frozen=True):
    """What a tool's docstring says.

    `description` is what stands before the sections; `arguments` has what is said of each
    argument, by name, with its line breaks.
    """

    description: str
    arguments: dict[str, str]
    returns: str = ""
    raises: str = ""

    @property
    def everything(self) -> str:
        """All that is said, for checks that look at the whole text."""
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
        returns=_joined(sections.get("Returns", [])),
        raises=_joined(sections.get("Raises", [])),
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


def _joined(lines: list[str]) -> str:
    return " ".join(line.strip() for line in lines if line.strip())


def composed_docstrings(tools: Toolset) -> dict[str, str]:
    """Return docstrings made of schemas, for tools of which there are no others."""
    return {tool.name: _composed(tool.description, tool.parameters) for tool in tools}


def _composed(description: str, parameters: Mapping[str, object]) -> str:
    properties = parameters.get("properties")
    described = [
        f"    {name}: {text}"
        for name, schema in (properties.items() if isinstance(properties, Mapping) else ())
        if isinstance(schema, Mapping) and isinstance(text := schema.get("description"), str)
    ]
    indented = [entry.replace("\n", "\n        ") for entry in described]
    return "\n".join([description.strip(), *(["", "Args:", *indented] if indented else [])])
