"""OpenAPI 3.0 and 3.1, Swagger 2.0 and fragments."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from dragoman.core.apis.documents import WHOLE_BODY, ApiDocument, ApiParameter, DocumentOrigin
from dragoman.curation.api_datasets.ingestion.collect import ReadSourceFile

Read = Callable[..., dict[str, ReadSourceFile]]
One = Callable[..., ApiDocument]

HOLIDAYS = """
openapi: 3.0.3
info:
  title: Feiertage
  description: Gesetzliche Feiertage
  license: {name: CC0-1.0}
  x-country: Germany
  x-language: de
externalDocs: {url: https://feiertage.example/docs}
servers:
  - url: http://feiertage.example/{stage}
    variables: {stage: {default: v2}}
  - url: https://feiertage.example/{stage}/
    variables: {stage: {default: v2}}
security: [{key: []}]
components:
  securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}
  parameters:
    year: {name: jahr, in: path, required: true, schema: {type: integer, example: 2026}}
paths:
  /feiertage/{jahr}:
    parameters: [{$ref: '#/components/parameters/year'}]
    get:
      operationId: feiertage
      tags: [Feste, Government]
      summary: Kurz
      description: Alle Feiertage eines Jahres
      parameters:
        - {name: land, in: query, description: Kürzel, schema: {type: string, enum: [BY, NW], default: BY}}
        - {name: Accept, in: header, schema: {type: string}}
        - {name: sid, in: cookie, schema: {type: string}}
      responses:
        '200':
          content: {application/json: {schema: {type: object, x-note: a, xml: {}}}}
"""


def test_an_openapi_3_document_becomes_one_with_all_that_it_says(the_document: One) -> None:
    found = the_document(HOLIDAYS)
    (operation,) = found.api_list
    assert found.tool_name == "Feiertage"
    assert found.tool_description == "Gesetzliche Feiertage"
    assert found.home_url == "https://feiertage.example/docs"
    assert (found.country, found.language) == ("Germany", "de")
    assert found.authentication == "apiKey"
    assert operation.name == "feiertage"
    assert operation.url == "https://feiertage.example/v2/feiertage/{jahr}"
    assert operation.description == "Alle Feiertage eines Jahres"
    assert operation.category == "Government"
    assert operation.required_parameters == (
        ApiParameter("jahr", "integer", place="path", example=2026),
    )
    assert operation.optional_parameters == (
        ApiParameter(
            "land",
            "string",
            "Kürzel",
            default="BY",
            schema={"type": "string", "enum": ["BY", "NW"]},
        ),
    )
    assert operation.schema == {"type": "object"}
    (origin,) = found.origins
    assert (origin.source, origin.place, origin.form, origin.licence) == (
        *("mine", "api.yaml", "openapi-3.0"),
        "CC0-1.0",
    )


def test_what_a_document_does_not_state_is_what_is_said_of_its_source(the_document: One) -> None:
    plain = "openapi: 3.1.0\ninfo: {title: T}\npaths: {/a: {get: {}}}"
    stated = the_document(plain, country="Chile", language="es", licence="MIT")
    assert (stated.country, stated.language) == ("Chile", "es")
    assert stated.origins == (
        DocumentOrigin("mine", "api.yaml", "openapi-3.1", stated.origins[0].sha256, "MIT"),
    )


def test_what_nobody_states_is_unknown_and_not_global(the_document: One) -> None:
    found = the_document("openapi: 3.1.0\ninfo: {title: T}\npaths: {/a: {get: {}}}")
    assert (found.country, found.language, found.category) == ("", "", "")
    assert found.origins[0].licence == ""


def test_a_swagger_2_document_is_read_like_an_openapi_3_one(the_document: One) -> None:
    found = the_document(
        json.dumps(
            {
                "swagger": "2.0",
                "info": {"title": "Kurse", "contact": {"url": "https://kurse.example/"}},
                "host": "api.kurse.example",
                "basePath": "/v1/",
                "schemes": ["http", "https"],
                "securityDefinitions": {"b": {"type": "basic"}},
                "paths": {
                    "/kurs": {
                        "post": {
                            "consumes": ["application/json"],
                            "parameters": [
                                {"name": "tag", "in": "query", "type": "string", "format": "date"},
                                {"name": "k", "in": "body", "schema": {"$ref": "#/definitions/K"}},
                            ],
                            "responses": {"200": {"schema": {"type": "array"}}},
                        }
                    }
                },
                "definitions": {
                    "K": {
                        "type": "object",
                        "required": ["von"],
                        "properties": {
                            "von": {"type": "string", "description": "Währung"},
                            "id": {"type": "string", "readOnly": True},
                        },
                    }
                },
            }
        ),
        "api.json",
    )
    (operation,) = found.api_list
    assert operation.url == "https://api.kurse.example/v1/kurs"
    assert operation.name == "post_kurs"
    assert operation.required_parameters == (ApiParameter("von", "string", "Währung", "body"),)
    assert operation.optional_parameters == (
        ApiParameter("tag", schema={"type": "string", "format": "date"}),
    )
    assert operation.schema == {"type": "array"}
    assert found.authentication == ""


def body(schema: str) -> str:
    return (
        "openapi: 3.0.0\ninfo: {title: T}\npaths: {/a: {post: {requestBody: {required: true, "
        f"content: {{application/json: {{schema: {schema}}}}}}}}}}}}}"
    )


def test_the_parts_of_a_composed_body_are_its_parameters(the_document: One) -> None:
    schema = "{allOf: [{properties: {a: {type: int}}, required: [a]}, {properties: {b: {type: [string, 'null']}}}]}"
    (operation,) = the_document(body(schema)).api_list
    assert [(one.name, one.type) for one in operation.required_parameters] == [("a", "integer")]
    assert [(one.name, one.type) for one in operation.optional_parameters] == [("b", "string")]


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ("{type: array, items: {type: string}}", "array"),
        ("{oneOf: [{properties: {a: {}}}, {properties: {b: {}}}]}", "object"),
        ("{type: string}", "string"),
    ],
)
def test_a_body_that_is_no_plain_object_is_one_parameter(
    the_document: One, schema: str, kind: str
) -> None:
    (operation,) = the_document(body(schema)).api_list
    (parameter,) = operation.required_parameters
    assert (parameter.name, parameter.place, parameter.type) == ("body", "body", kind)
    assert parameter.schema[WHOLE_BODY] is True


def test_a_body_of_nothing_is_no_parameter(the_document: One) -> None:
    content = body("{type: object}").replace("required: true, ", "")
    assert the_document(content).api_list[0].parameters == ()


def test_an_operation_whose_parameters_share_a_name_is_left_out(read: Read) -> None:
    content = (
        "openapi: 3.0.0\npaths: {'/a/{id}': {put: {requestBody: {content: {application/json: "
        "{schema: {properties: {id: {type: string}}}}}}}}}"
    )
    assert read({"a.yaml": content})["a.yaml"].refused == (
        "none of its operations can be used: PUT /a/{id}: two parameters are called 'id' "
        "(in path, in body)"
    )


def test_operations_of_one_name_get_names_of_their_own(the_document: One) -> None:
    found = the_document(
        "openapi: 3.0.0\ninfo: {title: T}\n"
        "paths: {/a: {get: {operationId: x}, put: {operationId: x}}, '/b/{c}': {get: {}}}"
    )
    assert [each.name for each in found.api_list] == ["x", "x_2", "get_b_c"]
    assert found.api_list[2].required_parameters == (ApiParameter("c", place="path"),)


def test_what_cannot_be_called_as_described_is_left_out_and_said(read: Read) -> None:
    found = read(
        {
            "a.yaml": "swagger: '2.0'\ninfo: {title: T}\npaths:\n"
            "  /a: {get: {parameters: [{name: u, in: query, type: user}]}}\n  /b: {get: {}}"
        }
    )["a.yaml"]
    (entry,) = found.entries
    assert entry.document is not None
    assert [each.name for each in entry.document.api_list] == ["get_b"]
    assert entry.remark == (
        "1 of 2 excluded: GET /a: the parameter 'u' has the type 'user', which JSON schema does not know"
        "; no server is named: addresses have no host"
    )


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("openapi: 4.0.0\npaths: {}", "openapi '4.0.0' is not read: make it OpenAPI 3.0, 3.1 or"),
        ("swagger: '1.2'\npaths: {}", "swagger '1.2' is not read"),
        ("openapi: 3.0.0\ninfo: {title: T}\npaths: {}", "no paths, so no operations"),
        ("openapi: 3.1.0\ninfo: {title: T}\nwebhooks: {a: {post: {}}}", "webhooks only"),
        ("openapi: 3.0.0\npaths: {/a: {x: 1}}", "none of its operations can be used: /a: no op"),
        ("components: {schemas: {}}", "a part for other documents to refer to"),
        ("a: b", "no API document: it has no openapi, swagger or paths"),
        ("[1, 2", "no YAML (line 2"),
        ("openapi: [", "no YAML"),
    ],
)
def test_a_file_that_describes_no_api_is_refused_with_the_reason(
    read: Read, content: str, why: str
) -> None:
    reading = read({"a.yaml": content})["a.yaml"]
    assert reading.refused.startswith(why)
    assert reading.entries == ()


def test_json_with_a_slip_that_yaml_allows_is_read_and_said(read: Read) -> None:
    reading = read({"a.json": '{"openapi": "3.0.0", "paths": {"/a": {"get": {},}}}'})["a.json"]
    assert len(reading.entries) == 1
    assert "no JSON" in reading.remark
    assert "read as YAML" in reading.remark


SPLIT = {
    "spec/api.yaml": "openapi: 3.0.0\ninfo: {title: T}\npaths:\n  /a:\n    get:\n"
    "      parameters: [{$ref: '../parts/p.json#/limit'}]\n"
    "      responses: {'200': {content: {application/json: {schema: {$ref: '../parts/pet.yaml'}}}}}\n",
    "parts/p.json": '{"limit": {"name": "limit", "in": "query", "schema": {"type": "integer"}}}',
    "parts/pet.yaml": "type: object\nproperties:\n  name: {type: string}\n  friend: {$ref: pet.yaml}\n",
}


def test_references_lead_to_other_files_and_circles_end(read: Read) -> None:
    found = read(SPLIT)
    (entry,) = found["spec/api.yaml"].entries
    assert entry.document is not None
    (operation,) = entry.document.api_list
    assert operation.optional_parameters == (ApiParameter("limit", "integer"),)
    assert operation.schema == {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "friend": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "friend": {"type": "object"}},
            },
        },
    }
    assert entry.remark == "no server is named: addresses have no host"
    assert found["parts/pet.yaml"].refused.startswith("a part for other documents")
    assert found["parts/p.json"].refused.startswith("a part for other documents")


def test_no_reference_leads_out_of_the_folder(read: Read, tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text("name: p\nin: query\n")
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "link.yaml").symlink_to(tmp_path / "secret.yaml")
    for target in ("../secret.yaml", "link.yaml", f"{tmp_path}/secret.yaml", "%2e%2e/secret.yaml"):
        content = f"openapi: 3.0.0\npaths: {{/a: {{get: {{parameters: [{{$ref: '{target}'}}]}}}}}}"
        assert (
            "it is outside the folder that was named" in read({"a.yaml": content})["a.yaml"].refused
        )


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("https://example.org/p.yaml#/p", "it is on another host, asked only with --fetch-refs"),
        ("//example.org/p.yaml", "it is on another host, asked only with --fetch-refs"),
        ("file:///etc/passwd", "is not an address (neither a file here nor one of the web)"),
        ("http://[", "is not an address (Invalid IPv6 URL)"),
        ("a%00.yaml", "no such file"),
    ],
)
def test_no_reference_leads_to_another_host_or_scheme(read: Read, target: str, said: str) -> None:
    content = f"openapi: 3.0.0\npaths: {{/a: {{get: {{parameters: [{{$ref: '{target}'}}]}}}}}}"
    assert said in read({"a.yaml": content})["a.yaml"].refused


def test_a_schema_that_cannot_be_read_is_left_open_and_said(read: Read) -> None:
    content = (
        "openapi: 3.0.0\ninfo: {title: T}\npaths: {/a: {get: {responses: {'200': {content: "
        "{application/json: {schema: {$ref: '#/components/schemas/None'}}}}}}}}"
    )
    (entry,) = read({"a.yaml": content})["a.yaml"].entries
    assert entry.document is not None
    assert entry.document.api_list[0].schema == {}
    assert entry.remark == (
        "1 with parts left open: GET /a: the reference #/components/schemas/None names nothing"
        "; no server is named: addresses have no host"
    )


def test_a_schema_that_grows_without_end_is_cut(the_document: One) -> None:
    wide = ", ".join(f"p{n}: {{$ref: '#/components/schemas/S{n}'}}" for n in range(8))
    schemas = ", ".join(f"S{n}: {{type: object, properties: {{{wide}}}}}" for n in range(8))
    found = the_document(
        f"openapi: 3.0.0\ninfo: {{title: T}}\ncomponents: {{schemas: {{{schemas}}}}}\n"
        "paths: {/a: {get: {responses: {'200': {content: {application/json: {schema: "
        "{$ref: '#/components/schemas/S0'}}}}}}}}"
    )
    assert len(json.dumps(found.api_list[0].schema)) < 200_000


FRAGMENTS = {
    "head.json": '{"openapi": "3.0.1", "info": {"title": "Brasil"}, "servers": [{"url": "https://br.example/api"}]}',
    "cep.json": '{"tags": [], "paths": {"/cep/{cep}": {"get": {"responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/E"}}}}}}}}}',
    "error.json": '{"components": {"schemas": {"E": {"type": "object"}}}}',
}


def test_fragments_beside_a_head_are_one_document_with_it(read: Read) -> None:
    found = read(FRAGMENTS)
    (entry,) = found["head.json"].entries
    assert entry.document is not None
    assert entry.document.tool_name == "Brasil"
    (operation,) = entry.document.api_list
    assert operation.url == "https://br.example/api/cep/{cep}"
    assert operation.schema == {"type": "object"}
    assert found["cep.json"].remark == "a fragment of head.json"
    assert found["error.json"].remark == "a fragment of head.json"


def test_a_fragment_without_a_head_has_its_files_name_and_no_host(read: Read) -> None:
    (entry,) = read({"cep.json": FRAGMENTS["cep.json"]})["cep.json"].entries
    assert entry.document is not None
    assert entry.document.tool_name == "cep"
    assert entry.document.api_list[0].url == "/cep/{cep}"
    assert entry.document.origins[0].form == "fragment"


def test_numbers_that_nothing_can_store_are_texts(the_document: One) -> None:
    found = the_document(
        '{"openapi": "3.0.0", "info": {"title": "T"}, "paths": {"/a": {"get": {"parameters": ['
        '{"name": "n", "in": "query", "example": 123456789012345678901234567890}]}}}}',
        "a.json",
    )
    assert found.api_list[0].optional_parameters[0].example == "123456789012345678901234567890"


@pytest.mark.slow
def test_a_document_that_uses_a_part_without_end_is_left_out(read: Read) -> None:
    many = ", ".join(f"p{n}: {{enum: [{', '.join(map(str, range(190)))}]}}" for n in range(150))
    paths = ", ".join(
        f"/a{n}: {{get: {{responses: {{'200': {{schema: {{$ref: '#/definitions/D'}}}}}}}}}}"
        for n in range(30)
    )
    content = f"swagger: '2.0'\ndefinitions: {{D: {{properties: {{{many}}}}}}}\npaths: {{{paths}}}"
    (entry,) = read({"a.yaml": content})["a.yaml"].entries
    assert "the document has more than 500,000 parts: split it" in entry.remark
