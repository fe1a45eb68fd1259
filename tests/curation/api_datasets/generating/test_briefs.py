"""Query briefs: the choice of operations for the queries to generate."""

from collections import Counter

import pytest

from dragoman.core.apis.documents import ApiDocument, ApiParameter, Operation
from dragoman.core.errors import UsageError
from dragoman.curation.api_datasets.operations import known_operations
from dragoman.curation.api_datasets.query_briefs import BriefPlan, plan_briefs

OBJECT = {"type": "object"}
CITY = "IBGE code of the municipality"


def document(name: str, country: str, *operations: Operation) -> ApiDocument:
    return ApiDocument(name, name.upper(), country=country, api_list=operations)


def operation(name: str, *parameters: str, about: str = "", answers: str = "") -> Operation:
    schema: dict[str, object] = (
        {"properties": {"data": {"properties": {answers: {"type": "string", "description": CITY}}}}}
        if answers
        else {}
    )
    return Operation(
        name,
        f"https://api.example/{name}",
        about,
        required_parameters=tuple(
            ApiParameter(each, description=CITY if each == "city_code" else "")
            for each in parameters
        ),
        schema=schema,
    )


CEP = document(
    "cep", "Brazil", operation("CEP", "zip", about="address of a postcode", answers="city_code")
)
TEMPO = document("tempo", "Brazil", operation("Tempo", "city_code", about="weather of a city"))
YUBIN = document("yubin", "Japan", operation("Yubin", "zip", about="address of a postcode"))
QUAKES = document("quakes", "", operation("Quakes", "since", about="recent earthquakes"))
ALL = known_operations([CEP, TEMPO, YUBIN, QUAKES])


def kinds(plan: BriefPlan) -> Counter[str]:
    return Counter(each.kind for each in plan_briefs(ALL, {}, plan))


def test_every_operation_of_a_known_language_is_used_once() -> None:
    briefs = plan_briefs(ALL, {}, BriefPlan({"repeated": 0, "parallel": 0, "nested": 0}))
    assert [each.used for each in briefs] == [("yubin/Yubin",), ("cep/CEP",), ("tempo/Tempo",)]
    assert [each.language for each in briefs] == ["ja", "pt", "pt"]


def test_countries_with_few_operations_come_first() -> None:
    briefs = plan_briefs(ALL, {}, BriefPlan({"single": 1}))
    assert briefs[0].country == "Japan"


def test_what_looks_alike_is_offered_first() -> None:
    plan = BriefPlan({"single": 1, "repeated": 0, "parallel": 0, "nested": 0}, offered=2)
    (brief,) = plan_briefs(ALL, {}, plan)
    assert set(brief.offered) == {"yubin/Yubin", "cep/CEP"}


def test_an_answered_field_that_another_requires_makes_a_chain() -> None:
    (brief,) = (each for each in plan_briefs(ALL, {}, BriefPlan()) if each.kind == "nested")
    assert brief.used == ("cep/CEP", "tempo/Tempo")
    assert brief.chain is not None
    assert (brief.chain.parameter, brief.chain.path) == ("city_code", "data.city_code")


def test_what_was_observed_comes_before_what_documents_declare() -> None:
    seen: dict[str, dict[str, object]] = {
        "cep/CEP": {
            "items": {"properties": {"city_code": {"type": "integer", "description": CITY}}}
        }
    }
    (brief,) = (each for each in plan_briefs(ALL, seen, BriefPlan()) if each.kind == "nested")
    assert brief.chain is not None
    assert brief.chain.path == "0.city_code"


def test_parallel_ones_are_of_one_country() -> None:
    (brief,) = (each for each in plan_briefs(ALL, {}, BriefPlan()) if each.kind == "parallel")
    assert (set(brief.used), brief.country) == ({"cep/CEP", "tempo/Tempo"}, "Brazil")


def test_another_document_changes_no_brief_that_does_not_offer_it() -> None:
    few = BriefPlan({"repeated": 0, "parallel": 0, "nested": 0}, offered=1)
    more = document("bus", "Kenya", operation("Bus", "stop"))
    before = {each.id for each in plan_briefs(ALL, {}, few)}
    after = {each.id for each in plan_briefs({**ALL, **known_operations([more])}, {}, few)}
    assert before < after


def test_a_kind_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UsageError, match="'paralel': no kind of query"):
        BriefPlan({"paralel": 3})


def test_counts_are_kept() -> None:
    assert kinds(BriefPlan({"single": 2, "repeated": 1, "parallel": 1, "nested": 1})) == {
        "single": 2,
        "repeated": 1,
        "parallel": 1,
        "nested": 1,
    }


@pytest.mark.parametrize("kind", [["string", "null"], ["integer", "string"]])
def test_a_field_of_several_types_can_be_passed_on(kind: list[str]) -> None:
    seen: dict[str, dict[str, object]] = {
        "cep/CEP": {"properties": {"city_code": {"type": kind, "description": CITY}}}
    }
    found = [each.chain for each in plan_briefs(ALL, seen, BriefPlan()) if each.chain]
    assert [each.path for each in found] == ["city_code"]


@pytest.mark.parametrize(
    "schema", [{"type": {"a": 1}}, {"type": ["object", "null"]}, {"type": [3]}]
)
def test_a_field_that_is_no_scalar_is_not_passed_on(schema: dict[str, object]) -> None:
    seen: dict[str, dict[str, object]] = {"cep/CEP": {"properties": {"city_code": schema}}}
    assert [each for each in plan_briefs(ALL, seen, BriefPlan()) if each.chain] == []
