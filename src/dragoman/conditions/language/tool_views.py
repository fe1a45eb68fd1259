"""Localized tool views: tools are shown and called in a language; the environment stays English.

A view holds no state of a conversation: one serves all conversations of a condition at once.
"""

import functools
from collections.abc import Callable, Mapping, Sequence

import msgspec

from dragoman.conditions.language.domain_surface import DomainSurface, find_value_set
from dragoman.conditions.language.field_trees import (
    EMPTY_TREE,
    FieldTree,
    Path,
    allowed_strings,
    choices_of,
    map_strings,
    to_canonical,
    tree_from_places,
)
from dragoman.conditions.language.localized_results import LocalizedResults
from dragoman.conditions.language.tool_docstrings import ToolText
from dragoman.conditions.language.tool_view_rules import (
    ALL_PARTS,
    DEFAULT_VIEW_RULES,
    Part,
    ViewRules,
)
from dragoman.conditions.language.value_sets import build_domain_labels, exact_value
from dragoman.core.errors import DataError
from dragoman.core.protocols import ToolView
from dragoman.core.tools import Role, ToolCall, ToolResult, Toolset, ToolSpec

_MAX_DEPTH = 32

Node = Mapping[str, object]


def localize_tool(
    tool: ToolSpec, surface: DomainSurface, side: Role, rules: ViewRules, parts: frozenset[Part]
) -> ToolSpec:
    """Return a tool as it is shown in a language; what was not translated stays English.

    Raises:
        DataError: If its schema is nested too deeply.
    """
    parameters: object = tool.parameters
    description = tool.description
    if "choices" in parts:
        parameters = _Choices(surface, tool.parameters, rules).shown(parameters, 0)
    text = surface.tool_texts.get(side, {}).get(tool.name)
    is_described = side == "agent" or rules.user_tools_are_described
    if "descriptions" in parts and text is not None and is_described:
        description = text.description or description
        parameters = _add_descriptions(parameters, text)
    if not isinstance(parameters, dict):
        raise DataError(f"{tool.name}: its parameters are not an object")
    return ToolSpec(tool.name, description, parameters, tool.kind)


def _add_descriptions(parameters: object, text: ToolText) -> object:
    """Return a tool's parameters with the descriptions of its docstring."""
    if not isinstance(parameters, dict) or not isinstance(parameters.get("properties"), dict):
        return parameters
    properties = {
        name: {**part, "description": text.arguments.get(name) or part["description"]}
        if isinstance(part, dict) and "description" in part
        else part
        for name, part in parameters["properties"].items()
    }
    return {**parameters, "properties": properties}


class _Choices:
    """Puts labels and descriptions of models into one tool's schema."""

    def __init__(self, surface: DomainSurface, schema: Node, rules: ViewRules) -> None:
        self._surface = surface
        self._definitions = schema.get("$defs")
        self._labels = (
            None
            if rules.values_keep_their_field
            else build_domain_labels(surface.value_sets).labels
        )

    def shown(self, node: object, depth: int) -> object:
        if depth > _MAX_DEPTH:
            raise DataError("a tool's schema is nested without end")
        if isinstance(node, list):
            return [self.shown(part, depth + 1) for part in node]
        if not isinstance(node, dict):
            return node
        labels = self._labels_of(node)
        shown: dict[str, object] = {}
        for key, part in node.items():
            if key in {"enum", "const", "default", "examples"}:
                shown[key] = _apply_labels(part, labels)
            elif key == "$defs" and isinstance(part, dict):
                shown[key] = {
                    name: self._model(name, self.shown(model, depth + 1))
                    for name, model in part.items()
                }
            elif key == "properties" and isinstance(part, dict):
                shown[key] = {name: self.shown(each, depth + 1) for name, each in part.items()}
            else:
                shown[key] = self.shown(part, depth + 1)
        return shown

    def _labels_of(self, node: Node) -> Mapping[str, str]:
        if self._labels is not None:
            return self._labels
        definitions = self._definitions if isinstance(self._definitions, dict) else {}
        values = find_value_set(choices_of(node, definitions), self._surface.value_sets)
        return {} if values is None else values.labels

    def _model(self, name: str, shown: object) -> object:
        """Return a model's schema with its descriptions and those of its fields."""
        model = self._surface.models.get(name)
        if model is None or not isinstance(shown, dict):
            return shown
        fields = {key: field.description or "" for key, field in model.fields.items()}
        shown = _add_descriptions(shown, ToolText("", fields))
        if isinstance(shown, dict) and "description" in shown and model.description:
            return {**shown, "description": model.description}
        return shown


def _apply_labels(value: object, labels: Mapping[str, str]) -> object:
    if isinstance(value, list):
        return [_apply_labels(part, labels) for part in value]
    return labels.get(value, value) if isinstance(value, str) else value


Arguments = dict[str, object]
ReadArguments = Callable[[Arguments], Arguments]
"""Returns arguments in the world's own values; text that means nothing stays as it is."""


def argument_readers(
    assignment: Mapping[str, DomainSurface | None],
    side: Role,
    rules: ViewRules,
    parts: frozenset[Part],
) -> dict[str, ReadArguments]:
    """Return a reader of arguments for each tool that takes labels.

    Args:
        assignment: The surface of each tool; None for English.
        side: The side that has the tools.
        rules: Rules by which calls are read.
        parts: Parts of the tools that are in their language.
    """
    if not rules.described_labels_are_taken and parts <= {"descriptions"}:
        return {}
    surfaces = {id(each): each for each in assignment.values() if each is not None}
    trees = {key: _trees(surface, side, rules) for key, surface in surfaces.items()}
    read = to_canonical if rules.spellings_are_folded else _restore_exact_values
    found: dict[str, ReadArguments] = {}
    for tool, surface in assignment.items():
        keys = [] if surface is None else [id(surface)]
        if rules.other_languages_are_taken:
            keys += [key for key in surfaces if key not in keys]
        places = [tree for key in keys if (tree := trees[key].get(tool, EMPTY_TREE))]
        if places:
            found[tool] = _reader(places, read)
    return found


def _trees(surface: DomainSurface, side: Role, rules: ViewRules) -> dict[str, FieldTree]:
    labels = build_domain_labels(surface.value_sets)
    schemas = {tool.name: tool.parameters for tool in surface.tools.get(side, ())}
    found: dict[str, FieldTree] = {}
    for tool, tree in surface.arguments.get(side, {}).items():
        left_out = _left_out(tree, schemas[tool], rules)
        found[tool] = tree_from_places(
            {
                path: each if rules.spellings_are_folded else labels.exact_set(each.canonicals)
                for path, each in tree.places()
                if path not in left_out
            }
        )
    return found


def _left_out(tree: FieldTree, schema: Mapping[str, object], rules: ViewRules) -> set[Path]:
    """Return the places of a tool's arguments whose labels are not taken."""
    listed = {path for path, _ in allowed_strings(schema)}
    left_out: set[Path] = set()
    if not rules.described_labels_are_taken:
        left_out |= {path for path, _ in tree.places()} - listed
    if not rules.nested_choices_are_read:
        left_out |= listed - {path for path, _ in allowed_strings(schema, is_shallow=True)}
    return left_out


def _reader(
    trees: Sequence[FieldTree], read: Callable[[object, FieldTree], object]
) -> ReadArguments:
    def canonical(arguments: Arguments) -> Arguments:
        for tree in trees:
            arguments = {
                name: read(value, tree.fields[name]) if name in tree.fields else value
                for name, value in arguments.items()
            }
        return arguments

    return canonical


def _restore_exact_values(value: object, tree: FieldTree) -> object:
    return map_strings(value, tree, exact_value)


_TOOLSETS = 64
"""Number of toolsets whose localized view is cached; a suite has a few."""


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
        side: The side that has the tools.
        rules: Rules by which tools are shown and calls are read.
        parts: Parts of the tools that are in their language; the rest stays English.

    Raises:
        DataError: If a surface's database is damaged.
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
        results: dict[int, LocalizedResults | None] = {
            id(surface): None if surface is None else LocalizedResults(surface, side, rules)
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
            else localize_tool(tool, surface, self._side, self._rules, self._parts)
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
