"""Speech as words: the tokens of the ASR error simulation."""

import pytest

from dragoman.conditions.voice.asr_error_simulation.token_errors import (
    error_units,
    join_words,
    segment_words,
    tokenize_speech,
)
from dragoman.conditions.voice.asr_error_simulation.vocabulary import build_lexicon
from dragoman.core.errors import UsageError


def texts(text: str, language: str) -> list[str]:
    return [token.text for token in tokenize_speech(text, build_lexicon(language))]


def test_thai_falls_into_words() -> None:
    assert texts("ฉันต้องการคืนสินค้า", "th") == ["ฉัน", "ต้องการ", "คืน", "สินค้า"]


def test_chinese_falls_into_words_and_counts_by_characters() -> None:
    words = texts("我想取消航班", "zh")
    assert words == ["我", "想", "取消", "航班"]
    assert error_units(words, "zh") == ("我", "想", "取", "消", "航", "班")


def test_a_lone_capital_is_a_letter_and_an_a_is_a_word() -> None:
    tokens = tokenize_speech("I have a code B I 7 two", build_lexicon("en"))
    assert [(token.text, token.kind) for token in tokens] == [
        *(("i", "word"), ("have", "word"), ("a", "word"), ("code", "word")),
        *(("b", "letter"), ("i", "letter"), ("7", "number"), ("two", "digit")),
    ]


def test_addresses_stay_whole_and_hyphens_part_words() -> None:
    assert texts("Email laki-laki: budi.s2@contoh.id!", "id") == [
        *("email", "laki", "laki", "budi.s2@contoh.id"),
    ]


def test_words_are_joined_without_spaces_where_none_are_written() -> None:
    assert join_words(["我", "的", "w", "2", "号"]) == "我的 w 2 号"
    assert join_words(["to", "you"]) == "to you"
    assert join_words([]) == ""


def test_what_no_dictionary_knows_is_kept() -> None:
    assert "".join(segment_words("ฅฅฅ", {})) == "ฅฅฅ"
    assert segment_words("", {}) == ()


def test_words_of_a_suite_may_be_heard_too() -> None:
    assert "zorbletron" not in build_lexicon("en").phones
    assert "zorbletron" in build_lexicon("en", ["The Zorbletron plan costs more."]).phones


def test_of_what_is_written_without_spaces_nothing_is_taken() -> None:
    reported = ["เปิดโรมมิ่ง roaming ก่อน", "打开漫游 roaming 设置"]
    for language in ("th", "zh"):
        added = set(build_lexicon(language, reported).words) - set(build_lexicon(language).words)
        assert added == {"roaming"}


def test_filipino_has_two_tags() -> None:
    assert build_lexicon("fil").key == build_lexicon("tl-PH").key


def test_a_language_without_a_list_is_refused_in_one_line() -> None:
    with pytest.raises(UsageError, match="cannot be simulated in 'xx': there are en, vi, id, tl"):
        build_lexicon("xx")
