"""Colours of JSON: keys, strings and numbers; text that is not JSON stays text."""

import pytest

from dragoman.viewer.json_markup import MAX_COLOURED, json_markup


def test_keys_strings_numbers_and_constants_have_their_own_class() -> None:
    text = '{"id": "#W1", "n": -1.5e3, "ok": true}'
    assert json_markup(text, text) == (
        '{<span class="json-key">&#34;id&#34;</span>: '
        '<span class="json-string">&#34;#W1&#34;</span>, '
        '<span class="json-key">&#34;n&#34;</span>: <span class="json-number">-1.5e3</span>, '
        '<span class="json-key">&#34;ok&#34;</span>: <span class="json-constant">true</span>}'
    )


def test_hostile_values_are_escaped_and_show_their_control_characters() -> None:
    text = '{"<b>": "</pre><script>alert(1)</script>\u202e"}'
    shown = json_markup(text, text)
    assert "<script>" not in shown
    assert "<b>" not in shown
    assert "\u202e" not in shown
    assert "\\u202e" in shown


@pytest.mark.parametrize("text", ["Error: <no> order", "{not json}", '"only a string"', ""])
def test_text_that_is_no_json_is_escaped_and_plain(text: str) -> None:
    assert "<span" not in json_markup(text, text)
    assert "<no>" not in json_markup(text, text)


def test_a_cut_text_is_coloured_up_to_its_cut() -> None:
    text = '{"name": "a long value"}'
    shown = json_markup(text, '{"name": "a lo … 12 characters cut')
    assert shown == (
        '{<span class="json-key">&#34;name&#34;</span>: '
        '<span class="json-string">&#34;a lo</span> … 12 characters cut'
    )


def test_a_long_text_is_plain() -> None:
    text = "[" + "1," * MAX_COLOURED + "1]"
    assert "<span" not in json_markup(text, text)
