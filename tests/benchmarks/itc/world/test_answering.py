"""Bundled APIs refuse, miss and compute like the real ones that they resemble."""

import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from dragoman.benchmarks.itc.world.bundled_set import load_bundled_apis
from dragoman.benchmarks.itc.world.request_handler import SimulatedApis


@pytest.fixture
def apis() -> SimulatedApis:
    return load_bundled_apis().apis


def got(apis: SimulatedApis, tool: str, arguments: Mapping[str, object]) -> Any:  # noqa: ANN401 - JSON
    answer = apis.call(tool, arguments)
    assert answer.status == 200
    return msgspec.json.decode(answer.body)


@pytest.mark.parametrize(
    ("tool", "arguments", "status", "has"),
    [
        ("Consulta CEP", {"cep": "01310-930"}, 400, "O parâmetro cep é inválido."),
        ("Consulta CEP", {}, 400, "cep"),
        ("Consulta CEP", {"cep": "99999999"}, 404, "CEP não encontrado."),
        ("Country Lookup", {"name": "Atlantis"}, 404, "<!doctype html>"),
        ("Country Lookup", {}, 422, "name / code"),
        ("Kursy walut", {"tabela": "A", "kod": "EUR", "data": "2026-03-15"}, 404, "NotFound"),
        ("Ada za Kutuma Pesa", {"kiasi": 900000, "aina": "kutuma"}, 400, "viwango"),
        ("快递查询", {"company": "shanfeng", "number": "SF0"}, 200, '"code":404'),
        ("快递查询", {"number": "SF0"}, 200, '"code":400'),
        ("駅検索", {"name": "幻"}, 200, '"results":null'),
        ("Sismos recientes", {"estado": "Yucatán"}, 200, '"sismos":[]'),
        ("Unit Converter", {"value": 1, "from": "km", "to": "kg"}, 422, "unknown_unit"),
    ],
)
def test_each_refuses_in_its_own_way(
    apis: SimulatedApis, tool: str, arguments: dict[str, object], status: int, has: str
) -> None:
    answer = apis.call(tool, arguments)
    assert answer.status == status
    assert has in answer.body.decode()


def test_a_weekend_has_the_rates_of_friday(apis: SimulatedApis) -> None:
    asked = {"from": "EUR", "to": "USD"}
    sunday = got(apis, "FX Rates", {**asked, "date": "2026-03-15"})
    assert sunday == got(apis, "FX Rates", {**asked, "date": "2026-03-13"})
    assert sunday["date"] == "2026-03-13"


def test_rates_of_two_sources_differ(apis: SimulatedApis) -> None:
    market = got(apis, "FX Rates", {"from": "EUR", "to": "PLN", "date": "2026-03-11"})
    official = got(apis, "Kursy walut", {"tabela": "A", "kod": "EUR", "data": "2026-03-11"})
    assert market["rates"]["PLN"] != official["rates"][0]["mid"]


def test_compound_growth_takes_per_cent(apis: SimulatedApis) -> None:
    asked = {"principal": 1000, "annual_rate": 10, "years": 2}
    assert got(apis, "Compound Growth", asked)["final_amount"] == 1210.0


def test_units_of_temperature_have_an_offset(apis: SimulatedApis) -> None:
    asked = {"value": 101.3, "from": "degF", "to": "degC"}
    assert got(apis, "Unit Converter", asked)["result"] == "38.5"


def test_a_password_depends_on_its_seed(apis: SimulatedApis) -> None:
    asked = {"length": 12, "numbers": True, "seed": 7}
    first = got(apis, "Generate Password", asked)["data"]
    assert first == got(apis, "Generate Password", asked)["data"]
    assert len(first["password"]) == 12
    assert first != got(apis, "Generate Password", {**asked, "seed": 8})["data"]


def test_a_hash_is_that_of_the_text(apis: SimulatedApis) -> None:
    asked = {"text": "été", "algorithm": "sha256"}
    assert got(apis, "Text Hash", asked)["hash"] == hashlib.sha256("été".encode()).hexdigest()


def test_a_text_is_hashed_as_it_is_or_refused_as_too_long(apis: SimulatedApis) -> None:
    asked = {"text": " a ", "algorithm": "md5"}
    assert got(apis, "Text Hash", asked)["hash"] == hashlib.md5(b" a ").hexdigest()  # noqa: S324
    assert apis.call("Text Hash", {**asked, "text": "a" * 2001}).status == 422


def test_amounts_of_a_recipe_follow_the_people(apis: SimulatedApis) -> None:
    two = got(apis, "Receta completa", {"id": "r-107", "raciones": 2})["ingredientes"]
    six = got(apis, "Receta completa", {"id": "r-107", "raciones": 6})["ingredientes"]
    assert [each["cantidad"] * 3 for each in two] == [each["cantidad"] for each in six]


def test_recipes_go_on_from_a_cursor(apis: SimulatedApis) -> None:
    asked = {"ingrediente": "tomate"}
    every = got(apis, "Buscador de recetas", asked)
    rest = got(apis, "Buscador de recetas", {**asked, "cursor": 2})
    assert rest["recetas"] == every["recetas"][2:]
    assert rest["total"] == every["total"] > 2


def test_a_published_key_is_sent_with_the_call_and_needed(apis: SimulatedApis) -> None:
    asked = {"was": "Koch", "wo": "Leipzig"}
    assert apis.request("Jobsuche", asked).headers == {"X-API-Key": "oeffentlich"}
    assert got(apis, "Jobsuche", asked)["stellenangebote"]
    assert apis.answer("GET", "/de/jobs", {"was": "Koch"}).status == 400


def test_a_code_that_looks_like_a_number_keeps_its_zero(apis: SimulatedApis) -> None:
    assert got(apis, "Communes", {"code": "01004", "fields": "nom"}) == {"nom": "Ambérieu-en-Bugey"}
    assert apis.call("Communes", {"code": 1004}).status == 400


def test_a_working_sunday_is_one(apis: SimulatedApis) -> None:
    assert got(apis, "节假日安排", {"date": "2026-09-20"})["holiday"]["work"] is True


def test_trains_after_midnight_are_of_the_day_before(apis: SimulatedApis) -> None:
    asked = {"station_id": "27001", "houmen": "大阪", "youbi": "土曜", "after": "23:59"}
    assert [each["time"][:2] for each in got(apis, "時刻表", asked)["departures"]] == ["24"]


def test_the_day_of_the_ancestors_is_in_april(apis: SimulatedApis) -> None:
    (day,) = got(apis, "Đổi ngày âm lịch", {"ngay_am": "10/03", "nam": 2026})["ket_qua"]
    assert day["ngay_duong"] == "2026-04-26"


def test_what_nobody_serves_is_not_found_and_another_method_not_allowed(
    apis: SimulatedApis,
) -> None:
    assert apis.answer("GET", "/").status == 404
    assert apis.answer("GET", "/br/cep/v1").status == 404
    assert apis.answer("DELETE", "/br/cep/v1/01310930").status == 405
    assert apis.answer("POST", "/global/hash", body=b"{").status == 422
