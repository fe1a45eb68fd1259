"""A verbalized value that is heard word by word is written as the value again."""

import re
import string
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.conditions.voice.inverse_text_normalization.normalizer import written_form
from dragoman.conditions.voice.verbalization.spelling import SpokenStyle
from dragoman.conditions.voice.verbalization.spoken_form import verbalize
from dragoman.core.texts.entities import MONTHS, canonical_entity, contains_entity, kind_of

STYLES = st.builds(
    SpokenStyle,
    letters=st.sampled_from(["plain", "nato", "as in"]),
    group=st.integers(0, 4),
    twice=st.booleans(),
    local_part=st.sampled_from(["spelled", "words"]),
)
WORDS = st.text(string.ascii_lowercase, min_size=1, max_size=9)
PIECES = st.one_of(WORDS, st.text(string.ascii_lowercase + string.digits, min_size=1, max_size=6))
CODES = st.text(string.ascii_uppercase + string.digits, min_size=5, max_size=14).filter(
    lambda code: kind_of(code) == "code" and not code.endswith(("KB", "MB", "GB", "TB"))
)
IDS = (
    st.lists(PIECES, min_size=2, max_size=4)
    .map("_".join)
    .filter(lambda one: kind_of(one) == "code")
)
EMAILS = st.builds(
    "{}@{}.{}".format,
    st.lists(PIECES, min_size=1, max_size=3).map(".".join).filter(lambda local: len(local) > 1),
    st.sampled_from(["gmail", "example", "my-shop", "mail24"]),
    st.sampled_from(["com", "org", "io", "co.uk"]),
).filter(lambda one: not re.search(r"(^|[a-z.])8+[a-z]", one))
FILES = st.builds(
    "{}.{}".format,
    st.lists(PIECES, min_size=1, max_size=3).map("_".join),
    st.sampled_from(["pdf", "txt", "docx", "csv", "json"]),
)
DATES = st.dates(date(1900, 1, 1), date(2099, 12, 31)).map(date.isoformat)
DAYS = st.builds("{} {}".format, st.sampled_from(MONTHS), st.integers(1, 28))
TIMES = st.one_of(
    st.builds("{}:{:02}".format, st.integers(13, 23), st.integers(0, 59)),
    st.builds(
        "{}:{:02} {}".format, st.integers(1, 12), st.integers(0, 59), st.sampled_from(["AM", "PM"])
    ),
    st.builds("{}:00".format, st.integers(1, 12)),
)
"""Times with the half of the day, and full hours.

`5:30` without more is verbalized like a number.
"""
AMOUNTS = st.builds(
    "{}{}.{:02}".format, st.sampled_from("$€£"), st.integers(0, 999_999), st.integers(0, 99)
)
PHONES = st.from_regex(r"(\+1 )?[2-9][0-9]{2}-[0-9]{3}-[0-9]{4}", fullmatch=True)
NUMBERS = st.builds("{:,}".format, st.integers(10, 10**9)).filter(
    lambda number: kind_of(number) == "number"
)


def heard(text: str, style: SpokenStyle) -> str:
    """Say a text; hear every word, without capitals and punctuation, as recognizers write them."""
    return re.sub(r"[^\w' ]", "", verbalize(text, style=style)).casefold()


def comes_back(value: str, style: SpokenStyle) -> None:
    for words in (
        verbalize(f"It is {value} please.", style=style),
        heard(f"it is {value}", style),
    ):
        assert contains_entity(value, written_form(words)), words


@given(CODES, STYLES)
def test_an_id_comes_back(code: str, style: SpokenStyle) -> None:
    comes_back(code, style)


@given(IDS, STYLES)
def test_an_id_with_words_and_underscores_comes_back(code: str, style: SpokenStyle) -> None:
    comes_back(code, style)


@given(EMAILS, STYLES)
def test_an_address_comes_back(address: str, style: SpokenStyle) -> None:
    comes_back(address, style)


@given(FILES, STYLES)
def test_a_file_name_comes_back(name: str, style: SpokenStyle) -> None:
    comes_back(name, style)


@given(st.one_of(DATES, DAYS, TIMES, AMOUNTS, PHONES, NUMBERS), STYLES)
def test_a_date_a_time_an_amount_a_phone_and_a_number_come_back(
    value: str, style: SpokenStyle
) -> None:
    comes_back(value, style)


@given(st.text(string.ascii_letters, min_size=3, max_size=12), STYLES)
def test_a_spelled_name_comes_back(name: str, style: SpokenStyle) -> None:
    spoken = verbalize(f"It is {name}", style=style, spell=[name])
    words = re.sub(r"[^\w' ]", "", spoken).casefold().split(" spelled ")[1]
    assert contains_entity(name, written_form(f"it is spelled {words}"))


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("it is november five nine alpha", "it is N59A"),
        ("it is a b m w", "it is ABMW"),
        ("the code is p as in boy a has in apple t as in tom", "the code is BAT"),
        ("double seven oh four double u three", "7704W3"),
        (
            "my email is j smith at yahoo dot co dot u k i need",
            "my email is jsmith@yahoo.co.uk i need",
        ),
        ("move final report dot p d f i need", "move final report.pdf i need"),
        ("on november fifteenth twenty twenty six at three thirty p m", "on 2026-11-15 at 3:30 PM"),
        ("two hundred and fifty dollars and ninety nine cents", "$250.99"),
        ("zip code eight three seven oh two i need", "zip code 83702 i need"),
        ("my name is h eight l e", "my name is Hale"),
        ("L-I-A-M N-E-E-S-O-N", "LIAMNEESON"),
        ("it is be 7 4 two nine", "it is B7429"),
        ("fly from s f o to j f k", "fly from SFO to JFK"),
        ("it is spelled b as in boy know as in ocean n a as in apple", "it is spelled Boa"),
        ("it is b as in boy poet in ocean seven p as in tom", "it is BO7T"),
        ("it is spelled golf echo sierra for sierra", "it is spelled Gess"),
        ("my email is j eight n e and outlook docked com", "my email is jane@outlook.com"),
        ("it is spelled x io n g h u please", "it is spelled Xionghu please"),
        ("booked for july twenty us twenty twenty", "booked for 2020-07-20"),
    ],
)
def test_what_callers_say_is_written_as_people_type_it(said: str, written: str) -> None:
    assert written_form(said) == written


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I need to buy two or three things, from 2 to 4, for you.",
        "Deposit $4,500.25 by 2024-05-15, john@gmail.com 1.2.3 415-555-0182",
        "You may see that I want one for 4 people.",
        "Hotel India is near, and Mike knows Oscar.",
        "😀 สวัสดี please",
    ],
)
def test_what_is_no_value_or_is_written_already_stays(text: str) -> None:
    assert written_form(text) == text


def test_an_id_said_twice_is_written_once_from_both_hearings() -> None:
    assert written_form("w two for seven x nine again w two four seven x nine") == "W247X9"
    assert written_form("w two four x nine again w two four seven x nine") == "W247X9"
    assert written_form("w two junk seven x again w two four seven x") == "W247X"


def test_of_two_hearings_the_one_that_is_a_parcel_s_number_in_the_post_counts() -> None:
    longer = "m v one nine six zero eight nine four seven five six t h"
    right = "m v one six zero eight nine four seven five six t h"
    assert written_form(f"{longer} again {right}") == "MV160894756TH"
    assert written_form(f"{right} again {longer}") == "MV160894756TH"


def test_a_month_may_be_heard_by_its_first_letters() -> None:
    assert written_form("on aug eleventh nineteen ninety eight") == "on 1998-08-11"
    assert written_form("i said aug and nothing else") == "i said aug and nothing else"


def test_digits_that_sound_like_words_are_read_beside_the_nato_alphabet() -> None:
    assert written_form("sierra to mike nine zulu wan lima") == "S2M9Z1L"


def test_other_languages_are_left_as_heard() -> None:
    assert written_form("w two three", "vi") == "w two three"


@given(st.text(max_size=120))
def test_any_text_is_written(text: str) -> None:
    assert isinstance(written_form(text), str)
    assert isinstance(written_form(verbalize(text)), str)


@given(
    st.lists(
        st.sampled_from(
            [
                "a",
                "b",
                "two",
                "to",
                "for",
                "again",
                "dot",
                "at",
                "com",
                "underscore",
                "may",
                "fifth",
                "twenty",
                "point",
                "hash",
                "double",
                "u",
                "as",
                "in",
                "boy",
                "hundred",
                "thousand",
                "dollars",
                "cents",
                "and",
                "p",
                "m",
                "oh",
                "dash",
                "plus",
                "spelled",
                "x",
                "ray",
                "six",
            ]
        ),
        max_size=14,
    )
)
def test_any_words_of_values_are_written(words: list[str]) -> None:
    written = written_form(" ".join(words))
    assert bool(written) == bool(words)


def test_the_canonical_form_of_a_date_decides() -> None:
    assert canonical_entity("date", written_form("may fifth twenty twenty six")) == "2026-05-05"
