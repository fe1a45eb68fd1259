"""Phrases that rules recognize: the search is fast in texts without any."""

import re
import tomllib
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.scoring.dialogue_acts import match_phrase, required_literal

PATTERNS: dict[str, list[str]] = tomllib.loads(
    (files("dragoman.scoring") / "user_phrases.toml").read_text("utf-8")
)
PIECES = st.sampled_from(
    [
        "how",
        "can i help",
        "may i",
        "anything else",
        "i've processed",
        "your",
        "thank you for calling us",
        "as an ai model",
        "my instructions say",
        "i'm a simulated user",
        "confirm",
        "proceed",
        "yes",
        "no",
        "don't",
        "transfer",
        "go ahead",
        "sure",
        "<scenario>",
        "which",
        "good",
        "bye",
        ",",
        ".",
        "?",
        "\u2019",
        "\u0130",
        "x",
    ]
)


def written(piece: str) -> st.SearchStrategy[str]:
    return st.sampled_from([piece, piece.upper(), piece.title()])


TEXTS = st.lists(PIECES.flatmap(written), max_size=8).flatmap(
    lambda pieces: st.sampled_from([" ".join(pieces), "".join(pieces)])
)


@given(TEXTS)
def test_what_is_found_is_what_the_patterns_match_in_any_case(text: str) -> None:
    for kind, patterns in PATTERNS.items():
        match = re.search("|".join(patterns), text.replace("\u2019", "'"), re.IGNORECASE)
        assert match_phrase(kind, text) == (match.group() if match else "")


ALL = sorted({each for patterns in PATTERNS.values() for each in patterns})


@given(st.sampled_from(ALL).flatmap(lambda each: st.tuples(st.just(each), st.from_regex(each))))
def test_whatever_a_pattern_matches_holds_what_it_needs(case: tuple[str, str]) -> None:
    pattern, text = case
    assert required_literal(pattern) in text


@pytest.mark.parametrize(
    ("pattern", "literal"),
    [
        (r"\bmy (order|number)\b", "my "),
        (r"\bgo(od)?bye!?", "bye"),
        (r"\b(a|an)\b", ""),
        (r"^\W*no\b", "no"),
        (r"colou?rs", "colo"),
        (r"[(]ye{1,9}s[)]", "y"),
        (r"no+thing", "thing"),
    ],
)
def test_what_a_pattern_needs_stands_outside_of_brackets(pattern: str, literal: str) -> None:
    assert required_literal(pattern) == literal


def test_alternatives_stand_in_brackets() -> None:
    for pattern in ALL:
        left, stripped = "", re.sub(r"\\.|\[[^\]]*\]", "", pattern)
        while left != stripped:
            left, stripped = stripped, re.sub(r"\([^()]*\)", "", stripped)
        assert "|" not in left, pattern


@pytest.mark.parametrize("text", ["How MAY I Assist You", "so, how may i assist you?"])
def test_a_phrase_is_told_as_it_was_written(text: str) -> None:
    assert match_phrase("serves", text).lower() == "how may i assist you"
    assert match_phrase("serves", text) in text
