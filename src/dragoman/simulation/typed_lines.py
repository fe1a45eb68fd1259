"""What a person types in place of a participant: words, a call, or a command.

A call is a tool's name with `key=value` pairs or one JSON object behind it. Values are JSON where
they begin like it; else they run to the next blank and are what the tool's schema says.
"""

import json
import re
from collections.abc import Mapping

import msgspec

from dragoman.core.texts.decoding import UNREADABLE
from dragoman.core.tools import Toolset, ToolSpec

_COMMAND = re.compile(r"/(\w+)(?:\s+(.*))?", re.DOTALL)
_CALL = re.compile(r"([A-Za-z_][\w.-]*)\s*(\{.*|[A-Za-z_]\w*=.*|\s*)", re.DOTALL)
_KEY = re.compile(r"\s*([A-Za-z_]\w*)=")
_BARE = re.compile(r"[^\s\"'\[{]\S*")
_BARE_JSON = frozenset({"integer", "number", "boolean", "null"})


class TypedWords(msgspec.Struct, frozen=True):
    """Something to say."""

    text: str


class Command(msgspec.Struct, frozen=True):
    """A command of the terminal, without its slash, and what stands behind it."""

    name: str
    rest: str


class TypedCall(msgspec.Struct, frozen=True):
    """A call of a tool."""

    name: str
    arguments: dict[str, object]


class Mistake(msgspec.Struct, frozen=True):
    """A line that cannot be read, and why."""

    why: str


Typed = TypedWords | Command | TypedCall | Mistake


def read_typed(line: str, tools: Toolset) -> Typed:
    """Return what a typed line is, given the tools that can be called now."""
    line = line.strip()
    if line.startswith("/"):
        command = _COMMAND.fullmatch(line)
        if command is None:
            return Mistake("a command is a slash and a word, such as /help")
        return Command(command.group(1), (command.group(2) or "").strip())
    call = _CALL.fullmatch(line)
    if call is None or (call.group(1) not in tools and not call.group(2).strip()):
        return _words(line, tools)
    name, rest = call.groups()
    if name not in tools:
        return Mistake(
            f"there is no tool {name!r}: /tools lists them; /say sends the line as words"
        )
    return _call(tools.by_name[name], rest.strip())


def _words(line: str, tools: Toolset) -> Typed:
    """Return a line as words; one that begins with a tool's name may be a call gone wrong."""
    first = line.split(maxsplit=1)[0] if line else ""
    if first in tools:
        return Mistake(
            f"{first} is a tool: write {first} key=value or {first} {{JSON}}; /say sends the line as words"
        )
    return TypedWords(line)


def _call(tool: ToolSpec, rest: str) -> Typed:
    if not rest.startswith("{"):
        return _pairs(tool, rest)
    try:
        return TypedCall(tool.name, msgspec.json.decode(rest, type=dict[str, object]))
    except UNREADABLE as error:
        return Mistake(f"the arguments are no JSON object: {error}")


def _pairs(tool: ToolSpec, rest: str) -> Typed:
    arguments: dict[str, object] = {}
    at = 0
    while at < len(rest):
        key = _KEY.match(rest, at)
        if key is None:
            return Mistake(f"not key=value: {rest[at:].strip()!r}")
        name = key.group(1)
        if name in arguments:
            return Mistake(f"{name} is given twice")
        try:
            arguments[name], at = _value(rest, key.end(), _type(tool, name))
        except (ValueError, RecursionError) as error:
            return Mistake(f"{name} has a value that cannot be read ({error})")
        if at < len(rest) and not rest[at].isspace():
            return Mistake(f"there is no blank behind the value of {name}")
    return TypedCall(tool.name, arguments)


def _value(text: str, at: int, kind: str) -> tuple[object, int]:
    """Return the value that begins at a place, and where it ends.

    Raises:
        ValueError: Where there is none.
    """
    bare = _BARE.match(text, at)
    if bare is None:
        return _strict.raw_decode(text, at)
    if kind in _BARE_JSON:
        return _strict.decode(bare.group()), bare.end()
    return bare.group(), bare.end()


def _refused(constant: str) -> object:
    raise ValueError(f"{constant} is no JSON")


_strict = json.JSONDecoder(parse_constant=_refused)


def _type(tool: ToolSpec, name: str) -> str:
    """Return the JSON type that a schema names for a parameter; "" where it names none."""
    properties = tool.parameters.get("properties")
    schema = properties.get(name) if isinstance(properties, Mapping) else None
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    return kind if isinstance(kind, str) else ""
