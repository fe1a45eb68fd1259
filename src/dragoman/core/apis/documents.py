"""API documents: operations and parameters in one form, whatever the source format."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Literal, get_args

import msgspec

Place = Literal["path", "query", "header", "body"]
"""Part of a request that carries a parameter."""

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"]
PLACES: Mapping[str, Place] = {place: place for place in get_args(Place)}
METHODS: Mapping[str, Method] = {method: method for method in get_args(Method)}
"""The HTTP methods by their names.

A record omits a default only if the value is that very object, so use the objects of this mapping.
"""


WHOLE_BODY = "x-whole-body"
"""Schema key of a parameter that is the whole body of a request; its value is true."""


class Serialization(msgspec.Struct, frozen=True, omit_defaults=True):
    """Serialization of a value in a request, in OpenAPI's terms.

    Attributes:
        style: `form`, `simple`, `label`, `matrix`, `spaceDelimited`, `pipeDelimited`, `deepObject`,
            or Swagger's `tabDelimited`; "" for the usual style of the place.
        explode: Whether each part of an array or object is written separately.
        allow_reserved: Whether reserved characters are sent unescaped.
        media_type: Media type of a value that is written as a whole ("application/json"); "" for a
            style.
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
        name: The name in requests.
        place: The part of a request that carries it.
        kind: A credential, a request id for tracing, or another header or cookie.
        scheme: The HTTP scheme of a credential ("bearer", "basic"); "" for a plain value.
        required: Whether the document says that calls need it.
    """

    name: str
    place: Literal["path", "query", "header", "body", "cookie"] = "header"
    kind: Literal["credential", "tracing", "header"] = "credential"
    scheme: str = ""
    required: bool = False


class Operation(msgspec.Struct, frozen=True, omit_defaults=True):
    """One operation of an API: the unit that is counted, offered to agents and called.

    `statuscode` and `schema` describe its answer at the last verification. Before that they are ""
    and {}, unless its document declares a schema. `media_type` is that of its body, "" for JSON.
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
        country: An English country name as in the source, or "Global"; "" if unknown.
        language: The language of its descriptions, as a BCP 47 tag; "" if unknown.
        origins: The origins of the document; several for merged near-duplicates.
        category: The category of the whole API, as in a catalogue; operations may have their own.
        authentication: The authentication that a call needs in addition to parameters: "" for none,
            otherwise the document's term ("apiKey", "oauth2", ...).
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
    """Return the id of an operation in records, tasks and splits: `DOCUMENT/NAME`."""
    return f"{document.id}/{operation.name}"


def operations(document: ApiDocument) -> Iterator[tuple[str, Operation]]:
    """Yield the operations of a document with their ids."""
    for operation in document.api_list:
        yield operation_id(document, operation), operation


def offered_names(offered: Mapping[str, tuple[ApiDocument, Operation]]) -> dict[str, str]:
    """Return the names of operations that are offered together, by their ids.

    It is the operation's own name. If two operations have the same name, the document's name is put
    before it. If these names are equal too, the operation's id is used.
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
