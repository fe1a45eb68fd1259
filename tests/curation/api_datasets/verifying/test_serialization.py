"""Values are serialized as OpenAPI says, by its tables and by a server's reading."""

from urllib.parse import parse_qsl, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.apis.documents import ApiParameter, Operation, Serialization
from dragoman.curation.api_datasets.probing.request_builder import (
    build_request,
    encode_body,
    header_value,
    path_parameter,
    query_parameter,
)

COLOURS = ["blue", "black", "brown"]
MIX = {"R": 100, "G": 200, "B": 150}


@pytest.mark.parametrize(
    ("style", "explode", "value", "written"),
    [
        ("matrix", False, "blue", ";color=blue"),
        ("matrix", False, "", ";color"),
        ("matrix", False, COLOURS, ";color=blue,black,brown"),
        ("matrix", True, COLOURS, ";color=blue;color=black;color=brown"),
        ("matrix", False, MIX, ";color=R,100,G,200,B,150"),
        ("matrix", True, MIX, ";R=100;G=200;B=150"),
        ("label", False, "blue", ".blue"),
        ("label", False, COLOURS, ".blue,black,brown"),
        ("label", True, COLOURS, ".blue.black.brown"),
        ("label", True, MIX, ".R=100.G=200.B=150"),
        ("simple", False, COLOURS, "blue,black,brown"),
        ("simple", True, MIX, "R=100,G=200,B=150"),
        ("simple", False, ["a,b", "c/d"], "a%2Cb,c%2Fd"),
    ],
)
def test_a_place_in_a_path_is_written_in_its_style(
    style: str, explode: bool, value: object, written: str
) -> None:
    assert path_parameter("color", value, Serialization(style, explode)) == written


@pytest.mark.parametrize(
    ("how", "value", "written"),
    [
        (Serialization("form", explode=True), COLOURS, "color=blue&color=black&color=brown"),
        (Serialization("form"), COLOURS, "color=blue,black,brown"),
        (Serialization("form"), ["a,b", "c&d"], "color=a%2Cb,c%26d"),
        (Serialization("form", explode=True), MIX, "R=100&G=200&B=150"),
        (Serialization("form"), MIX, "color=R,100,G,200,B,150"),
        (Serialization("form", explode=True), [], ""),
        (Serialization("form"), "", "color="),
        (Serialization("spaceDelimited"), COLOURS, "color=blue%20black%20brown"),
        (Serialization("pipeDelimited"), COLOURS, "color=blue%7Cblack%7Cbrown"),
        (Serialization("tabDelimited"), COLOURS, "color=blue%09black%09brown"),
        (Serialization("pipeDelimited", explode=True), ["a", "b"], "color=a&color=b"),
        (
            Serialization("deepObject", explode=True),
            MIX,
            "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150",
        ),
        (
            Serialization("deepObject", explode=True),
            {"a": {"b": [1, 2]}},
            "color%5Ba%5D%5Bb%5D=1&color%5Ba%5D%5Bb%5D=2",
        ),
        (Serialization("form", allow_reserved=True), "a/b?c=d&e#f", "color=a/b?c%3Dd%26e%23f"),
        (Serialization(media_type="application/json"), {"a": 1}, "color=%7B%22a%22%3A1%7D"),
    ],
)
def test_a_parameter_of_a_query_is_written_in_its_style(
    how: Serialization, value: object, written: str
) -> None:
    assert query_parameter("color", value, how) == written


def test_a_header_is_not_escaped() -> None:
    assert header_value(["a b", "ç"], None) == "a b,ç"
    assert header_value(MIX, Serialization("simple", explode=True)) == "R=100,G=200,B=150"


@given(st.lists(st.text(max_size=10), min_size=1, max_size=5))
def test_a_server_reads_the_values_that_were_written(values: list[str]) -> None:
    read = parse_qsl(
        query_parameter("q", values, Serialization("form", explode=True)), keep_blank_values=True
    )
    assert read == [("q", value) for value in values]
    path = path_parameter("q", values, Serialization("simple"))
    assert [unquote(each) for each in path.split(",")] == values


def posted(media_type: str, **fields: ApiParameter) -> Operation:
    return Operation(
        "Send",
        "https://api.example/",
        method="POST",
        required_parameters=tuple(fields.values()),
        media_type=media_type,
    )


def field(name: str, **more: object) -> ApiParameter:
    return ApiParameter(name, place="body", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("media_type", "body"),
    [
        ("", b'{"a":"x y&z","n":3}'),
        ("application/vnd.api+json", b'{"a":"x y&z","n":3}'),
        ("application/json; charset=utf-8", b'{"a":"x y&z","n":3}'),
        ("application/x-www-form-urlencoded", b"a=x+y%26z&n=3"),
    ],
)
def test_a_body_is_sent_in_its_media_type(media_type: str, body: bytes) -> None:
    operation = posted(media_type, a=field("a"), n=field("n"))
    request = build_request(operation, {"a": "x y&z", "n": 3})
    assert request.body == body
    assert request.headers == {"Content-Type": media_type or "application/json"}


def test_fields_of_a_form_are_written_as_its_encoding_says() -> None:
    operation = posted(
        "application/x-www-form-urlencoded",
        a=field("a", serialization=Serialization("form")),
        j=field("j", serialization=Serialization(media_type="application/json")),
        o=field("o"),
    )
    made = build_request(operation, {"a": ["p", "q"], "j": {"y": 2}, "o": {"x": "1&2"}})
    assert made.body == b"a=p,q&j=%7B%22y%22%3A2%7D&x=1%262"


def test_parts_of_a_form_are_files_json_and_text() -> None:
    operation = posted(
        "multipart/form-data",
        f=field("f", schema={"type": "string", "format": "binary"}),
        m=field("m", type="object"),
        t=field("t", type="array"),
    )
    made = build_request(operation, {"f": "é", "m": {"a": 1}, "t": ["x", 'y"']})
    kind, _, border = made.headers["Content-Type"].partition("; boundary=")
    assert kind == "multipart/form-data"
    assert made.body.decode().split(f"--{border}") == [
        "",
        (
            '\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n'
            "Content-Type: application/octet-stream\r\n\r\né\r\n"
        ),
        '\r\nContent-Disposition: form-data; name="m"\r\nContent-Type: application/json\r\n\r\n{"a":1}\r\n',
        '\r\nContent-Disposition: form-data; name="t"\r\n\r\nx\r\n',
        '\r\nContent-Disposition: form-data; name="t"\r\n\r\ny"\r\n',
        "--\r\n",
    ]
    # A recorded call is found again by its bytes.
    assert build_request(operation, {"f": "é", "m": {"a": 1}, "t": ["x", 'y"']}) == made


@pytest.mark.parametrize("media_type", ["text/plain", "application/xml", "text/csv"])
def test_a_text_is_sent_as_it_stands(media_type: str) -> None:
    made = encode_body({"body": "<a>é</a>"}, {}, media_type, whole=True)
    assert (made.content, made.content_type) == ("<a>é</a>".encode(), media_type)


def test_fields_in_a_type_that_nobody_here_writes_are_not_sent() -> None:
    with pytest.raises(ValueError, match="a body in application/xml is sent only where"):
        build_request(posted("application/xml", a=field("a")), {"a": 1})
