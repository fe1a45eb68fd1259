"""Turns, repetitions and corrections of the user, counted in conversations written by hand."""

import asyncio
from typing import cast

import pytest

from dragoman.core.episodes import Episode, Event, Message, Termination
from dragoman.core.measures import MeasureResult, MeasureSetting, ScoringContext
from dragoman.core.protocols import EnvironmentFactory
from dragoman.core.replies import text_reply
from dragoman.core.tasks import Action, Criteria, FixedTurn, KnownFact, Scenario, Task
from dragoman.scoring.measures.count_measure import CountMeasure
from dragoman.scoring.measures.effort import EARLIER_EFFORT, EFFORT
from dragoman.simulation.phrasebooks import shipped_phrasebook

SCENARIO = Scenario("Ask.", facts=(KnownFact("postcode", "KL-4830"), KnownFact("name", "Holt")))
PLAN = (Action("send", "send", {"town": "Boston"}),)


def agent(words: str) -> Message:
    return Message("agent", text_reply(words))


def user(words: str) -> Message:
    return Message("user", text_reply(words))


def measured(
    *events: Event,
    language: str = "en",
    turns: tuple[FixedTurn, ...] = (),
    by: CountMeasure = EFFORT,
) -> MeasureResult:
    criteria = Criteria(reward_basis=("DB",), actions=PLAN)
    task = Task("7", "suite", "digest", SCENARIO, criteria=criteria, turns=turns)
    episode = Episode(events, Termination("user_stop"), len(events), 0)
    phrases = None if language == "xx" else shipped_phrasebook(language)
    case = ScoringContext(
        task,
        episode,
        cast("EnvironmentFactory", None),
        setting=MeasureSetting(language),
        phrases=phrases,
    )
    return asyncio.run(by.measure(case))


TOLD = user("Where is my parcel? The postcode is KL-4830.")


def test_messages_of_the_user_are_its_turns_and_a_stop_token_alone_is_none() -> None:
    found = measured(TOLD, agent("It is here. Anything else?"), user("Bye."), user("###STOP###"))
    assert found.counts == {"conversations": 1, "user turns": 2}


def test_what_is_asked_for_again_is_repeated() -> None:
    found = measured(TOLD, agent("What is your postcode?"), user("The postcode is KL-4830."))
    assert found.counts == {"conversations": 1, "user turns": 2, "repetitions": 1}
    assert found.evidence[1].position == 2
    assert found.evidence[1].why == "message 2 repetitions: KL-4830"


def test_several_values_that_are_said_again_are_one_repetition() -> None:
    first = user("I am Holt, the postcode is KL-4830.")
    again = user("Holt. The postcode is KL-4830.")
    assert measured(first, agent("Who are you, and where?"), again).counts["repetitions"] == 1


@pytest.mark.parametrize(
    "answer",
    [
        "Yes, KL-4830.",
        "Yes, please.",
    ],
)
def test_what_the_agent_reads_back_rightly_is_not_said_again_for_it(answer: str) -> None:
    found = measured(TOLD, agent("Your postcode is KL-4830, right?"), user(answer))
    assert found.counts == {"conversations": 1, "user turns": 2}


def test_what_is_spelled_for_the_agent_is_said_again() -> None:
    found = measured(
        user("My name is Holt."),
        agent("Please spell Holt for me."),
        user("The name is Holt, spelled H-o-l-t."),
    )
    assert found.counts["repetitions"] == 1


def test_where_the_agent_wants_nothing_nothing_is_said_again_for_it() -> None:
    found = measured(TOLD, agent("I am looking."), user("KL-4830 is near the lake."))
    assert "repetitions" not in found.counts


def test_a_no_to_the_agent_with_a_value_that_was_said_is_a_correction() -> None:
    found = measured(
        user("Send it to Boston."), agent("To Austin, is that right?"), user("No, I said Boston.")
    )
    assert found.counts == {"conversations": 1, "user turns": 2, "corrections": 1}
    assert found.evidence[1].why == "message 2 corrections: Boston"


def test_who_meant_what_nobody_had_named_names_it_and_corrects_nothing() -> None:
    talk = (
        user("Hold my parcel, I am away."),
        agent("I have had your tea kept."),
        user("Not the tea! I meant the guitar strings."),
    )
    assert "corrections" not in measured(*talk).counts
    assert measured(*talk, by=EARLIER_EFFORT).counts["corrections"] == 1


def test_who_meant_what_was_named_before_corrects() -> None:
    named = user("Hold the guitar strings, I am away.")
    kept, meant = agent("I have had your tea kept."), user("No, I meant the guitar strings.")
    assert measured(named, kept, meant).counts["corrections"] == 1


def test_a_no_with_what_was_not_said_before_is_a_correction_where_it_was_read_back() -> None:
    read_back = agent("Let me make sure that I heard you: the postcode is KL-4813. Is that right?")
    said = user("No. The postcode is KL-4830.")
    assert measured(user("Hello."), read_back, said).counts["corrections"] == 1
    offered = agent("Shall I send it to Dallas?")
    other = user("No, to Boston.")
    assert "corrections" not in measured(user("Hello."), offered, other).counts


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("It is in Pennick. Is there anything else?", "When will it be at KL-4830?"),
        ("Shall I go ahead?", "Yes, to KL-4830."),
        ("It is in Pennick. Anything else?", "No, KL-4830 was all."),
        ("Shall I send it to KL-4830?", "Not yet. How far is KL-4830?"),
        ("I can send it on Friday.", "No, that is not what I want."),
    ],
)
def test_a_value_that_nobody_asked_for_again_is_neither_repeated_nor_put_right(
    asked: str, answer: str
) -> None:
    assert measured(TOLD, agent(asked), user(answer)).counts == {
        "conversations": 1,
        "user turns": 2,
    }


def test_an_answer_that_does_not_know_is_no_correction_of_the_agent() -> None:
    found = measured(
        TOLD, agent("What is your number?"), user("I do not know. The postcode is KL-4830.")
    )
    assert found.counts == {"conversations": 1, "user turns": 2, "repetitions": 1}


def test_an_id_that_no_task_knows_is_repeated_like_one_that_it_knows() -> None:
    found = measured(
        user("It is about #W77123."), agent("Which order is it?"), user("Order #W77123.")
    )
    assert found.counts == {"conversations": 1, "user turns": 2, "repetitions": 1}


def test_a_value_that_was_said_wrongly_and_is_put_right_is_a_correction_once() -> None:
    found = measured(
        user("The postcode is KL-4803."),
        agent("What is your name?"),
        user("I said that wrong. The postcode is KL-4830. My name is Holt."),
        agent("Thank you. What is your postcode?"),
        user("KL-4830."),
    )
    assert found.counts == {
        "conversations": 1,
        "user turns": 3,
        "corrections": 1,
        "repetitions": 1,
    }


def test_a_correction_is_read_in_the_users_language() -> None:
    said = user("Mã bưu chính là KL-4830.")
    again = user("Không phải. Mã bưu chính là KL-4830.")
    found = measured(said, agent("Mã là KL-4813, đúng không?"), again, language="vi")
    assert found.counts["corrections"] == 1


def test_where_nobody_was_played_or_no_phrases_are_known_nothing_is_counted() -> None:
    fixed = (FixedTurn(("Hello.",)),)
    assert measured(TOLD, turns=fixed).unscored.startswith("no user was played")
    assert measured(agent("Hello.")).unscored.startswith("no user was played")
    assert "phrases of the user's language" in measured(TOLD, language="xx").unscored
