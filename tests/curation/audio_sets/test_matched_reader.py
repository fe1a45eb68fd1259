"""Values that texts state, by the value matcher and by the words that a value is put into."""

import pytest

from dragoman.conditions.voice.verbalization.spoken_form import verbalize
from dragoman.curation.audio_sets.value_readers import MatchedReader

READER = MatchedReader("en")


@pytest.mark.parametrize(
    ("value", "said", "how"),
    [
        ("final_report.pdf", "Move final_report.pdf, please.", "exactly"),
        ("final_report.pdf", "Move final underscore report dot P D F now.", "spelled"),
        ("Liam Neeson", "Um, get liam neeson, that's L-I-A-M N-E-E-S-O-N", "exactly"),
        ("2023-06-30", "on 30 June 2023", "exactly"),
        ("2023-06-30", "on June thirtieth, twenty twenty three", "in words"),
        ("1500", "change fifteen hundred dollars", "in words"),
        ("5", "a height of five units", "in words"),
        ("0.05", "at 5% a year", "exactly"),
        ("555-0142", "call 555 0142", "spelled"),
        ("USR003", "her id is U S R zero zero three", "in words"),
    ],
)
def test_a_value_is_found_as_it_is_written_spelled_or_in_words(
    value: str, said: str, how: str
) -> None:
    assert READER.how_stated(value, said) == how


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("final_report.pdf", "Move final underscore reports dot P D F."),
        ("5", "a height of twenty five units"),
        ("0", "CO2 of a car that goes 12,000 miles"),
        ("Apple", "an applet"),
        ("", "nothing"),
    ],
)
def test_what_is_not_said_or_only_a_part_of_something_is_not_found(value: str, said: str) -> None:
    assert READER.how_said(value, said) is None


@pytest.mark.parametrize(
    "value",
    ["#RoadTrip2", "@mike", "km/h", "3x^2 + 2x - 1", "grams/mole", "m/s^2", "document/temp"],
)
def test_a_value_is_also_found_in_the_words_that_it_alone_is_put_into(value: str) -> None:
    assert READER.how_said(value, f"so, um, {verbalize(value)}, please") is not None


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("km/h", "meters per hour"),
        ("3x + 2", "three x plus twenty five"),
        ("3x + 2", "thirteen x plus two"),
        ("#RoadTrip", "hashtag road trips"),
        ("25", "two, five"),
    ],
)
def test_other_words_than_its_own_are_not_the_value(value: str, said: str) -> None:
    assert READER.how_said(value, said) is None


def test_what_is_typed_is_not_looked_for_in_words_of_its_own() -> None:
    value, said = "f(x)", "so f of x please"
    assert READER.how_said(value, said) == "in words"
    assert READER.how_stated(value, said) is None
