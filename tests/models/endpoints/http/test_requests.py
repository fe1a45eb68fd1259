"""Parts of a request."""

import pytest
from yarl import URL

from dragoman.models.http.http_request import (
    MOST_KNOWN,
    RequestHeadCache,
    destination_of_url,
    request_head,
)
from dragoman.models.http.transport import TransportError

HOST_LINES = b"Host: host\r\nAccept-Encoding: identity\r\n"


def test_a_post_says_where_it_goes_and_how_long_it_is() -> None:
    head = request_head(
        destination_of_url("http://host/v1?a=b#c", None), {"Accept": "text/plain"}, b"{}"
    )
    assert head == (
        b"POST /v1?a=b HTTP/1.1\r\n"
        + HOST_LINES
        + b"Accept: text/plain\r\nContent-Length: 2\r\n\r\n"
    )


def test_where_there_is_no_body_it_is_a_get_that_takes_anything() -> None:
    head = request_head(destination_of_url("http://host", None), {}, None)
    assert head == b"GET / HTTP/1.1\r\n" + HOST_LINES + b"Accept: */*\r\n\r\n"


@pytest.mark.parametrize(
    ("url", "host", "peer"),
    [
        ("http://host/", b"host", ("host", 80, False)),
        ("https://host/", b"host", ("host", 443, True)),
        ("https://host:443/", b"host", ("host", 443, True)),
        ("http://host:443/", b"host:443", ("host", 443, False)),
        ("http://[::1]:8080/", b"[::1]:8080", ("::1", 8080, False)),
        ("https://bücher.example/", b"xn--bcher-kva.example", ("xn--bcher-kva.example", 443, True)),
    ],
)
def test_a_host_is_named_as_the_scheme_and_the_port_say(
    url: str, host: bytes, peer: tuple[str, int, bool]
) -> None:
    address = destination_of_url(url, None)
    assert address.lines.startswith(b"Host: " + host + b"\r\n")
    assert (address.peer.host, address.peer.port, address.peer.secure) == peer


def test_an_address_that_is_encoded_already_goes_out_as_it_is() -> None:
    signed = URL("http://host/a%2Fb?s=%2B+%20", encoded=True)
    assert destination_of_url(signed, None).target == b"/a%2Fb?s=%2B+%20"


def test_what_an_address_says_of_its_user_is_told_where_the_call_says_nothing() -> None:
    address = destination_of_url("http://me:p%2Fw@host/", None)
    assert b"\r\nAuthorization: Basic bWU6cC93\r\n" in request_head(address, {}, None)
    assert b"me:p" not in request_head(address, {}, None)
    own = request_head(address, {"authorization": "Bearer x"}, None)
    assert own.count(b"uthorization:") == 1


def test_a_proxy_is_told_the_whole_address_and_who_asks() -> None:
    address = destination_of_url("http://me:pw@host/v1?a=b#c", "http://us:word@proxy:3128")
    assert address.target == b"http://host/v1?a=b"
    assert b"Proxy-Authorization: Basic dXM6d29yZA==\r\n" in request_head(address, {}, None)
    assert address.peer == destination_of_url("http://host/v2", "http://us:word@proxy:3128").peer
    assert address.peer != destination_of_url("http://host/v2", "http://we:word@proxy:3128").peer


def test_a_proxy_that_only_opens_a_way_is_told_nothing_by_a_request() -> None:
    address = destination_of_url("https://host/v1", "http://us:word@proxy:3128")
    assert address.target == b"/v1"
    assert b"Proxy" not in request_head(address, {}, None)


@pytest.mark.parametrize("value", ["a\r\nX: y", "a\nX: y", "a\rX", "a\0", "\n"])
def test_a_header_that_says_more_than_one_is_refused(value: str) -> None:
    with pytest.raises(ValueError, match="a line's end") as caught:
        request_head(destination_of_url("http://host/", None), {"A": value}, None)
    assert value not in str(caught.value)
    with pytest.raises(ValueError, match="a line's end"):
        request_head(destination_of_url("http://host/", None), {value: "a"}, None)


@pytest.mark.parametrize("name", ["Host", "content-length", "Transfer-Encoding", "CONNECTION"])
def test_how_a_message_is_carried_is_no_callers_business(name: str) -> None:
    with pytest.raises(ValueError, match="no call has a say"):
        request_head(destination_of_url("http://host/", None), {name: "1"}, None)


@pytest.mark.parametrize(
    "url", ["ftp://host/", "host/v1", "", "http:///v1", "http://host:99999/", "http://[::/"]
)
def test_what_is_no_address_is_told_and_not_repeated(url: str) -> None:
    with pytest.raises(TransportError, match="no address of a web server") as caught:
        destination_of_url(url, None)
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)


def test_heads_that_are_remembered_are_those_that_would_be_written_anew() -> None:
    heads, one, other = (
        RequestHeadCache(),
        *(destination_of_url(f"http://host/{at}", None) for at in "ab"),
    )
    headers = {"Authorization": "Bearer a"}
    assert heads.head(one, headers, b"{}") == request_head(one, headers, b"{}")
    assert heads.head(one, dict(headers), b"{...}") == request_head(one, headers, b"{...}")
    assert heads.head(one, headers, None) == request_head(one, headers, None)
    assert heads.head(other, headers, b"") == request_head(other, headers, b"")
    headers["Authorization"] = "Bearer b"
    assert heads.head(one, headers, b"") == request_head(one, {"Authorization": "Bearer b"}, b"")


def test_a_header_that_holds_a_lines_end_is_refused_each_time() -> None:
    heads, address = RequestHeadCache(), destination_of_url("http://host", None)
    for _ in range(2):
        with pytest.raises(ValueError, match="a line's end"):
            heads.head(address, {"Accept": "a\r\nHost: b"}, None)


def test_of_many_addresses_no_more_heads_are_kept_than_addresses() -> None:
    heads = RequestHeadCache()
    for number in range(MOST_KNOWN + 1):
        heads.head(destination_of_url(f"http://host/{number}", None), {}, None)
    assert len(heads._known) == 1
