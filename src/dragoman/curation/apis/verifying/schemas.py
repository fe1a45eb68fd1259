"""JSON schemas of what APIs answered: inferred from values, and merged so that each still fits.

A schema says types, properties, those that are always there, and items. Merging is the same in any
order. `{}` fits everything; it stands where values are nested too deep, and an object with more
properties than a record has (a table by ids) is an object without any.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

Schema = dict[str, Any]

MOST_DEPTH = 12
MOST_PROPERTIES = 200
MOST_BYTES = 64 * 1024
"""Bytes of one schema as JSON; a larger one is cut at a smaller depth."""

_PLAIN = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
}


def inferred(values: Iterable[object]) -> Schema:
    """Return the schema of some JSON values; `{}` where there are none."""
    schemas = [_of(value, MOST_DEPTH) for value in values]
    return bounded(_all_merged(schemas)) if schemas else {}


def merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> Schema:
    """Return the schema that fits what either fits."""
    if not one or not other:
        return {}
    result: Schema = {"type": _written(types_of(one) | types_of(other))}
    objects = [each for each in (one, other) if "object" in types_of(each)]
    if objects:
        parts = [_object_part(each) for each in objects]
        result.update(parts[0] if len(parts) == 1 else _merged_objects(*parts))
    items = [each["items"] for each in (one, other) if "items" in each]
    if items:
        result["items"] = _all_merged(items)
    return result


def types_of(schema: Mapping[str, Any]) -> frozenset[str]:
    """Return the types that a schema allows; none where it allows any."""
    said = schema.get("type", ())
    return frozenset((said,) if isinstance(said, str) else said)


def bounded(schema: Schema, most_bytes: int = MOST_BYTES) -> Schema:
    """Return a schema that is no larger as JSON, cut at the depth that allows it."""
    depth = MOST_DEPTH
    while len(msgspec.json.encode(schema)) > most_bytes and depth:
        depth -= 1
        schema = _cut(schema, depth)
    return schema


def _of(value: object, depth: int) -> Schema:
    plain = _PLAIN.get(type(value))
    if plain:
        return {"type": plain}
    if not depth:
        return {}
    if isinstance(value, list):
        items = [_of(each, depth - 1) for each in value]
        return {"type": "array"} | ({"items": _all_merged(items)} if items else {})
    if not isinstance(value, dict):
        raise TypeError(f"no JSON value: {type(value).__name__}")
    if len(value) > MOST_PROPERTIES:
        return {"type": "object"}
    properties = {str(name): _of(value[name], depth - 1) for name in sorted(value)}
    return {"type": "object", "properties": properties, "required": list(properties)}


def _all_merged(schemas: Sequence[Schema]) -> Schema:
    whole = schemas[0]
    for each in schemas[1:]:
        whole = merged(whole, each)
    return whole


def _merged_objects(one: Schema, other: Schema) -> Schema:
    if "properties" not in one or "properties" not in other:
        return {}
    ones, others = one["properties"], other["properties"]
    names = sorted({*ones, *others})
    if len(names) > MOST_PROPERTIES:
        return {}
    return {
        "properties": {
            name: merged(ones[name], others[name])
            if name in ones and name in others
            else ones.get(name, others.get(name))
            for name in names
        },
        "required": sorted({*one["required"]} & {*other["required"]}),
    }


def _object_part(schema: Mapping[str, Any]) -> Schema:
    return {name: schema[name] for name in ("properties", "required") if name in schema}


def _written(types: frozenset[str]) -> str | list[str]:
    if "number" in types:
        types -= {"integer"}
    return next(iter(types)) if len(types) == 1 else sorted(types)


def _cut(schema: Schema, depth: int) -> Schema:
    if not depth:
        return {}
    cut = dict(schema)
    if "properties" in cut:
        cut["properties"] = {
            name: _cut(each, depth - 1) for name, each in cut["properties"].items()
        }
    if "items" in cut:
        cut["items"] = _cut(cut["items"], depth - 1)
    return cut
