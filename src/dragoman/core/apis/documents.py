"""API documents: operations and parameters in one form, whatever the source format."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Literal, get_args

import msgspec

Place = Literal["path", "query", "header", "body"]
"""Where a parameter travels in a request."""

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"]
PLACES: Mapping[str, Place] = {place: place for place in get_args(Place)}
METHODS: Mapping[str, Method] = {method: method for method in get_args(Method)}
"""The HTTP methods by their names.

A record leaves out a default that is that very object: use the object from this mapping.
"""


WHOLE_BODY = "x-whole-body"
"""In the schema of a parameter that is the whole body of a request: it is true there."""


class Serialization(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a value is written into a request, in OpenAPI's words.

    Attributes:
        style: `form`, `simple`, `label`, `matrix`, `spaceDelimited`, `pipeDelimited`, `deepObject`,
            or Swagger's `tabDelimited`; "" for what the place usually has.
        explode: Whether each part of an array or object stands by itself.
        allow_reserved: Whether signs that addresses reserve are sent as they are.
        media_type: Of a value that is written whole in it ("application/json"); "" for a style.
    """

    style: str = ""
    explode: bool = False
    allow_reserved: bool = False
    media_type: str = ""


class ApiParameter(msgspec.Struct, frozen=True, omit_defaults=True):
    """One parameter of an operation.

    `type` is a JSON schema type; `schema` holds the whole schema if more is known. `example`
    and `default` are None if the document has none; `examples` are those after the first.
    `serialization` is None if values have the usual form of their place. `in_task` is true for
    a header, or for a parameter with the name of a credential, that the document's author
    assigns to tasks.
    """

    name: str
    type: str = "string"
    description: str = ""
    place: Place = "query"
    example: object = None
    default: object = None
    schema: dict[str, object] = {}
    examples: tuple[object, ...] = ()
    serialization: Serialization | None = None
    in_task: bool = False


class ConfiguredParameter(msgspec.Struct, frozen=True, omit_defaults=True):
    """A parameter that a caller configures once for all calls, and that no task holds.

    Its values are not stored.

    Attributes:
        name: As it travels.
        place: Where it travels.
        kind: A credential, an id of a request for tracing, or another header or cookie.
        scheme: How HTTP writes a credential ("bearer", "basic"); "" for as it is.
        required: Whether the document says that calls need it.
    """

    name: str
    place: Literal["path", "query", "header", "body", "cookie"] = "header"
    kind: Literal["credential", "tracing", "header"] = "credential"
    scheme: str = ""
    required: bool = False


class Operation(msgspec.Struct, frozen=True, omit_defaults=True):
    """One operation of an API: the unit that is counted, offered to agents and called.

    `statuscode` and `schema` say what it answered when it was last verified ("" and {} before that,
    but for a schema that its document declares). `media_type` is that of its body, "" for JSON.
    """

    name: str
    url: str
    description: str = ""
    method: Method = "GET"
    category: str = ""
    required_parameters: tuple[ApiParameter, ...] = ()
    optional_parameters: tuple[ApiParameter, ...] = ()
    statuscode: str = ""
    schema: dict[str, object] = {}
    media_type: str = ""
    configuration: tuple[ConfiguredParameter, ...] = ()

    @property
    def parameters(self) -> tuple[ApiParameter, ...]:
        """All parameters, required ones first."""
        return (*self.required_parameters, *self.optional_parameters)


class DocumentOrigin(msgspec.Struct, frozen=True, omit_defaults=True):
    """The origin of a document: the source's name, the file or address, its form and licence.

    `sha256` is the hash of the file's bytes; `licence` is "" if none is stated.
    """

    source: str
    place: str
    form: Literal["openapi-3.0", "openapi-3.1", "swagger-2.0", "fragment", "catalogue", "itc"]
    sha256: str = ""
    licence: str = ""


class ApiDocument(msgspec.Struct, frozen=True, omit_defaults=True):
    """One API and its operations.

    Attributes:
        id: A stable slug, unique in a dataset.
        country: An English country name as the source has them, or "Global"; "" where unknown.
        language: Of its descriptions, as a BCP 47 tag; "" where unknown.
        origins: Where it was found; several where twins were merged.
        category: Of the whole API, as a catalogue has it; operations may have their own.
        authentication: What a call needs beside parameters: "" for nothing, else as the document
            says ("apiKey", "oauth2", ...).
    """

    id: str
    tool_name: str
    tool_description: str = ""
    home_url: str = ""
    country: str = ""
    api_list: tuple[Operation, ...] = ()
    language: str = ""
    category: str = ""
    authentication: str = ""
    origins: tuple[DocumentOrigin, ...] = ()


def operation_id(document: ApiDocument, operation: Operation) -> str:
    """Return the id of an operation: `DOCUMENT/NAME`, as ledgers, tasks and splits know it."""
    return f"{document.id}/{operation.name}"


def operations(document: ApiDocument) -> Iterator[tuple[str, Operation]]:
    """Yield the operations of a document with their ids."""
    for operation in document.api_list:
        yield operation_id(document, operation), operation


def offered_names(offered: Mapping[str, tuple[ApiDocument, Operation]]) -> dict[str, str]:
    """Return the names of operations that are offered together, by their ids.

    It is the operation's own name; where two have the same, that of its document stands before it,
    and where these are equal too, its id takes its place.
    """
    names = {key: operation.name for key, (_, operation) in offered.items()}
    twice = _duplicates(names)
    for key in twice:
        document, operation = offered[key]
        names[key] = f"{document.tool_name}: {operation.name}"
    names.update({key: key for key in _duplicates(names)})
    return names


def _duplicates(names: Mapping[str, str]) -> list[str]:
    counts = Counter(names.values())
    return [key for key, name in names.items() if counts[name] > 1]
