import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.simulation.phrasebooks import english_phrasebook
from dragoman.simulation.value_extraction import extract_arguments, extract_value, scripted_texts

ENGLISH = english_phrasebook()


@pytest.mark.parametrize(
    ("value", "heard", "expected"),
    [
        ("#W123", "cancel #W123 please", "#W123"),
        ("Maren", "i am maren holt", "Maren"),
        ("Maren", "I am Karen Holt.", "Karen"),
        ("#W1234", "order #W1235, please", "#W1235"),
        ("Alder Court", "I live at 14 Older Court, Boise", "Older Court"),
        ("83702", "zip (83712)!", "83712"),
        ("+44 7700 900102", "the phone is +447700900102 thanks", "+44 7700 900102"),
        ("Maren", "", ""),
        ("two words", "one", ""),
    ],
)
def test_a_value_is_what_was_heard_in_its_place(value: str, heard: str, expected: str) -> None:
    assert extract_value(value, heard, ENGLISH) == expected


def test_only_what_the_user_says_is_taken_from_hearing() -> None:
    arguments: dict[str, object] = {
        "name": "Maren",
        "order_id": "#W99",
        "ids": ["Maren", "unsaid"],
        "place": {"city": "Boise", "zip": 83702},
        "count": 2,
        "blank": " ",
    }
    heard = extract_arguments(
        arguments, "I am Maren from Boise.", "I am Karen from Noise.", ENGLISH
    )
    assert heard == {
        "name": "Karen",
        "order_id": "#W99",
        "ids": ["Karen", "unsaid"],
        "place": {"city": "Noise", "zip": 83702},
        "count": 2,
        "blank": " ",
    }


def test_numbers_are_heard_too_and_stay_words_where_they_are_none() -> None:
    arguments: dict[str, object] = {"base": 15, "share": 0.5, "flag": True, "unsaid": 7}
    script = "A base of 15, a share of 0.5."
    assert extract_arguments(arguments, script, script, ENGLISH) == arguments
    assert extract_arguments(arguments, script, "a base of 50 a share of 0.4", ENGLISH) == {
        "base": 50,
        "share": 0.4,
        "flag": True,
        "unsaid": 7,
    }
    assert extract_arguments({"base": 15}, "15", "fifty", ENGLISH) == {"base": 50}
    assert extract_arguments({"base": 15}, "15", "what", ENGLISH) == {"base": "what"}


def test_what_the_user_says_is_found_at_any_depth_with_its_argument() -> None:
    arguments: dict[str, object] = {"ids": ["Maren", "unsaid"], "place": {"city": "Boise"}, "n": 2}
    assert scripted_texts(arguments, "I am Maren from Boise.", ENGLISH) == [
        ("ids", "Maren"),
        ("place", "Boise"),
    ]


def test_the_plan_itself_is_not_changed() -> None:
    arguments: dict[str, object] = {"ids": ["Maren"]}
    extract_arguments(arguments, "Maren", "Karen", ENGLISH)
    assert arguments == {"ids": ["Maren"]}


WORDS = st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=6)


@given(st.data(), WORDS)
def test_what_was_heard_as_said_fills_every_argument_as_planned(
    data: st.DataObject, words: list[str]
) -> None:
    script = " ".join(words)
    start = data.draw(st.integers(0, len(words) - 1))
    value = " ".join(words[start:])
    assert extract_arguments({"a": value, "b": [value]}, script, script, ENGLISH) == {
        "a": value,
        "b": [value],
    }


@given(st.text(max_size=10), st.text(max_size=30))
def test_any_value_and_any_words_give_a_text(value: str, heard: str) -> None:
    assert isinstance(extract_value(value, heard, ENGLISH), str)
