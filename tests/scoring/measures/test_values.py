"""Required values that recognition lost, by kind, and answers that restored them."""

import asyncio
from typing import cast

import pytest

from dragoman.core.clarifications import Clarification
from dragoman.core.episodes import Episode, Event, Message, Termination
from dragoman.core.measures import MeasureResult, MeasureSetting, ScoringContext
from dragoman.core.protocols import EnvironmentFactory
from dragoman.core.replies import TextReply, ToolCallReply, Utterance
from dragoman.core.tasks import Action, Criteria, FixedTurn, Scenario, Task
from dragoman.core.texts.expected_values import ExpectedValue
from dragoman.core.tools import ToolCall
from dragoman.scoring.measures.speech_recognition import (
    RECOGNITION,
    VALUE_KINDS,
    VALUES,
    value_kind,
)

PLAN = (Action("1", "find", {"order": "#W12", "city": "Porto", "count": 15}),)
TASK = Task("7", "suite", "digest", Scenario("Ask."), criteria=Criteria((), PLAN))
SPOKEN = MeasureSetting(is_spoken=True)


def user(intended: str, heard: str | None, turn: int = 0) -> Message:
    return Message("user", TextReply(Utterance(intended, intended, heard)), turn=turn)


def asking(turn: int = 0) -> Message:
    return Message("agent", TextReply(Utterance("Is that right?")), turn=turn)


def answer(text: str, turn: int = 0) -> Message:
    return Message("user", TextReply(Utterance(text), clarifies=True), turn=turn)


def calling(turn: int = 0, **arguments: object) -> Message:
    return Message("agent", ToolCallReply((ToolCall("1", "find", arguments),)), turn=turn)


def case(
    *events: Event,
    task: Task = TASK,
    expected: tuple[ExpectedValue, ...] = (),
    answered: tuple[Clarification, ...] = (),
) -> ScoringContext:
    episode = Episode(events, Termination("user_stop"), 1, 0, clarifications=answered)
    nothing = cast("EnvironmentFactory", None)
    return ScoringContext(task, episode, nothing, setting=SPOKEN, expected=expected)


def counted(played: ScoringContext) -> MeasureResult:
    return asyncio.run(VALUES.measure(played))


def lost(found: MeasureResult) -> dict[str, int | float]:
    kinds = {kind: found.counts[f"lost: {kind}"] for kind in VALUE_KINDS}
    return {kind: count for kind, count in kinds.items() if count}


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("Liam Neeson", "name"),
        ("15", "number"),
        ("$2,000", "number"),
        ("KD274188065", "id or code"),
        ("RS", "id or code"),
        ("dateFactory", "id or code"),
        ("dir_name", "id or code"),
        ("2026-05-05", "date or time"),
        ("3:30 pm", "date or time"),
        ("ines@example.com", "address or file"),
        ("final_report.pdf", "address or file"),
        ("document/temp", "address or file"),
        ("vegetarian", "other words"),
    ],
)
def test_a_value_has_the_kind_that_its_form_shows(value: str, kind: str) -> None:
    assert value_kind(value) == kind


def test_lost_values_by_kind_add_up_to_all_lost_values() -> None:
    values = {
        "a": "Liam Neeson",
        "b": 15,
        "c": "KD274188065",
        "d": "2026-05-05",
        "e": "ines@example.com",
        "f": "McDuck",
        "g": "cheap",
        "h": "Porto",
    }
    task = Task("7", "s", "d", Scenario(""), criteria=Criteria((), (Action("1", "f", values),)))
    said = " and ".join(map(str, values.values()))
    found = counted(case(user(said, "nothing of it but mcduck and porto"), task=task))
    assert lost(found) == dict.fromkeys(VALUE_KINDS, 1)
    assert found.counts["lost"] == sum(lost(found).values()) == 7
    assert found.counts["values"] == 8


def test_letter_case_is_lost_where_nobody_can_hear_it() -> None:
    task = Task(
        *("7", "s", "d", Scenario("")),
        criteria=Criteria((), (Action("1", "f", {"a": "dateFactory", "b": "Porto"}),)),
    )
    found = counted(case(user("dateFactory of Porto", "datefactory of porto"), task=task))
    assert lost(found) == {"letter case": 1}
    kept = counted(case(user("dateFactory of Porto", "dateFactory of porto"), task=task))
    assert lost(kept) == {}


def test_hearing_counts_the_same_values() -> None:
    played = case(user("#W12 to Porto", "w12 to port"), user("15 to Porto", "50 to porto"))
    hearing = asyncio.run(RECOGNITION.measure(played))
    found = counted(played)
    assert hearing.counts["values"] == found.counts["values"] == 4
    assert hearing.counts["values heard"] == 4 - found.counts["lost"]
    assert lost(found) == {"name": 1, "number": 1}


def test_what_will_do_instead_is_looked_for_in_the_turn_that_needs_it() -> None:
    expected = (
        ExpectedValue(0, "city", (("New York",), ("NY",))),
        ExpectedValue(1, "count", (("15",),)),
    )
    found = counted(
        case(user("15 in NY", "50 in any"), user("15 now", "15 now", turn=1), expected=expected)
    )
    assert lost(found) == {"id or code": 1}
    assert found.counts["values"] == 2


def test_an_answer_wins_a_lost_value_back_where_a_later_call_has_it() -> None:
    turns = (FixedTurn(("To Porto",)), FixedTurn(("15",)))
    task = Task(*("7", "s", "d", Scenario("")), criteria=Criteria((), PLAN), turns=turns)
    asked = (Clarification(1, "allowed", "rule", "Porto"),)
    heard, said = user("To Porto", "to port"), (asking(), answer("Porto"))

    def won(*events: Event, answered: tuple[Clarification, ...] = asked) -> float:
        found = counted(case(heard, *said, *events, task=task, answered=answered))
        assert found.counts["lost"] == 1
        assert found.counts["won back: name"] == found.counts["won back"]
        return found.counts["won back"]

    assert won(calling(city=["Porto"])) == 1
    assert won(calling(city="Port")) == 0
    assert won(calling(turn=1, city="Porto")) == 0
    assert won(calling(city="Porto"), answered=()) == 0
    assert won(calling(city="Porto"), answered=(Clarification(1, "outside", "rule"),)) == 0


def test_who_hears_the_audio_itself_has_lost_nothing_that_anybody_knows() -> None:
    found = counted(case(user("To Porto", None)))
    assert (found.counts, found.unscored.split(":")[0]) == (
        {},
        "the agent was given the audio itself",
    )
