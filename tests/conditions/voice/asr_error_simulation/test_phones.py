"""Distances between phones and words."""

from hypothesis import given
from hypothesis import strategies as st

from dragoman.conditions.voice.asr_error_simulation.pronunciation import (
    LANGUAGES,
    phone_table,
    sign_sounds,
    spellings,
)

TABLE = phone_table()
WORDS = st.lists(st.sampled_from(sorted(TABLE.numbers)), max_size=8).map(tuple)


@given(WORDS, WORDS)
def test_a_distance_is_the_same_both_ways_and_at_most_one_a_phone(
    first: tuple[str, ...], second: tuple[str, ...]
) -> None:
    apart = TABLE.per_phone(first, second)
    assert abs(apart - TABLE.per_phone(second, first)) < 1e-9
    assert 0.0 <= apart <= 1.0


@given(WORDS)
def test_only_the_same_phones_have_no_distance(phones: tuple[str, ...]) -> None:
    assert TABLE.per_phone(phones, phones) == 0.0
    if phones:
        assert TABLE.per_phone(phones, phones[1:]) > 0.0


def test_b_is_nearer_to_p_than_to_s() -> None:
    assert TABLE.per_phone(("b",), ("p",)) < TABLE.per_phone(("b",), ("s",))


def test_every_sound_that_a_table_writes_is_a_known_phone() -> None:
    written = {
        phone
        for spelling in spellings().values()
        for table in (spelling.letters, spelling.marks, spelling.sounds)
        for sounds in table.values()
        for phone in sounds.split()
    } | {spelling.level for spelling in spellings().values() if spelling.level}
    assert written <= set(TABLE.numbers)


def test_every_language_names_26_letters_and_ten_digits() -> None:
    for language in LANGUAGES:
        sounds = sign_sounds(language)
        assert len(sounds) == 36
        assert all(sounds.values())


def test_vietnamese_words_that_northerners_say_alike_have_no_distance() -> None:
    read = spellings()["vi"].phones
    assert read("xa") == read("sa")
    assert read("gia") == read("da")
    assert read("ma") != read("má")


def test_a_thai_vowel_before_its_consonant_is_said_after_it() -> None:
    assert spellings()["th"].phones("ไป") == ("p", "a", "j")


def test_pinyin_is_read_with_its_tone() -> None:
    assert spellings()["zh"].sounded("shang4 hai3") == (
        *("ʂ", "a", "ŋ", "51"),
        *("x", "a", "i", "213"),
    )
