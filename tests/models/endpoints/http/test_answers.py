"""Answers that arrive over a connection, and bytes that are not answers."""

import itertools

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dragoman.models.http.http_connection import ERROR_BYTES, ResponseParser
from dragoman.models.http.transport import HttpResponse, TransportError

MOST = 1_000
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX: 1\r\n\r\n"
WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: 1\r\n\r\nhello"
CHUNKS = CHUNKED + b"2;a=b\r\nhe\r\n3\r\nllo\r\n0\r\nX: 2\r\n\r\n"
INTERIM = b"HTTP/1.1 103 Early Hints\r\nX: 0\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
GOOD = [WHOLE, CHUNKS, INTERIM + WHOLE, INTERIM + CHUNKS]


def read(*pieces: bytes, most: int = MOST) -> ResponseParser:
    reader = ResponseParser()
    reader.begin(most)
    for at, piece in enumerate(pieces):
        if reader.read(piece, at):
            break
    return reader


def reported(reader: ResponseParser) -> tuple[str, str]:
    with pytest.raises(TransportError) as caught:
        reader.taken()
    return caught.value.kind, caught.value.detail


def shown(answer: HttpResponse) -> tuple[int, list[tuple[str, str]], bytes]:
    return answer.status, list(answer.headers.items()), answer.body


@given(st.sampled_from(GOOD), st.data())
def test_an_answer_is_the_same_however_it_is_cut(sent: bytes, data: st.DataObject) -> None:
    places = st.lists(st.integers(0, len(sent)), max_size=8)
    cuts = sorted({0, len(sent), *data.draw(places)})
    pieces = [sent[start:end] for start, end in itertools.pairwise(cuts)]
    reader = read(*pieces)
    answer = reader.taken()
    assert reader.keeps
    assert (answer.status, answer.body, answer.headers["x"]) == (200, b"hello", "1")
    assert [count for count, _ in answer.arrivals][-1] == 5


@given(st.lists(st.binary(max_size=200), max_size=5))
@example([WHOLE, b"HTTP/1.1 200"])
@example([b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nabc"])
@example([b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"])
@example([b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n"])
@example([b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n"])
@example([b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n"])
def test_whatever_comes_is_an_answer_or_one_kind_of_fault(pieces: list[bytes]) -> None:
    reader = read(*pieces)
    reader.end(None)
    assert reader.is_settled
    assert not reader.keeps
    if reader.fault is None:
        assert len(reader.taken().body) <= MOST
    else:
        assert reported(reader)[0] in {"cut", "broken_http", "oversized"}


@given(st.binary(max_size=300), st.integers(0, 200))
def test_good_heads_with_any_bytes_after_them_stay_within_bounds(rest: bytes, most: int) -> None:
    for head in (
        CHUNKED,
        b"HTTP/1.0 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n",
    ):
        reader = read(head, rest, most=most)
        reader.end(ConnectionResetError())
        if reader.fault is None:
            assert len(reader.taken().body) <= most
        else:
            assert reported(reader)[0] in {"cut", "broken_http", "oversized"}


def test_one_connection_brings_one_answer_after_the_other() -> None:
    reader = read(WHOLE)
    assert shown(reader.taken()) == (200, [("Content-Length", "5"), ("X", "1")], b"hello")
    reader.begin(MOST)
    assert not reader.is_settled
    reader.read(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", 1.0)
    assert shown(reader.taken()) == (404, [("Content-Length", "0")], b"")


@pytest.mark.parametrize(
    ("sent", "keeps"),
    [
        (WHOLE, True),
        (WHOLE + b"HTTP/1.1 200 OK\r\n", False),
        (WHOLE + b"anything", False),
        (WHOLE + WHOLE, False),
        (WHOLE + INTERIM + CHUNKS, False),
        (WHOLE + b"HTTP/1.1 500 Oh\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n", False),
        (b"HTTP/1.1 204 No Content\r\n\r\n", True),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", False),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\nmore", False),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", False),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n", True),
    ],
)
def test_a_connection_is_kept_where_nothing_speaks_against_it(sent: bytes, keeps: bool) -> None:
    reader = read(sent)
    assert reader.keeps == keeps
    assert reader.taken().status in {200, 204}


def test_without_a_length_the_end_of_the_connection_is_the_end_of_the_answer() -> None:
    reader = read(b"HTTP/1.1 200 OK\r\n\r\nhel", b"lo")
    assert not reader.is_settled
    reader.end(None)
    assert reader.taken().body == b"hello"


def test_without_a_length_a_connection_that_breaks_is_cut() -> None:
    reader = read(b"HTTP/1.1 200 OK\r\n\r\nhel")
    reader.end(ConnectionResetError(104, "Connection reset by peer"))
    assert reported(reader) == ("cut", "the connection broke (Connection reset by peer)")


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 20_000, id="headers"),
        pytest.param(b"HTTP/1.1 200 OK\r\nA: " + b"b" * 200_000, id="a header"),
        pytest.param(INTERIM * 2_000, id="what comes before an answer"),
        pytest.param(CHUNKED + b"1\r\nx\r\n0\r\n" + b"A: b\r\n" * 20_000, id="trailers"),
        pytest.param(CHUNKED + b"1;" + b"a" * 200_000, id="what is said of a chunk"),
    ],
)
def test_what_is_not_body_has_an_end(sent: bytes) -> None:
    pieces = [sent[at : at + 4_096] for at in range(0, len(sent), 4_096)]
    reader = read(*pieces)
    assert reported(reader) == (
        "broken_http",
        "more than its body can need is said about the answer",
    )


def test_a_body_may_come_byte_by_byte() -> None:
    reader = read(CHUNKED, *[b"1\r\nx\r\n"] * 50_000, b"0\r\n\r\n", most=50_000)
    assert reader.taken().body == b"x" * 50_000


@pytest.mark.parametrize(("most", "kind"), [(5, None), (4, "oversized"), (0, "oversized")])
@pytest.mark.parametrize("sent", [WHOLE, CHUNKS])
def test_a_body_is_as_large_as_it_may_be(sent: bytes, most: int, kind: str | None) -> None:
    reader = read(sent, most=most)
    if kind is None:
        assert reader.taken().body == b"hello"
    else:
        assert reported(reader) == (kind, f"the answer has more than {most} bytes")


def test_of_an_error_the_beginning_is_enough() -> None:
    head = b"HTTP/1.1 500 Oh\r\nContent-Length: 999999\r\n\r\n"
    reader = read(head, b"x" * ERROR_BYTES, b"x")
    assert reader.is_whole
    assert not reader.keeps
    assert reader.taken().body == b"x" * ERROR_BYTES


@pytest.mark.parametrize(
    "line",
    [b"Content-Encoding: gzip", b"Transfer-Encoding: gzip", b"Transfer-Encoding: gzip, chunked"],
)
def test_what_is_compressed_is_not_read(line: bytes) -> None:
    reader = read(b"HTTP/1.1 200 OK\r\n" + line + b"\r\n\r\n")
    assert reported(reader) == ("broken_http", "the answer is compressed, which was not asked for")


def test_another_protocol_is_no_answer() -> None:
    reader = read(b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nabc")
    assert reported(reader)[0] == "broken_http"


def test_neither_a_kept_connection_nor_a_fault_holds_a_body() -> None:
    kept = read(WHOLE)
    kept.taken()
    assert kept.size == 0
    broken = read(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 2 * MOST)
    reported(broken)
    assert broken.size == 0
