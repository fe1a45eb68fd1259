"""Needless and missing questions, counted in conversations written by hand."""

import asyncio
from collections.abc import Sequence
from typing import cast

import pytest

from dragoman.core.episodes import Episode, Event, Message, Termination
from dragoman.core.measures import MeasureResult, MeasureSetting, ScoringContext
from dragoman.core.protocols import Environment
from dragoman.core.replies import TextReply, ToolCallReply, Utterance, text_reply
from dragoman.core.tasks import Criteria, FixedTurn, KnownFact, Scenario, Task
from dragoman.core.tools import ToolCall, ToolKind, ToolResult
from dragoman.scoring.measures.agent_questions import QUESTIONS
from dragoman.simulation.phrasebooks import shipped_phrasebook

SCENARIO = Scenario("Ask.", facts=(KnownFact("postcode", "KL-4830"), KnownFact("name", "Holt")))
KINDS: dict[str, ToolKind] = {"find": "read", "look": "read", "cancel": "write"}


class Kinds:
    """An environment of which only the kinds of tools are used."""

    def kind(self, name: str) -> ToolKind | None:
        return KINDS.get(name)


def agent(words: str) -> Message:
    return Message("agent", text_reply(words))


def user(words: str) -> Message:
    return Message("user", text_reply(words))


def call(tool: str, result: str = "", /, **arguments: object) -> tuple[Event, Event]:
    made = ToolCall("1", tool, dict(arguments))
    return Message("agent", ToolCallReply((made,))), ToolResult("1", tool, result, "agent")


def measured(
    *events: Event, language: str = "en", turns: Sequence[FixedTurn] = ()
) -> MeasureResult:
    task = Task(
        "7", "s", "d", SCENARIO, criteria=Criteria(reward_basis=("DB",)), turns=tuple(turns)
    )
    episode = Episode(events, Termination("user_stop"), len(events), 0)
    phrases = None if language == "xx" else shipped_phrasebook(language)
    case = ScoringContext(
        task,
        episode,
        lambda _: cast("Environment", Kinds()),
        setting=MeasureSetting(language),
        phrases=phrases,
    )
    return asyncio.run(QUESTIONS.measure(case))


TOLD = user("Hello, my postcode is KL-4830.")


@pytest.mark.parametrize(
    ("question", "answer", "needless"),
    [
        ("What is your postcode?", "KL-4830.", 1),
        ("What is your name?", "Holt.", 0),
        ("What is your name and your postcode?", "Holt, KL-4830.", 0),
        ("What is your postcode?", "I have told you that.", 1),
        ("What is your name?", "I do not want to say.", 0),
        ("Please spell the postcode KL-4830.", "KL-4830, spelled K-L-4-8-3-0.", 1),
        ("Which one, KL-4830 or KL-4831?", "KL-4830.", 0),
    ],
)
def test_a_question_is_needless_where_its_answer_had_been_said(
    question: str, answer: str, needless: int
) -> None:
    found = measured(TOLD, agent(question), user(answer))
    assert found.counts == {"questions": 1, "needless": needless}
    assert found.evidence[0].position == 1


@pytest.mark.parametrize("words", ["Shall I go ahead?", "Is there anything else?", "It is here."])
def test_a_question_for_a_yes_or_for_further_wishes_is_none(words: str) -> None:
    assert measured(TOLD, agent(words), user("Yes, KL-4830.")).counts == {}


def test_what_was_misrecognized_had_not_been_said_to_the_agent() -> None:
    meant = Utterance("The postcode is KL-4830.", spoken="", heard="The postcode is KL-4813.")
    found = measured(
        Message("user", TextReply(meant)), agent("What is your postcode?"), user("It is KL-4830.")
    )
    assert found.counts == {"questions": 1, "needless": 0}


ORDERS = call("find", '{"orders": ["#W1001", "#W1002"]}', email="a@example.com")
RECORDS = (
    *call("look", '{"order_id": "#W1001", "items": ["lamp"]}', order="#W1001"),
    *call("look", '{"order_id": "#W1002", "items": ["lamp", "clock"]}', order="#W1002"),
)


@pytest.mark.parametrize(
    ("events", "missing"),
    [
        ((user("Cancel my order."), *ORDERS), 1),
        ((user("Cancel #W1001."), *ORDERS), 0),
        ((user("Cancel my order."), *ORDERS, agent("#W1001?"), user("Yes.")), 0),
        ((user("Cancel my order."), *ORDERS, agent("#W1001 it is.")), 1),
        ((user("Cancel the one with the lamp."), *ORDERS, *RECORDS), 1),
        ((user("Cancel my order."),), 1),
        ((user("Cancel my order."), *call("find", "#W1001")), 0),
    ],
)
def test_a_question_is_missing_where_a_thing_is_changed_that_nothing_tells_from_others(
    events: tuple[Event, ...], missing: int
) -> None:
    found = measured(*events, *call("cancel", order="#W1001"))
    assert found.counts.get("missing", 0) == missing


def test_what_one_record_alone_has_tells_it_from_others() -> None:
    said = user("Cancel the one with the clock.")
    assert measured(said, *ORDERS, *RECORDS, *call("cancel", order="#W1002")).counts == {}
    wrong = measured(said, *ORDERS, *RECORDS, *call("cancel", order="#W1001"))
    assert wrong.evidence[0].why == "nobody said #W1001, and #W1002 fits as well"


def test_what_is_done_to_each_was_no_choice_and_a_guess_counts_once() -> None:
    both = (*call("cancel", order="#W1001"), *call("cancel", order="#W1002"))
    assert measured(user("Cancel both."), *ORDERS, *both).counts == {}
    twice = (*call("cancel", order="#W1001"), *call("cancel", order="#W1001"))
    assert measured(user("Cancel one."), *ORDERS, *twice).counts == {"missing": 1}


def test_a_lookup_of_what_nobody_named_is_no_guess() -> None:
    assert measured(user("Hello."), *ORDERS, *call("look", order="#W1001")).counts == {}


def test_where_nobody_was_played_or_no_phrases_are_known_nothing_is_counted() -> None:
    assert measured(TOLD, turns=(FixedTurn(("Hi.",)),)).unscored.startswith("no user was played")
    assert "phrases of the user's language" in measured(TOLD, language="xx").unscored
