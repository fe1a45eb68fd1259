"""A call is the request that its document describes, with values that it states and no others."""

import pytest

from dragoman.core.apis.documents import ApiParameter, Operation
from dragoman.curation.api_datasets.probing.api_keys import sample_calls
from dragoman.curation.api_datasets.probing.request_builder import build_request
from dragoman.web.fetcher import FetchRequest


def test_values_go_where_the_document_places_them() -> None:
    operation = Operation(
        "Trains",
        "https://api.example/v1/{from}/trains?lang=ar",
        required_parameters=(
            ApiParameter("from", place="path"),
            ApiParameter("to"),
            ApiParameter("X-Client", place="header"),
        ),
    )
    values = {
        "from": "القاهرة/1",
        "to": "a b&c",
        "X-Client": "me",
        "direct": True,
        "days": [1, 2.0],
    }
    assert build_request(operation, values) == FetchRequest(
        "https://api.example/v1/%D8%A7%D9%84%D9%82%D8%A7%D9%87%D8%B1%D8%A9%2F1/trains"
        "?lang=ar&to=a+b%26c&direct=true&days=1%2C2",
        headers={"X-Client": "me"},
    )


def test_fields_of_a_body_are_posted_as_json() -> None:
    fields = tuple(ApiParameter(name, place="body") for name in ("text", "n"))
    operation = Operation("Hash", "https://api.example/", method="POST", required_parameters=fields)
    asked = build_request(operation, {"text": "é", "n": 2})
    assert asked.body == '{"text":"é","n":2}'.encode()
    assert (asked.method, asked.headers) == ("POST", {"Content-Type": "application/json"})


def test_a_body_that_is_no_object_is_posted_as_it_stands() -> None:
    whole = ApiParameter("body", "array", place="body", schema={"x-whole-body": True})
    operation = Operation(
        "Sum", "https://api.example/", method="POST", required_parameters=(whole,)
    )
    assert build_request(operation, {"body": [1, 2]}).body == b"[1,2]"


def test_each_stated_value_makes_a_call_as_far_as_is_wanted() -> None:
    listed = ApiParameter("country", schema={"enum": ["CO", "PE", "CL"]})
    operation = Operation("Holidays", "https://api.example/", required_parameters=(listed,))
    urls = [each.stored.url for each in sample_calls(operation, 2)]
    assert urls == ["https://api.example/?country=CO", "https://api.example/?country=PE"]


@pytest.mark.parametrize(
    ("operation", "why"),
    [
        (Operation("a", "https://a.example/", method="DELETE"), "DELETE is not called"),
        (
            Operation("a", "https://a.example/", required_parameters=(ApiParameter("q"),)),
            "its document states no value for 'q'",
        ),
        (Operation("a", "https://a.example/{id}"), "no value for a place in the path"),
        (
            Operation(
                "a",
                "https://a.example/",
                required_parameters=(ApiParameter("Host", place="header", example="inside"),),
            ),
            "the header 'Host' is not for a document to set",
        ),
        (
            Operation(
                "a",
                "https://a.example/",
                required_parameters=(ApiParameter("X-A", place="header", example="a\r\nB: c"),),
            ),
            "the header 'X-A' is not for a document to set",
        ),
    ],
)
def test_what_cannot_be_called_says_why(operation: Operation, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        sample_calls(operation, 1)
