"""Questions that want a yes, questions that want information, and ways to say yes."""

import pytest

from dragoman.core.language.phrasebook import Phrasebook
from dragoman.scoring.dialogue_acts import (
    begins_with_no,
    is_agreement,
    is_insistence,
    is_refusal,
    requests_confirmation,
    requests_information,
)
from dragoman.simulation.phrasebooks import shipped_phrasebook


def phrases(language: str = "en") -> Phrasebook:
    found = shipped_phrasebook(language)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "text",
    [
        *("Go ahead.", "ok", "Please do.", "Sounds good.", "Yep.", "Do it.", "Absolutely!"),
        *("Yes, cancel it, I no longer need it.", "Sure, no problem.", "Yes, why not."),
        *(
            "Yes, I don't need it any more.",
            "Yes please, I'll wait.",
            "Uh-huh.",
            "Yes, no changes.",
        ),
        *("That's correct, please proceed.", "That\u2019s fine.", "Okay, that works."),
    ],
)
def test_a_yes_is_said_in_many_ways(text: str) -> None:
    assert is_agreement(text, phrases())


@pytest.mark.parametrize(
    "text",
    [
        *("No.", "Not yet.", "Hmm, wait.", "I don't think so.", "Never mind.", "Maybe later."),
        *("Yes, but use the gift card instead.", "Yes but only the lamp", "What does it cost?"),
        *("Okay, don\u2019t do that.", "Actually, yes, cancel the other one."),
    ],
)
def test_what_refuses_or_wants_something_else_is_no_yes(text: str) -> None:
    assert not is_agreement(text, phrases())


@pytest.mark.parametrize(
    "text",
    [
        *("Would you like me to proceed?", "Do you confirm (yes/no)?", "Is that okay with you?"),
        *("Please reply 'yes' to proceed.", "Are you okay with this?", "OK to cancel?"),
        *("Just to confirm, you want to cancel #W1?", "May I proceed?", "Is that correct?"),
    ],
)
def test_a_question_for_a_yes_does_not_want_to_be_told(text: str) -> None:
    assert requests_confirmation(text, phrases())
    assert not requests_information(text, phrases())


@pytest.mark.parametrize(
    "text",
    [
        *("What is your zip code?", "Please confirm your zip code.", "I didn't catch that."),
        *("Which one would you like?", "Could you repeat the order number?", "I need your name."),
        *("Can you confirm your order number?", "Please spell it.", "It is here. And your name?"),
    ],
)
def test_a_question_to_be_told_is_told_by_what_it_asks_for(text: str) -> None:
    assert requests_information(text, phrases())


@pytest.mark.parametrize(
    "text",
    [
        *("Is there anything else?", "How may I help you?", "What would you like me to do?"),
        *("One moment, please.", "Please hold on while I look.", "Thank you for confirming."),
    ],
)
def test_wishes_and_patience_are_no_question_to_be_told(text: str) -> None:
    assert not requests_information(text, phrases())


@pytest.mark.parametrize(
    ("language", "yes", "no"),
    [
        ("vi", "Vâng, làm đi.", "Chưa."),
        ("th", "ได้เลยค่ะ", "ไม่"),
        ("id", "Silakan.", "Belum."),
        ("tl", "Sige po.", "Huwag."),
        ("zh", "好", "等一下"),
    ],
)
def test_short_answers_of_other_languages_are_understood(language: str, yes: str, no: str) -> None:
    assert is_agreement(yes, phrases(language))
    assert not is_agreement(no, phrases(language))
    assert is_refusal(no, phrases(language))


@pytest.mark.parametrize(
    ("text", "does"),
    [
        ("No, I said size 9.", True),
        ("I meant the blue one.", True),
        ("I mean the other order.", True),
        ("I mean, it is fine.", False),
        ("As I said, I am away on Monday.", False),
        ("I meant to ask what it costs.", False),
    ],
)
def test_who_insists_says_what_was_said_or_meant(text: str, *, does: bool) -> None:
    assert is_insistence(text, phrases()) is does


def test_a_no_at_the_beginning_is_told_from_one_further_on() -> None:
    assert begins_with_no("Oh no, Boston.", phrases())
    assert not begins_with_no("I do not know that.", phrases())
    assert not begins_with_no("I no longer need it.", phrases())
