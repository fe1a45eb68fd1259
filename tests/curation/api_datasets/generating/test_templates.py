"""Template queries use the statements of documents, and come with their calls."""

import msgspec
import pytest

from dragoman.core.apis.documents import ApiDocument, ApiParameter, Operation
from dragoman.core.apis.tasks import ApiCall
from dragoman.curation.api_datasets.generate import NAME, template_query, template_thought
from dragoman.curation.api_datasets.operation_chains import Chain
from dragoman.curation.api_datasets.operations import known_operations
from dragoman.curation.api_datasets.query_briefs import Brief

CEP = ApiDocument(
    "cep",
    "CEP",
    country="Brazil",
    api_list=(
        Operation(
            "Consulta CEP",
            "https://api.example/{cep}",
            "Endereço de um CEP. Só oito dígitos.",
            required_parameters=(
                ApiParameter("cep", example="01310930", schema={"enum": ["01310930", "20040002"]}),
            ),
        ),
        Operation(
            "Tempo",
            "https://api.example/tempo",
            "Previsão do tempo",
            required_parameters=(ApiParameter("cidade"),),
            optional_parameters=(ApiParameter("dias", type="integer", default=3),),
        ),
        Operation("Feriados", "https://api.example/feriados", "Feriados do ano"),
    ),
)
KNOWN = known_operations([CEP])
FIRST = Brief("single", "pt", "Brazil", ("cep/Consulta CEP",), tuple(KNOWN))


def test_a_query_says_what_its_call_needs() -> None:
    task = template_query(FIRST, KNOWN, 0)
    assert task.query in {
        "Procure isto para mim, por favor: Endereço de um CEP (cep: 01310930).",
        "Preciso do seguinte: Endereço de um CEP. Dados: cep: 01310930.",
    }
    assert task.gold == (ApiCall("Consulta CEP", {"cep": "01310930"}),)
    assert (task.made_by, task.language) == (NAME, "pt")


def test_repeated_calls_have_different_values() -> None:
    task = template_query(msgspec.structs.replace(FIRST, kind="repeated"), KNOWN, 0)
    assert [call.arguments["cep"] for call in task.gold] == ["01310930", "20040002"]
    assert task.query == (
        "Faça isto duas vezes: Endereço de um CEP. Primeiro com cep: 01310930 e depois com cep: 20040002."
    )


def test_a_later_call_takes_what_the_first_answers() -> None:
    chain = Chain("cep/Consulta CEP", "cep/Tempo", "cidade", "data.city")
    brief = Brief("nested", "pt", "Brazil", (chain.first, chain.second), tuple(KNOWN), chain)
    task = template_query(brief, KNOWN, 0)
    assert task.gold[1] == ApiCall("Tempo", {"cidade": {"from": "$1.data.city"}})
    assert "cidade" not in task.query


def test_arrays_and_objects_that_a_document_states_are_said() -> None:
    filters = ApiParameter("filtro", "object", example={"uf": "SP"})
    days = ApiParameter("dias", "array", example=[1, 2])
    operation = Operation("Buscar", "https://api.example/", "Buscar", required_parameters=(filters, days))  # fmt: skip
    document = msgspec.structs.replace(CEP, api_list=(operation,))
    brief = Brief("single", "pt", "Brazil", ("cep/Buscar",), ("cep/Buscar",))
    task = template_query(brief, known_operations([document]), 0)
    assert task.gold == (ApiCall("Buscar", {"filtro": {"uf": "SP"}, "dias": [1, 2]}),)
    assert 'filtro: {"uf":"SP"}' in task.query
    assert "dias: [1,2]" in task.query


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"language": "xx"}, "no template in 'xx'"),
        ({"used": ("cep/Tempo",)}, "its document states no value for 'cidade'"),
        ({"kind": "repeated", "used": ("cep/Feriados",)}, "values for one call only"),
    ],
)
def test_nothing_is_invented(change: dict[str, object], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        template_query(msgspec.structs.replace(FIRST, **change), KNOWN, 0)


def test_a_call_without_values_leaves_no_empty_brackets() -> None:
    task = template_query(msgspec.structs.replace(FIRST, used=("cep/Feriados",)), KNOWN, 0)
    assert "(" not in task.query
    assert task.gold == (ApiCall("Feriados"),)


@pytest.mark.parametrize(
    ("language", "begins"),
    [
        ("no", "Finn først ut"),
        ("nb-NO", "Finn først ut"),
        ("nn", "Finn først ut"),
        ("sv", "Ta först reda"),
    ],
)
def test_a_query_in_a_nordic_language_is_in_its_words(language: str, begins: str) -> None:
    chain = Chain("cep/Consulta CEP", "cep/Tempo", "cidade", "data.city")
    brief = Brief("nested", language, "Norway", (chain.first, chain.second), tuple(KNOWN), chain)
    assert template_query(brief, KNOWN, 0).query.startswith(begins)


def test_norwegian_has_two_written_forms() -> None:
    thoughts = {
        tag: template_thought(
            template_query(msgspec.structs.replace(FIRST, language=tag), KNOWN, 0)
        )
        for tag in ("no", "nb", "nn")
    }
    assert thoughts == {
        "no": "For å svare på dette kaller jeg: Consulta CEP.",
        "nb": "For å svare på dette kaller jeg: Consulta CEP.",
        "nn": "For å svare på dette kallar eg: Consulta CEP.",
    }
