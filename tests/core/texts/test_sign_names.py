"""Names of digits, letters and signs."""

import string

from dragoman.core.texts.entities import sign_names


def test_every_digit_and_letter_has_a_word_of_its_own() -> None:
    names = sign_names()
    assert len(set(names.digits)) == len(string.digits)
    assert "".join(names.nato) == string.ascii_lowercase
    assert {word[0]: word for word in names.nato.values()} == names.nato


def test_a_name_is_one_word_so_that_a_spelling_can_be_cut_at_its_hyphens() -> None:
    names = sign_names()
    assert [
        word
        for word in (*names.digits, *names.nato.values(), *names.signs.values())
        if not word.isalpha()
    ] == []


def test_no_word_stands_for_two_signs() -> None:
    names = sign_names()
    words = [
        *names.digits,
        *names.nato.values(),
        *names.nato_in_english.values(),
        *names.signs.values(),
    ]
    assert len(set(words)) == len(words)
    assert all(names.nato[letter] != word for letter, word in names.nato_in_english.items())
