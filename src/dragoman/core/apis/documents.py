"""API documents in one form, whatever they were collected from.

The fields of International Tool Calling (appendix A, figure 16) keep its names; ours stand beside
them and are left out of files in its form.
"""

from collections.abc import Iterator, Mapping
from typing import Literal, get_args

import msgspec

Place = Literal["path", "query", "header", "body"]
"""Where a parameter travels in a request."""

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"]
PLACES: Mapping[str, Place] = {place: place for place in get_args(Place)}
METHODS: Mapping[str, Method] = {method: method for method in get_args(Method)}
"""Both by their names. A record leaves out a default that is that very object: take it from here."""


WHOLE_BODY = "x-whole-body"
"""In the schema of a parameter that is the whole body of a request: it is true there."""


class ApiParameter(msgspec.Struct, frozen=True, omit_defaults=True):
    """One parameter: `type` is a JSON schema type; `schema` holds the whole schema where more is known.

    `example` and `default` are None where the document has none.
    """

    name: str
    type: str = "string"
    description: str = ""
    place: Place = "query"
    example: object = None
    default: object = None
    schema: dict[str, object] = {}


class Operation(msgspec.Struct, frozen=True, omit_defaults=True):
    """One operation of an API: the unit that is counted, offered to agents and called.

    `statuscode` and `schema` say what it answered when it was last verified ("" and {} before that,
    but for a schema that its document declares).
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

    @property
    def parameters(self) -> tuple[ApiParameter, ...]:
        """All parameters, required ones first."""
        return (*self.required_parameters, *self.optional_parameters)


class DocumentOrigin(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a document was found: the source's name, the file or address in it, its form and licence.

    `sha256` is that of the file's bytes; `licence` is "" where none is stated.
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
