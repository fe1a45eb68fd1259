"""Documented parameter values: examples, defaults and enumerations, none invented."""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import msgspec

from dragoman.core.apis.documents import ApiParameter, Operation
from dragoman.core.texts.decoding import DECODING_ERRORS

MOST = 8
_LONGEST, _LONGEST_PARTED = 120, 2_000
_DEEPEST = 8
_DELIMITERS = {"spaceDelimited": " ", "pipeDelimited": "|", "tabDelimited": "\t"}
_COMPOSED = ("oneOf", "anyOf", "allOf")


def documented_values(parameter: ApiParameter) -> list[object]:
    """Return a parameter's documented values: its examples, default and enumeration.

    If it states none for an array or an object, a value is composed of values stated for its parts.
    """
    found: list[object] = []
    for value in _stated_values(parameter):
        typed = _coerce_to_declared_type(value, parameter)
        if _is_usable(typed) and _key(typed) not in map(_key, found):
            found.append(typed)
        if len(found) == MOST:
            break
    if (
        not found
        and (made := _compose_schema_value({"type": parameter.type, **parameter.schema}, 0))
        is not None
    ):
        found = [made] if _is_usable(made) else []
    return found


def documented_arguments(operation: Operation, without: str = "") -> list[dict[str, object]]:
    """Return sets of arguments for the required parameters from the stated values.

    Args:
        operation: The operation to call.
        without: A parameter that is filled from elsewhere.

    Raises:
        ValueError: If no value is stated for a required parameter; the text names it.
    """
    needed = [each for each in operation.required_parameters if each.name != without]
    values = {each.name: documented_values(each) for each in needed}
    bare = next((name for name, found in values.items() if not found), None)
    if bare is not None:
        raise ValueError(f"its document states no value for {bare!r}")
    sets: list[dict[str, object]] = [
        {name: found[min(at, len(found) - 1)] for name, found in values.items()}
        for at in range(max(map(len, values.values()), default=1))
    ]
    if len(sets) > 1 or without:
        return sets
    # An optional parameter is given if the operation has no required ones, or if it makes a second
    # call different from the first.
    more = [
        {**sets[0], each.name: value}
        for each in operation.optional_parameters
        for value in documented_values(each)
        if each.name != without
    ]
    return [*(sets if sets[0] else ()), *more][:2] or sets


def _stated_values(parameter: ApiParameter) -> Iterator[object]:
    yield parameter.example
    yield from parameter.examples
    yield from _stated_by(parameter.schema, parameter.default)


def _stated_by(schema: Mapping[str, object], default: object = None) -> Iterator[object]:
    examples = schema.get("examples")
    yield from examples if isinstance(examples, list) else ()
    yield schema.get("example")
    yield schema.get("const")
    yield default if default is not None else schema.get("default")
    listed = schema.get("enum")
    yield from listed if isinstance(listed, list) else ()


def _coerce_to_declared_type(value: object, parameter: ApiParameter) -> object:
    """Return a document's text value in the declared type of its parameter, if it fits.

    `"1,2"` and `"[1, 2]"` are two ways to write an array parameter.
    """
    if parameter.type == "array" and isinstance(value, str | int | float):
        if not isinstance(value, str):
            return [value]
        read = _read(value)
        if isinstance(read, list):
            return read
        how = parameter.serialization
        sign = _DELIMITERS.get(how.style, ",") if how else ","
        return [
            _typed_item(each.strip(), parameter.schema)
            for each in value.split(sign)
            if each.strip()
        ]
    if parameter.type in {"object", "integer", "number", "boolean"} and isinstance(value, str):
        read = _read(value)
        return read if _fits(read, parameter.type) else value
    return value


def _typed_item(value: str, schema: Mapping[str, object]) -> object:
    items = schema.get("items")
    kind = items.get("type") if isinstance(items, dict) else None
    read = _read(value) if kind in {"integer", "number", "boolean"} else value
    return read if _fits(read, kind) else value


def _fits(value: object, kind: object) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if isinstance(value, int):
        return kind in {"integer", "number"}
    return (isinstance(value, float) and kind == "number") or (
        isinstance(value, dict) and kind == "object"
    )


def _read(text: str) -> object:
    try:
        return msgspec.json.decode(text)
    except DECODING_ERRORS:
        return text


def _compose_schema_value(schema: Mapping[str, object], depth: int) -> object:
    """Compose a value from values stated for its parts; None if too few are stated."""
    if depth > _DEEPEST:
        return None
    stated = next((each for each in _stated_by(schema) if each is not None and each != ""), None)
    if stated is not None:
        return stated
    kind = schema.get("type")
    kinds = kind if isinstance(kind, list) else [kind]
    if "array" in kinds or "items" in schema:
        items = schema.get("items")
        one = _compose_schema_value(items, depth + 1) if isinstance(items, dict) else None
        return None if one is None else [one]
    is_object = "object" in kinds or "properties" in schema or "allOf" in schema
    if is_object and (made := _composed_object(schema, depth)) is not None:
        return made
    for key in _COMPOSED:
        for each in _parts(schema.get(key)):
            if (made := _compose_schema_value(each, depth + 1)) is not None:
                return made
    return None


def _composed_object(schema: Mapping[str, object], depth: int) -> object:
    """Return an object with values for all its required fields, or None.

    The result is None if a required field has no value, or if no field has one.
    """
    properties: dict[str, Mapping[str, object]] = {}
    required: list[object] = []
    for each in (*_parts(schema.get("allOf")), schema):
        fields = each.get("properties")
        properties |= fields if isinstance(fields, dict) else {}
        needed = each.get("required")
        required += needed if isinstance(needed, list) else []
    made = {
        name: value
        for name, each in properties.items()
        if isinstance(each, dict)
        and each.get("readOnly") is not True
        and (value := _compose_schema_value(each, depth + 1)) is not None
    }
    return made if made and all(name in made for name in required) else None


def _parts(listed: object) -> Sequence[Mapping[str, object]]:
    return (
        [cast("Mapping[str, object]", each) for each in listed if isinstance(each, dict)]
        if isinstance(listed, list)
        else []
    )


def _is_usable(value: object) -> bool:
    if isinstance(value, list | dict):
        return bool(value) and len(msgspec.json.encode(value)) <= _LONGEST_PARTED
    is_plain = isinstance(value, str | int | float | bool) and value != ""
    return is_plain and len(str(value)) <= _LONGEST


def _key(value: object) -> bytes:
    return msgspec.json.encode(value, order="sorted")
