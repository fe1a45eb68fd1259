"""OpenAPI parameters and request bodies: examples, media types, styles and encodings."""

from collections.abc import Iterator, Mapping, Sequence
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
from dragoman.curation.api_datasets.credential_detection import parameter_kind
from dragoman.curation.api_datasets.ingestion.openapi_schemas import (
    IN_TASK,
    References,
    ResolvedValue,
    SchemaReader,
    is_choice,
    properties_of,
    type_of,
)
from dragoman.curation.api_datasets.ingestion.untrusted_values import (
    as_list,
    as_mapping,
    as_text,
    first_text,
    storable,
)

_MOST = 8
_COMPOSED = ("allOf", "oneOf", "anyOf")
_DEEPEST = 8


def stated_examples(
    source: Mapping[str, object], file: str, references: References
) -> list[object]:
    """Return the distinct examples of a parameter, header, media type or schema, in order.

    Examples may be one (`example`, `x-example`), a list (JSON schema), or named ones with a `value`
    (OpenAPI 3), which may be a reference (`$ref`). Examples that are only an address are not
    fetched.

    Args:
        source: The object that states them.
        file: Its file.
        references: Resolves references to examples in other places.
    """
    found: list[object] = []
    for value in _stated_examples(source, file, references):
        bounded = storable(value)
        if bounded is not None and not any(_is_same(bounded, each) for each in found):
            found.append(bounded)
        if len(found) == _MOST:
            break
    return found


def _stated_examples(
    source: Mapping[str, object], file: str, references: References
) -> Iterator[object]:
    for key in ("example", "x-example"):
        if key in source:
            yield _value(source[key], file, references)
    for key in ("examples", "x-examples"):
        some = source.get(key)
        if isinstance(some, list):
            yield from some
        elif isinstance(some, dict):
            for each in some.values():
                yield _value(each, file, references, is_named=True)


def _value(value: object, file: str, references: References, *, is_named: bool = False) -> object:
    """Return an example, or the value of a named example.

    Swagger's examples are named by media types and have no such value.
    """
    raw = as_mapping(value)
    if "$ref" in raw:
        try:
            value = references.followed(value, file).value
        except DataError:
            return None
        raw = as_mapping(value)
        is_named = is_named or "value" in raw
    if not is_named:
        return value
    if "value" in raw:
        return raw["value"]
    is_described = bool(raw) and raw.keys() <= {"summary", "description", "externalValue"}
    return None if is_described else value


def examples_of_schema(schema: Mapping[str, object], depth: int = 0) -> list[object]:
    """Return the examples of the whole value that a resolved schema states.

    Its own come first, then those of the schemas that it is composed of.
    """
    found = [schema["const"]] if "const" in schema else []
    if "example" in schema:
        found.append(schema["example"])
    some = schema.get("examples")
    if isinstance(some, list):
        found += some
    elif isinstance(some, dict):
        found += [as_mapping(each).get("value", each) for each in some.values()]
    if depth < _DEEPEST:
        for key in _COMPOSED:
            parts = schema.get(key)
            for each in parts if isinstance(parts, list) else ():
                found += examples_of_schema(as_mapping(each), depth + 1)
    return [each for each in found if each is not None][:_MOST]


def examples_of_field(name: str, wholes: list[object]) -> list[object]:
    """Return the values for one field in examples of the whole object."""
    found = (as_mapping(whole).get(name) for whole in wholes)
    return [each for each in found if each is not None]


def _is_same(one: object, other: object) -> bool:
    return type(one) is type(other) and one == other


FORM: Final = "application/x-www-form-urlencoded"
_MULTIPART: Final = "multipart/form-data"
_STYLES: Final[Mapping[str, frozenset[str]]] = {
    "query": frozenset(("form", "spaceDelimited", "pipeDelimited", "deepObject")),
    "path": frozenset(("simple", "label", "matrix")),
    "header": frozenset(("simple",)),
}
_USUAL: Final = {"query": "form", "path": "simple", "header": "simple"}
_COLLECTIONS: Final = {
    "csv": Serialization("form"),
    "ssv": Serialization("spaceDelimited"),
    "tsv": Serialization("tabDelimited"),
    "pipes": Serialization("pipeDelimited"),
    "multi": Serialization("form", explode=True),
}
_PARTED: Final = frozenset(("array", "object"))


def media_type_of(content: object) -> tuple[str, Mapping[str, object]] | None:
    """Return the media type of a body that is sent or read, and its description.

    None if the body has no content.
    """
    kinds = {
        as_text(name, 200).lower(): as_mapping(each) for name, each in as_mapping(content).items()
    }
    if not kinds:
        return None
    chosen = preferred_type(list(kinds))
    return chosen, kinds[chosen]


def preferred_type(names: Sequence[str]) -> str:
    """Return the preferred media type: JSON, forms, text, then any other type.

    The result is "" if the list is empty.
    """
    return min(map(str.lower, names), key=_rank, default="")


def _rank(name: str) -> tuple[bool, bool, bool, bool, bool, str]:
    plain = name.partition(";")[0].strip()
    return (
        plain != "application/json",
        "json" not in plain or "seq" in plain or "lines" in plain,
        plain != FORM,
        plain != _MULTIPART,
        plain != "text/plain",
        name,
    )


def serialization_of(raw: Mapping[str, object], place: str, kind: str) -> Serialization | None:
    """Return the serialization of a parameter; None for the default of its place.

    Args:
        raw: The description of the parameter.
        place: "query", "path", "header", "formData" or "body".
        kind: Its type; only arrays and objects have parts.

    Raises:
        DataError: For a style that its place does not have.
    """
    collection = first_text(raw, "collectionFormat")
    if place == "formData" or ("schema" not in raw and "type" in raw):
        return _collection_serialization(collection or "csv", place) if kind == "array" else None
    styles = _STYLES.get(place)
    if styles is None:
        return None
    style = first_text(raw, "style") or _USUAL[place]
    if style not in styles:
        raise DataError(f"the style {style[:40]!r} is none of parameters in {place}")
    explode = raw.get("explode", style == "form") is True
    is_reserved = place == "query" and raw.get("allowReserved") is True
    is_usual = style == _USUAL[place] and not is_reserved
    if is_usual and (kind not in _PARTED or (place != "query" and not explode and kind == "array")):
        return None
    return Serialization(style, explode, is_reserved)


def _collection_serialization(name: str, place: str) -> Serialization | None:
    found = _COLLECTIONS.get(name)
    if found is None:
        raise DataError(f"the collectionFormat {name[:40]!r} is none of Swagger 2.0")
    return None if found.style == "form" and place in {"path", "header"} else found


def encoded_as(encoding: Mapping[str, object], kind: str) -> Serialization | None:
    """Return the serialization of a form field by an `encoding` of OpenAPI 3.

    None if the field has the default form.
    """
    style, media_type = first_text(encoding, "style"), first_text(encoding, "contentType")
    if style or "explode" in encoding or "allowReserved" in encoding:
        style = style or "form"
        if style not in _STYLES["query"]:
            raise DataError(f"the style {style[:40]!r} is none of fields of forms")
        return Serialization(
            style,
            encoding.get("explode", style == "form") is True,
            encoding.get("allowReserved") is True,
        )
    if media_type and (kind in _PARTED or media_type.partition(";")[0] != "text/plain"):
        # Several types may be listed, separated by commas; the first one is used.
        return Serialization(media_type=media_type.partition(",")[0].strip().lower())
    return None


_MOST_EXAMPLES: Final = 8
_PLACES: Final = frozenset(("path", "query", "header"))
_BODIES: Final = frozenset(("body", "formData"))
_NO_SCHEMA: Final = frozenset(
    ("name", "in", "required", "description", "allowEmptyValue", "collectionFormat")
)
_SAY_NOTHING: Final = frozenset(("type", "title", "description", "required", "properties"))
"""The keys of a body schema for an object without content.

Generators write such a schema for every GET.
"""

_DISTINGUISHED: Final = frozenset(("description", "example", "examples", "default", IN_TASK))
_SET_BY_OTHERS: Final = frozenset(("accept", "content-type"))
"""Header parameters that OpenAPI ignores; other parts of a document describe them."""

_NEVER_IN_TASKS: Final = frozenset(("authorization", "cookie", "proxy-authorization"))


class _Body(NamedTuple):
    """The properties of a body in addition to its schema."""

    name: str
    description: str
    required: bool
    examples: list[object]
    encoding: Mapping[str, object]


class NeededParameter(NamedTuple):
    """A parameter and whether every call needs it."""

    parameter: ApiParameter
    required: bool


class ParameterReader:
    """A reader of the parameters of one operation.

    Args:
        references: Resolves references to other places.
        consumes: Media types that Swagger 2.0 lists for the operation's body.

    Attributes:
        missing: References in its schemas that cannot be read, and missing descriptions.
        media_type: The media type of its body; "" for JSON and for no body.
        configured: Cookies, and headers that are always credentials.
        stated: Values stated for these.
    """

    def __init__(self, references: References, consumes: Sequence[str] = ()) -> None:
        self._references = references
        self._consumes = consumes
        self.missing: list[str] = []
        self.media_type = ""
        self.configured: list[ConfiguredParameter] = []
        self.stated: list[object] = []

    def listed(self, shared: ResolvedValue, own: ResolvedValue) -> list[NeededParameter]:
        """Return the parameters of a path and an operation; the operation's take precedence.

        Raises:
            DataError: If one cannot be read or occurs twice in a list, or if there are two bodies.
        """
        found: dict[tuple[str, str], ResolvedValue] = {}
        for listed in (shared, own):
            seen: set[tuple[str, str]] = set()
            for each in as_list(listed.value):
                place = self._references.followed(each, listed.file)
                raw = as_mapping(place.value)
                key = (as_text(raw.get("name")), as_text(raw.get("in")))
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

    def body(self, place: ResolvedValue) -> list[NeededParameter]:
        """Return the parameters of an OpenAPI 3 request body.

        Raises:
            DataError: If the body cannot be read.
        """
        body = self._references.followed(place.value, place.file)
        raw = as_mapping(body.value)
        chosen = media_type_of(raw.get("content"))
        if chosen is None:
            return []
        name, media = chosen
        self.media_type = _normalize_media_type(name)
        described = _Body(
            "body",
            as_text(raw.get("description")),
            raw.get("required") is True,
            stated_examples(media, body.file, self._references),
            as_mapping(media.get("encoding")),
        )
        return self._body_of_schema(ResolvedValue(media.get("schema", {}), body.file), described)

    def schema(self, value: object, file: str) -> dict[str, object]:
        """Return a schema with its references resolved."""
        reader = SchemaReader(self._references)
        schema = reader.read(value, file)
        self.missing += reader.missing
        return schema

    def _of_kind(self, name: str, travels_in: str, place: ResolvedValue) -> list[NeededParameter]:
        raw = as_mapping(place.value)
        is_required = raw.get("required") is True
        if travels_in == "body":
            self.media_type = _normalize_media_type(preferred_type(self._consumes))
            examples = stated_examples(raw, place.file, self._references)
            described = _Body(name, as_text(raw.get("description")), is_required, examples, {})
            return self._body_of_schema(ResolvedValue(raw.get("schema"), place.file), described)
        if travels_in == "cookie" or (travels_in == "header" and name.lower() in _NEVER_IN_TASKS):
            self._configure(name, travels_in, place)
            return []
        if travels_in == "header" and name.lower() in _SET_BY_OTHERS:
            return []
        if travels_in not in _PLACES | _BODIES:
            raise DataError(f"the parameter {name!r} is in {travels_in!r}, which is not valid")
        return [
            NeededParameter(
                self._parameter(name, travels_in, place), is_required or travels_in == "path"
            )
        ]

    def _configure(self, name: str, travels_in: str, place: ResolvedValue) -> None:
        raw = as_mapping(place.value)
        is_cookie = travels_in == "cookie"
        self.configured.append(
            ConfiguredParameter(
                name,
                "cookie" if is_cookie else "header",
                parameter_kind(name, is_header=True) or "header",
                required=raw.get("required") is True,
            )
        )
        schema = self.schema(raw.get("schema", raw), place.file)
        stated: list[object] = stated_examples(raw, place.file, self._references)
        stated += [schema.get("default"), schema.get("enum"), *examples_of_schema(schema)]
        if parameter_kind(name, is_header=True) == "credential" or not is_cookie:
            self.stated += stated

    def _parameter(self, name: str, travels_in: str, place: ResolvedValue) -> ApiParameter:
        raw = as_mapping(place.value)
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
        made = _build_parameter(
            name, "body" if travels_in in _BODIES else travels_in, schema, raw, examples
        )
        written = (
            Serialization(media_type=content[0])
            if content is not None
            else serialization_of(raw, travels_in, made.type)
        )
        return replace(made, serialization=written) if written else made

    def _body_of_schema(self, place: ResolvedValue, body: "_Body") -> list[NeededParameter]:
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
            return [
                NeededParameter(
                    _build_parameter(body.name, "body", whole, raw, body.examples), body.required
                )
            ]
        if unknown := sorted(set(needed) - set(properties)):
            self.missing.append(f"its body requires {unknown[0]!r} and does not describe it")
        wholes = [*body.examples, *examples_of_schema(schema)]
        return [
            NeededParameter(self._field(key, each, wholes, body.encoding), key in needed)
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
        """Return a field of a body as a parameter.

        An example of the whole body takes precedence over the field's own.
        """
        made = _build_parameter(
            name, "body", self._sound(name, schema), {}, examples_of_field(name, wholes)
        )
        written = encoded_as(as_mapping(encoding.get(name)), made.type)
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


def _build_parameter(
    name: str,
    place: str,
    schema: Mapping[str, object],
    raw: Mapping[str, object],
    examples: Sequence[object],
) -> ApiParameter:
    kind = type_of(schema)
    rest = {key: each for key, each in schema.items() if key not in _DISTINGUISHED}
    stated = _distinct([*examples, *examples_of_schema(schema)])
    in_task = raw.get(IN_TASK, schema.get(IN_TASK)) is True
    return ApiParameter(
        name,
        kind,
        first_text(raw, "description") or first_text(schema, "description"),
        PLACES[place],
        storable(stated[0]) if stated else None,
        storable(schema.get("default")),
        {} if rest.keys() <= {"type"} and rest.get("type", kind) == kind else rest,
        tuple(map(storable, stated[1:_MOST_EXAMPLES])),
        in_task=in_task,
    )


def _distinct(values: Sequence[object]) -> list[object]:
    """Return the distinct values other than None; 1 and True are different."""
    found: dict[bytes, object] = {}
    for value in values:
        if value is not None:
            found.setdefault(msgspec.json.encode(storable(value), order="sorted"), value)
    return list(found.values())


def _normalize_media_type(name: str) -> str:
    """Return an operation's media type as a name, or "" for JSON.

    A body that names no type is JSON.
    """
    return "" if name in {"application/json", "*/*", "application/*", ""} else name


def _form_type(consumes: Sequence[str]) -> str:
    forms = [each for each in consumes if "form" in each]
    return min(forms, key=lambda each: "urlencoded" not in each, default=FORM)


def schema_of_answer(answer: Mapping[str, object]) -> object:
    """Return the schema of an answer, in OpenAPI 3 or in Swagger 2.0."""
    chosen = media_type_of(answer.get("content"))
    return answer.get("schema", chosen[1].get("schema", {}) if chosen else None)
