import pytest

from dragoman.conditions.voice.verbalization.spelling import (
    EMBEDDED_SOUNDS,
    SpokenStyle,
    with_sounds,
)
from dragoman.conditions.voice.verbalization.spoken_form import MAX_CHARACTERS, verbalize


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("Order #W2378156.", "Order hash W two three, seven eight one, five six."),
        ("Mail jane@my-shop.co.uk", "Mail J A, N E at M Y dash shop dot C O dot U K"),
        ("Mail 0.0.0@mail.com", "Mail zero dot zero dot zero at M A I L dot com"),
        ("Open final_report.pdf", "Open final underscore report dot P D F"),
        ("On May 5th, 2026", "On May fifth, twenty twenty six"),
        ("On 2006-12-31", "On December thirty first, two thousand six"),
        ("At 15:05", "At three oh five P M"),
        ("It cost $1,250.50", "It cost one thousand two hundred fifty dollars and fifty cents"),
        (
            "Raise $2 million, or $2.5 million",
            "Raise two million dollars, or two point five million dollars",
        ),
        ("£1 million and € 20 thousand", "one million pounds and twenty thousand euros"),
        ("Call 415-555-0182", "Call four one five, five five five, zero one, eight two"),
        (
            "At +44 7700 900102, +5 days",
            "At plus four four, seven seven, zero zero, nine zero zero, one zero two, +five days",
        ),
        ("Fly from SFO, NOT LAX", "Fly from S F O, not L A X"),
        (
            "I have 256GB and 3.5%",
            "I have two hundred fifty six gigabytes and three point five percent",
        ),
        ("The 21st of 1,200", "The twenty first of one thousand two hundred"),
        ("A package", "a package"),
        ("H-o-l-t", "H O, L T"),
        ("hotel-oscar-lima-tango", "hotel oscar lima tango"),
        ("Well-known words stay, and Mrs. Holt too.", "Well-known words stay, and Mrs. Holt too."),
        ("", ""),
    ],
)
def test_values_are_put_into_words_and_the_rest_stays(text: str, spoken: str) -> None:
    assert verbalize(text) == spoken


@pytest.mark.parametrize(
    ("style", "spoken"),
    [
        (SpokenStyle(), "A B seven"),
        (SpokenStyle(group=2), "A B seven"),
        (SpokenStyle(letters="nato"), "alpha bravo seven"),
        (SpokenStyle(letters="as in"), "A as in apple, B as in boy, seven"),
        (SpokenStyle(twice=True), "A B seven, again, A B seven"),
    ],
)
def test_a_style_says_how_an_id_is_spelled(style: SpokenStyle, spoken: str) -> None:
    assert verbalize("AB7", style=style) == spoken


def test_a_local_part_may_be_said_as_words() -> None:
    style = SpokenStyle(local_part="words")
    assert verbalize("john.smith82@mail.com", style=style) == (
        "john dot smith eight two at M A I L dot com"
    )


def test_a_name_is_spelled_after_it_was_said() -> None:
    assert verbalize("I am Ann Holt.", spell=["Holt"]) == "I am Ann Holt, spelled H O, L T,."


def test_a_lone_a_is_given_to_the_embedded_voice_as_it_sounds() -> None:
    spoken = verbalize("A letter: order AB7A1.")
    assert with_sounds(spoken, EMBEDDED_SOUNDS) == "a letter: order eigh B seven, eigh one."


@pytest.mark.parametrize("language", ["vi", "th", "zh-Hans", "id"])
def test_in_other_languages_ids_are_spelled_and_the_rest_is_left_to_the_voice(
    language: str,
) -> None:
    assert verbalize("Mã W2378156, 15/05/2026, $20", language) == (
        "Mã W 2 3, 7 8 1, 5 6, 15/05/2026, $20"
    )


def test_what_no_one_could_say_in_one_breath_is_cut() -> None:
    assert len(verbalize("word " * 10_000)) == MAX_CHARACTERS


def test_a_date_that_does_not_exist_is_left_as_it_is() -> None:
    assert verbalize("on 2026-02-31") == "on 2026-02-31"
