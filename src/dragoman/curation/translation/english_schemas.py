"""English schemas of a domain without a schema file, from modules, databases and tools.

Modules are parsed and never run. Supported are classes of pydantic, msgspec, dataclasses and
similar libraries with annotated fields; enumerations of strings; aliases of `Literal`; and
`Literal` inside of the annotation of a field.
"""

import ast
import inspect
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from dragoman.conditions.language.artifacts import (
    FieldText,
    ModelText,
    Schema,
    ValueSetText,
    ValueText,
)
from dragoman.conditions.language.database_names import decode_database
from dragoman.conditions.language.field_trees import (
    AnnotationTypes,
    allowed_strings,
    map_strings,
    tree_from_annotation,
)
from dragoman.conditions.language.lint.assets import EnglishAssets
from dragoman.conditions.language.text_invariants import has_letters
from dragoman.conditions.language.value_sets import ValueSet, join_value_sets
from dragoman.core.language.translated_domains import DomainDeclarations
from dragoman.core.texts.decoding import parse_module
from dragoman.core.tools import Role, Toolset


def names_in(
    database: object, model: str, declared: DomainDeclarations, where: str
) -> dict[str, ValueSetText]:
    """Return the texts of a database by their declared value set.

    Args:
        database: The database, decoded.
        model: Its model.
        declared: The domain's declarations, which assign value sets to fields.
        where: The database, for messages.

    Raises:
        DataError: If models contain each other endlessly.
    """
    models = {
        name: ModelText({field: FieldText(annotation) for field, annotation in fields.items()})
        for name, fields in declared.models.items()
    }
    sets = {name: ValueSet(name, {}, {}) for name in declared.names}
    found: dict[str, dict[str, None]] = {}

    def note(value_set: ValueSet, text: str) -> str:
        if has_letters(text):
            found.setdefault(value_set.name, {})[text] = None
        return text

    map_strings(
        database,
        tree_from_annotation(
            model, AnnotationTypes(models, declared.unions, sets, join_value_sets), where
        ),
        note,
    )
    return {name: _value_set(found[name]) for name in sorted(found)}


def choices_of_tools(
    toolset: Toolset, known: Mapping[str, ValueSetText]
) -> Iterator[tuple[str, ValueSetText]]:
    """Yield the choices of parameters that no known value set has, by `TOOL.PARAMETER`."""
    taken = [{value.canonical for value in each.values} for each in known.values()]
    for tool in toolset:
        for path, strings in allowed_strings(tool.parameters):
            choices = tuple(text for text in strings if text)
            if choices and set(choices) not in taken:
                taken.append(set(choices))
                place = ".".join(step for step in path if step != "*")
                yield f"{tool.name}.{place}", _value_set(choices, tool.name, place)


def _value_set(
    texts: Mapping[str, None] | tuple[str, ...], model: str | None = None, field: str | None = None
) -> ValueSetText:
    return ValueSetText("literal", tuple(ValueText(text, text) for text in texts), model, field)


_ENUMS = frozenset({"Enum", "StrEnum"})
_DESCRIBES = frozenset({"Field", "Meta"})
_CLASS_VARIABLE = "ClassVar"


def schema_of_module(text: str, path: str) -> Schema:
    """Return the models and value sets of a module, in the order of its text.

    Of two definitions of a value set the first counts.

    Args:
        text: The module.
        path: Its path, for the schema and for messages.

    Raises:
        DataError: If it is not valid Python, or larger than a module may be.
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
    """Return the distinct strings of every `Literal` in an annotation.

    Empty strings are not values and are omitted.
    """
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
    """A field of a class: its name, its annotation, and its default."""

    name: str
    annotation: ast.expr
    default: ast.expr | None


def _fields(node: ast.ClassDef) -> Iterator[_Field]:
    """Yield the public fields of a class."""
    for part in node.body:
        match part:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value) if (
                not name.startswith("_") and _outermost(annotation) != _CLASS_VARIABLE
            ):
                yield _Field(name, annotation, value)


def _field_text(owner: ast.ClassDef, field: _Field, known: frozenset[str]) -> FieldText:
    shown = ast.unparse(field.annotation)
    inline = f"{owner.name}.{field.name}" if _literals(field.annotation) else None
    described = _find_description(field.default) or _find_description(field.annotation)
    return FieldText(shown, described, shown if shown in known else inline)


def _find_description(node: ast.expr | None) -> str | None:
    """Return the description in a call of `Field` or `Meta`, at any depth."""
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
    """Return a constant text; None for other expressions."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _outermost(annotation: ast.expr) -> str:
    return _last_name(annotation.value if isinstance(annotation, ast.Subscript) else annotation)


def _last_name(node: ast.expr) -> str:
    """Return the last name of an expression: `Literal` for `typing.Literal`."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def composed_schema(domain: str, databases: Mapping[Role, str], side: EnglishAssets) -> Schema:
    """Return the single schema of a domain, which covers both sides.

    Args:
        domain: The domain.
        databases: The file of each side's database.
        side: Its English side.

    Raises:
        DataError: If a module or a database is damaged.
    """
    found = [
        schema_of_module(text, path)
        for modules in side.modules.values()
        for path, text in modules.items()
    ]
    models = {name: model for schema in found for name, model in schema.models.items()}
    value_sets = {key: each for schema in found for key, each in schema.value_sets.items()}
    keys = _declared_keys(side.declared)
    value_sets = {keys.get(key, key): each for key, each in value_sets.items()}
    for owner, model in side.declared.databases.items():
        name = databases[owner]
        database = decode_database(side.files[name], f"{domain}: {name}")
        value_sets.update(names_in(database, model, side.declared, f"{domain}: {name}"))
    for toolset in side.toolsets.values():
        value_sets.update(choices_of_tools(toolset, value_sets))
    source = found[0].source_file if found else f"{domain}/{next(iter(databases.values()), '')}"
    return Schema("schema", source, _with_keys(models, keys, value_sets), value_sets)


def _declared_keys(declared: DomainDeclarations) -> dict[str, str]:
    """Return the declared names of fields' value sets by `MODEL.FIELD`, their inline key."""
    return {
        f"{model}.{field}": annotation
        for model, fields in declared.models.items()
        for field, annotation in fields.items()
    }


def _with_keys(
    models: Mapping[str, ModelText],
    keys: Mapping[str, str],
    value_sets: Mapping[str, ValueSetText],
) -> dict[str, ModelText]:
    """Return models whose fields have the current names of their value sets."""

    def key_of(field: FieldText) -> str | None:
        key = None if field.value_set is None else keys.get(field.value_set, field.value_set)
        return key if key in value_sets else None

    return {
        name: ModelText(
            {
                field: FieldText(each.annotation, each.description, key_of(each))
                for field, each in model.fields.items()
            },
            model.description,
        )
        for name, model in models.items()
    }
