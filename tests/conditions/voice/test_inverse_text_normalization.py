"""Normalized transcripts: written values stay, and values in words become written."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.conditions.voice.inverse_text_normalization.normalizer import (
    READERS,
    normalized_transcript,
    written_form,
)
from dragoman.core.value_matching.matcher import states


@pytest.mark.parametrize(
    "transcript",
    [
        "5,000 dollars",
        "2,500 euros",
        "a 10-day trip with a 60% discount",
        "items 1, 2, 3 and 4",
        "20 m/s",
        "300 K",
        "in the U.S. 2 times",
        "100 A.D. to 1500 A.D.",
        "e.g. 12",
        "5 p.m.",
        "the 21st of May, 2024",
        "I read One Hundred Years of Solitude, as I said",
        "half a million people",
        "",
    ],
)
def test_what_is_written_already_stays(transcript: str) -> None:
    assert normalized_transcript(transcript, "en") == transcript


@pytest.mark.parametrize(
    ("transcript", "written"),
    [
        ("my order is w two three seven eight one five six", "my order is W2378156"),
        ("twenty dollars", "$20"),
        ("yusuf dot rossi at example dot com", "yusuf.rossi@example.com"),
        ("may fifth twenty twenty six", "2026-05-05"),
        ("five thirty p m", "5:30 PM"),
        ("alpha bravo zulu nine three zero", "ABZ930"),
        ("a hundred dollars", "$100"),
        ("My code is W 2 3 7 8 1 5 6.", "My code is W2378156."),
    ],
)
def test_what_is_said_in_words_or_spelled_is_written(transcript: str, written: str) -> None:
    assert normalized_transcript(transcript, "en") == written


def test_other_languages_stay_as_they_are() -> None:
    assert normalized_transcript("vinte dólares", "pt") == "vinte dólares"


@pytest.mark.parametrize(
    "value", ["$20", "W2378156", "25", "17:30", "2026-05-05", "60%", "Ann", "a@example.com"]
)
@pytest.mark.parametrize(
    "sentence", ["It is {}.", "Send {} to Bob, please.", "{}", "Take 2, then {}!"]
)
def test_a_value_that_the_transcript_states_is_stated_afterwards(value: str, sentence: str) -> None:
    transcript = sentence.format(value)
    assert states(value, transcript, "en")
    assert states(value, normalized_transcript(transcript, "en"), "en")


WORDS = st.sampled_from(
    [
        *(
            "one",
            "two",
            "twenty",
            "five",
            "hundred",
            "thousand",
            "oh",
            "point",
            "may",
            "fifth",
            "of",
        ),
        *("the", "a", "b", "x", "ray", "double", "w", "alpha", "bravo", "as", "in", "boy", "dot"),
        *("at", "underscore", "com", "example", "again", "spelled", "name", "is", "and", "dollars"),
        *(
            "cents",
            "p",
            "m",
            "percent",
            "book",
            "please",
            "hash",
            "plus",
            "see",
            "to",
            "for",
            "you",
        ),
    ]
)


@given(st.lists(WORDS, max_size=12).map(" ".join))
def test_words_alone_are_written_as_all_readers_at_every_word_would(words: str) -> None:
    """Readers are skipped where they can read nothing: this must not change the result."""
    is_article = {"a hundred", "a thousand"} & {" ".join(pair) for pair in _pairs(words)}
    if not is_article:
        assert normalized_transcript(words, "en") == written_form(words)
    assert len(READERS) == 8, "say in `_readers` where a new one may begin"


def _pairs(words: str) -> list[tuple[str, str]]:
    parts = words.split()
    return list(pairwise(parts))


NAMES = st.sampled_from(["Ann", "Bob", "Rossi", "coffee", "ticket"])
FIGURES = st.one_of(
    st.integers(0, 99_999).map(str),
    st.integers(0, 99_999).map("{:,}".format),
    st.integers(0, 999).map("${}".format),
    st.integers(0, 100).map("{}%".format),
    st.tuples(st.integers(0, 23), st.integers(0, 59)).map(
        lambda time: f"{time[0]:02}:{time[1]:02}"
    ),
    st.from_regex(r"[A-Z]{2}[0-9]{4,8}", fullmatch=True),
)


@given(FIGURES, NAMES, WORDS, WORDS)
def test_a_value_in_figures_is_not_lost(value: str, name: str, before: str, after: str) -> None:
    transcript = f"{name}, {before}: {value}. {after}"
    if states(value, transcript, "en"):
        assert states(value, normalized_transcript(transcript, "en"), "en")
