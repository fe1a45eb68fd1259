"""The world's APIs written as others write theirs: OpenAPI 3.0 and 3.1, Swagger 2.0, YAML and JSON."""

from collections.abc import Callable, Iterable

import msgspec

from dragoman.benchmarks.itc.world.documents import LICENCE, file_of, home_of, schema_of
from dragoman.benchmarks.itc.world.rows import ApiRow, CountryRow, ParameterRow

Fields = dict[str, object]
OperationOf = Callable[[ApiRow], Fields]

_VERSIONS = {"openapi-3.0": "3.0.3", "openapi-3.1": "3.1.0"}
_FOUND: Fields = {"200": {"description": "OK"}}


def written_documents(countries: Iterable[CountryRow], origin: str) -> dict[str, bytes]:
    """Return the document of each country by the name of its file.

    Args:
        countries: The rows.
        origin: Scheme, host and port of the server they name.
    """
    return {file_of(country): _written(country, origin) for country in countries}


def _written(country: CountryRow, origin: str) -> bytes:
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
    return {"url": home_of(country, origin)}


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


def _described(api: ApiRow) -> Fields:
    return {
        "operationId": api.name,
        "summary": api.name,
        "description": api.about,
        "tags": [api.category],
    }


def _new_operation(api: ApiRow) -> Fields:
    outside = [each for each in api.parameter if each.place != "body"]
    operation = _described(api)
    operation["parameters"] = [
        {**_named(each), "schema": _with_default(each), **_example(each)} for each in outside
    ]
    if len(outside) < len(api.parameter):
        content = {"application/json": {"schema": _body_schema(api)}}
        operation["requestBody"] = {"required": True, "content": content}
    return {**operation, "responses": _FOUND}


def _old_operation(api: ApiRow) -> Fields:
    operation = _described(api)
    operation["parameters"] = [
        {**_named(each), **_with_default(each), **_example(each, "x-example")}
        for each in api.parameter
        if each.place != "body"
    ]
    return {**operation, "responses": _FOUND}


def _named(parameter: ParameterRow) -> Fields:
    return {
        "name": parameter.name,
        "in": parameter.place,
        "description": parameter.about,
        "required": parameter.required,
    }


def _example(parameter: ParameterRow, key: str = "example") -> Fields:
    """Return a parameter's example; Swagger 2.0 has no word for it, and `x-example` is what people write."""
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
