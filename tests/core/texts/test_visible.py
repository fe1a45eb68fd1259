from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.texts.characters import escape_controls


def test_characters_that_act_are_written_out() -> None:
    assert escape_controls("a\u202eb\u2069c\x1b[1m\x7f\r") == r"a\u202eb\u2069c\x1b[1m\x7f\r"


def test_line_ends_tabs_and_the_marks_of_scripts_are_kept() -> None:
    text = "one\n\ttwo क्‍ष می‌خواهم \u200f👩‍👩‍👧"
    assert escape_controls(text) == text


@given(st.text())
def test_what_is_visible_can_be_encoded_and_stays_as_it_is(text: str) -> None:
    shown = escape_controls(text)
    assert escape_controls(shown) == shown
    assert shown.encode("utf-8").decode("utf-8") == shown
