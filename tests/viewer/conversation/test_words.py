"""Intended, spoken and heard words: the marked ones, and their marks."""

import pytest
from msgspec import UNSET

from dragoman.core.replies import WORDS, Stage, Utterance
from dragoman.viewer.word_diff import Mark, MarkedText, three_texts


def marked(spans: tuple[MarkedText, ...] | None, mark: Mark) -> list[str]:
    return [span.text for span in spans or () if span.mark == mark]


def text(spans: tuple[MarkedText, ...] | None) -> str:
    return "".join(span.text for span in spans or ())


def test_a_word_that_did_not_arrive_is_marked_in_each_text() -> None:
    given = Utterance("Well, the code is B 7.", "well the code is bee 7", "the code is v 7 now")

    texts = three_texts(given, "en")

    assert marked(texts.intended, "lost") == ["Well,"]
    assert marked(texts.intended, "changed") == ["B"]
    assert marked(texts.spoken, "lost") == ["well"]
    assert marked(texts.spoken, "changed") == ["bee"]
    assert marked(texts.heard, "changed") == ["v"]
    assert marked(texts.heard, "added") == ["now"]


def test_texts_are_shown_as_they_are_whatever_is_compared() -> None:
    given = Utterance("Hello,  “World”!\n42", "hello world forty-two", "hello old 42")

    texts = three_texts(given, "en")

    assert text(texts.intended) == given.intended
    assert text(texts.spoken) == given.spoken
    assert text(texts.heard) == given.heard


def test_a_value_that_was_spelled_and_written_again_has_arrived() -> None:
    texts = three_texts(Utterance("It is B7.", "it is bee seven", "it is B7"), "en")

    assert {span.mark for span in texts.intended} == {"same"}
    assert marked(texts.spoken, "reworded") == ["bee", "seven"]
    assert {span.mark for span in texts.heard or ()} == {"same"}


def test_a_number_that_is_written_in_figures_after_it_was_heard_is_right() -> None:
    stage = Stage("recognition", "somebody", settings={WORDS: "number fifty please"})
    given = Utterance(
        "Number fifty, please.", "Number fifty, please.", "number 50 please", stages=(stage,)
    )

    texts = three_texts(given, "en")

    assert {span.mark for span in texts.intended} == {"same"}
    assert marked(texts.heard, "reworded") == ["50"]
    assert texts.recognized == "number fifty please"


def test_a_word_that_was_recognized_wrongly_is_wrong_however_it_is_written() -> None:
    stage = Stage("recognition", "somebody", settings={WORDS: "number fifteen"})
    given = Utterance("Number fifty.", "Number fifty.", "number 15", stages=(stage,))

    texts = three_texts(given, "en")

    assert marked(texts.intended, "changed") == ["fifty."]
    assert marked(texts.heard, "changed") == ["15"]


def test_a_sign_between_the_programs_is_never_lost() -> None:
    texts = three_texts(Utterance("Thanks! ###STOP###", "Thanks!", "thanks"), "en")
    alone = three_texts(Utterance("###STOP###", "", ""), "en")

    assert [span.mark for span in texts.intended] == ["same", "sign"]
    assert [span.mark for span in alone.intended] == ["sign"]


def test_a_language_without_spaces_is_compared_by_character_with_its_marks() -> None:
    texts = three_texts(Utterance("สวัสดีครับ", "สวัสดีครับ", "สวัสดีครบ"), "th")

    assert marked(texts.spoken, "changed") == ["รั"]
    assert marked(texts.heard, "changed") == ["ร"]


def test_plain_text_is_one_text_and_nothing_is_marked() -> None:
    texts = three_texts(Utterance("Hello there"), "en")

    assert texts.is_plain
    assert texts.intended == (MarkedText("Hello there", "same"),)


def test_a_listener_of_the_audio_itself_has_no_text() -> None:
    texts = three_texts(Utterance("Hello", "hello", None), "en")

    assert texts.is_audio
    assert texts.heard is None


def test_a_long_text_is_cut_and_says_so_and_no_word_of_it_counts_as_lost() -> None:
    texts = three_texts(Utterance("x" * 5_000, UNSET, "x"), "en", most=100)

    assert text(texts.intended) == "x" * 100
    assert texts.cut == 4_900
    assert not texts.is_compared
    assert {span.mark for span in texts.intended} == {"same"}


@pytest.mark.parametrize(
    ("intended", "heard"),
    [
        ("I paid $5,000 today.", "i paid five thousand dollars today"),
        ("It is 3:30 PM on March 12.", "it is three thirty p m on march twelfth"),
        ("Mail ruth@example.net now", "mail ruth at example dot net now"),
        ("Order KL-4821 please", "order k l four eight two one please"),
    ],
)
def test_a_value_in_another_format_is_no_error(intended: str, heard: str) -> None:
    found = three_texts(Utterance(intended, heard=heard), "en")
    assert found.marks <= {"same", "reworded"}


@pytest.mark.parametrize(
    ("intended", "heard", "wrong"),
    [
        ("I paid $5,000 today.", "i paid five hundred dollars today", "$5,000"),
        ("It is on March 12.", "it is on march thirteenth", "12."),
        ("Mail ruth@example.net now", "mail ruth at example dot com now", "ruth@example.net"),
    ],
)
def test_another_value_in_another_format_is_an_error(intended: str, heard: str, wrong: str) -> None:
    found = three_texts(Utterance(intended, heard=heard), "en")
    assert [span.text.strip() for span in found.intended if span.mark == "changed"] == [wrong]
