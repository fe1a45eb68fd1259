"""Exchanges of 28 central banks, recorded by others: each is read, in its charset, and judged."""

from collections import Counter
from pathlib import Path

import pytest

from dragoman.curation.api_datasets.probing.api_client import read_vcr
from dragoman.curation.api_datasets.probing.responses import judge_response
from dragoman.web.exchange import HttpExchange
from dragoman.web.response_bodies import body_text

pytestmark = pytest.mark.conformance


@pytest.fixture(scope="module")
def exchanges(data_folder: Path) -> dict[str, list[HttpExchange]]:
    files = sorted((data_folder / "itc" / "responses").glob("*.yml"))
    return {path.stem: read_vcr(path) for path in files}


def test_all_exchanges_are_read(exchanges: dict[str, list[HttpExchange]]) -> None:
    every = [each for bank in exchanges.values() for each in bank]
    assert (len(exchanges), len(every)) == (28, 140)
    assert Counter(each.method for each in every) == {"GET": 137, "POST": 3}
    assert all(each.status == 200 and each.body for each in every)


def test_json_is_told_from_all_else(exchanges: dict[str, list[HttpExchange]]) -> None:
    found = Counter(judge_response(each).reason for bank in exchanges.values() for each in bank)
    assert found == {
        "": 71,
        "no JSON but a page or XML": 63,
        "no JSON but text/csv": 3,
        "no JSON but application/csv": 1,
        "no JSON but application/vnd.ms-excel": 2,
    }


def test_every_body_is_text_in_its_charset(exchanges: dict[str, list[HttpExchange]]) -> None:
    texts = [body_text(each.body, each.headers) for bank in exchanges.values() for each in bank]
    assert not any(text.damaged for text in texts)
    russian = [body_text(each.body, each.headers) for each in exchanges["cbr"]]
    assert {text.charset for text in russian} == {"cp1251"}
    assert "<Name>Австралийский доллар</Name>" in russian[0].text


def test_good_answers_have_the_schema_of_what_they_begin_with(
    exchanges: dict[str, list[HttpExchange]],
) -> None:
    found = [(each, judge_response(each)) for bank in exchanges.values() for each in bank]
    good = [(each.body.strip()[:1], said.schema) for each, said in found if said.kind == "good"]
    assert Counter(start for start, _ in good) == {b"{": 47, b"[": 24}
    assert all(schema["type"] == {b"{": "object", b"[": "array"}[start] for start, schema in good)


def test_no_cookie_is_kept(exchanges: dict[str, list[HttpExchange]]) -> None:
    kept = {
        each.headers["set-cookie"]
        for bank in exchanges.values()
        for each in bank
        if "set-cookie" in each.headers
    }
    assert kept == {"***"}
