"""Tools in a language as a view: shown, called and answered in it, over a world that stays English.

A view holds nothing of a conversation: one serves all conversations of a condition at once.
"""

import functools
from collections.abc import Mapping

import msgspec

from dragoman.conditions.language.argument_maps import argument_readers
from dragoman.conditions.language.shown_results import ShownResults
from dragoman.conditions.language.shown_tools import shown_tool
from dragoman.conditions.language.surface import DomainSurface
from dragoman.conditions.language.view_rules import (
    ALL_PARTS,
    DEFAULT_VIEW_RULES,
    Part,
    ViewRules,
)
from dragoman.core.protocols import ToolView
from dragoman.core.tools import Role, ToolCall, ToolResult, Toolset

_TOOLSETS = 64
"""How many toolsets are kept as shown; a suite has a few."""


def localized_view(
    assignment: Mapping[str, DomainSurface | None],
    side: Role,
    rules: ViewRules = DEFAULT_VIEW_RULES,
    parts: frozenset[Part] = ALL_PARTS,
) -> ToolView:
    """Return a view of one side's tools, each in its language.

    Args:
        assignment: The surface of each tool by name; None for English. A call of a tool that is not
            named is answered in the language that all others have, if they have one.
        side: Whose tools they are.
        rules: How tools are shown and calls are read.
        parts: What of the tools is in their language; the rest stays English.

    Raises:
        DataError: Where a surface's database is damaged.
    """
    return _LocalizedView(dict(assignment), side, rules, parts)


class _LocalizedView:
    def __init__(
        self,
        assignment: Mapping[str, DomainSurface | None],
        side: Role,
        rules: ViewRules,
        parts: frozenset[Part],
    ) -> None:
        self._assignment = assignment
        self._side: Role = side
        self._rules = rules
        self._parts = parts
        self._readers = argument_readers(assignment, side, rules, parts)
        results: dict[int, ShownResults | None] = {
            id(surface): None if surface is None else ShownResults(surface, side, rules)
            for surface in (assignment.values() if "results" in parts else ())
        }
        self._results = {tool: results.get(id(each)) for tool, each in assignment.items()}
        self._of_unknown = next(iter(results.values())) if len(results) == 1 else None
        self.show = functools.lru_cache(maxsize=_TOOLSETS)(self._shown)

    def _shown(self, tools: Toolset) -> Toolset:
        """Return the tools in their languages, made once for each toolset."""
        if self._parts <= {"results"}:
            return tools
        shown = tuple(
            tool
            if (surface := self._assignment.get(tool.name)) is None
            else shown_tool(tool, surface, self._side, self._rules, self._parts)
            for tool in tools
        )
        return Toolset(shown, must_call=tools.must_call)

    def canonical(self, call: ToolCall) -> ToolCall:
        """Return the call in the world's own values."""
        read = self._readers.get(call.name)
        if read is None:
            return call
        arguments = read(call.arguments)
        if arguments == call.arguments:
            return call
        return msgspec.structs.replace(call, arguments=arguments)

    def present(self, result: ToolResult, call: ToolCall) -> ToolResult:
        """Return the result in the language of its tool."""
        results = self._results.get(call.name, self._of_unknown)
        if results is None:
            return result
        content = results.shown(result, self.canonical(call) if result.error else call)
        if content == result.content:
            return result
        return msgspec.structs.replace(result, content=content)
