"""Parameters and bodies of requests."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from dragoman.core.apis.documents import PLACES, WHOLE_BODY, ApiParameter
from dragoman.core.errors import DataError
from dragoman.curation.apis.collecting.openapi.references import PlacedValue, References
from dragoman.curation.apis.collecting.openapi.schemas import (
    SchemaReader,
    is_choice,
    properties_of,
    type_of,
)
from dragoman.curation.apis.collecting.values import first_text, mapping, plain, sequence, text

_PLACES: Final = frozenset(("path", "query", "header"))
_BODIES: Final = frozenset(("body", "formData"))
_NO_SCHEMA: Final = frozenset(("name", "in", "required", "description", "allowEmptyValue"))
_SAY_NOTHING: Final = frozenset(("type", "title", "description", "required", "properties"))
"""What the schema of a body has that is an object of nothing, as programs write it beside every GET."""

_TOLD_APART: Final = frozenset(("description", "example", "examples", "default"))
_SET_BY_OTHERS: Final = frozenset(("accept", "content-type", "authorization"))
"""Header parameters that OpenAPI says to pass over: other parts of a document speak of them."""


class Needed(NamedTuple):
    """A parameter and whether every call needs it."""

    parameter: ApiParameter
    required: bool


class ParameterReader:
    """Reads the parameters of one operation.

    Attributes:
        missing: What its schemas refer to that cannot be read.
    """

    def __init__(self, references: References) -> None:
        self._references = references
        self.missing: list[str] = []

    def listed(self, shared: PlacedValue, own: PlacedValue) -> list[Needed]:
        """Return the parameters of a path and of one operation on it, whose own go before.

        Raises:
            DataError: Where one cannot be read, stands twice in a list, or there are two bodies.
        """
        found: dict[tuple[str, str], PlacedValue] = {}
        for listed in (shared, own):
            seen: set[tuple[str, str]] = set()
            for each in sequence(listed.value):
                place = self._references.followed(each, listed.file)
                raw = mapping(place.value)
                key = (text(raw.get("name")), text(raw.get("in")))
                if not all(key):
                    raise DataError("a parameter has no name or no place")
                if key in seen:
                    raise DataError(f"the parameter {key[0]!r} stands there twice")
                seen.add(key)
                found[key] = place
        bodies = [name for name, place in found if place == "body"]
        if len(bodies) > 1:
            raise DataError(f"it has {len(bodies)} bodies")
        return [needed for key, place in found.items() for needed in self._of_kind(*key, place)]

    def body(self, place: PlacedValue) -> list[Needed]:
        """Return the parameters of an OpenAPI 3 request body.

        Raises:
            DataError: Where it cannot be read.
        """
        body = self._references.followed(place.value, place.file)
        raw = mapping(body.value)
        schema = _schema_of_content(raw.get("content"))
        if schema is None:
            return []
        return self._body_of_schema(
            PlacedValue(schema, body.file),
            "body",
            text(raw.get("description")),
            raw.get("required") is True,
        )

    def schema(self, value: object, file: str) -> dict[str, object]:
        """Return a schema in one piece."""
        reader = SchemaReader(self._references)
        schema = reader.read(value, file)
        self.missing += reader.missing
        return schema

    def _of_kind(self, name: str, travels_in: str, place: PlacedValue) -> list[Needed]:
        raw = mapping(place.value)
        if travels_in == "body":
            schema = PlacedValue(raw.get("schema"), place.file)
            return self._body_of_schema(
                schema, name, text(raw.get("description")), raw.get("required") is True
            )
        if travels_in == "cookie" or (travels_in == "header" and name.lower() in _SET_BY_OTHERS):
            return []
        if travels_in not in _PLACES | _BODIES:
            raise DataError(f"the parameter {name!r} is in {travels_in!r}, which is no place")
        required = raw.get("required") is True or travels_in == "path"
        return [Needed(self._parameter(name, travels_in, place), required)]

    def _parameter(self, name: str, travels_in: str, place: PlacedValue) -> ApiParameter:
        raw = mapping(place.value)
        described = raw.get("schema", _schema_of_content(raw.get("content")))
        if described is None:
            described = {key: each for key, each in raw.items() if key not in _NO_SCHEMA}
            if described.get("type") == "file" and travels_in == "formData":
                described = {**described, "type": "string", "format": "binary"}
        schema = self._sound(name, self.schema(described, place.file))
        return _made(name, "body" if travels_in in _BODIES else travels_in, schema, raw)

    def _body_of_schema(
        self, place: PlacedValue, name: str, description: str, required: bool
    ) -> list[Needed]:
        missing = len(self.missing)
        schema = self.schema(place.value, place.file)
        if not schema and self.missing[missing:]:
            raise DataError(f"its body: {self.missing[missing]}")
        self._sound(name, schema)
        if not required and _is_empty(schema):
            return []
        properties, needed = properties_of(schema)
        if type_of(schema) != "object" or not properties or is_choice(schema):
            whole = {**schema, WHOLE_BODY: True}
            return [Needed(_made(name, "body", whole, {"description": description}), required)]
        if unknown := sorted(set(needed) - set(properties)):
            self.missing.append(f"its body requires {unknown[0]!r} and does not describe it")
        return [
            Needed(_made(key, "body", self._sound(key, each), {}), key in needed)
            for key, each in properties.items()
            if each.get("readOnly") is not True
        ]

    @staticmethod
    def _sound(name: str, schema: dict[str, object]) -> dict[str, object]:
        try:
            type_of(schema)
        except DataError as error:
            raise DataError(f"the parameter {name!r} has {error}") from error
        return schema


def _is_empty(schema: Mapping[str, object]) -> bool:
    return (
        schema.get("type") == "object"
        and schema.keys() <= _SAY_NOTHING
        and not schema.get("properties")
    )


def _made(
    name: str, place: str, schema: Mapping[str, object], raw: Mapping[str, object]
) -> ApiParameter:
    kind = type_of(schema)
    rest = {key: each for key, each in schema.items() if key not in _TOLD_APART}
    return ApiParameter(
        name,
        kind,
        first_text(raw, "description") or first_text(schema, "description"),
        PLACES[place],
        _example(raw) if _example(raw) is not None else _example(schema),
        plain(schema.get("default")),
        {} if rest.keys() <= {"type"} and rest.get("type", kind) == kind else rest,
    )


def _example(source: Mapping[str, object]) -> object:
    """Return the first example that there is, in any way of writing them."""
    for key in ("example", "x-example"):
        if source.get(key) is not None:
            return plain(source[key])
    some = source.get("examples")
    if isinstance(some, dict):
        values = [mapping(each).get("value") for each in some.values()]
        return plain(next((value for value in values if value is not None), None))
    return plain(next(iter(sequence(some)), None))


def _schema_of_content(content: object) -> object:
    """Return the schema of a body by media type: JSON before forms, forms before anything else."""
    kinds = {text(name).lower(): mapping(each) for name, each in mapping(content).items()}
    if not kinds:
        return None
    chosen = min(kinds, key=lambda kind: ("json" not in kind, "form" not in kind, kind))
    return kinds[chosen].get("schema", {})


def schema_of_answer(answer: Mapping[str, object]) -> object:
    """Return the schema of an answer, in OpenAPI 3 or in Swagger 2.0."""
    return answer.get("schema", _schema_of_content(answer.get("content")))
