"""Arguments of calls in the world's own values: what stands for what, tool by tool."""

from collections.abc import Callable, Mapping, Sequence

from dragoman.conditions.language.domain_labels import domain_labels, exact_value
from dragoman.conditions.language.field_trees import (
    NOTHING,
    FieldTree,
    Path,
    allowed_strings,
    in_world,
    mapped,
    tree_of,
)
from dragoman.conditions.language.surface import DomainSurface
from dragoman.conditions.language.view_rules import Part, ViewRules
from dragoman.core.tools import Role

Arguments = dict[str, object]
ReadArguments = Callable[[Arguments], Arguments]
"""Returns arguments in the world's own values; text that means nothing stays as it is."""


def argument_readers(
    assignment: Mapping[str, DomainSurface | None],
    side: Role,
    rules: ViewRules,
    parts: frozenset[Part],
) -> dict[str, ReadArguments]:
    """Return what reads the arguments of each tool that takes labels.

    Args:
        assignment: The surface of each tool; None for English.
        side: Whose tools they are.
        rules: How calls are read.
        parts: What of the tools is in their language.
    """
    if not rules.described_labels_are_taken and parts <= {"descriptions"}:
        return {}
    surfaces = {id(each): each for each in assignment.values() if each is not None}
    trees = {key: _trees(surface, side, rules) for key, surface in surfaces.items()}
    read = in_world if rules.spellings_are_folded else _in_world_exactly
    found: dict[str, ReadArguments] = {}
    for tool, surface in assignment.items():
        keys = [] if surface is None else [id(surface)]
        if rules.other_languages_are_taken:
            keys += [key for key in surfaces if key not in keys]
        places = [tree for key in keys if (tree := trees[key].get(tool, NOTHING))]
        if places:
            found[tool] = _reader(places, read)
    return found


def _trees(surface: DomainSurface, side: Role, rules: ViewRules) -> dict[str, FieldTree]:
    labels = domain_labels(surface.value_sets)
    schemas = {tool.name: tool.parameters for tool in surface.tools.get(side, ())}
    found: dict[str, FieldTree] = {}
    for tool, tree in surface.arguments.get(side, {}).items():
        left_out = _left_out(tree, schemas[tool], rules)
        found[tool] = tree_of(
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


def _in_world_exactly(value: object, tree: FieldTree) -> object:
    return mapped(value, tree, exact_value)
