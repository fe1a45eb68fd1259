from collections.abc import Callable

import pytest

from dragoman.benchmarks.tau2.suite import DomainSuite
from dragoman.conditions.resolved_condition import IdentityChannel
from dragoman.core.episodes import Episode, Message
from dragoman.core.protocols import Channel, Participant
from dragoman.core.replies import TextReply, ToolCallReply
from dragoman.core.scores import Score, Scored
from dragoman.core.tasks import Task
from dragoman.simulation.participants.confirming import MAX_QUESTIONS, CarefulAgent
from dragoman.simulation.participants.oracle import LiteralAgent

Play = Callable[[Task, Participant, Channel], tuple[Episode, Score]]
Garbled = Callable[[int, float], Channel]


def said(episode: Episode) -> list[str]:
    return [
        event.reply.text
        for event in episode.events
        if isinstance(event, Message) and event.by == "agent" and isinstance(event.reply, TextReply)
    ]


def arguments(episode: Episode) -> list[dict[str, object]]:
    return [
        call.arguments
        for event in episode.events
        if isinstance(event, Message) and isinstance(event.reply, ToolCallReply)
        for call in event.reply.calls
    ]


def task_of(tasks: list[Task], name: str) -> Task:
    return next(task for task in tasks if task.id == name)


def test_what_was_heard_is_read_back_before_anything_is_changed(
    play_shop: Play, tasks_with_facts: list[Task]
) -> None:
    task = task_of(tasks_with_facts, "two-swaps")
    episode, _ = play_shop(task, CarefulAgent(), IdentityChannel())
    assert said(episode)[1:3] == [
        "Please tell me: what is your email, what is your order number?",
        (
            "Let me make sure that I heard you: the email is ines.carvalho@example.com; "
            "the order number is #S1000004. Is that right?"
        ),
    ]


def test_nothing_is_read_back_where_nothing_can_change(
    play_shop: Play, tasks_with_facts: list[Task]
) -> None:
    task = task_of(tasks_with_facts, "too-late")
    episode, _ = play_shop(task, CarefulAgent(), IdentityChannel())
    assert not any("Is that right?" in words for words in said(episode))


def test_a_value_that_was_misrecognized_is_corrected_and_spelled(
    play_shop: Play, tasks_with_facts: list[Task], garbled: Garbled
) -> None:
    """In this conversation the last name is first misrecognized: literal fails on it."""
    task = task_of(tasks_with_facts, "larger-jacket")
    _, score = play_shop(task, LiteralAgent(), garbled(0, 0.3))
    episode, careful_score = play_shop(task, CarefulAgent(), garbled(0, 0.3))
    assert score.reward == Scored(0.0)
    assert careful_score.reward == Scored(1.0)
    assert any("in the NATO alphabet." in words for words in said(episode))
    assert arguments(episode)[0] == {"first_name": "Maren", "last_name": "Holt", "zip": "83702"}


def test_numbers_are_asked_for_once_more_digit_by_digit(
    play_shop: Play, tasks_with_facts: list[Task], garbled: Garbled
) -> None:
    task = task_of(tasks_with_facts, "larger-jacket")
    asked = [
        words
        for seed in range(8)
        for words in said(play_shop(task, CarefulAgent(), garbled(seed, 0.6))[0])
    ]
    repeats = [words for words in asked if "digit by digit" in words]
    assert repeats
    assert all("zip code digit by digit." in words for words in repeats)


def test_questions_are_bounded_however_bad_the_line_is(
    play_shop: Play, tasks_with_facts: list[Task], garbled: Garbled
) -> None:
    for task in tasks_with_facts:
        for seed in range(5):
            episode, _ = play_shop(task, CarefulAgent(), garbled(seed, 1.0))
            asked = [words for words in said(episode) if "spell" in words or "right?" in words]
            assert len(asked) <= MAX_QUESTIONS
            assert episode.ending.reason == "user_stop"


@pytest.mark.parametrize("agent", [CarefulAgent(), LiteralAgent()], ids=lambda agent: agent.name)
def test_a_user_who_recites_a_script_is_understood_as_well(
    play_shop: Play, shop: DomainSuite, agent: Participant
) -> None:
    episode, score = play_shop(shop.tasks[0], agent, IdentityChannel())
    assert score.reward == Scored(1.0)
    assert arguments(episode)[0] == {"first_name": "Maren", "last_name": "Holt", "zip": "83702"}
