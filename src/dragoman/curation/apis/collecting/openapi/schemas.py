"""JSON schemas of OpenAPI documents, with what they refer to put in its place, within bounds."""

from collections.abc import Mapping

from dragoman.core.errors import DataError
from dragoman.curation.apis.collecting.openapi.references import (
    PlacedValue,
    References,
    reference_of,
)
from dragoman.curation.apis.collecting.values import counted_plain, mapping, plain, sequence, text

IN_TASK = "x-in-task"
"""With it an author says that a header, or what has the name of a credential, belongs to tasks."""

TYPES = frozenset(("string", "number", "integer", "boolean", "array", "object", "null"))
_SLIPS = {
    **dict.fromkeys(("str", "text"), "string"),
    **dict.fromkeys(("int", "long", "int32", "int64"), "integer"),
    **dict.fromkeys(("float", "double", "decimal"), "number"),
    **dict.fromkeys(("bool",), "boolean"),
    **dict.fromkeys(("list",), "array"),
    **dict.fromkeys(("dict", "map"), "object"),
    **{kind: kind for kind in TYPES},
}
_IN_LIST = ("allOf", "anyOf", "oneOf", "prefixItems")
_IN_MAPPING = ("properties", "patternProperties")
_SINGLE = ("items", "additionalProperties", "not")
_LEFT_OUT = frozenset(("xml", "externalDocs", "$schema", "$id", "$defs", "definitions", "$anchor"))
_DEEPEST, _MOST_SCHEMAS, _DEEPEST_MIX = 12, 1_500, 8


class SchemaReader:
    """Reads one schema, however it is spread over files.

    Attributes:
        missing: What it refers to that cannot be read; such a part may be anything, `{}`.
    """

    def __init__(self, references: References) -> None:
        self._references = references
        self._left = _MOST_SCHEMAS
        self.missing: list[str] = []

    def read(
        self, schema: object, file: str, trail: tuple[tuple[str, str], ...] = (), depth: int = 0
    ) -> dict[str, object]:
        """Return a schema in one piece: a circle ends with the type of what it leads to.

        What is deeper or larger than the bounds is left open: `{}` allows anything.
        """
        self._left -= 1
        if depth > _DEEPEST or self._left < 0:
            return {}
        target = reference_of(schema)
        if target is not None:
            if (file, target) in trail:
                return self._end(schema, file)
            trail = (*trail, (file, target))
        found = self._found(schema, file)
        raw = mapping(found.value)
        if "x-example" in raw and "example" not in raw:
            raw = {**raw, "example": raw["x-example"]}
        return {
            key: self._part(key, value, found.file, trail, depth)
            for key, value in raw.items()
            if key not in _LEFT_OUT and (not key.startswith("x-") or key == IN_TASK)
        }

    def _part(
        self, key: str, value: object, file: str, trail: tuple[tuple[str, str], ...], depth: int
    ) -> object:
        if key in _IN_MAPPING:
            parts = mapping(value).items()
            return {text(name): self.read(each, file, trail, depth + 1) for name, each in parts}
        if key in _IN_LIST:
            return [self.read(each, file, trail, depth + 1) for each in sequence(value)]
        if key in _SINGLE and isinstance(value, dict):
            return self.read(value, file, trail, depth + 1)
        if key == "type":
            return known_type(value)
        bounded, size = counted_plain(value)
        self._references.charge(size)
        return bounded

    def _end(self, schema: object, file: str) -> dict[str, object]:
        kind = known_type(mapping(self._found(schema, file).value).get("type"))
        return {"type": kind} if isinstance(kind, str) and kind in TYPES else {}

    def _found(self, schema: object, file: str) -> PlacedValue:
        try:
            return self._references.followed(schema, file)
        except DataError as error:
            self.missing.append(str(error))
            return PlacedValue({}, file)


def known_type(said: object) -> object:
    """Return a type by JSON schema's name for it, where it is a slip that can only mean one; else as it is."""
    if isinstance(said, list):
        return [known_type(each) for each in said[: len(TYPES)]]
    return _SLIPS.get(said.lower(), said) if isinstance(said, str) else plain(said)


def type_of(schema: Mapping[str, object]) -> str:
    """Return the type of a schema's values: as it says, or as its other words mean it.

    Raises:
        DataError: Where it says a type that JSON schema does not know.
    """
    said = schema.get("type")
    for kind in said if isinstance(said, list) else [said] if said is not None else []:
        if not isinstance(kind, str) or kind not in TYPES:
            raise DataError(f"the type {text(kind, 60)!r}, which JSON schema does not know")
        if kind != "null":
            return kind
    return _meant_type(schema, 0)


def _meant_type(schema: Mapping[str, object], depth: int) -> str:
    if "properties" in schema:
        return "object"
    if "items" in schema:
        return "array"
    if depth < _DEEPEST_MIX:
        for key in ("allOf", "oneOf", "anyOf"):
            for each in sequence(schema.get(key)):
                part = mapping(each)
                said = part.get("type")
                if isinstance(said, str) and said in TYPES - {"null"}:
                    return said
                if (kind := _meant_type(part, depth + 1)) != "string":
                    return kind
    return "string"


def properties_of(
    schema: Mapping[str, object], depth: int = 0
) -> tuple[dict[str, dict[str, object]], list[str]]:
    """Return the properties of an object, of all that it is composed of by `allOf`, and the required ones."""
    found: dict[str, dict[str, object]] = {}
    required: list[str] = []
    if depth < _DEEPEST_MIX:
        for each in sequence(schema.get("allOf")):
            inner, needed = properties_of(mapping(each), depth + 1)
            found.update(inner)
            required += needed
    for name, each in mapping(schema.get("properties")).items():
        found[name] = dict(mapping(each))
    required += [name for name in sequence(schema.get("required")) if isinstance(name, str)]
    return found, required


def is_choice(schema: Mapping[str, object]) -> bool:
    """Whether a schema is one of several: what holds for one of them does not hold for all."""
    parts = (schema, *map(mapping, sequence(schema.get("allOf"))))
    return any("oneOf" in part or "anyOf" in part for part in parts)
