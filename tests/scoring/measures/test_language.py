"""Language correctness of both sides, as counts of one conversation, turn by turn."""

import asyncio
from typing import cast

from dragoman.core.episodes import Episode, Message, Termination
from dragoman.core.measures import MeasureResult, MeasureSetting, ScoringContext
from dragoman.core.protocols import EnvironmentFactory
from dragoman.core.replies import text_reply
from dragoman.core.tasks import Scenario, Task
from dragoman.scoring.language_detection import Detection
from dragoman.scoring.measures.language_use import language_measure

STOPPED = Termination("user_stop")
INDONESIAN = MeasureSetting(language="id", label="id", relatives=("ms",), is_localized=True)


class FirstWord:
    """Takes a text's first word for the label of its language."""

    labels = frozenset({"en", "id", "ms"})

    def detect(self, text: str) -> Detection | None:
        return Detection(text.split(maxsplit=1)[0], 0.9)


def counted(*moves: Message, ending: Termination = STOPPED) -> MeasureResult:
    task = Task("7", "suite", "digest", Scenario("Ask."))
    case = ScoringContext(
        task, Episode(moves, ending, 1, 0), cast("EnvironmentFactory", None), setting=INDONESIAN
    )
    return asyncio.run(language_measure(FirstWord()).measure(case))


def test_turns_are_correct_tolerated_english_or_wrong_by_side() -> None:
    found = counted(
        Message("agent", text_reply("en ready to serve"), scripted=True),
        Message("user", text_reply("id satu dua tiga")),
        Message("agent", text_reply("ms satu dua tiga")),
        Message("user", text_reply("id satu dua tiga")),
        Message("agent", text_reply("en one two three")),
    )
    assert found.counts == {
        "agent turns": 2,
        "agent correct": 0,
        "agent wrong": 2,
        "agent tolerated": 1,
        "agent English": 1,
        "user turns": 2,
        "user correct": 2,
        "user wrong": 0,
        "user tolerated": 2,
        "user English": 0,
    }
    assert [(entry.position, entry.subject, entry.why) for entry in found.evidence] == [
        (0, "agent", "written by the benchmark"),
        (2, "agent", "ms, expected id"),
        (4, "agent", "en, expected id"),
        (1, "user", "id, expected id"),
        (3, "user", "id, expected id"),
    ]


def test_a_turn_that_does_not_count_counts_nothing_and_says_why() -> None:
    found = counted(Message("user", text_reply("ok")))
    assert found.counts == {}
    assert found.evidence[0].why == "shorter than 5 characters"


def test_what_infrastructure_ended_is_unscored() -> None:
    broken = Termination("infrastructure_error", "cut")
    found = counted(Message("user", text_reply("id satu dua tiga")), ending=broken)
    assert (found.counts, found.unscored) == ({}, "infrastructure: cut")
