import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.replies import Utterance
from dragoman.core.scores import Evidence, Unscored
from dragoman.scoring.speech_accuracy import (
    AlignmentCounts,
    character_edits,
    entity_evidence,
    normalize_for_scoring,
    separate_latin_words,
    speech_accuracy,
    word_edits,
)


def test_lost_changed_and_added_words_are_counted() -> None:
    edits = word_edits("Please send it to Tom Brown.", "please send to tim brown now", "en")
    assert edits == AlignmentCounts(hits=4, substitutions=1, deletions=1, insertions=1)
    assert isinstance(edits, AlignmentCounts)
    assert edits.said == 6
    assert edits.rate == 0.5


def test_case_punctuation_and_apostrophes_are_not_counted() -> None:
    edits = word_edits("It\u2019s fine, OK?", "its fine ok", "en")
    assert edits == AlignmentCounts(hits=5, substitutions=0, deletions=0, insertions=0)


def test_more_words_put_in_than_said_make_a_rate_above_one() -> None:
    edits = word_edits("yes", "oh yes I do", "en")
    assert isinstance(edits, AlignmentCounts)
    assert edits.rate == 3.0


@pytest.mark.parametrize("language", ["th", "zh", "zh-Hant", "ja"])
def test_words_are_not_counted_where_none_are_written(language: str) -> None:
    verdict = word_edits("我要退货", "我要退火", language)
    assert isinstance(verdict, Unscored)
    assert "without spaces" in verdict.reason
    assert character_edits("我要退货", "我要退火", language) == AlignmentCounts(3, 1, 0, 0)


def test_a_letter_with_its_marks_is_one_character() -> None:
    assert character_edits("ที่นี่", "ทีนี่", "th") == AlignmentCounts(1, 1, 0, 0)


def test_marks_of_a_script_are_kept() -> None:
    assert normalize_for_scoring("สวัสดี, ครับ!") == "สวัสดี ครับ"


def test_nothing_said_is_no_rate() -> None:
    assert word_edits("...", "hello", "en") == Unscored("no word was said")


def test_what_is_too_long_is_not_counted() -> None:
    assert word_edits("a " * 3_000, "a", "en") == Unscored("more than 2000 words")


def test_nothing_heard_is_every_word_lost() -> None:
    assert word_edits("send it", "", "en") == AlignmentCounts(0, 0, 2, 0)


def test_an_utterance_is_compared_by_its_spoken_form_and_its_values_by_the_written() -> None:
    utterance = Utterance(
        "Order W23, Tom", spoken="Order W two three, Tom", heard="order w two three tim"
    )
    accuracy = speech_accuracy(utterance, "en", ["W23", "Tom"], "order W23 tim")
    assert accuracy.words == AlignmentCounts(4, 1, 0, 0)
    assert accuracy.entities == (
        Evidence("W23", True, "", "code"),
        Evidence("Tom", False, "not in what was heard", "name"),
    )


@pytest.mark.parametrize(
    ("utterance", "why"),
    [
        (Utterance("Order W23"), "the listener was given the text"),
        (Utterance("Order W23", heard=None), "the listener was given the audio itself"),
    ],
)
def test_where_nothing_was_transcribed_nothing_is_counted(utterance: Utterance, why: str) -> None:
    accuracy = speech_accuracy(utterance, "en", ["W23"])
    assert accuracy.words == accuracy.characters == Unscored(why)
    assert accuracy.entities == (Evidence("W23", None, why, "code"),)


@pytest.mark.parametrize(
    ("value", "heard", "is_heard"),
    [
        ("KL-4830", "dạ mã bưu chính là k l 4 8 3 0 dạ từ", True),
        ("KL-4830", "dạ mã bưu chính là k l 4 8 3 dạ từ", False),
        ("KL-4830", "dạ mã bưu chính là k l 4 8 3 0 1 dạ từ", False),
        ("KL-4830", "dạ mã bưu chính là k vợ 4 8 3 0 dạ từ", False),
        ("+44 7700 900102", "điện thoại là 4 4 7 7 0 0 9 0 0 1 0 2", True),
        ("Tom", "t o m", True),
    ],
)
def test_ids_arrive_sign_by_sign_too_with_none_more_or_less(
    value: str, heard: str, is_heard: bool
) -> None:
    (evidence,) = entity_evidence([value], heard)
    assert evidence.met is is_heard


def test_values_stand_apart_from_words_without_spaces() -> None:
    assert separate_latin_words("邮编是KL-4830。电话是+44 7700 900102。", "zh") == (
        "邮编是 KL-4830 。电话是 +44 7700 900102 。"
    )
    assert separate_latin_words("mã KL-4830.", "vi") == "mã KL-4830."


def test_a_value_counts_once_however_often_it_is_needed() -> None:
    assert len(entity_evidence(["W23", "W23"], "W23")) == 1


def test_a_rate_is_errors_for_each_unit_said() -> None:
    assert AlignmentCounts(10, 1, 1, 0).rate == 2 / 12
    assert AlignmentCounts(0, 0, 1, 3).rate == 4.0


@given(st.text(max_size=60), st.text(max_size=60))
def test_what_was_said_is_hit_changed_or_lost(said: str, heard: str) -> None:
    edits = character_edits(said, heard, "en")
    if isinstance(edits, Unscored):
        assert not normalize_for_scoring(said)
    else:
        assert (edits.rate == 0) == (normalize_for_scoring(said) == normalize_for_scoring(heard))


@given(st.text(string.printable, max_size=40))
def test_plain_texts_are_counted_as_any_other(text: str) -> None:
    marked = f"{text} \N{ARABIC LETTER BEH}"
    assert normalize_for_scoring(marked).removesuffix(
        "\N{ARABIC LETTER BEH}"
    ).strip() == normalize_for_scoring(text)
