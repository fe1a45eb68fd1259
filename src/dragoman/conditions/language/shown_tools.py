"""Tools in a language: descriptions, and the values and defaults that schemas list."""

from collections.abc import Mapping

from dragoman.conditions.language.docstrings import ToolText
from dragoman.conditions.language.domain_labels import domain_labels
from dragoman.conditions.language.field_trees import choices_of
from dragoman.conditions.language.surface import DomainSurface, owner_of
from dragoman.conditions.language.view_rules import Part, ViewRules
from dragoman.core.errors import DataError
from dragoman.core.tools import Role, ToolSpec

_MAX_DEPTH = 32

Node = Mapping[str, object]


def shown_tool(
    tool: ToolSpec, surface: DomainSurface, side: Role, rules: ViewRules, parts: frozenset[Part]
) -> ToolSpec:
    """Return a tool as it is shown in a language; what was not translated stays English.

    Raises:
        DataError: Where its schema is nested without end.
    """
    parameters: object = tool.parameters
    description = tool.description
    if "choices" in parts:
        parameters = _Choices(surface, tool.parameters, rules).shown(parameters, 0)
    text = surface.tool_texts.get(side, {}).get(tool.name)
    is_described = side == "agent" or rules.user_tools_are_described
    if "descriptions" in parts and text is not None and is_described:
        description = text.description or description
        parameters = _described(parameters, text)
    if not isinstance(parameters, dict):
        raise DataError(f"{tool.name}: its parameters are no object")
    return ToolSpec(tool.name, description, parameters, tool.kind)


def _described(parameters: object, text: ToolText) -> object:
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
            None if rules.values_keep_their_field else domain_labels(surface.value_sets).labels
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
                shown[key] = _labelled(part, labels)
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
        values = owner_of(choices_of(node, definitions), self._surface.value_sets)
        return {} if values is None else values.labels

    def _model(self, name: str, shown: object) -> object:
        """Return a model's schema with its descriptions and those of its fields."""
        model = self._surface.models.get(name)
        if model is None or not isinstance(shown, dict):
            return shown
        fields = {key: field.description or "" for key, field in model.fields.items()}
        shown = _described(shown, ToolText("", fields))
        if isinstance(shown, dict) and "description" in shown and model.description:
            return {**shown, "description": model.description}
        return shown


def _labelled(value: object, labels: Mapping[str, str]) -> object:
    if isinstance(value, list):
        return [_labelled(part, labels) for part in value]
    return labels.get(value, value) if isinstance(value, str) else value
