"""Fidelity of a user to its card: one that keeps it, one that ignores it, and unknowns."""

import asyncio
from typing import cast

import msgspec
import pytest

from dragoman.core.episodes import Episode, Event, Message, Termination
from dragoman.core.measures import MeasureResult, ScoringContext
from dragoman.core.personas import Habits
from dragoman.core.protocols import EnvironmentFactory
from dragoman.core.replies import text_reply
from dragoman.core.tasks import KnownFact, Scenario, Task
from dragoman.scoring.measures.persona_adherence import PERSONA_ADHERENCE
from dragoman.simulation.phrasebooks import shipped_phrasebook

HARD = Habits(at_once=2, vague=0.3, asks_back=0.2, slips=0.3)
FACTS = (
    KnownFact("phone", "0171 5550199", ("phone",)),
    KnownFact("postcode", "KL-4830", ("postcode",)),
    KnownFact("tracking_number", "KE602144370", ("tracking number",)),
)
TASK = Task("1", "s", "d", Scenario("x", facts=FACTS))


def measured(
    habits: Habits | None, *words: str, asking: str = "Please tell me: what is your phone?"
) -> MeasureResult:
    """Return the result for an agent that asks a question before every further message."""
    events: list[Event] = []
    for said in words:
        events += [
            Message("agent", text_reply(asking)),
            Message("user", text_reply(said)),
        ]
    episode = Episode(tuple(events), Termination("user_stop", ""), len(events), 0)
    case = ScoringContext(
        TASK,
        episode,
        cast("EnvironmentFactory", None),
        phrases=shipped_phrasebook("en"),
        habits=habits,
    )
    return asyncio.run(PERSONA_ADHERENCE.measure(case))


def test_a_user_that_keeps_its_card_shows_what_it_states() -> None:
    found = measured(
        HARD,
        "Hello.",
        "It is somewhere here.",
        "The phone is 0171 5550199. The postcode is KL-4380.",
        "Sorry, I misread. The postcode is KL-4830.",
        "The tracking number is KE602144370.",
        asking="Please tell me: what is your phone, your postcode and your tracking number?",
    ).counts
    assert (found["puts off shown"], found["puts off chances"]) == (1, 4)
    assert (found["slips shown"], found["slips chances"]) == (1, 3)
    assert (found["few at once shown"], found["few at once chances"]) == (2, 2)
    assert found["shown"] / found["stated"] >= 0.5


def test_who_is_asked_for_one_thing_and_tells_it_has_shown_nothing() -> None:
    found = measured(Habits(at_once=2), "Hello.", "The phone is 0171 5550199.")
    assert found.counts == {}
    openly = measured(Habits(at_once=2), "Hello.", "0171 5550199.", asking="Please tell me more.")
    assert (openly.counts["few at once shown"], openly.counts["few at once chances"]) == (1, 1)


def test_a_user_that_ignores_its_card_is_found() -> None:
    found = measured(
        HARD,
        "Hello.",
        "The phone is 0171 5550199. The postcode is KL-4830. The tracking number is KE602144370.",
    ).counts
    assert found["shown"] == 0
    assert found["stated"] == pytest.approx(1 + 0.44 + 3 * 0.3)


@pytest.mark.parametrize(
    ("habits", "kept", "ignored"),
    [
        (
            Habits(volunteers=True),
            ("Hi. 0171 5550199, KL-4830, KE602144370.",),
            ("Hi.", "0171 5550199, KL-4830, KE602144370."),
        ),
        (
            Habits(terse=True),
            ("Hi.", "0171 5550199"),
            ("Hi.", "My phone, if I remember it rightly at this hour, is 0171 5550199."),
        ),
        (
            Habits(repeats=1.0),
            ("Hi.", "As I said: 0171 5550199."),
            ("Hi.", "The phone is 0171 5550199."),
        ),
    ],
)
def test_each_habit_is_told_from_its_absence(
    habits: Habits, kept: tuple[str, ...], ignored: tuple[str, ...]
) -> None:
    assert measured(habits, *kept).counts["shown"] == 1
    assert measured(habits, *ignored).counts["shown"] == 0


def test_what_states_no_habit_has_none_to_show() -> None:
    for habits in (None, Habits(), Habits(asides=0.7)):
        found = measured(habits, "Hello.")
        assert found.unscored == "no card that states a habit which words show"


def test_a_broken_conversation_says_nothing_of_its_user() -> None:
    ending = Termination("infrastructure_error", "down")
    case = ScoringContext(
        TASK, Episode((), ending, 0, 0), cast("EnvironmentFactory", None), habits=HARD
    )
    found = asyncio.run(PERSONA_ADHERENCE.measure(case))
    assert found.unscored.startswith("infrastructure")
    assert msgspec.structs.asdict(found)["counts"] == {}
