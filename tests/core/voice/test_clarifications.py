"""Values that may be confirmed of a message, and conversations without confirmations."""

import msgspec

from dragoman.core.clarifications import REJECTIONS, Clarification, by_topic, whitelist
from dragoman.core.episodes import Episode, Message, Termination, without_clarifications
from dragoman.core.replies import text_reply


def test_a_whitelist_has_what_a_message_states_of_planned_arguments() -> None:
    arguments = [
        {"source": "final_report.pdf", "destination": "temp", "force": True, "id": "X-99"},
        {"destination": "archive", "amount": 12},
    ]
    said = "Move final_report.pdf to temp and to archive, 12 times."
    assert whitelist(arguments, said) == {
        "source": "final_report.pdf",
        "destination": "temp",
        "destination_2": "archive",
        "amount": "12",
    }


def test_a_value_that_is_a_message_of_its_own_cannot_be_confirmed() -> None:
    long = "word " * 30
    assert whitelist([{"content": long.strip()}], long) == {}


def test_answered_questions_are_left_out_and_rejected_ones_stay() -> None:
    moves = [
        Message("user", text_reply("Move it.")),
        Message("agent", text_reply("Is it a_b?")),
        Message("user", text_reply("a_b"), scripted=True),
        Message("agent", text_reply("Where is it?")),
    ]
    decided = (Clarification(1, "allowed", "rule", "a_b"), Clarification(3, "no question", "rule"))
    episode = Episode(tuple(moves), Termination("turns_done"), 4, 0, clarifications=decided)

    left = without_clarifications(episode)
    assert left.events == (moves[0], moves[3])
    refused = msgspec.structs.replace(episode, clarifications=decided[1:])
    assert without_clarifications(refused) is refused


def test_every_reason_but_one_is_a_rejection() -> None:
    assert "allowed" not in REJECTIONS
    assert {"spent", "outside", "leak", "unreadable"} <= set(REJECTIONS)


def test_topics_have_names_of_their_own_whatever_parameters_are_called() -> None:
    stated = [("city", "Rome"), ("city", "Oslo"), ("city", "Rome"), ("city_2", "Bern")]
    stated.append(("message", "x" * 101))
    assert by_topic(stated) == {"city": "Rome", "city_2": "Oslo", "city_2_2": "Bern"}
