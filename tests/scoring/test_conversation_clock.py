"""The clock of a spoken conversation, turn by turn."""

import pytest

from dragoman.core.episodes import Episode, Event, Message, Termination
from dragoman.core.replies import (
    STATED_LATENCY,
    UNKNOWN_LATENCY,
    AudioRef,
    Latency,
    TextReply,
    ToolCallReply,
    UnparsedReply,
    Utterance,
    text_reply,
)
from dragoman.core.tools import ToolCall, ToolResult
from dragoman.scoring.measures.turn_timing import (
    TurnTiming,
    estimate_speech_seconds,
    time_turns,
    timing_conventions,
)

REACTION = 0.2
TOOL = 0.5
REPLY = 0.5
USERS_TOOL = 5.0
CALL = ToolCallReply((ToolCall("1", "find", {}),))
GREETING = Message("agent", text_reply("Hi! How can I help you today?"), scripted=True)
GREETING_SECONDS = 2.8


def user(seconds: float, words: str = "Find it.") -> Message:
    return Message("user", TextReply(Utterance(words, words, words, AudioRef("a", seconds, 8_000))))


def agent(latency: Latency | None, seconds: float = 2.0) -> Message:
    words = "It is found."
    return Message(
        "agent",
        TextReply(Utterance(words, words, words, AudioRef("b", seconds, 8_000))),
        latency=latency,
    )


def calling(latency: Latency | None) -> Message:
    return Message("agent", CALL, latency=latency)


def result(by: str = "agent") -> ToolResult:
    return ToolResult("1", "find", "found", "agent" if by == "agent" else "user")


def clocked(*events: Event, language: str = "en") -> tuple[TurnTiming, ...]:
    return time_turns(Episode(events, Termination("user_stop"), 1, 0), language)


def waited(turn: TurnTiming) -> tuple[float | None, str] | None:
    return None if turn.response is None else (turn.response.seconds, turn.response.basis)


def test_words_take_as_long_as_their_audio_and_turns_follow_each_other() -> None:
    first, second, third = clocked(user(3.0), agent(Latency(1.5)), user(1.0))
    assert (first.at, first.by, first.begins, first.speaking) == (0, "user", 0.0, 3.0)
    assert (second.at, second.begins, second.ends) == (1, 4.5, 6.5)
    assert (third.at, third.begins) == (2, 6.5 + REACTION)
    assert not any(turn.is_estimated for turn in (first, second, third))
    assert [waited(turn) for turn in (first, second, third)] == [None, (1.5, "whole reply"), None]


def test_a_response_is_timed_to_its_first_word_where_it_was_seen_to_come() -> None:
    _, turn = clocked(user(3.0), agent(Latency(4.0, 0.7)))
    assert waited(turn) == (0.7, "first word")
    assert turn.begins == 3.7


def test_who_calls_tools_first_answers_later_by_the_calls_and_what_they_take() -> None:
    events = (
        user(3.0),
        calling(Latency(1.0, 0.1)),
        result(),
        calling(Latency(2.0)),
        result(),
        result(),
    )
    *_, turn = clocked(*events, agent(Latency(4.0, 0.5)))
    assert turn.response is not None
    assert (turn.response.thinking, turn.response.tools) == (3.5, 3 * TOOL)
    assert waited(turn) == (3.5 + 3 * TOOL, "first word")


def test_an_agent_that_acts_without_a_word_has_answered_when_it_is_done() -> None:
    words, acts, more = clocked(user(3.0), calling(Latency(1.0)), result(), user(2.0))
    assert (acts.at, acts.by, acts.speaking, acts.ends) == (1, "agent", 0.0, 4.0 + TOOL)
    assert waited(acts) == (1.0 + TOOL, "whole reply")
    assert (words.begins, more.begins) == (0.0, 4.0 + TOOL + REACTION)
    assert waited(clocked(user(3.0), calling(Latency(1.0)))[-1]) == (1.0, "whole reply")


def test_an_unusable_reply_takes_its_time_too() -> None:
    broken = Message("agent", UnparsedReply("", "no words"), latency=Latency(2.0))
    *_, turn = clocked(user(3.0), broken, agent(Latency(1.0)))
    assert waited(turn) == (3.0, "whole reply")


def test_a_program_of_ours_takes_a_stated_time() -> None:
    *_, turn = clocked(user(3.0), calling(STATED_LATENCY), result(), agent(STATED_LATENCY))
    assert waited(turn) == (2 * REPLY + TOOL, "stated")


@pytest.mark.parametrize("latency", [UNKNOWN_LATENCY, None])
def test_after_a_reply_of_which_nobody_knows_the_clock_is_unknown(latency: Latency | None) -> None:
    _, turn, after = clocked(user(3.0), agent(latency), user(1.0))
    assert waited(turn) == (None, "unknown")
    assert (turn.begins, after.begins, after.ends) == (None, None, None)
    *_, later = clocked(user(3.0), calling(latency), result(), agent(Latency(1.0)))
    assert waited(later) == (None, "unknown")


def test_a_greeting_is_spoken_and_nobody_waited_for_it() -> None:
    greeting, words = clocked(GREETING, user(3.0))
    assert greeting.speaking == pytest.approx(GREETING_SECONDS)
    assert greeting.is_estimated
    assert waited(greeting) is None
    assert words.begins == pytest.approx(GREETING_SECONDS + REACTION)


def test_what_happened_before_and_what_is_written_is_not_on_the_clock() -> None:
    history = (
        Message("user", text_reply("Hello.")),
        Message("agent", CALL),
        result(),
        Message("agent", text_reply("Yes?")),
    )
    written, stop = (
        Message("user", text_reply("New tools are there.")),
        Message("user", text_reply("###STOP###")),
    )
    hung_up = Message("user", TextReply(Utterance("###STOP###", "", "", AudioRef("c", 0.0, 8_000))))
    turns = clocked(*history, user(3.0), agent(Latency(1.0)), written, stop, hung_up)
    assert [(turn.at, turn.begins) for turn in turns] == [(4, 0.0), (5, 4.0)]


def test_a_caller_that_uses_a_device_takes_a_stated_time_that_is_not_the_agents() -> None:
    acts = Message("user", ToolCallReply((ToolCall("1", "restart", {}, "user"),)))
    *_, last = clocked(user(3.0), agent(Latency(1.0), 2.0), acts, result("user"), user(1.0))
    assert last.begins == 6.0 + USERS_TOOL + REACTION


def test_only_who_can_speak_over_the_caller_has_an_overlap() -> None:
    *_, half = clocked(user(3.0), agent(Latency(1.0)))
    *_, full = clocked(user(3.0), agent(Latency(1.0, 0.5, overlap=0.25)))
    assert (half.response and half.response.overlap) is None
    assert full.response is not None
    assert full.response.overlap == 0.25


@pytest.mark.parametrize(
    ("words", "language", "seconds"),
    [
        ("one two three four five", "en", 2.0),
        ("It's the check-in at O'Hare.", "en", 2.0),
        ("order 12345", "en", 2.4),
        ("một hai ba bốn năm", "vi", 2.0),
        ("我想知道包裹在哪里。", "zh", 2.25),
        ("我想知道包裹在哪里。", "zh-TW", 2.25),
        ("", "en", 0.0),
        ("...", "en", 0.0),
    ],
)
def test_words_without_audio_are_estimated_by_a_stated_rate(
    words: str, language: str, seconds: float
) -> None:
    assert estimate_speech_seconds(words, language) == pytest.approx(seconds)
    said = Message("user", TextReply(Utterance(words, words, words)))
    assert [turn.is_estimated for turn in clocked(said, language=language)] == [True] * bool(words)


def test_the_constants_are_those_that_the_documentation_states() -> None:
    stated = timing_conventions()
    assert (stated.caller.reaction_seconds, stated.caller.tool_seconds) == (REACTION, USERS_TOOL)
    assert (stated.agent.reply_seconds, stated.agent.tool_seconds) == (REPLY, TOOL)
