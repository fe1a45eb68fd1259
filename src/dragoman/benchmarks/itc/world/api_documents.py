"""API documents of the simulated APIs, rendered as real publishers write theirs.

There are OpenAPI 3.0 and 3.1 and Swagger 2.0 in YAML and JSON, a Markdown catalogue of APIs, and
descriptions of operations that are no longer served.
"""

from collections.abc import Callable, Iterable, Sequence

import msgspec

from dragoman.benchmarks.itc.world.api_data import (
    ApiRow,
    CountryRow,
    ParameterRow,
    bundled_data_folder,
)
from dragoman.core.apis.documents import ApiDocument, ApiParameter, DocumentOrigin, Operation
from dragoman.core.errors import DataError

ORIGIN = "http://127.0.0.1:8790"
"""Address of the world's server if no other port is given."""

SOURCE = "itc:world"
LICENCE = "Apache-2.0"


def documents_of(countries: Sequence[CountryRow], origin: str = ORIGIN) -> tuple[ApiDocument, ...]:
    """Return a document for each country.

    Args:
        countries: The rows.
        origin: Scheme, host and port of the addresses in them.
    """
    return tuple(_document(country, origin) for country in countries)


def document_file_name(country: CountryRow) -> str:
    """Return the name of the file that describes a country's APIs."""
    return f"{country.id}.{country.syntax}"


def home_page(country: CountryRow, origin: str) -> str:
    """Return the page of a country's APIs."""
    return f"{origin}/{country.id}"


def _document(country: CountryRow, origin: str) -> ApiDocument:
    return ApiDocument(
        id=country.id,
        tool_name=country.title,
        tool_description=country.about,
        home_url=home_page(country, origin),
        country=country.country,
        api_list=tuple(_operation(api, origin) for api in country.api),
        language=country.language,
        authentication="apiKey" if _needs_key(country) else "",
        origins=(
            DocumentOrigin(SOURCE, document_file_name(country), form=country.form, licence=LICENCE),
        ),
    )


def _needs_key(country: CountryRow) -> bool:
    """Return whether some API of a country wants a key, published as it may be."""
    return any(each.place == "header" for api in country.api for each in api.parameter)


def _operation(api: ApiRow, origin: str) -> Operation:
    return Operation(
        name=api.name,
        url=origin + api.path,
        description=api.about,
        method=api.method,
        category=api.category,
        required_parameters=tuple(_parameter(each) for each in api.parameter if each.required),
        optional_parameters=tuple(_parameter(each) for each in api.parameter if not each.required),
    )


def _parameter(row: ParameterRow) -> ApiParameter:
    return ApiParameter(
        name=row.name,
        type=row.type,
        description=row.about,
        place=row.place,
        example=row.example,
        default=row.default,
        schema=schema_of(row),
    )


def schema_of(row: ParameterRow) -> dict[str, object]:
    """Return the JSON schema of a parameter's values."""
    schema: dict[str, object] = {"type": row.type}
    if row.choices:
        schema["enum"] = list(row.choices)
    if row.pattern:
        schema["pattern"] = f"^(?:{row.pattern})$"
    for name, bound in (("minimum", row.minimum), ("maximum", row.maximum)):
        if bound is not None:
            schema[name] = int(bound) if bound.is_integer() else bound
    return schema


Fields = dict[str, object]
OperationOf = Callable[[ApiRow], Fields]

_VERSIONS = {"openapi-3.0": "3.0.3", "openapi-3.1": "3.1.0"}
_FOUND: Fields = {"200": {"description": "OK"}}


def render_documents(countries: Iterable[CountryRow], origin: str) -> dict[str, bytes]:
    """Return the document of each country by the name of its file.

    Args:
        countries: The rows.
        origin: Scheme, host and port of the server they name.
    """
    return {document_file_name(country): _encode_document(country, origin) for country in countries}


def _encode_document(country: CountryRow, origin: str) -> bytes:
    is_old = country.form == "swagger-2.0"
    content = _swagger(country, origin) if is_old else _openapi(country, origin)
    if country.syntax == "yaml":
        return msgspec.yaml.encode(content)
    return msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n"


def _info(country: CountryRow) -> Fields:
    return {
        "title": country.title,
        "description": country.about,
        "version": "1.0.0",
        "license": {"name": LICENCE},
        "x-country": country.country,
        "x-language": country.language,
    }


def _home(country: CountryRow, origin: str) -> Fields:
    return {"url": home_page(country, origin)}


def _openapi(country: CountryRow, origin: str) -> Fields:
    return {
        "openapi": _VERSIONS[country.form],
        "info": _info(country),
        "externalDocs": _home(country, origin),
        "servers": [{"url": origin}],
        "paths": _paths(country, _new_operation),
    }


def _swagger(country: CountryRow, origin: str) -> Fields:
    scheme, _, host = origin.partition("://")
    return {
        "swagger": "2.0",
        "info": _info(country),
        "externalDocs": _home(country, origin),
        "host": host,
        "basePath": f"/{country.id}",
        "schemes": [scheme],
        "consumes": ["application/json"],
        "produces": ["application/json"],
        "paths": {
            path.removeprefix(f"/{country.id}"): methods
            for path, methods in _paths(country, _old_operation).items()
        },
    }


def _paths(country: CountryRow, operation: OperationOf) -> dict[str, Fields]:
    return {api.path: {api.method.lower(): operation(api)} for api in country.api}


def _describe_operation(api: ApiRow) -> Fields:
    return {
        "operationId": api.name,
        "summary": api.name,
        "description": api.about,
        "tags": [api.category],
    }


def _new_operation(api: ApiRow) -> Fields:
    outside = [each for each in api.parameter if each.place != "body"]
    operation = _describe_operation(api)
    operation["parameters"] = [
        {**_describe_parameter(each), "schema": _with_default(each), **_example(each)}
        for each in outside
    ]
    if len(outside) < len(api.parameter):
        content = {"application/json": {"schema": _body_schema(api)}}
        operation["requestBody"] = {"required": True, "content": content}
    return {**operation, "responses": _FOUND}


def _old_operation(api: ApiRow) -> Fields:
    operation = _describe_operation(api)
    operation["parameters"] = [
        {**_describe_parameter(each), **_with_default(each), **_example(each, "x-example")}
        for each in api.parameter
        if each.place != "body"
    ]
    return {**operation, "responses": _FOUND}


def _describe_parameter(parameter: ParameterRow) -> Fields:
    return {
        "name": parameter.name,
        "in": parameter.place,
        "description": parameter.about,
        "required": parameter.required,
    }


def _example(parameter: ParameterRow, key: str = "example") -> Fields:
    """Return a parameter's example.

    Swagger 2.0 has no keyword for it, and `x-example` is the common convention.
    """
    return {} if parameter.example is None else {key: parameter.example}


def _with_default(parameter: ParameterRow) -> Fields:
    default = {} if parameter.default is None else {"default": parameter.default}
    return {**schema_of(parameter), **default}


def _body_schema(api: ApiRow) -> Fields:
    inside = [each for each in api.parameter if each.place == "body"]
    return {
        "type": "object",
        "required": [each.name for each in inside if each.required],
        "properties": {
            each.name: {**_with_default(each), "description": each.about, **_example(each)}
            for each in inside
        },
    }


CATALOGUE, GONE = "catalogue.md", "gone.json"


class GoneApi(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An operation that is described and not served; its parameter is a required text."""

    name: str
    url: str
    parameter: str
    example: str


class ListedApi(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of the list; `gone` is None if the page is that of an existing document."""

    name: str
    about: str
    category: str
    country: str
    page: str
    gone: GoneApi | None = None


class ListedApis(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole list."""

    title: str
    about: str
    entry: tuple[ListedApi, ...]


def listed_apis() -> ListedApis:
    """Read the list.

    Raises:
        DataError: If the file does not have the required form.
    """
    try:
        content = (bundled_data_folder() / "catalogue.toml").read_bytes()
        return msgspec.toml.decode(content, type=ListedApis)
    except msgspec.DecodeError as error:
        raise DataError(f"catalogue.toml of the bundled world: {error}") from error


def render_catalogue(origin: str) -> bytes:
    """Return the list as Markdown, a table for each category.

    Args:
        origin: Scheme, host and port of the links.
    """
    listed = listed_apis()
    lines = [f"# {listed.title}", "", listed.about]
    for category in sorted({entry.category for entry in listed.entry}):
        lines += ["", f"## {category}", "", "| API | Description | Country | Auth |"]
        lines += ["|---|---|---|---|"]
        lines += [
            f"| [{entry.name}]({origin}{entry.page}) | {entry.about} | {entry.country} | No |"
            for entry in listed.entry
            if entry.category == category
        ]
    return "\n".join([*lines, ""]).encode()


def render_gone_operations(origin: str) -> bytes:
    """Return what is gone in the form of International Tool Calling.

    Args:
        origin: Scheme, host and port of the addresses.
    """
    tools = [
        {
            "tool_name": entry.name,
            "tool_description": entry.about,
            "home_url": origin + entry.page,
            "country": entry.country,
            "api_list": [_gone_operation(entry, entry.gone, origin)],
        }
        for entry in listed_apis().entry
        if entry.gone is not None
    ]
    return msgspec.json.format(msgspec.json.encode(tools), indent=2) + b"\n"


def _gone_operation(entry: ListedApi, gone: GoneApi, origin: str) -> dict[str, object]:
    return {
        "name": gone.name,
        "url": origin + gone.url,
        "description": entry.about,
        "method": "GET",
        "category": entry.category,
        "required_parameters": [
            {
                "name": gone.parameter,
                "type": "string",
                "description": "",
                "example": gone.example,
            }
        ],
        "optional_parameters": [],
        "statuscode": "200",
        "schema": {},
    }
