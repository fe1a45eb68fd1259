"""API documents, tasks and exchanges as records."""

import msgspec

from dragoman.core.apis.documents import ApiDocument, ApiParameter, Operation, operations
from dragoman.core.apis.tasks import ApiCall, ApiTask
from dragoman.web.exchange import HttpExchange

CEP = Operation(
    name="Consulta CEP",
    url="https://api.example/br/cep/v1/{cep}",
    required_parameters=(ApiParameter("cep", place="path"),),
    optional_parameters=(ApiParameter("formato"),),
)


def test_an_operation_is_known_by_its_document_and_its_name() -> None:
    document = ApiDocument("br-cep", "CEP", country="Brazil", api_list=(CEP,))
    assert list(operations(document)) == [("br-cep/Consulta CEP", CEP)]


def test_required_parameters_come_first() -> None:
    assert [each.name for each in CEP.parameters] == ["cep", "formato"]


def test_records_come_back_from_their_json() -> None:
    task = ApiTask(
        "t1",
        "Vai chover amanhã na cidade do CEP 20040-002?",
        "pt",
        "nested",
        ("br-cep/Consulta CEP", "br-tempo/Previsão do Tempo"),
        (
            ApiCall("Consulta CEP", {"cep": "20040002"}),
            ApiCall("Previsão do Tempo", {"codigo_cidade": {"from": "$1.city_ibge"}, "dias": 1}),
        ),
    )
    exchange = HttpExchange("GET", "https://api.example/", status=200, body=b"\xff{}")
    for record in (task, exchange, ApiDocument("a", "A", api_list=(CEP,))):
        assert msgspec.json.decode(msgspec.json.encode(record), type=type(record)) == record
