"""Field trees: the JSON paths of a value that have a value set, and translation along them.

Trees are built from the annotations of models (results and databases) and from JSON schemas
(arguments). They work in both directions: `map_strings` rewrites the strings at the places that a
tree names and leaves everything else, keys included, unchanged.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from dragoman.conditions.language.artifacts import ModelText
from dragoman.conditions.language.value_sets import ValueSet
from dragoman.core.errors import DataError

EVERY = "*"
"""Stands in a path for every element of a list and every value of a map."""

Path = tuple[str, ...]

_MAX_DEPTH = 16


class FieldTree(msgspec.Struct, frozen=True):
    """The places of a value that have a value set.

    Attributes:
        value_set: The value set of the value itself, if it is a string.
        fields: Trees of the named fields of an object.
        every: Tree of every element of a list, and of the values of a map.
    """

    value_set: ValueSet | None = None
    fields: dict[str, "FieldTree"] = {}
    every: "FieldTree | None" = None

    def __bool__(self) -> bool:
        return self.value_set is not None or bool(self.fields) or self.every is not None

    def places(self, path: Path = ()) -> Iterator[tuple[Path, ValueSet]]:
        """Yield the path of each place with its value set."""
        if self.value_set is not None:
            yield path, self.value_set
        for name, tree in self.fields.items():
            yield from tree.places((*path, name))
        if self.every is not None:
            yield from self.every.places((*path, EVERY))


EMPTY_TREE = FieldTree()
"""The tree of a value that is shown as it is."""

Join = Callable[[str, Sequence[ValueSet]], ValueSet]
"""Makes one value set of several."""


def map_strings(value: object, tree: FieldTree, change: Callable[[ValueSet, str], str]) -> object:
    """Return a value with changes to the strings at the places of a tree.

    Unchanged parts are shared with the original.
    """
    if isinstance(value, str):
        return value if tree.value_set is None else change(tree.value_set, value)
    if isinstance(value, Mapping):
        return {
            name: map_strings(part, _below(tree, name), change) if _below(tree, name) else part
            for name, part in value.items()
        }
    if isinstance(value, list) and tree.every is not None:
        return [map_strings(part, tree.every, change) for part in value]
    return value


def to_labels(value: object, tree: FieldTree) -> object:
    """Return a value with its labels in place of the world's own values."""
    return map_strings(value, tree, lambda value_set, text: value_set.label(text))


def to_canonical(value: object, tree: FieldTree) -> object:
    """Return a value with the world's own values in place of their spellings.

    A text that means no value of its field stays: the tool that gets it refuses it.
    """
    return map_strings(value, tree, _canonical_value)


def tree_from_places(places: Mapping[Path, ValueSet]) -> FieldTree:
    """Return the tree of places that are given by path."""
    below: dict[str, dict[Path, ValueSet]] = {}
    for path, value_set in places.items():
        if path:
            below.setdefault(path[0], {})[path[1:]] = value_set
    every = below.pop(EVERY, None)
    return FieldTree(
        value_set=places.get(()),
        fields={name: tree_from_places(parts) for name, parts in below.items()},
        every=None if every is None else tree_from_places(every),
    )


class AnnotationTypes(NamedTuple):
    """The names in annotations: models, unions of models or value sets, and value sets."""

    models: Mapping[str, ModelText]
    unions: Mapping[str, tuple[str, ...]]
    value_sets: Mapping[str, ValueSet]
    join: Join


def tree_from_annotation(annotation: str, types: AnnotationTypes, where: str) -> FieldTree:
    """Return the tree of a value with a Python annotation, such as `List[Reservation]`.

    Raises:
        DataError: If models refer to each other in a cycle, or the labels of a union contradict
            each other.
    """
    return tree_from_places(
        _merged_places(_annotated_places(annotation, types, where, ()), types.join, where)
    )


def tree_from_schema(
    schema: Mapping[str, object], find: Callable[[tuple[str, ...]], ValueSet | None]
) -> FieldTree:
    """Return the tree of a value that a JSON schema describes.

    Args:
        schema: With its `$defs`, if it refers to them.
        find: Returns the value set of the strings that a schema allows.

    Raises:
        DataError: If the schema is nested too deeply.
    """
    definitions = _objects(schema.get("$defs"))
    places: dict[Path, ValueSet] = {}
    for path, strings, is_open in _allowed_values(schema, definitions, ()):
        value_set = find(strings)
        if value_set is not None:
            places[path] = value_set.opened() if is_open else value_set
    return tree_from_places(places)


def allowed_strings(
    schema: Mapping[str, object], *, is_shallow: bool = False
) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Yield the path and the allowed strings of each place of a schema that lists them.

    Args:
        schema: With its `$defs`, if it refers to them.
        is_shallow: Whether objects that it refers to or chooses from are not looked into.
    """
    definitions = _objects(schema.get("$defs"))
    for path, strings, _ in _allowed_values(schema, definitions, (), is_shallow=is_shallow):
        yield path, strings


def choices_of(schema: Mapping[str, object], definitions: Mapping[str, object]) -> tuple[str, ...]:
    """Return the strings that a schema allows, itself or in what it refers to or chooses from.

    Raises:
        DataError: If the schema refers to itself in a cycle.
    """
    branches = _branches(schema, _objects(definitions), 0)
    return tuple(dict.fromkeys(text for branch in branches for text in _strings(branch)))


def _below(tree: FieldTree, name: str) -> FieldTree:
    return tree.fields.get(name) or tree.every or EMPTY_TREE


def _canonical_value(value_set: ValueSet, text: str) -> str:
    value = value_set.canon(text)
    return text if value is None else value


# Annotations of models

_Place = tuple[Path, ValueSet]
_NAME = re.compile(r"\w+(\.\w+)*")


def _annotated_places(
    annotation: str, types: AnnotationTypes, where: str, path: Path
) -> Iterator[_Place]:
    if len(path) > _MAX_DEPTH:
        raise DataError(f"{where}: models are nested without end at {'.'.join(path)}")
    name, arguments = _split(annotation)
    if name in types.value_sets:
        yield path, types.value_sets[name]
    elif name in types.unions:
        for member in types.unions[name]:
            yield from _annotated_places(member, types, where, path)
    elif name in types.models:
        yield from _fields(name, types, where, path)
    elif name in {"List", "list", "Dict", "dict"} and arguments:
        yield from _annotated_places(arguments[-1], types, where, (*path, EVERY))
    elif name in {"Optional", "Union"}:
        for argument in arguments:
            yield from _annotated_places(argument, types, where, path)


def _fields(model: str, types: AnnotationTypes, where: str, path: Path) -> Iterator[_Place]:
    for name, field in types.models[model].fields.items():
        if field.value_set is not None:
            if field.value_set not in types.value_sets:
                raise DataError(f"{where}: {model}.{name} names no value set: {field.value_set}")
            yield (*path, name), types.value_sets[field.value_set]
        else:
            yield from _annotated_places(field.annotation, types, where, (*path, name))


def _split(annotation: str) -> tuple[str, tuple[str, ...]]:
    """Return the name of an annotation and its arguments in brackets."""
    head, bracket, rest = annotation.strip().partition("[")
    if not bracket or not rest.endswith("]"):
        return (head if _NAME.fullmatch(head) else ""), ()
    parts, depth, start = [], 0, 0
    inner = rest[:-1]
    for at, letter in enumerate(inner):
        depth += (letter == "[") - (letter == "]")
        if letter == "," and depth == 0:
            parts.append(inner[start:at].strip())
            start = at + 1
    return head, (*parts, inner[start:].strip())


def _merged_places(places: Iterator[_Place], join: Join, where: str) -> dict[Path, ValueSet]:
    """Return one value set per path: that of a union's field is that of all its members."""
    found: dict[Path, dict[str, ValueSet]] = {}
    for path, value_set in places:
        found.setdefault(path, {})[value_set.name] = value_set
    return {
        path: next(iter(sets.values()))
        if len(sets) == 1
        else join(f"{where}: {'.'.join(path)}", list(sets.values()))
        for path, sets in found.items()
    }


# JSON schemas

_Allowed = tuple[Path, tuple[str, ...], bool]


def _allowed_values(
    schema: Mapping[str, object],
    definitions: Mapping[str, Mapping[str, object]],
    path: Path,
    *,
    is_shallow: bool = False,
) -> Iterator[_Allowed]:
    if len(path) > _MAX_DEPTH:
        raise DataError(f"a tool's schema is nested without end at {'.'.join(path)}")
    branches = [*_branches(schema, definitions, 0)]
    strings = tuple(dict.fromkeys(text for branch in branches for text in _strings(branch)))
    if strings:
        yield path, strings, any(map(_is_any_string, branches))
    for branch in [schema] if is_shallow else branches:
        for name, part in _objects(branch.get("properties")).items():
            yield from _allowed_values(part, definitions, (*path, name), is_shallow=is_shallow)
        for element in (branch.get("items"), branch.get("additionalProperties")):
            if isinstance(element, Mapping):
                yield from _allowed_values(
                    element, definitions, (*path, EVERY), is_shallow=is_shallow
                )


def _branches(
    schema: Mapping[str, object], definitions: Mapping[str, Mapping[str, object]], depth: int
) -> Iterator[Mapping[str, object]]:
    """Yield a schema and the schemas that it refers to or chooses from."""
    if depth > _MAX_DEPTH:
        raise DataError("a tool's schema refers to itself without end")
    yield schema
    reference = schema.get("$ref")
    if isinstance(reference, str):
        target = definitions.get(reference.rpartition("/")[2])
        if target is not None:
            yield from _branches(target, definitions, depth + 1)
    for choice in ("anyOf", "oneOf", "allOf"):
        parts = schema.get(choice)
        for part in parts if isinstance(parts, list) else ():
            yield from _branches(part, definitions, depth + 1)


def _strings(schema: Mapping[str, object]) -> list[str]:
    listed = schema.get("enum")
    values = [*(listed if isinstance(listed, list) else ()), schema.get("const")]
    return [value for value in values if isinstance(value, str)]


def _is_any_string(schema: Mapping[str, object]) -> bool:
    return schema.get("type") == "string" and not _strings(schema)


def _objects(value: object) -> Mapping[str, Mapping[str, object]]:
    if not isinstance(value, Mapping):
        return {}
    return {name: part for name, part in value.items() if isinstance(part, Mapping)}
