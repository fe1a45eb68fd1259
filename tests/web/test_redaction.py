"""Secrets are never stored, in any place where they occur."""

import pytest

from dragoman.web.exchange import HttpExchange, is_secret, redact_exchange

KEY = "0123456789abcdef"


def test_secrets_are_taken_out_of_a_whole_exchange() -> None:
    kept = redact_exchange(
        HttpExchange(
            "POST",
            f"https://user:pass@api.example/v1?api_key={KEY}&q=rain&Token={KEY}",
            request_headers={"Authorization": f"Bearer {KEY}-header", "X-API-Key": KEY},
            request_body=f'{{"q": "rain", "client_secret": "s3", "echo": "{KEY}"}}'.encode(),
            headers={
                "set-cookie": "sid=1",
                "content-type": "application/json",
                "location": "/next?access_token=abc&page=2",
            },
            body=f'{{"your key": "{KEY}", "access_token": "t\\"1", "next_page": "a"}}'.encode(),
            redirects=(f"https://api.example/next?sig={KEY}",),
            failure=f"refused: {KEY}",
        )
    )
    assert KEY not in repr(kept)
    assert kept.url == "https://api.example/v1?api_key=***&q=rain&Token=***"
    assert kept.request_headers == {"Authorization": "***", "X-API-Key": "***"}
    assert kept.request_body == b'{"q": "rain", "client_secret": "***", "echo": "***"}'
    assert kept.headers["set-cookie"] == "***"
    assert kept.headers["content-type"] == "application/json"
    assert kept.headers["location"] == "/next?access_token=***&page=2"
    assert kept.body == b'{"your key": "***", "access_token": "***", "next_page": "a"}'
    assert kept.redirects == ("https://api.example/next?sig=***",)


def test_keys_that_are_known_by_value_are_taken_out() -> None:
    came = HttpExchange("GET", f"https://api.example/{KEY}/x", body=f"<a>{KEY}</a>".encode())
    kept = redact_exchange(came, [KEY])
    assert (kept.url, kept.body) == ("https://api.example/***/x", b"<a>***</a>")


def test_an_exchange_without_secrets_stays_as_it_is() -> None:
    came = HttpExchange(
        "GET",
        "https://api.example/v1?city=S%C3%A3o+Paulo&keyword=a&page_token=2",
        headers={"content-type": "text/html"},
        body=b'{"monkey": "a", "description": "the key"}',
    )
    assert redact_exchange(came) == came


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        (f"http://user:{KEY}@[::1/?key={KEY}", "[::1/"),
        ("http://a.example/?" + "a=1&" * 1_999 + f"key={KEY}", None),
    ],
)
def test_an_address_that_is_none_has_its_secrets_taken_out_too(url: str, kept: str | None) -> None:
    found = redact_exchange(HttpExchange("GET", url, body=KEY.encode())).url
    assert KEY not in found
    assert kept in {None, found}


def test_names_that_only_hold_the_word_are_no_secrets() -> None:
    assert not any(map(is_secret, ("keyword", "monkey", "q", "page", "tokenizer", "sigma")))
    assert all(map(is_secret, ("key", "apiKey", "X-Api-Key", "access_token", "Cookie", "pwd")))
