"""Parameters and bodies of requests."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from dragoman.core.apis.documents import (
    PLACES,
    WHOLE_BODY,
    ApiParameter,
    ConfiguredParameter,
    Serialization,
)
from dragoman.core.errors import DataError
from dragoman.curation.apis.collecting.openapi.examples import (
    examples_of_field,
    examples_of_schema,
    stated_examples,
)
from dragoman.curation.apis.collecting.openapi.media_types import (
    FORM,
    encoded_as,
    media_type_of,
    preferred_type,
    serialization_of,
)
from dragoman.curation.apis.collecting.openapi.references import PlacedValue, References
from dragoman.curation.apis.collecting.openapi.schemas import (
    IN_TASK,
    SchemaReader,
    is_choice,
    properties_of,
    type_of,
)
from dragoman.curation.apis.collecting.values import first_text, mapping, plain, sequence, text
from dragoman.curation.apis.secrecy.names import kind_of_name

_MOST_EXAMPLES: Final = 8
_PLACES: Final = frozenset(("path", "query", "header"))
_BODIES: Final = frozenset(("body", "formData"))
_NO_SCHEMA: Final = frozenset(
    ("name", "in", "required", "description", "allowEmptyValue", "collectionFormat")
)
_SAY_NOTHING: Final = frozenset(("type", "title", "description", "required", "properties"))
"""What the schema of a body has that is an object of nothing, as programs write it beside every GET."""

_TOLD_APART: Final = frozenset(("description", "example", "examples", "default", IN_TASK))
_SET_BY_OTHERS: Final = frozenset(("accept", "content-type"))
"""Header parameters that OpenAPI says to pass over: other parts of a document speak of them."""

_NEVER_IN_TASKS: Final = frozenset(("authorization", "cookie", "proxy-authorization"))


class _Body(NamedTuple):
    """What is said of a body beside its schema."""

    name: str
    description: str
    required: bool
    examples: list[object]
    encoding: Mapping[str, object]


class Needed(NamedTuple):
    """A parameter and whether every call needs it."""

    parameter: ApiParameter
    required: bool


class ParameterReader:
    """Reads the parameters of one operation.

    Args:
        references: Follow those to what stands elsewhere.
        consumes: Media types that Swagger 2.0 lists for the operation's body.

    Attributes:
        missing: What its schemas refer to that cannot be read.
        media_type: Of its body; "" for JSON and for none.
        configured: Cookies, and headers that are credentials and nothing else.
        stated: What is stated for these.
    """

    def __init__(self, references: References, consumes: Sequence[str] = ()) -> None:
        self._references = references
        self._consumes = consumes
        self.missing: list[str] = []
        self.media_type = ""
        self.configured: list[ConfiguredParameter] = []
        self.stated: list[object] = []

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
        chosen = media_type_of(raw.get("content"))
        if chosen is None:
            return []
        name, media = chosen
        self.media_type = _told_type(name)
        described = _Body(
            "body",
            text(raw.get("description")),
            raw.get("required") is True,
            stated_examples(media, body.file, self._references),
            mapping(media.get("encoding")),
        )
        return self._body_of_schema(PlacedValue(media.get("schema", {}), body.file), described)

    def schema(self, value: object, file: str) -> dict[str, object]:
        """Return a schema in one piece."""
        reader = SchemaReader(self._references)
        schema = reader.read(value, file)
        self.missing += reader.missing
        return schema

    def _of_kind(self, name: str, travels_in: str, place: PlacedValue) -> list[Needed]:
        raw = mapping(place.value)
        is_required = raw.get("required") is True
        if travels_in == "body":
            self.media_type = _told_type(preferred_type(self._consumes))
            examples = stated_examples(raw, place.file, self._references)
            described = _Body(name, text(raw.get("description")), is_required, examples, {})
            return self._body_of_schema(PlacedValue(raw.get("schema"), place.file), described)
        if travels_in == "cookie" or (travels_in == "header" and name.lower() in _NEVER_IN_TASKS):
            self._configure(name, travels_in, place)
            return []
        if travels_in == "header" and name.lower() in _SET_BY_OTHERS:
            return []
        if travels_in not in _PLACES | _BODIES:
            raise DataError(f"the parameter {name!r} is in {travels_in!r}, which is no place")
        return [
            Needed(self._parameter(name, travels_in, place), is_required or travels_in == "path")
        ]

    def _configure(self, name: str, travels_in: str, place: PlacedValue) -> None:
        raw = mapping(place.value)
        is_cookie = travels_in == "cookie"
        self.configured.append(
            ConfiguredParameter(
                name,
                "cookie" if is_cookie else "header",
                kind_of_name(name, is_header=True) or "header",
                required=raw.get("required") is True,
            )
        )
        schema = self.schema(raw.get("schema", raw), place.file)
        stated: list[object] = stated_examples(raw, place.file, self._references)
        stated += [schema.get("default"), schema.get("enum"), *examples_of_schema(schema)]
        if kind_of_name(name, is_header=True) == "credential" or not is_cookie:
            self.stated += stated

    def _parameter(self, name: str, travels_in: str, place: PlacedValue) -> ApiParameter:
        raw = mapping(place.value)
        examples = stated_examples(raw, place.file, self._references)
        content = media_type_of(raw.get("content"))
        described = raw.get("schema")
        if content is not None and described is None:
            described = content[1].get("schema", {})
            examples += stated_examples(content[1], place.file, self._references)
        if described is None:
            described = {key: each for key, each in raw.items() if key not in _NO_SCHEMA}
            if described.get("type") == "file" and travels_in == "formData":
                described = {**described, "type": "string", "format": "binary"}
                self.media_type = "multipart/form-data"
        if travels_in == "formData" and not self.media_type:
            self.media_type = _form_type(self._consumes)
        schema = self._sound(name, self.schema(described, place.file))
        made = _made(name, "body" if travels_in in _BODIES else travels_in, schema, raw, examples)
        written = (
            Serialization(media_type=content[0])
            if content is not None
            else serialization_of(raw, travels_in, made.type)
        )
        return replace(made, serialization=written) if written else made

    def _body_of_schema(self, place: PlacedValue, body: "_Body") -> list[Needed]:
        missing = len(self.missing)
        schema = self.schema(place.value, place.file)
        if not schema and self.missing[missing:]:
            raise DataError(f"its body: {self.missing[missing]}")
        self._sound(body.name, schema)
        if not body.required and _is_empty(schema) and not body.examples:
            self.media_type = ""
            return []
        properties, needed = properties_of(schema)
        if type_of(schema) != "object" or not properties or is_choice(schema):
            whole = {**schema, WHOLE_BODY: True}
            raw = {"description": body.description}
            return [Needed(_made(body.name, "body", whole, raw, body.examples), body.required)]
        if unknown := sorted(set(needed) - set(properties)):
            self.missing.append(f"its body requires {unknown[0]!r} and does not describe it")
        wholes = [*body.examples, *examples_of_schema(schema)]
        return [
            Needed(self._field(key, each, wholes, body.encoding), key in needed)
            for key, each in properties.items()
            if each.get("readOnly") is not True
        ]

    def _field(
        self,
        name: str,
        schema: dict[str, object],
        wholes: list[object],
        encoding: Mapping[str, object],
    ) -> ApiParameter:
        """Return a field of a body as a parameter; an example of the whole body goes before its own."""
        made = _made(name, "body", self._sound(name, schema), {}, examples_of_field(name, wholes))
        written = encoded_as(mapping(encoding.get(name)), made.type)
        return replace(made, serialization=written) if written else made

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
    name: str,
    place: str,
    schema: Mapping[str, object],
    raw: Mapping[str, object],
    examples: Sequence[object],
) -> ApiParameter:
    kind = type_of(schema)
    rest = {key: each for key, each in schema.items() if key not in _TOLD_APART}
    stated = _distinct([*examples, *examples_of_schema(schema)])
    in_task = raw.get(IN_TASK, schema.get(IN_TASK)) is True
    return ApiParameter(
        name,
        kind,
        first_text(raw, "description") or first_text(schema, "description"),
        PLACES[place],
        plain(stated[0]) if stated else None,
        plain(schema.get("default")),
        {} if rest.keys() <= {"type"} and rest.get("type", kind) == kind else rest,
        tuple(map(plain, stated[1:_MOST_EXAMPLES])),
        in_task=in_task,
    )


def _distinct(values: Sequence[object]) -> list[object]:
    """Return values that mean something, each once: 1 and True are two."""
    found: dict[bytes, object] = {}
    for value in values:
        if value is not None:
            found.setdefault(msgspec.json.encode(plain(value), order="sorted"), value)
    return list(found.values())


def _told_type(name: str) -> str:
    """Return a media type as an operation has it: "" for JSON, which all bodies are that say nothing."""
    return "" if name in {"application/json", "*/*", "application/*", ""} else name


def _form_type(consumes: Sequence[str]) -> str:
    forms = [each for each in consumes if "form" in each]
    return min(forms, key=lambda each: "urlencoded" not in each, default=FORM)


def schema_of_answer(answer: Mapping[str, object]) -> object:
    """Return the schema of an answer, in OpenAPI 3 or in Swagger 2.0."""
    chosen = media_type_of(answer.get("content"))
    return answer.get("schema", chosen[1].get("schema", {}) if chosen else None)
