"""Response times and durations of an agent, as counts of one conversation."""

import asyncio
from typing import cast

import pytest

from dragoman.core.episodes import Episode, Event, Message, Termination, TerminationReason
from dragoman.core.measures import MeasureResult, MeasureSetting, ScoringContext
from dragoman.core.protocols import EnvironmentFactory
from dragoman.core.replies import (
    STATED_LATENCY,
    UNKNOWN_LATENCY,
    AudioRef,
    Latency,
    TextReply,
    ToolCallReply,
    Utterance,
)
from dragoman.core.tasks import Scenario, Task
from dragoman.core.tools import ToolCall
from dragoman.scoring.measures.turn_timing import TIMING

TASK = Task("7", "suite", "digest", Scenario("Ask."))


def user(seconds: float = 2.0) -> Message:
    return Message("user", TextReply(Utterance("Hi.", "Hi.", "hi", AudioRef("a", seconds, 8_000))))


def agent(latency: Latency, seconds: float = 1.0) -> Message:
    return Message(
        "agent",
        TextReply(Utterance("Yes.", "Yes.", "yes", AudioRef("b", seconds, 8_000))),
        latency=latency,
    )


def measured(*events: Event, reason: TerminationReason = "user_stop") -> MeasureResult:
    episode = Episode(events, Termination(reason, "cut"), 1, 0)
    setting = MeasureSetting(is_spoken=True)
    case = ScoringContext(TASK, episode, cast("EnvironmentFactory", None), setting=setting)
    return asyncio.run(TIMING.measure(case))


def test_responses_are_counted_one_by_one_and_the_conversation_as_a_whole() -> None:
    found = measured(user(), agent(Latency(2.0, 1.0)), user(), agent(Latency(3.0)), user())
    assert found.counts["responses"] == 2
    assert found.counts["response seconds"] == 4.0
    assert found.counts["to first word"] == 1
    assert found.counts["seconds"] == pytest.approx(3 * 2.0 + 1.0 + 3.0 + 2 * 1.0 + 2 * 0.2)
    assert (found.counts["median seconds"], found.counts["95 % seconds"]) == (1.0, 3.0)
    assert [entry.position for entry in found.evidence] == [None, 0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("seconds", "silences", "silent", "missed", "why"),
    [
        (4.0, 0, 0.0, 0, ""),
        (4.5, 1, 0.5, 0, "silent for 4.5 s before it"),
        (10.0, 1, 6.0, 0, "silent for 10.0 s before it"),
        (12.0, 1, 8.0, 1, "silent for 12.0 s before it, a missed window"),
    ],
)
def test_a_silence_beyond_patience_is_counted_and_a_long_one_is_a_missed_window(
    seconds: float, silences: int, silent: float, missed: int, why: str
) -> None:
    found = measured(user(), agent(Latency(seconds)))
    assert found.counts["silences"] == silences
    assert found.counts["silent seconds"] == silent
    assert found.counts["missed windows"] == missed
    assert found.evidence[-1].why == why


def test_calls_without_a_word_are_a_response() -> None:
    found = measured(
        user(), Message("agent", ToolCallReply((ToolCall("1", "find", {}),)), latency=Latency(5.0))
    )
    assert (found.counts["responses"], found.counts["silences"]) == (1, 1)


def test_a_speech_that_nobody_hears_out_is_counted() -> None:
    found = measured(user(), agent(Latency(1.0), 31.0), user(40.0))
    assert found.counts["long speeches"] == 1
    assert found.evidence[2].why == "spoke for 31.0 s"


def test_a_stated_time_says_so() -> None:
    found = measured(user(), agent(STATED_LATENCY), user(), agent(STATED_LATENCY))
    assert (found.counts["stated"], found.counts["responses"]) == (2, 2)


def test_a_conversation_in_which_a_time_is_unknown_is_unscored() -> None:
    found = measured(user(), agent(Latency(1.0)), user(), agent(UNKNOWN_LATENCY))
    assert found.unscored == "how long 1 of 2 responses took is not known"
    assert found.counts == {}


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (measured(), "nobody spoke"),
        (measured(user(), reason="infrastructure_error"), "infrastructure: cut"),
    ],
)
def test_what_was_not_spoken_or_broke_is_unscored(found: MeasureResult, reason: str) -> None:
    assert found.unscored == reason


def test_where_nothing_can_overlap_nothing_is_said_of_it() -> None:
    half = measured(user(), agent(Latency(1.0)))
    full = measured(user(), agent(Latency(1.0, overlap=0.0)))
    assert (half.counts["full duplex"], full.counts["full duplex"]) == (0, 1)


def test_interruptions_are_counted_only_where_the_caller_can_interrupt() -> None:
    turns = measured(user(), agent(Latency(1.0)))
    cut, whole = (agent(Latency(1.0, is_interrupted=each)) for each in (True, False))
    live = measured(user(), cut, user(), whole)
    counts = [(each.counts["interrupted"], each.counts["interruptible"]) for each in (turns, live)]
    assert counts == [(0, 0), (1, 2)]


def test_only_spoken_conditions_have_a_clock() -> None:
    assert TIMING.applies(MeasureSetting(is_spoken=True))
    assert not TIMING.applies(MeasureSetting())
