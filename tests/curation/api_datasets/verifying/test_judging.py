"""The kind of an answer, judged by its status and its bytes."""

import pytest

from dragoman.curation.api_datasets.probing.responses import judge_response
from dragoman.web.exchange import HttpExchange

JSON = {"content-type": "application/json; charset=utf-8"}


def answer(body: bytes, status: int = 200, headers: dict[str, str] = JSON) -> HttpExchange:
    return HttpExchange("GET", "https://api.example/", status=status, headers=headers, body=body)


@pytest.mark.parametrize(
    ("exchange", "kind", "reason"),
    [
        (answer(b'{"a": 1}'), "good", ""),
        (answer(b"\xef\xbb\xbf[1]"), "good", ""),
        (answer(b"42"), "good", ""),
        (answer(b"0"), "good", ""),
        (answer(b'{"a": 1}', headers={"content-type": "text/plain"}), "good", ""),
        (answer(b""), "empty", "the answer is empty"),
        (answer(b" \n"), "empty", "the answer is empty"),
        (answer(b"[]"), "empty", "nothing is in the answer"),
        (answer(b"null"), "empty", "nothing is in the answer"),
        (answer(b'{"a": [1,'), "malformed", "the JSON is malformed"),
        (answer(b"[" * 100_000), "malformed", "the JSON is malformed"),
        (answer(b"a;b\r\n1;2"), "malformed", "the JSON is malformed"),
        (answer(b"<html>"), "not JSON", "no JSON but a page or XML"),
        (answer(b"a,b", headers={"content-type": "text/csv"}), "not JSON", "no JSON but text/csv"),
        (answer(b'{"a": 1}', 404), "4xx", "status 404"),
        (answer(b"", 503), "5xx", "status 503"),
        (answer(b"", 304), "3xx", "status 304"),
        (
            answer(b'{"code": 404, "msg": "no data", "data": null}'),
            "error inside",
            "the answer says code 404",
        ),
        (answer(b'{"cod": "401"}'), "error inside", "the answer says cod 401"),
        (answer(b'{"error": "x"}'), "error inside", "the answer has 'error' and no data"),
        (
            answer(b'{"success": false, "data": []}'),
            "error inside",
            "the answer says that it is not a success",
        ),
        (answer(b'{"code": 0, "error": "", "data": [1]}'), "good", ""),
        (answer(b'{"errors": ["one"], "data": [1]}'), "good", ""),
        (answer(b'{"code": "404", "city": "Atlanta"}'), "good", ""),
        (answer(b'{"code": 75001, "city": "Paris"}'), "good", ""),
    ],
)
def test_an_answer_is_judged_by_what_is_in_it(
    exchange: HttpExchange, kind: str, reason: str
) -> None:
    found = judge_response(exchange)
    assert (found.kind, found.reason) == (kind, reason)
    assert (found.schema != {}) is (kind == "good")


def test_what_did_not_come_is_judged_by_why() -> None:
    lost = HttpExchange("GET", "https://api.example/", failure="connect: no connection (refused)")
    assert (judge_response(lost).kind, judge_response(lost).passes) == ("connect", True)
    unasked = HttpExchange("GET", "https://api.example/", failure="unasked: robots.txt answers 500")
    assert (judge_response(unasked).kind, judge_response(unasked).passes) == ("unasked", True)
    barred = HttpExchange("GET", "https://api.example/", failure="refused: metadata address")
    assert (judge_response(barred).kind, judge_response(barred).passes) == ("refused", False)


@pytest.mark.parametrize(
    ("status", "passes"), [(404, False), (401, False), (429, True), (500, True)]
)
def test_what_another_attempt_may_mend_says_so(status: int, passes: bool) -> None:
    assert judge_response(answer(b"", status)).passes is passes


def test_an_old_charset_is_read_by_what_the_header_says() -> None:
    cyrillic = {"content-type": "application/json; charset=windows-1251"}
    found = judge_response(answer('{"имя": "Да"}'.encode("windows-1251"), headers=cyrillic))
    assert list(found.schema["properties"]) == ["имя"]
