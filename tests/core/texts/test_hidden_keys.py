"""Keys in texts, however they are written there."""

import base64
from urllib.parse import quote

import pytest

from dragoman.core.texts.hidden_keys import hidden, hidden_in_error, without_keys

KEY = "sk/canary+2718281828.45"


@pytest.mark.parametrize(
    "written",
    [
        KEY,
        quote(KEY, safe=""),
        quote(KEY),
        quote(KEY, safe="").replace("%2F", "%2f").replace("%2B", "%2b"),
        KEY.replace("/", "\\/"),
    ],
)
def test_a_key_is_taken_out_however_it_is_quoted(written: str) -> None:
    assert hidden(f"no: {written}!".encode(), (KEY,)) == b"no: ***!"


@pytest.mark.parametrize("before", ["", "x", "xy", "Bearer "])
def test_of_a_key_in_base64_next_to_nothing_is_left(before: str) -> None:
    for code in (base64.b64encode, base64.urlsafe_b64encode):
        coded = code(f"{before}{KEY} after".encode())
        said = hidden_in_error(coded, (KEY,))
        begun, _, rest = said.partition(b"***")
        assert len(coded) - len(begun) - len(rest) >= len(KEY) * 8 // 6 - 2
        assert coded.startswith(begun)
        assert coded.endswith(rest)


def test_the_beginning_of_a_key_that_was_cut_off_is_taken_out_of_an_error() -> None:
    assert without_keys(f"bad key {KEY[:17]} (a.py, line 3)", (KEY,)) == (
        "bad key *** (a.py, line 3)"
    )
    assert without_keys(f"{KEY}{KEY[:12]}, {KEY}", (KEY,)) == "******, ***"


def test_other_texts_are_left_as_they_are() -> None:
    assert without_keys("sk/canary is no key; half a \ud83d", (KEY, "", "EMPTY")) == (
        "sk/canary is no key; half a \ud83d"
    )


def test_a_key_with_characters_that_pages_escape_is_taken_out() -> None:
    assert hidden(b"<pre>key a&amp;b&lt;2718281828</pre>", ("a&b<2718281828",)) == (
        b"<pre>key ***</pre>"
    )
