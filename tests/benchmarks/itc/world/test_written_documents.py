"""API documents state the content of the rows, in three forms and two real languages."""

import msgspec
import pytest

from dragoman.benchmarks.itc.world.api_data import CountryRow, countries
from dragoman.benchmarks.itc.world.api_documents import (
    document_file_name,
    listed_apis,
    render_catalogue,
    render_documents,
    render_gone_operations,
)
from dragoman.benchmarks.itc.world.bundled_set import load_bundled_apis

ORIGIN = "http://127.0.0.1:8790"
WRITTEN = render_documents(countries(), ORIGIN)


class Written(msgspec.Struct):
    paths: dict[str, dict[str, dict[str, object]]]
    openapi: str = ""
    swagger: str = ""


def content(country: CountryRow) -> Written:
    decode = msgspec.yaml.decode if country.syntax == "yaml" else msgspec.json.decode
    return decode(WRITTEN[document_file_name(country)], type=Written)


@pytest.mark.parametrize("country", countries(), ids=lambda country: country.id)
def test_a_document_has_every_api_of_its_country_and_no_other(country: CountryRow) -> None:
    paths = content(country).paths
    named = [one for methods in paths.values() for one in methods.values()]
    assert [one["operationId"] for one in named] == [api.name for api in country.api]
    assert [one["description"] for one in named] == [api.about for api in country.api]


@pytest.mark.parametrize("country", countries(), ids=lambda country: country.id)
def test_a_document_says_its_version_as_its_form_does(country: CountryRow) -> None:
    written = content(country)
    said = {"openapi-3.0": "3.0.3", "openapi-3.1": "3.1.0", "swagger-2.0": "2.0"}[country.form]
    assert (written.openapi or written.swagger) == said


def test_the_catalogue_has_four_that_are_known_and_six_that_nobody_serves() -> None:
    entries = listed_apis().entry
    apis = load_bundled_apis().apis
    gone = [entry.gone for entry in entries if entry.gone is not None]
    assert (len(entries), len(gone)) == (10, 6)
    assert {apis.answer("GET", entry.url).status for entry in gone} == {404}
    pages = {f"/{country.id}" for country in countries()}
    assert {entry.page for entry in entries if entry.gone is None} < pages
    assert render_catalogue(ORIGIN).decode().count(ORIGIN) == 10
    assert render_gone_operations(ORIGIN).decode().count('"url"') == 6
