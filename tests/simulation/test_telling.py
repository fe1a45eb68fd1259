"""Behaviours of a persona's user without a model; shares are 1, so nothing is random."""

import asyncio

import pytest

from dragoman.core.personas import Habits, PersonaPhrases, UserBehavior
from dragoman.core.protocols import SessionStart
from dragoman.core.replies import TextReply, text_reply
from dragoman.core.tasks import KnownFact, Scenario, Task
from dragoman.core.tools import NO_TOOLS
from dragoman.simulation.participants.scripted_user import OfflineUser, misread_digits

SCENARIO = Scenario(
    "My zip is 83702.",
    opening="I want to move an order.",
    facts=(
        KnownFact("last_name", "Holt", ("surname",)),
        KnownFact("zip_code", "83702", ("zip",)),
        KnownFact("phone", "0151", ("phone",)),
    ),
)
PERSONA_PHRASES = PersonaPhrases(
    vague=("Somewhere.",),
    asks_back=("Which one?",),
    openings=("Good day.",),
    asides=("It rains.",),
    slip="Sorry: {facts}",
    repeat="Again: {facts}",
)
ALL = "What is your surname, zip and phone?"


def said(habits: Habits, *turns: str, key: str = "k") -> list[str]:
    """Return the user's answers to the turns after the greeting."""
    user_behavior = UserBehavior(habits, PERSONA_PHRASES)

    async def talk() -> list[str]:
        opening = SessionStart(
            Task("1", "s", "d", SCENARIO), "user", 0, user_behavior=user_behavior, key=key
        )
        session = await OfflineUser().open(opening)
        given = []
        for turn in ("Hi!", *turns):
            reply = (await session.reply([text_reply(turn)], NO_TOOLS)).reply
            assert isinstance(reply, TextReply)
            given.append(reply.text)
        return given[1:]

    return asyncio.run(talk())


def test_facts_that_were_left_out_are_told_when_they_are_asked_for_again() -> None:
    assert said(Habits(at_once=1), ALL, "What is your zip?") == [
        "The last name is Holt.",
        "The zip code is 83702.",
    ]


def test_who_is_vague_tells_it_the_second_time() -> None:
    assert said(Habits(vague=1), "What is your zip?", "And your zip?") == [
        "Somewhere.",
        "The zip code is 83702.",
    ]


def test_who_asks_back_tells_it_the_second_time() -> None:
    assert said(Habits(asks_back=1), ALL, ALL) == [
        "Which one?",
        "The last name is Holt. The zip code is 83702. The phone is 0151.",
    ]


def test_a_value_that_was_misread_is_put_right_unasked_in_the_next_message() -> None:
    assert said(Habits(slips=1), "What is your zip?", "And what is your surname?") == [
        "The zip code is 83720.",
        "Sorry: The zip code is 83702. The last name is Holt.",
    ]


def test_a_value_that_is_read_back_as_it_was_misread_is_corrected_once() -> None:
    first, second, third = said(
        Habits(slips=1),
        "What is your zip?",
        "So the zip is 83720, right?",
        "What is your surname?",
    )
    assert first == "The zip code is 83720."
    assert second == "No. The zip code is 83702."
    assert third == "The last name is Holt."


def test_nobody_leaves_without_putting_right_what_was_misread() -> None:
    assert said(Habits(slips=1), "What is your zip?", "All done.", "All done.") == [
        "The zip code is 83720.",
        "Sorry: The zip code is 83702.",
        "###STOP###",
    ]


def test_what_is_spelled_is_spelled_as_it_is() -> None:
    spelled = "Please spell your zip."
    assert said(Habits(slips=1), "What is your zip?", spelled, "And your surname?") == [
        "The zip code is 83720.",
        "The zip code is 83702, spelled 8-3-7-0-2.",
        "The last name is Holt.",
    ]


def test_who_is_terse_tells_values_alone() -> None:
    assert said(Habits(terse=True), ALL) == ["Holt; 83702; 0151"]


def test_who_digresses_ends_as_everybody_does() -> None:
    assert said(Habits(asides=1), "What is your zip?", "Goodbye!") == [
        "It rains. The zip code is 83702.",
        "###STOP###",
    ]


def test_who_repeats_itself_repeats_what_is_right() -> None:
    habits = Habits(repeats=1, slips=1)
    assert said(habits, "What is your surname?", "What is your zip?")[1] == (
        "The zip code is 83720. Again: The last name is Holt."
    )


def test_who_volunteers_tells_everything_in_the_first_message() -> None:
    async def first() -> object:
        user_behavior = UserBehavior(Habits(volunteers=True), PERSONA_PHRASES)
        opening = SessionStart(
            Task("1", "s", "d", SCENARIO), "user", 0, user_behavior=user_behavior
        )
        session = await OfflineUser().open(opening)
        return (await session.reply([], NO_TOOLS)).reply

    assert asyncio.run(first()) == text_reply(
        "Good day. I want to move an order. The last name is Holt. The zip code is 83702. "
        "The phone is 0151."
    )


def test_the_same_key_meets_the_same_user_and_other_keys_others() -> None:
    habits = Habits(vague=0.5, slips=0.5)
    first = [said(habits, ALL, key=str(number)) for number in range(20)]
    assert first == [said(habits, ALL, key=str(number)) for number in range(20)]
    assert len({answer for (answer,) in first}) > 4


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("83702", "83720"),
        ("KL-4830", "KL-4803"),
        ("7", "8"),
        ("B-9", "B-0"),
        ("1111", "1112"),
        ("+44 7700 900111", "+44 7700 901011"),
        ("Holt", "Holt"),
        ("", ""),
    ],
)
def test_a_misread_value_differs_by_digits(value: str, expected: str) -> None:
    assert misread_digits(value) == expected
