"""Values are found in texts that state them, and never inside a longer value."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dragoman.core.value_matching.lexicon import FULL_LANGUAGES
from dragoman.core.value_matching.matcher import find_value, states, typed_values
from dragoman.core.value_matching.tokenizer import MAX_CHARACTERS
from dragoman.core.value_matching.typed_values import value_type
from dragoman.core.value_matching.value_reader import read


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("5", "book for 25 people"),
        ("Ann", "the annual report"),
        ("2", "flight a 12"),
        ("12", "the room is 12B"),
        ("KD-274", "it is KD-2741"),
        ("555-0134", "call 415 555 0134"),
        ("report.pdf", "open annual_report.pdf"),
        ("5 PM", "at 5 am"),
        ("$5", "five euros"),
        ("2026-05-05", "on May 6, 2026"),
    ],
)
def test_nothing_is_found_inside_something_else(value: str, text: str) -> None:
    assert not states(value, text, "en")


@pytest.mark.parametrize(
    ("value", "text", "form", "said"),
    [
        ("Ann", "tell Ann today", "exact", "Ann"),
        ("5", "I need five", "words", "five"),
        ("2026-05-05", "on May 5, 2026, please", "reformatted", "May 5, 2026"),
        ("KD274188065", "it is KD 274 188 065.", "grouped", "KD 274 188 065"),
        ("HAT136", "hat is H A T 1 3 6", "spelled", "H A T 1 3 6"),
        ("#W2378156", "order #W2378156 now", "exact", "#W2378156"),
        ("+1 415-555-0134", "call plus 1, 415-555-0134", "grouped", "1, 415-555-0134"),
    ],
)
def test_a_statement_has_its_form_and_place(value: str, text: str, form: str, said: str) -> None:
    found = find_value(value, text, "en")
    assert found is not None
    assert (found.form, text[found.start : found.end]) == (form, said)


@pytest.mark.parametrize(
    ("value", "text", "language"),
    [
        ("Um", "My name is Um.", "en"),
        ("Er", "My name is Er", "en"),
        ("MM", "Size MM, please", "en"),
        ("Ờ", "Dạ, họ tên là Ờ.", "vi"),
        ("呃", "姓名是呃。", "zh"),
    ],
)
def test_a_name_that_is_written_like_a_filler_is_found(
    value: str, text: str, language: str
) -> None:
    assert states(value, text, language)
    assert not states(value, text.replace(value, "X"), language)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("25", "number"),
        ("007", "code"),
        ("$5", "money"),
        ("60%", "percent"),
        ("17:30", "time"),
        ("2026-05-05", "date"),
        ("+14155550134", "phone"),
        ("a@example.com", "email"),
        ("a.pdf", "file"),
        ("JFK", "code"),
        ("Ines Carvalho", "name"),
        ("blue shoes", "text"),
    ],
)
def test_a_value_has_a_type_by_how_it_is_written(value: str, kind: str) -> None:
    assert value_type(value) == kind


def test_values_of_the_same_type_are_written_plainly() -> None:
    assert typed_values("3", "two or twenty five, not 1,250.50", "en") == ("2", "25", "1250.5")
    assert typed_values("17:30", "at half past five pm", "en") == ("17:30",)
    assert typed_values("Ann", "two", "en") == ()


LANGUAGES = st.sampled_from([*FULL_LANGUAGES, "de", "ja", "ar", "tr"])
WRITTEN = st.text(
    st.sampled_from("ab5A0.-@_/:,$% #'oz\u0301\u0e01\u0e33\u4e94\u5341\u0130\u00e9\u200d+^")
)


@given(st.one_of(st.text(), WRITTEN), LANGUAGES)
@example("\u0e01\u0e49\u0e4d\u0e32", "th")
@example("e\u0301 5", "vi")
def test_any_text_is_read_within_its_bounds(text: str, language: str) -> None:
    readout = read(text, language)
    places = [place for token in readout.tokens for place in (token.start, token.end)]
    assert places == sorted(places)
    assert all(0 <= place <= len(text) for place in places)
    ends = [0, *(item.end for item in readout.items)]
    assert [item.first for item in readout.items] == ends[:-1]
    assert ends[-1] == len(readout.tokens)


@given(
    st.text(st.characters(categories=["Lu", "Ll", "Nd"], max_codepoint=0x24F), min_size=1),
    LANGUAGES,
)
def test_a_value_is_stated_by_itself(value: str, language: str) -> None:
    assert states(value, value, language)


@given(st.integers(0, 10**9), st.sampled_from(FULL_LANGUAGES))
def test_a_figure_states_its_number(number: int, language: str) -> None:
    found = find_value(str(number), f"( {number} )", language)
    assert found is not None
    assert (found.start, found.end) == (2, 2 + len(str(number)))


def test_a_long_text_is_read_up_to_its_bound_in_steps_that_each_take_a_token() -> None:
    text = "one two three four 12:30 a@b.com " * 1_000
    readout = read(text, "en")
    assert readout.tokens[-1].end <= MAX_CHARACTERS < len(text)
    assert len(readout.items) <= len(readout.tokens) <= MAX_CHARACTERS
    assert all(item.first < item.end for item in readout.items)
