"""Tool schemas, tool calls and tool results.

A call keeps what the model wrote (order, positionals, raw argument text) together with the parsed
arguments. Some benchmarks score the former, and environments execute the latter.
"""

import hashlib
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Literal

import msgspec

Role = Literal["agent", "user"]
"""The two sides that speak and call tools. Benchmarks say "assistant" for the agent."""

ToolKind = Literal["read", "write", "generic"]
"""The effect of a tool on the world: only `write` changes it."""


class ToolSpec(msgspec.Struct, frozen=True):
    """One tool as an agent sees it: `parameters` is a JSON schema of an object."""

    name: str
    description: str
    parameters: dict[str, object]
    kind: ToolKind = "generic"


class Toolset:
    """The tools that one side sees, with their wire form encoded once.

    `encoded` is the JSON array of OpenAI function schemas, ready to be inserted into a request.
    `must_call` demands a call in every reply (tool choice "required").
    """

    def __init__(self, tools: tuple[ToolSpec, ...], *, must_call: bool = False) -> None:
        self.tools = tools
        self.must_call = must_call
        self.by_name: Mapping[str, ToolSpec] = {tool.name: tool for tool in tools}
        self.encoded = msgspec.Raw(msgspec.json.encode([openai_schema(tool) for tool in tools]))

    @cached_property
    def digest(self) -> str:
        """A hash, in hex, of the wire form."""
        return hashlib.blake2b(self.encoded, digest_size=16).hexdigest()

    def __iter__(self) -> Iterator[ToolSpec]:
        return iter(self.tools)

    def __len__(self) -> int:
        return len(self.tools)

    def __contains__(self, name: object) -> bool:
        return name in self.by_name


def openai_schema(tool: ToolSpec) -> dict[str, object]:
    """Return the OpenAI function schema of a tool."""
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.parameters,
        },
    }


NO_TOOLS = Toolset(())
"""The toolset of a side without tools."""


class ToolCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """One call of a tool.

    `arguments` are the parsed arguments. `raw` is the argument text if it differs from them, and
    `malformed` says why it could not be parsed. Such a call is the caller's mistake: it is answered
    with a tool error and counted as one. `sent` holds the caller's own arguments if a
    counterfactual replaced them.
    """

    id: str
    name: str
    arguments: dict[str, object]
    by: Role = "agent"
    positionals: tuple[object, ...] = ()
    raw: str = ""
    malformed: str = ""
    sent: dict[str, object] | None = None


class Change(msgspec.Struct, frozen=True, omit_defaults=True):
    """One difference between two states: a value that was set, added or deleted at a path."""

    path: tuple[str | int, ...]
    op: Literal["set", "add", "del"]
    value: object = None
    side: Role = "agent"


class ToolResult(msgspec.Struct, frozen=True, tag="result", omit_defaults=True):
    """A tool's answer to one call, and the call's changes in the world.

    `content` and `executed` are in the world's own values. `shown` is what the caller saw and
    `executed` what was run, each only if a tool view made it differ.
    """

    call_id: str
    name: str
    content: str
    by: Role = "agent"
    error: bool = False
    changes: tuple[Change, ...] = ()
    shown: str | None = None
    executed: dict[str, object] | None = None
