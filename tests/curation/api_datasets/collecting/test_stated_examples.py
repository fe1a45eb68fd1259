"""Examples are found in every OpenAPI place, and credentials are not parameters."""

from collections.abc import Callable

import pytest

from dragoman.core.apis.documents import ApiDocument, ConfiguredParameter, Operation, Serialization
from dragoman.curation.api_datasets.ingestion.collect import ReadSourceFile
from dragoman.curation.api_datasets.parameter_values import documented_arguments

One = Callable[..., ApiDocument]
Read = Callable[..., dict[str, ReadSourceFile]]

THREE = """
openapi: 3.1.0
info: {{title: Examples, version: "1"}}
servers: [{{url: https://api.example}}]
paths: {{/x: {{{operation}}}}}
components:
  schemas:
    Id: {{type: integer, examples: [42, 43]}}
    Base: {{type: object, required: [base], properties: {{base: {{type: string, default: b}}}}}}
  examples: {{E: {{value: {{a: from-ref}}}}, T: {{value: text-ref}}}}
  parameters: {{P: {{name: q, in: query, required: true, example: p-ref, schema: {{type: string}}}}}}
"""
TWO = """
swagger: "2.0"
info: {{title: Examples, version: "1"}}
host: api.example
paths: {{/x: {{{operation}}}}}
definitions: {{B: {{type: object, required: [a], properties: {{a: {{type: string}}}}}}}}
"""


def parameter(described: str) -> str:
    return f"get: {{parameters: [{{name: q, in: query, required: true, {described}}}]}}"


def body(described: str, media_type: str = "application/json") -> str:
    content = f"{{{media_type}: {{{described}}}}}"
    return f"post: {{requestBody: {{required: true, content: {content}}}}}"


def the_arguments(document: ApiDocument) -> list[dict[str, object]]:
    (operation,) = document.api_list
    return documented_arguments(operation)


@pytest.mark.parametrize(
    ("described", "stated"),
    [
        ("example: a, schema: {type: string}", ["a"]),
        ("examples: {one: {value: a}, two: {value: b}}, schema: {type: string}", ["a", "b"]),
        ("examples: {one: {$ref: '#/components/examples/T'}}, schema: {type: string}", ["text-ref"]),
        ("examples: {one: {externalValue: 'https://x'}}, schema: {type: string, example: a}", ["a"]),
        ("schema: {type: string, example: a}", ["a"]),
        ("schema: {type: string, x-example: a}", ["a"]),
        ("schema: {type: string, examples: [a, b]}", ["a", "b"]),
        ("schema: {type: string, default: a}", ["a"]),
        ("schema: {const: a}", ["a"]),
        ("schema: {type: [string, 'null'], enum: [null, a, b]}", ["a", "b"]),
        ("schema: {$ref: '#/components/schemas/Id'}", [42, 43]),
        ("schema: {allOf: [{$ref: '#/components/schemas/Id'}]}", [42, 43]),
        ("schema: {anyOf: [{type: string, example: a}, {type: integer}]}", ["a"]),
        ("schema: {oneOf: [{type: string, enum: [a]}, {type: integer}]}", ["a"]),
        ("schema: {type: array, items: {$ref: '#/components/schemas/Id'}}", [[42]]),
        ("schema: {type: array, items: {type: integer}}, example: [1, 2]", [[1, 2]]),
        ("schema: {type: array, items: {type: integer}}, example: '1,2'", [[1, 2]]),
        ("schema: {type: array, items: {type: string}}, example: one", [["one"]]),
        ("schema: {type: object, properties: {a: {type: object, properties: {b: {type: string, example: c}}}}}", [{"a": {"b": "c"}}]),
        ("content: {application/json: {schema: {type: object}, example: {a: 1}}}", [{"a": 1}]),
        ("content: {application/json: {schema: {type: object}, examples: {e: {$ref: '#/components/examples/E'}}}}", [{"a": "from-ref"}]),
        ("schema: {type: integer}, example: '12'", [12]),
        ("schema: {type: boolean}, example: false", [False]),
        ("schema: {type: number}, example: 0", [0]),
    ],
)  # fmt: skip
def test_what_openapi_3_states_of_a_parameter_is_found(
    the_document: One, described: str, stated: list[object]
) -> None:
    document = the_document(THREE.format(operation=parameter(described)))
    assert the_arguments(document) == [{"q": value} for value in stated]


def test_an_example_of_a_parameter_that_stands_elsewhere_is_found(the_document: One) -> None:
    operation = "get: {parameters: [{$ref: '#/components/parameters/P'}]}"
    assert the_arguments(the_document(THREE.format(operation=operation))) == [{"q": "p-ref"}]


@pytest.mark.parametrize(
    ("described", "stated"),
    [
        ("schema: {type: object, required: [a], properties: {a: {type: string, example: x}}}", {"a": "x"}),
        ("schema: {type: object, required: [a], properties: {a: {type: string}}}, example: {a: x}", {"a": "x"}),
        ("schema: {type: object, required: [a], properties: {a: {type: string}}}, examples: {e: {$ref: '#/components/examples/E'}}", {"a": "from-ref"}),
        ("schema: {type: object, required: [a], example: {a: x}, properties: {a: {type: string}}}", {"a": "x"}),
        ("schema: {allOf: [{$ref: '#/components/schemas/Base'}, {type: object, required: [o], properties: {o: {enum: [e]}}}]}", {"base": "b", "o": "e"}),
        ("schema: {oneOf: [{type: object, required: [a], properties: {a: {type: string}}}, {$ref: '#/components/schemas/Base'}]}", {"body": {"base": "b"}}),
        ("schema: {type: array, items: {$ref: '#/components/schemas/Base'}}", {"body": [{"base": "b"}]}),
        ("schema: {type: string}, example: text", {"body": "text"}),
    ],
)  # fmt: skip
def test_what_openapi_3_states_of_a_body_is_found(
    the_document: One, described: str, stated: dict[str, object]
) -> None:
    document = the_document(THREE.format(operation=body(described)))
    assert the_arguments(document)[0] == stated


@pytest.mark.parametrize(
    ("described", "stated"),
    [
        ("type: string, x-example: a", ["a"]),
        ("type: string, default: a", ["a"]),
        ("type: array, items: {type: string, enum: [a, b]}, collectionFormat: ssv", [["a"]]),
        ("type: array, items: {type: string}, collectionFormat: multi, default: [a, b]", [["a", "b"]]),
        ("type: array, items: {type: string}, collectionFormat: pipes, x-example: a|b", [["a", "b"]]),
    ],
)  # fmt: skip
def test_what_swagger_2_states_of_a_parameter_is_found(
    the_document: One, described: str, stated: list[object]
) -> None:
    document = the_document(TWO.format(operation=parameter(described)))
    assert the_arguments(document) == [{"q": value} for value in stated]


def test_what_swagger_2_states_of_a_body_is_found(the_document: One) -> None:
    schema = "schema: {$ref: '#/definitions/B'}, x-examples: {application/json: {a: x}}"
    operation = f"post: {{parameters: [{{name: b, in: body, required: true, {schema}}}]}}"
    assert the_arguments(the_document(TWO.format(operation=operation))) == [{"a": "x"}]


@pytest.mark.parametrize(
    ("described", "how"),
    [
        ("schema: {type: array}", Serialization("form", explode=True)),
        ("explode: false, schema: {type: array}", Serialization("form")),
        ("style: pipeDelimited, schema: {type: array}", Serialization("pipeDelimited")),
        ("style: deepObject, explode: true, schema: {type: object}", Serialization("deepObject", explode=True)),
        ("allowReserved: true, schema: {type: string}", Serialization("form", explode=True, allow_reserved=True)),
        ("schema: {type: string}", None),
        ("content: {application/json: {}}", Serialization(media_type="application/json")),
    ],
)  # fmt: skip
def test_how_a_parameter_is_written_is_read(
    the_document: One, described: str, how: Serialization | None
) -> None:
    (operation,) = the_document(THREE.format(operation=parameter(described))).api_list
    assert operation.required_parameters[0].serialization == how


@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        ("{application/xml: {}, application/json: {schema: {type: string}}}", ""),
        ("{'application/json; charset=utf-8': {schema: {type: string}}}", "application/json; charset=utf-8"),
        ("{application/vnd.api+json: {schema: {type: string}}}", "application/vnd.api+json"),
        ("{multipart/form-data: {schema: {type: string}}, application/x-www-form-urlencoded: {}}", "application/x-www-form-urlencoded"),
        ("{text/plain: {schema: {type: string}}}", "text/plain"),
        ("{'*/*': {schema: {type: string}}}", ""),
    ],
)  # fmt: skip
def test_the_media_type_of_a_body_is_read(the_document: One, content: str, media_type: str) -> None:
    operation = f"post: {{requestBody: {{required: true, content: {content}}}}}"
    (found,) = the_document(THREE.format(operation=operation)).api_list
    assert found.media_type == media_type


SECURE = """
openapi: 3.0.0
info: {title: Secure, version: "1"}
servers: [{url: https://api.example}]
security: [{K: []}, {B: []}]
paths:
  /x/{token}:
    get:
      operationId: secure
      parameters:
        - {name: token, in: path, required: true, schema: {type: string}, example: 77-abc-123}
        - {name: mandant, in: query, required: true, schema: {type: string}, example: m-1}
        - {name: X-Request-ID, in: header, required: true, schema: {type: string}, example: r-1}
        - {name: X-Version, in: header, schema: {type: string}, example: "2"}
        - {name: Accept-Language, in: header, x-in-task: true, required: true, schema: {type: string}, example: fr}
        - {name: key, in: query, x-in-task: true, schema: {type: string}, example: bonjour}
        - {name: sess, in: cookie, schema: {type: string}}
  /open: {get: {operationId: open, security: []}}
components:
  securitySchemes:
    K: {type: apiKey, in: query, name: mandant}
    B: {type: http, scheme: bearer}
    O: {type: oauth2, flows: {}}
"""


def by_name(document: ApiDocument) -> dict[str, Operation]:
    return {each.name: each for each in document.api_list}


def test_keys_ids_and_headers_are_configuration_unless_their_author_says_otherwise(
    the_document: One,
) -> None:
    found = by_name(the_document(SECURE))
    secure = found["secure"]
    assert [each.name for each in secure.parameters] == ["Accept-Language", "key"]
    assert secure.configuration == (
        ConfiguredParameter("sess", "cookie", "header"),
        ConfiguredParameter("Authorization", scheme="bearer"),
        ConfiguredParameter("X-Request-ID", kind="tracing", required=True),
        ConfiguredParameter("X-Version", kind="header"),
        ConfiguredParameter("token", "path", required=True),
        ConfiguredParameter("mandant", "query", required=True),
    )
    assert found["open"].configuration == ()


def test_operations_that_are_left_out_are_listed_with_their_reasons(read: Read) -> None:
    text = THREE.format(
        operation="get: {parameters: [{name: q, in: query, style: matrix, schema: {type: string}}]}, post: {}"
    )
    (entry,) = read({"api.yaml": text})["api.yaml"].entries
    assert [(each.name, each.reason) for each in entry.left_out] == [
        ("GET /x", "the style 'matrix' is none of parameters in query")
    ]


def test_an_api_that_is_about_tokens_keeps_its_id_and_its_names(the_document: One) -> None:
    text = SECURE.replace("title: Secure", "title: Token API 2024")
    document = the_document(text, "api-key-2024.yaml")
    assert document.id.startswith("token-api-2024-")
    assert document.origins[0].place == "api-key-2024.yaml"
