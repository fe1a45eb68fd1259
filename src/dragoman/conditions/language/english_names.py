"""A domain in a language whose database is English: its names are shown, and taken, as they are."""

import msgspec

from dragoman.conditions.language.field_trees import FieldTree, tree_of
from dragoman.conditions.language.surface import DomainSurface


def with_english_names(surface: DomainSurface) -> DomainSurface:
    """Return a surface without the value sets and records that are names of the database."""
    declared = surface.declared.names
    names = {each.name for key, each in surface.value_sets.items() if key in declared}
    if not names:
        return msgspec.structs.replace(surface, names={}, databases={})
    filling = surface.messages.filling
    values = {key: each for key, each in filling.values.items() if each.name not in names}
    return msgspec.structs.replace(
        surface,
        names={},
        databases={},
        value_sets={key: each for key, each in surface.value_sets.items() if key not in declared},
        arguments={
            side: {tool: _without(tree, names) for tool, tree in trees.items()}
            for side, trees in surface.arguments.items()
        },
        results={
            side: {tool: _without(tree, names) for tool, tree in trees.items()}
            for side, trees in surface.results.items()
        },
        fields={side: _without(tree, names) for side, tree in surface.fields.items()},
        messages=surface.messages.filled_from(msgspec.structs.replace(filling, values=values)),
    )


def _without(tree: FieldTree, names: set[str]) -> FieldTree:
    return tree_of({path: each for path, each in tree.places() if each.name not in names})
