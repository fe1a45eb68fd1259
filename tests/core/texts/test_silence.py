"""Replies that say nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.stop_tokens import is_silent


@pytest.mark.parametrize(
    "words",
    [
        *("", " \n", "...", "…", "?", "、。", "\u2014", "**", "```", "$", "\u200b", "\ufeff\u2060"),
        *("\u3164", "\u2800", "\u0301", "\ufffd", "###END###", "### WAIT ###.", "###\n"),
    ],
)
def test_signs_alone_say_nothing(words: str) -> None:
    assert is_silent(words)


@pytest.mark.parametrize(
    "words", ["ok", "5", "是", "ใช่", "½", "é", "👍", "✓", "###STOP###", "###END### bye", "#3"]
)
def test_a_letter_a_digit_a_pictograph_or_a_stop_says_something(words: str) -> None:
    assert not is_silent(words)


@given(st.text(max_size=40), st.characters(categories=["Lu", "Ll", "Nd"]))
def test_whatever_surrounds_a_letter_it_is_heard(around: str, letter: str) -> None:
    assert not is_silent(f"{around}\n{letter}\n{around}")
