"""Encodings of one character are one, and places in the source text are kept."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.value_matching.folding import fold, primary_language


@pytest.mark.parametrize(
    ("text", "language", "folded"),
    [
        ("\u0e19\u0e49\u0e4d\u0e32", "th", "\u0e19\u0e49\u0e33"),
        ("\u0e40\u0e40\u0e01", "th", "\u0e41\u0e01"),
        ("\u0e51\u0e52", "th", "12"),
        ("\u0661\u0662", "ar", "12"),
        ("I\u0130", "tr", "\u0131i"),
        ("co\u00adop", "en", "coop"),
        ("don\u2019t", "en", "don't"),
        ("m\u00b2", "en", "m^2"),
        ("ho\u00e0", "vi", "h\u00f2a"),
        ("\u8eca\u7968", "zh", "\u8f66\u7968"),
        ("\uff21\uff11", "ja", "A1"),
    ],
)
def test_forms_of_one_character_are_one(text: str, language: str, folded: str) -> None:
    assert fold(text, language).text == folded


@given(st.text(), st.sampled_from(["en", "th", "vi", "zh", "tr", "ja", "ar"]))
def test_places_lie_in_the_text_and_grow(text: str, language: str) -> None:
    folded = fold(text, language)
    places = [folded.place(at) for at in range(len(folded.text) + 1)]
    assert places == sorted(places)
    assert all(0 <= place <= len(text) for place in places)


@given(st.text(st.sampled_from("aeiouyn\u0301\u0300\u0302\u0323\u0308 ")))
def test_both_encodings_of_a_text_are_folded_to_one(text: str) -> None:
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert fold(composed, "en").text == fold(decomposed, "en").text


@pytest.mark.parametrize(
    ("tag", "primary"),
    [("cmn-Hans", "zh"), ("wuu", "zh"), ("tl", "fil"), ("pt_BR", "pt"), ("EN-us", "en")],
)
def test_tags_of_one_language_are_one(tag: str, primary: str) -> None:
    assert primary_language(tag) == primary
