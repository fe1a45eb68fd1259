"""Tool schemas composed from the source text of tau2-bench's toolkits, without running it.

The result equals the OpenAI function schemas that the reference makes by introspection.
"""

import ast
import inspect
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import parse_module

_MAX_LOOKUPS = 20_000
_MAX_SHOWN = 80

_Method = ast.FunctionDef | ast.AsyncFunctionDef
_Schema = dict[str, object]
_Json = TypeVar("_Json")
_Find = Callable[[str], ast.ClassDef | ast.expr | None]


def tool_schemas(
    tools_source: str, model_sources: Sequence[str], *, where: str
) -> list[dict[str, object]]:
    """Return the OpenAI function schemas of a toolkit, in the order the reference gives them.

    `tools_source` is the text of the module with the toolkit, `model_sources` are those of the
    modules with the types that its tools take; `where` names them in errors. Tools that an agent
    has to discover first (`is_discoverable_tool`) are not shown to a model and not returned.
    """
    try:
        tools = parse_module(tools_source, where)
        models = [parse_module(text, f"{where}, data model") for text in model_sources]
        names = _Names([tools, *models], where)
        return [
            _function(method, names, where)
            for method, mark in _tools(tools, where)
            if _last_name(mark.func) == "is_tool"
        ]
    except RecursionError as error:
        raise DataError(f"{where}: definitions nested too deeply to be read") from error


def tool_kinds(tools_source: str, *, where: str) -> dict[str, str]:
    """Return what each tool does: "read", "write", "generic" or "think" by tool name.

    Discoverable tools are included: they are not shown at first, but they can be called.
    """
    try:
        tools = parse_module(tools_source, where)
        return {method.name: _kind(mark, where) for method, mark in _tools(tools, where)}
    except RecursionError as error:
        raise DataError(f"{where}: definitions nested too deeply to be read") from error


def tool_docstrings(tools_source: str, *, where: str) -> dict[str, str]:
    """Return the docstrings of a toolkit's tools, discoverable ones among them, by tool name."""
    try:
        tools = parse_module(tools_source, where)
        return {method.name: ast.get_docstring(method) or "" for method, _ in _tools(tools, where)}
    except RecursionError as error:
        raise DataError(f"{where}: definitions nested too deeply to be read") from error


# Modules and the names in them


def _unsupported_error(where: str, what: str, node: ast.AST) -> DataError:
    text = " ".join(ast.unparse(node).split())
    shown = text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "..."
    return DataError(f"{where}: {what} is not supported: {shown}")


def _last_name(node: ast.expr) -> str:
    """Return the name under which something is used: `date` for `datetime.date`."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _definitions(body: Sequence[ast.stmt]) -> Iterator[tuple[str, ast.ClassDef | ast.expr]]:
    for node in body:
        match node:
            case ast.ClassDef(name=name):
                yield name, node
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value
            case _:
                pass


class _Names:
    """The top-level definitions of the modules: classes and aliases."""

    def __init__(self, modules: Sequence[ast.Module], where: str) -> None:
        self._modules = [dict(_definitions(module.body)) for module in modules]
        self._lookups = 0
        self._where = where

    def find(self, name: str) -> ast.ClassDef | ast.expr | None:
        """Return the definition of a name, or None where the modules have none."""
        self._lookups += 1
        if self._lookups > _MAX_LOOKUPS:
            raise DataError(f"{self._where}: {name}: definitions too entangled to be read")
        found = [module[name] for module in self._modules if name in module]
        if len(found) > 1:
            raise DataError(f"{self._where}: {name} is defined in more than one module")
        return found[0] if found else None


class _Lineage(NamedTuple):
    """A class and its ancestors, nearest first; `foreign` are those the modules do not define."""

    classes: list[ast.ClassDef]
    foreign: list[str]


def _lineage(start: ast.ClassDef, find: _Find) -> _Lineage:
    classes = {start.name: start}
    foreign: dict[str, None] = {}
    queue = [start]
    for node in queue:
        for base in map(_last_name, node.bases):
            found = find(base)
            if not isinstance(found, ast.ClassDef):
                foreign[base] = None
            elif base not in classes:
                classes[base] = found
                queue.append(found)
    return _Lineage(list(classes.values()), list(foreign))


# Toolkits

_MARKS = {"is_tool", "is_discoverable_tool"}
_KINDS = {"read", "write", "generic", "think"}


class _Tool(NamedTuple):
    method: _Method
    mark: ast.Call


def _tools(module: ast.Module, where: str) -> list[_Tool]:
    """Return the tools of a module's toolkit: its own in the order of the text, then inherited."""
    classes = {node.name: node for node in module.body if isinstance(node, ast.ClassDef)}
    bases = {_last_name(base) for node in classes.values() for base in node.bases}
    toolkits = [
        tools
        for node in classes.values()
        if node.name not in bases and (tools := _toolkit(node, classes))
    ]
    if len(toolkits) != 1:
        raise DataError(f"{where}: expected one toolkit class with tools, found {len(toolkits)}")
    return toolkits[0]


def _toolkit(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> list[_Tool]:
    tools: dict[str, _Tool] = {}
    for ancestor in _lineage(node, classes.get).classes:
        own = {tool.method.name: tool for tool in _own_tools(ancestor)}
        tools = {**tools, **own, **tools}
    return list(tools.values())


def _own_tools(node: ast.ClassDef) -> Iterator[_Tool]:
    methods = {method.name: method for method in node.body if isinstance(method, _Method)}
    for method in methods.values():
        for mark in method.decorator_list:
            if isinstance(mark, ast.Call) and _last_name(mark.func) in _MARKS:
                yield _Tool(method, mark)


def _kind(mark: ast.Call, where: str) -> str:
    named = [keyword.value for keyword in mark.keywords if keyword.arg == "tool_type"]
    match [*mark.args[:1], *named]:
        case []:
            return "read"
        case [ast.Attribute(attr=member)] if member.lower() in _KINDS:
            return member.lower()
    raise _unsupported_error(where, "tool type", mark)


# Descriptions

_PARAMETERS = {"Arguments", "Args", "Parameters", "Params", "Attributes"}
_ERRORS = {"Raises", "Exceptions", "Except"}
_TEXTS = {"Example", "Examples", "Returns", "Yields"}
_TITLE = re.compile(
    rf"^({'|'.join(sorted(_PARAMETERS | _ERRORS | _TEXTS))}):[ \t\r\f\v]*$", re.MULTILINE
)


class _Docstring(NamedTuple):
    description: str
    parameters: dict[str, str]


def _docstring(text: str, where: str) -> _Docstring:
    """Split a Google docstring: its first line is the short text, what follows is the long."""
    opening, *sections = _TITLE.split(text)
    short, _, rest = opening.partition("\n")
    description = "\n\n".join(filter(None, [short, rest.strip()])) if short else ""
    parameters: dict[str, str] = {}
    for title, section in zip(sections[::2], sections[1::2], strict=True):
        entries = {} if title in _TEXTS else _entries(section, f"{where}, docstring's {title}")
        parameters |= {} if title in _ERRORS else entries
    return _Docstring(description, parameters)


def _entries(section: str, where: str) -> dict[str, str]:
    """Return names and descriptions of what a section lists; a line at the margin ends it."""
    body = re.split(r"\n(?=\S)", section, maxsplit=1)[0].strip("\n")
    indent = body[: len(body) - len(body.lstrip())]
    entries = re.split(rf"^{indent}(?=\S)", body, flags=re.MULTILINE)[1:]
    if not entries:
        raise DataError(f"{where}: nothing is listed")
    return dict(_entry(entry.strip("\n"), where) for entry in entries)


def _entry(entry: str, where: str) -> tuple[str, str]:
    head, colon, text = entry.partition(":")
    if not colon:
        raise DataError(f"{where}: no colon in {entry[:_MAX_SHOWN]!r}")
    name = head.partition("(")[0].strip() if ")" in head else head
    first, newline, rest = text.removeprefix(" ").partition("\n")
    return name, (first + newline + inspect.cleandoc(rest)).strip("\n")


# Schemas

_SCALARS: Mapping[str, _Schema] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "Any": {},
    "object": {},
    "date": {"format": "date", "type": "string"},
    "datetime": {"format": "date-time", "type": "string"},
    "time": {"format": "time", "type": "string"},
    "timedelta": {"format": "duration", "type": "string"},
}
_ARRAYS = {"list", "List", "Sequence", "set", "Set"}
_SETS = {"set", "Set"}
_MAPPINGS = {"dict", "Dict", "Mapping"}
_NULL: _Schema = {"type": "null"}

_ENUMS = {"Enum", "StrEnum", "IntEnum"}
_MIXINS = {"str", "int", "float"}
_MODELS: Mapping[str, _Schema] = {
    "BaseModel": {},
    "BaseModelNoExtra": {"additionalProperties": False},
}
_EXTRA: Mapping[str, _Schema] = {
    "forbid": {"additionalProperties": False},
    "allow": {"additionalProperties": True},
    "ignore": {},
}
_CONFIGURATION = {"extra", "arbitrary_types_allowed", "frozen", "validate_assignment"}
_SHOWN_OPTIONS = {"default", "description", "title"}
_SILENT_OPTIONS = {"default_factory", "validate_default", "repr", "frozen"}


def _function(method: _Method, names: _Names, where: str) -> dict[str, object]:
    here = f"{where}, tool {method.name}"
    doc = _docstring(ast.get_docstring(method) or "", here)
    return {
        "type": "function",
        "function": {
            "name": method.name,
            "description": doc.description or method.name,
            "parameters": _Composer(names, here).parameters(method, doc.parameters),
        },
    }


class _Field(NamedTuple):
    """A parameter of a tool or a field of a model, with what the docstring says of it."""

    name: str
    annotation: ast.expr
    value: ast.expr | None
    description: str | None = None


class _Composer:
    """A composer of the schemas of one tool's parameters and of the classes they name."""

    def __init__(self, names: _Names, where: str) -> None:
        self._names = names
        self._where = where
        self._classes: dict[str, object] = {}

    def parameters(self, method: _Method, descriptions: Mapping[str, str]) -> _Schema:
        """Return the schema of what a tool takes."""
        fields = [
            _Field(name, annotation, value, descriptions.get(name))
            for name, annotation, value in self._signature(method)
        ]
        schema = {"title": "parameters", **self._object(fields)}
        if self._classes:
            schema["$defs"] = self._classes
        return _sort_schema_keys(schema)

    def _refused(self, what: str, node: ast.AST) -> DataError:
        return _unsupported_error(self._where, what, node)

    def _signature(self, method: _Method) -> Iterator[tuple[str, ast.expr, ast.expr | None]]:
        given = method.args
        if given.vararg or given.kwarg:
            raise self._refused("a variable number of arguments", given)
        positional = [*given.posonlyargs, *given.args]
        defaults = [*[None] * (len(positional) - len(given.defaults)), *given.defaults]
        pairs = [*zip(positional, defaults, strict=True)]
        if positional and positional[0].arg in {"self", "cls"}:
            del pairs[0]
        for argument, value in [*pairs, *zip(given.kwonlyargs, given.kw_defaults, strict=True)]:
            if argument.annotation is None:
                raise self._refused("an argument without annotation", argument)
            yield argument.arg, argument.annotation, value

    # Objects and their fields

    def _object(self, fields: Sequence[_Field]) -> _Schema:
        properties: _Schema = {}
        required = []
        for field in fields:
            options = self._options(field.value)
            if "default_factory" not in options and "default" not in options:
                required.append(field.name)
            properties[field.name] = self._property(field, options)
        schema: _Schema = {"properties": properties, "type": "object"}
        return schema | ({"required": required} if required else {})

    def _property(self, field: _Field, options: Mapping[str, ast.expr]) -> _Schema:
        schema = self._schema(field.annotation)
        titled = {} if _names_class(schema) else {"title": _title(field.name)}
        shown = {name: self._constant(options[name]) for name in _SHOWN_OPTIONS if name in options}
        schema = titled | schema | shown
        return schema if field.description is None else schema | {"description": field.description}

    def _options(self, value: ast.expr | None) -> dict[str, ast.expr]:
        """Return what an assigned value says of its field: a default, or the options of `Field`."""
        call = _call(value, "Field")
        if call is None:
            return _without_ellipsis({"default": value} if value else {})
        options = {str(keyword.arg): keyword.value for keyword in call.keywords}
        options |= dict(zip(["default"], call.args, strict=False))
        if len(call.args) > 1 or options.keys() - _SHOWN_OPTIONS - _SILENT_OPTIONS:
            raise self._refused("field option", call)
        return _without_ellipsis(options)

    # Types

    def _schema(self, annotation: ast.expr) -> _Schema:
        shapes = _unique([self._single(member) for member in self._members(annotation)])
        if _NULL in shapes:
            shapes.remove(_NULL)
            shapes.append(_NULL)
        return shapes[0] if len(shapes) == 1 else {"anyOf": shapes}

    def _members(self, annotation: ast.expr) -> list[ast.ClassDef | ast.expr]:
        """Return the members of a union, or the one type that stands alone."""
        node = self._resolved(annotation)
        match node:
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return self._members(left) + self._members(right)
            case ast.Subscript(value=value) if _last_name(value) in {"Union", "Optional"}:
                members = [part for choice in _arguments(node) for part in self._members(choice)]
                return members + [ast.Constant(None)] * (_last_name(value) == "Optional")
        return [node]

    def _resolved(self, node: ast.ClassDef | ast.expr) -> ast.ClassDef | ast.expr:
        """Follow aliases and quoted names to a class or to a type expression."""
        while True:
            match node:
                case ast.Name(id=name) if found := self._names.find(name):
                    node = found
                case ast.Constant(value=str(text)):
                    node = self._quoted(text, node)
                case _:
                    return node

    def _quoted(self, text: str, node: ast.expr) -> ast.expr:
        match parse_module(text.strip(), f"{self._where}, type {text[:_MAX_SHOWN]!r}").body:
            case [ast.Expr(value=value)]:
                return value
            case _:
                raise self._refused("type", node)

    def _single(self, node: ast.ClassDef | ast.expr) -> _Schema:
        match node:
            case ast.ClassDef():
                return self._reference(node)
            case ast.Subscript(value=value):
                return self._generic(_last_name(value), node)
            case ast.Constant(value=None):
                return _NULL
            case ast.Name(id=name) | ast.Attribute(attr=name) if name in _SCALARS:
                return dict(_SCALARS[name])
            case ast.Name(id=name) | ast.Attribute(attr=name) if name in _ARRAYS:
                return _array(name, {})
            case ast.Name(id=name) | ast.Attribute(attr=name) if name in _MAPPINGS:
                return {"additionalProperties": True, "type": "object"}
        raise self._refused("type", node)

    def _generic(self, name: str, node: ast.Subscript) -> _Schema:
        match _arguments(node):
            case [item] if name in _ARRAYS:
                return _array(name, self._schema(item))
            case [key, value] if name in _MAPPINGS:
                return self._mapping(self._schema(key), self._schema(value))
            case [kind, *notes] if name == "Annotated":
                return self._annotated(kind, notes)
            case choices if name == "Literal":
                return _choices([self._constant(choice) for choice in choices])
        raise self._refused("type", node)

    def _annotated(self, kind: ast.expr, notes: Sequence[ast.expr]) -> _Schema:
        schema = self._schema(kind)
        for note in notes:
            options = self._options(note) if _call(note, "Field") else {"": note}
            if options.keys() - {"description", "title"}:
                raise self._refused("annotation", note)
            schema = schema | {name: self._constant(value) for name, value in options.items()}
        return schema

    @staticmethod
    def _mapping(key: _Schema, value: _Schema) -> _Schema:
        schema: _Schema = {"additionalProperties": value or True, "type": "object"}
        if "$ref" in key or (key.get("type") == "string" and len(key) > 1):
            names = {name: part for name, part in key.items() if name != "type"}
            return schema | {"propertyNames": names}
        return schema

    def _constant(self, node: ast.expr) -> object:
        """Return the JSON value of a literal or of an enum's member."""
        match node:
            case ast.Attribute(value=ast.Attribute() as member, attr="value"):
                return self._constant(member)
            case ast.Attribute(value=ast.Name(id=owner), attr=name):
                found = self._names.find(owner)
                members = self._enum_members(found) if isinstance(found, ast.ClassDef) else {}
                if name in members:
                    return members[name]
            case ast.Name(id=name) if isinstance(found := self._names.find(name), ast.expr):
                return self._constant(found)
            case _:
                pass
        try:
            value: object = json.loads(json.dumps(ast.literal_eval(node), allow_nan=False))
        except (ValueError, TypeError, SyntaxError, MemoryError) as error:
            raise self._refused("value", node) from error
        return value

    # Classes

    def _reference(self, node: ast.ClassDef) -> _Schema:
        if node.name not in self._classes:
            self._classes[node.name] = {}  # so that a class may hold itself
            self._classes[node.name] = self._class(node)
        return {"$ref": f"#/$defs/{node.name}"}

    def _class(self, node: ast.ClassDef) -> _Schema:
        described: _Schema = {"title": node.name}
        if text := ast.get_docstring(node):
            described["description"] = text
        lineage = _lineage(node, self._names.find)
        foreign = set(lineage.foreign)
        if foreign & _ENUMS and foreign <= _ENUMS | _MIXINS:
            return described | _values([*self._enum_members(node).values()])
        if foreign and foreign <= _MODELS.keys():
            fields = self._model_fields(lineage.classes)
            return described | self._object(fields) | self._extra(lineage)
        raise DataError(
            f"{self._where}: class {node.name} is not supported: it is neither an enum nor a model"
        )

    def _enum_members(self, node: ast.ClassDef) -> dict[str, object]:
        return {
            name: self._constant(value)
            for owner in reversed(_lineage(node, self._names.find).classes)
            for name, value in _definitions(owner.body)
            if not name.startswith("_") and not isinstance(value, ast.ClassDef)
        }

    @staticmethod
    def _model_fields(classes: Sequence[ast.ClassDef]) -> list[_Field]:
        fields = {}
        for owner in reversed(classes):
            for node in owner.body:
                match node:
                    case ast.AnnAssign(target=ast.Name(id=name), annotation=kind, value=value) if (
                        _is_field(name, kind)
                    ):
                        fields[name] = _Field(name, kind, value)
        return list(fields.values())

    def _extra(self, lineage: _Lineage) -> _Schema:
        """Return the nearest configuration's schema of properties that are not fields."""
        for owner in lineage.classes:
            options = self._configuration(owner)
            if "extra" in options:
                return dict(_EXTRA.get(str(self._constant(options["extra"])), {}))
        return {key: value for base in lineage.foreign for key, value in _MODELS[base].items()}

    def _configuration(self, owner: ast.ClassDef) -> dict[str, ast.expr]:
        config = dict(_definitions(owner.body)).get("model_config")
        if config is None:
            return {}
        call = _call(config, "ConfigDict")
        options = {str(keyword.arg): keyword.value for keyword in call.keywords} if call else {}
        if call is None or options.keys() - _CONFIGURATION:
            raise self._refused("model configuration", config)
        return options


def _title(name: str) -> str:
    return name.title().replace("_", " ").strip()


def _is_field(name: str, annotation: ast.expr) -> bool:
    head = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    return not name.startswith("_") and name != "model_config" and _last_name(head) != "ClassVar"


def _call(node: ast.AST | None, name: str) -> ast.Call | None:
    return node if isinstance(node, ast.Call) and _last_name(node.func) == name else None


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def _without_ellipsis(options: Mapping[str, ast.expr]) -> dict[str, ast.expr]:
    return {name: value for name, value in options.items() if not _is_ellipsis(value)}


def _arguments(node: ast.Subscript) -> list[ast.expr]:
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


def _names_class(schema: _Schema) -> bool:
    """Tell whether a field is a class, or a class or null: such a field bears no title."""
    match schema:
        case {"$ref": _}:
            return True
        case {"anyOf": [dict(choice), {"type": "null"}]}:
            return _names_class(choice)
        case _:
            return False


def _array(name: str, items: _Schema) -> _Schema:
    schema: _Schema = {"items": items, "type": "array"}
    return schema | {"uniqueItems": True} if name in _SETS else schema


_JSON_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array"}


def _unique(values: Sequence[_Json]) -> list[_Json]:
    return list({json.dumps(value): value for value in values}.values())


def _values(values: Sequence[object]) -> _Schema:
    kinds = {type(value) for value in values}
    kind = _JSON_TYPES.get(kinds.pop()) if len(kinds) == 1 else None
    schema: _Schema = {"enum": list(values)}
    return schema | ({"type": kind} if kind else {})


def _choices(values: Sequence[object]) -> _Schema:
    schema = _values(_unique(values))
    match schema.get("enum"):
        case [only]:
            del schema["enum"]
            return schema | {"const": only}
        case _:
            return schema


def _sort_schema_keys(schema: Mapping[str, object], parent: str = "") -> _Schema:
    """Sort the keys of a schema as pydantic does: fields keep their order, all else is sorted."""
    keys = list(schema) if parent in {"properties", "default"} else sorted(schema)
    return {key: _ordered_value(schema[key], key) for key in keys}


def _ordered_value(value: object, parent: str) -> object:
    match value:
        case dict():
            return _sort_schema_keys(value, parent)
        case list():
            return [_ordered_value(item, parent) for item in value]
        case _:
            return value
