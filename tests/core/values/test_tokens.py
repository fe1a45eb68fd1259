"""Texts as words, figures and signs that are said, each with its place."""

import pytest

from dragoman.core.texts.entities import sign_names
from dragoman.core.value_matching.lexicon import lexicon_of
from dragoman.core.value_matching.tokenizer import figure_of, tokenize


def words(text: str, language: str = "en") -> list[str]:
    return [token.text for token in tokenize(text, lexicon_of(language))]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Tell Ann, please.", ["tell", "ann", "please"]),
        ("don't", ["don't"]),
        ("a.b@c.com", ["a", "dot", "b", "at", "c", "dot", "com"]),
        ("1,250.5 and 3", ["1250.5", "and", "3"]),
        ("1, 2 and 3", ["1", "2", "and", "3"]),
        ("17:30 on 2026-05-05", ["17:30", "on", "2026-05-05"]),
        ("U.S. mail", ["u", "s", "mail"]),
        ("W23", ["w", "23"]),
        ("$20", ["dollar", "20"]),
        ("x^2 - 1", ["x", "squared", "minus", "1"]),
        ("415.555.0134", ["415", "555", "0134"]),
        ("", []),
    ],
)
def test_a_text_is_cut_into_what_is_said(text: str, tokens: list[str]) -> None:
    assert words(text) == tokens


def test_scripts_without_spaces_are_cut_by_the_words_of_values() -> None:
    assert words("下午三点", "zh") == ["下午", "三", "点"]
    assert words("สองพันบาท", "th") == ["สอง", "พัน", "บาท"]


def test_a_token_has_its_place_gap_and_case() -> None:
    first, second = tokenize("Hi, JFK", lexicon_of("en"))
    assert (first.start, first.end, first.gap, first.is_upper) == (0, 2, ".", False)
    assert (second.start, second.end, second.gap, second.is_upper) == (4, 7, ",", True)


@pytest.mark.parametrize(
    ("figure", "decimal", "plain"),
    [
        ("1,250", ".", "1250"),
        ("1.250", ".", "1.250"),
        ("1.250", ",", "1250"),
        ("1.250.000", ".", "1250000"),
        ("3,5", ",", "3.5"),
        ("1,2,3", ".", None),
    ],
)
def test_separators_are_told_from_decimals(figure: str, decimal: str, plain: str | None) -> None:
    assert figure_of(figure, decimal) == plain


def test_the_letters_of_the_nato_alphabet_are_those_that_users_spell_with() -> None:
    letter, names = lexicon_of("en").letter, sign_names()
    for table in (names.nato, names.nato_in_english):
        for sign, word in table.items():
            assert letter.at(word.split(), 0) == (sign, len(word.split()))
