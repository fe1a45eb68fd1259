"""Keys in texts, however they are written there."""

import base64
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.texts.redaction import redact, redact_text

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
    assert redact(f"no: {written}!".encode(), (KEY,)) == b"no: ***!"


@pytest.mark.parametrize("before", ["", "x", "xy", "Bearer "])
def test_of_a_key_in_base64_next_to_nothing_is_left(before: str) -> None:
    for code in (base64.b64encode, base64.urlsafe_b64encode):
        coded = code(f"{before}{KEY} after".encode())
        said = redact(coded, (KEY,))
        begun, _, rest = said.partition(b"***")
        assert len(coded) - len(begun) - len(rest) >= len(KEY) * 8 // 6 - 2
        assert coded.startswith(begun)
        assert coded.endswith(rest)


def test_the_beginning_of_a_key_that_was_cut_off_is_taken_out_of_an_error() -> None:
    assert redact_text(f"bad key {KEY[:17]} (a.py, line 3)", (KEY,)) == (
        "bad key *** (a.py, line 3)"
    )
    assert redact_text(f"{KEY}{KEY[:12]}, {KEY}", (KEY,)) == "******, ***"


def test_other_texts_are_left_as_they_are() -> None:
    assert redact_text("sk/canary is no key; half a \ud83d", (KEY, "", "EMPTY")) == (
        "sk/canary is no key; half a \ud83d"
    )


def test_a_key_with_characters_that_pages_escape_is_taken_out() -> None:
    assert redact(b"<pre>key a&amp;b&lt;2718281828</pre>", ("a&b<2718281828",)) == (
        b"<pre>key ***</pre>"
    )


SIGNS = st.characters(min_codepoint=33, max_codepoint=126)
KEYS = st.text(SIGNS, min_size=12, max_size=40).filter(lambda key: len(set(key)) > 4)
WAYS: dict[str, Callable[[str], str]] = {
    "plainly": lambda sign: sign,
    "as JSON": lambda sign: f"\\u{ord(sign):04x}",
    "as JSON in JSON": lambda sign: f"\\\\u{ord(sign):04X}",
    "as an address": lambda sign: f"%{ord(sign):02x}",
    "as an address in upper case": lambda sign: f"%{ord(sign):02X}",
    "as an address in an address": lambda sign: f"%25{ord(sign):02X}",
    "as a literal": lambda sign: f"\\x{ord(sign):02x}",
    "as a page": lambda sign: f"&#{ord(sign)};",
    "as a page in hex": lambda sign: f"&#x{ord(sign):X};",
}


@given(st.data(), KEYS)
def test_a_key_is_taken_out_however_each_of_its_characters_is_written(
    data: st.DataObject, key: str
) -> None:
    ways = data.draw(st.lists(st.sampled_from(list(WAYS)), min_size=len(key), max_size=len(key)))
    written = "".join(WAYS[way](sign) for way, sign in zip(ways, key, strict=True))
    assert redact(f"\n{written}\n".encode(), (key,)) == b"\n***\n"


def test_a_key_that_ends_in_the_sign_of_a_code_is_taken_out_whole() -> None:
    assert redact(b"00000000123\\x78", ("00000000123x",)) == b"***"
    assert redact(b"00000000123\\u0075", ("00000000123u",)) == b"***"


@pytest.mark.parametrize("way", WAYS)
def test_a_key_is_taken_out_where_all_of_it_is_written_one_way(way: str) -> None:
    assert redact("".join(map(WAYS[way], KEY)).encode(), (KEY,)) == b"***"


@given(KEYS, st.booleans(), st.sampled_from(["", ":", " "]))
def test_a_key_in_hex_is_taken_out(key: str, is_upper: bool, between: str) -> None:
    code = key.encode()
    hexed = code.hex(between) if between else code.hex()
    written = hexed.upper() if is_upper else hexed
    assert redact(f"<{written}>".encode(), (key,)) == b"<***>"


@given(KEYS, st.binary(max_size=8), st.binary(max_size=8), st.integers(0, 4))
def test_a_key_in_base64_is_taken_out_but_for_its_edges(
    key: str, before: bytes, after: bytes, way: int
) -> None:
    packed = base64.b64encode(before + key.encode() + after)
    written = (
        packed,
        base64.urlsafe_b64encode(before + key.encode() + after).rstrip(b"="),
        packed.replace(b"/", b"\\/"),
        packed.replace(b"+", b"%2B").replace(b"/", b"%2F"),
        packed.replace(b"+", b"\\u002b"),
    )[way]
    said = redact(b"{%b}" % written, (key,))
    begun, found, rest = said.partition(b"***")
    assert found
    left = len(begun) + len(rest) - 2
    assert left <= (len(before) + len(after)) * 6 + 12


@given(st.text(max_size=200), KEYS)
def test_a_text_without_a_key_is_left_as_it_is(text: str, key: str) -> None:
    body = text.encode("utf-8", "surrogatepass")
    if redact(body, (key,)) != body:
        assert any(len(run) >= 12 for run in text.split())


@pytest.mark.parametrize("short", ["EMPTY", "lm-studio", "not-needed", "sk-1234"])
def test_a_placeholder_is_no_key_in_any_code(short: str) -> None:
    body = f"{short} {short.encode().hex()} {base64.b64encode(short.encode()).decode()}".encode()
    assert redact(body, (short,)) == body
