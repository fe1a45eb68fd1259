import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.simulation.phrasebooks import english_phrasebook
from dragoman.simulation.value_extraction import (
    MAX_WORDS,
    read_closest_spelling,
    read_spelling,
    spell_nato,
    spell_value,
)

ENGLISH = english_phrasebook()
SIGNS = string.ascii_letters + string.digits + "#@.-_/:+', "
VALUES = st.text(SIGNS, min_size=2, max_size=20)


@pytest.mark.parametrize(
    ("value", "letters", "words"),
    [
        ("Holt", "H-o-l-t", "Hotel-oscar-lima-tango"),
        ("#S10", "hash-S-1-0", "hash-Sierra-1-0"),
        ("a.b@c", "a-dot-b-at-c", "alfa-dot-bravo-at-charlie"),
        ("Ann-Su", "A-n-n-dash-S-u", "Alfa-november-november-dash-Sierra-uniform"),
    ],
)
def test_a_value_is_spelled_by_letters_or_by_words(value: str, letters: str, words: str) -> None:
    assert spell_value(value, ENGLISH) == letters
    assert spell_nato(value, ENGLISH) == words


def test_a_spelled_value_is_found_in_what_was_said() -> None:
    assert read_spelling("The last name is Holt, spelled H-o-l-t. Thank you.", ENGLISH) == "Holt"


def test_the_last_spelling_counts_as_a_value_may_look_like_one() -> None:
    assert read_spelling("The depot is B-7, spelled B-dash-7.", ENGLISH) == "B-7"


@pytest.mark.parametrize("text", ["", "My name is Holt.", "a well-known street", "H-", "-"])
def test_words_with_hyphens_are_no_spelling(text: str) -> None:
    assert read_spelling(text, ENGLISH) is None


@given(VALUES)
def test_what_is_spelled_is_read_back_as_it_was(value: str) -> None:
    assert read_spelling(f"It is {spell_value(value, ENGLISH)}.", ENGLISH) == value
    assert read_spelling(f"It is {spell_nato(value, ENGLISH)}.", ENGLISH) == value


@given(st.text(max_size=60))
def test_any_text_is_read_or_not(text: str) -> None:
    assert read_spelling(text, ENGLISH) != ""


@pytest.mark.parametrize(
    ("heard", "value"),
    [
        (
            "is ruth dot abber at net spelled Ruth dot ABERNETHY at EXAMPLE dot NET the",
            "ruth.abernethy@example.net",
        ),
        ("KD-48300 spelled kilo lima dash four 830 the name", "KL-4830"),
        ("is plus 44 spelled plus four four space 7700 space 900102", "+44 7700 900102"),
        ("goatee spelled Ngoziadeyemi dash CLARKE", "Ngozi Adeyemi-Clarke"),
        ("is Bolt, spelled H-o-l-t. Thank you.", "Holt"),
        ("is B-8, spelled B-dash-7.", "B-7"),
    ],
)
def test_what_stands_behind_spelled_counts_however_it_was_written(heard: str, value: str) -> None:
    assert read_closest_spelling(heard, value, ENGLISH) == value


def test_what_was_spelled_wrongly_is_taken_as_it_was_heard() -> None:
    assert read_closest_spelling("is Holt spelled Holb yes", "Holt", ENGLISH) == "Holb"


@pytest.mark.parametrize("heard", ["", "is Holt", "is Holt, spelled", "spelled. "])
def test_where_nothing_is_spelled_nothing_is_read(heard: str) -> None:
    assert read_closest_spelling(heard, "Holt", ENGLISH) is None


def test_words_far_behind_are_not_looked_at() -> None:
    assert read_closest_spelling(f"spelled {'x ' * MAX_WORDS} Holt", "Holt", ENGLISH) != "Holt"
