"""Freeze how every record is written: fields in their order, tags, defaults and types.

A record is any `msgspec.Struct`. Most of them are stored or hashed, and the code does not mark
those that never are. Names of classes and modules are excluded: they are free to change.
"""

import hashlib
import pkgutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from importlib import import_module
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
import pytest

import dragoman

LONGEST_DEFAULT = 120
SCALARS = {str: "str", int: "int", float: "float", bool: "bool", bytes: "bytes", NoneType: "null"}
LISTS = (list, tuple, set, frozenset, Sequence)
TABLES = (dict, Mapping)


@pytest.mark.slow
def test_records_are_written_as_before(
    same_lines: Callable[[str, Iterable[str]], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compare the wire form of every record with the golden list, except those of torch."""
    for library in ("torch", "transformers"):
        monkeypatch.setitem(sys.modules, library, None)
    same_lines("records.txt", map(described, records()))


def records() -> list[type[msgspec.Struct]]:
    """Return all records of the package but those that need an extra which is not installed here."""
    for module in pkgutil.walk_packages(dragoman.__path__, f"{dragoman.__name__}."):
        if module.name.rpartition(".")[2] != "__main__":
            with suppress(ModuleNotFoundError):
                import_module(module.name)
    own = f"{dragoman.__name__}."
    return [
        kind
        for kind in _below(msgspec.Struct)
        if kind.__module__.startswith(own)
        # Worlds make records of the arguments of their tools: these are in no module.
        and getattr(sys.modules.get(kind.__module__), kind.__name__, None) is kind
    ]


def _below(kind: type[msgspec.Struct]) -> Iterator[type[msgspec.Struct]]:
    for each in kind.__subclasses__():
        yield each
        yield from _below(each)


def described(kind: type[msgspec.Struct]) -> str:
    """Return one line: the options of a record, its tag and its fields."""
    config = kind.__struct_config__
    options = ("omit_defaults", "forbid_unknown_fields")
    head = [name for name in options if getattr(config, name)]
    fields = [
        f"{name}: {_type(type_)}{default}"
        for name, type_, default in zip(
            kind.__struct_encode_fields__, _types(kind), _defaults(kind), strict=True
        )
    ]
    return f"{' '.join([_written(kind), *head])} | {', '.join(fields)}"


def _written(kind: type[msgspec.Struct]) -> str:
    """Return the JSON form of a record, and its tag."""
    config = kind.__struct_config__
    form = "array" if config.array_like else "object"
    return form if config.tag_field is None else f"{form} {config.tag_field}={config.tag!r}"


def _types(kind: type[msgspec.Struct]) -> list[Any]:
    try:
        return [field.type for field in msgspec.structs.fields(kind)]
    except NameError:  # imported only for type checkers: never read from JSON
        return [object] * len(kind.__struct_fields__)


def _type(kind: Any) -> str:  # noqa: ANN401 - any type
    """Return the JSON type of a type; `any` for types that JSON does not have."""
    origin, inner = get_origin(kind) or kind, get_args(kind)
    if origin is Annotated:
        return _type(inner[0])
    if origin in {Union, UnionType}:
        return "|".join(sorted(set(map(_type, inner))))
    if origin is Literal:
        return f"<{' '.join(sorted(map(repr, inner)))}>"
    if origin in LISTS:
        return f"[{', '.join(_type(each) for each in inner if each is not Ellipsis)}]"
    return f"{{{': '.join(map(_type, inner))}}}" if origin in TABLES else _of_class(kind)


def _of_class(kind: Any) -> str:  # noqa: ANN401 - any type
    if not isinstance(kind, type):
        return "any"
    if kind in SCALARS:
        return SCALARS[kind]
    if issubclass(kind, msgspec.Struct):
        return _written(kind)
    if issubclass(kind, Enum):
        return f"<{' '.join(sorted(repr(each.value) for each in kind))}>"
    return "any"


def _defaults(kind: type[msgspec.Struct]) -> list[str]:
    """Return for each field the text after its type: nothing, or its default as JSON."""
    defaults: Sequence[object] = kind.__struct_defaults__
    without = len(kind.__struct_fields__) - len(defaults)
    return [""] * without + list(map(_default, defaults))


def _default(value: object) -> str:
    if value is msgspec.NODEFAULT:
        return ""
    if value is msgspec.UNSET:
        return " = UNSET"
    if hasattr(value, "factory"):
        value = value.factory()
    try:
        written = msgspec.json.encode(value, order="deterministic").decode()
    except TypeError:
        return " = ?"
    if len(written) > LONGEST_DEFAULT:
        written = f"#{hashlib.sha256(written.encode()).hexdigest()[:16]}"
    return f" = {written}"
