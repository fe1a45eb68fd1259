"""Models and value sets from the text of modules, which is parsed and never run.

Read are the classes of pydantic, msgspec, dataclasses and the like, whose fields are annotated;
enumerations of strings; aliases of `Literal`; and `Literal` inside of a field's annotation.
"""

import ast
import inspect
from collections.abc import Iterator
from typing import NamedTuple

from dragoman.conditions.language.artifacts import (
    FieldText,
    ModelText,
    Schema,
    ValueSetText,
    ValueText,
)
from dragoman.core.texts.decoding import parse_module

_ENUMS = frozenset({"Enum", "StrEnum"})
_DESCRIBES = frozenset({"Field", "Meta"})
_CLASS_VARIABLE = "ClassVar"


def schema_of_module(text: str, path: str) -> Schema:
    """Return the models and value sets of a module, in the order of its text.

    Of two definitions of a value set the first counts.

    Args:
        text: The module.
        path: Where it lies, for the schema and for messages.

    Raises:
        DataError: Where it is no Python, or larger than any module.
    """
    module = parse_module(text, path)
    known = frozenset(_named_sets(module))
    models: dict[str, ModelText] = {}
    value_sets: dict[str, ValueSetText] = {}
    for node in module.body:
        for key, value_set in _value_sets(node):
            value_sets.setdefault(key, value_set)
        if isinstance(node, ast.ClassDef) and not _is_enum(node):
            fields = {each.name: _field_text(node, each, known) for each in _fields(node)}
            if fields:
                models[node.name] = ModelText(fields, _description(node))
    return Schema("schema", path, models, value_sets, _description(module))


# Value sets


def _value_sets(node: ast.stmt) -> Iterator[tuple[str, ValueSetText]]:
    """Yield the value sets that a statement of a module defines, by key."""
    match node:
        case ast.ClassDef() if _is_enum(node):
            yield node.name, ValueSetText("enum", tuple(_members(node)))
        case ast.ClassDef():
            for field in _fields(node):
                values = _literals(field.annotation)
                if values:
                    key = f"{node.name}.{field.name}"
                    yield key, ValueSetText("literal", values, node.name, field.name)
        case _:
            alias = _alias(node)
            if alias is not None:
                yield alias[0], ValueSetText("literal", alias[1])


def _named_sets(module: ast.Module) -> Iterator[str]:
    """Yield the names under which a module defines value sets."""
    for node in module.body:
        if isinstance(node, ast.ClassDef) and _is_enum(node):
            yield node.name
        elif alias := _alias(node):
            yield alias[0]


def _alias(node: ast.stmt) -> tuple[str, tuple[ValueText, ...]] | None:
    """Return the name and values of an alias of `Literal`; None for any other statement."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            values = _literals(value)
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            values = _literals(value)
        case _:
            return None
    return (name, values) if values else None


def _literals(annotation: ast.expr) -> tuple[ValueText, ...]:
    """Return the strings of every `Literal` in an annotation, each once; empty ones are no values."""
    found: dict[str, None] = {}
    for node in ast.walk(annotation):
        if isinstance(node, ast.Subscript) and _last_name(node.value) == "Literal":
            choices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            found.update(dict.fromkeys(text for choice in choices if (text := _string(choice))))
    return tuple(ValueText(value, value) for value in found)


def _members(node: ast.ClassDef) -> Iterator[ValueText]:
    for part in node.body:
        match part:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if (
                text := _string(value)
            ) and not name.startswith("_"):
                yield ValueText(text, text, name)


def _is_enum(node: ast.ClassDef) -> bool:
    return not _ENUMS.isdisjoint(map(_last_name, node.bases))


# Models


class _Field(NamedTuple):
    """A field of a class: its annotation, and what it is assigned."""

    name: str
    annotation: ast.expr
    default: ast.expr | None


def _fields(node: ast.ClassDef) -> Iterator[_Field]:
    """Yield the fields of a class that are no secret of it."""
    for part in node.body:
        match part:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value) if (
                not name.startswith("_") and _outermost(annotation) != _CLASS_VARIABLE
            ):
                yield _Field(name, annotation, value)


def _field_text(owner: ast.ClassDef, field: _Field, known: frozenset[str]) -> FieldText:
    shown = ast.unparse(field.annotation)
    inline = f"{owner.name}.{field.name}" if _literals(field.annotation) else None
    described = _said_of(field.default) or _said_of(field.annotation)
    return FieldText(shown, described, shown if shown in known else inline)


def _said_of(node: ast.expr | None) -> str | None:
    """Return the description in a call of `Field` or `Meta`, wherever it stands."""
    for part in ast.walk(node) if node is not None else ():
        if isinstance(part, ast.Call) and _last_name(part.func) in _DESCRIBES:
            for keyword in part.keywords:
                if keyword.arg == "description" and (text := _string(keyword.value)):
                    return text
    return None


def _description(node: ast.Module | ast.ClassDef) -> str | None:
    text = ast.get_docstring(node, clean=False)
    return inspect.cleandoc(text) if text else None


def _string(node: ast.expr) -> str | None:
    """Return a constant text; None for anything else."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _outermost(annotation: ast.expr) -> str:
    return _last_name(annotation.value if isinstance(annotation, ast.Subscript) else annotation)


def _last_name(node: ast.expr) -> str:
    """Return the name under which something is used: `Literal` for `typing.Literal`."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""
