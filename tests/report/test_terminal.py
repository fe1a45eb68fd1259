import io

import msgspec
import pytest
from rich.console import Console

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.core.conditions import PLAIN, condition_of
from dragoman.core.episodes import Episode, Event, Message, Termination
from dragoman.core.measures import CountedItem, MeasureResult
from dragoman.core.personas import UserContext
from dragoman.core.replies import (
    UNKNOWN_LATENCY,
    AudioRef,
    Latency,
    TextReply,
    ToolCallReply,
    UnparsedReply,
    Utterance,
    text_reply,
)
from dragoman.core.scores import ComponentScore, Evidence, Score, Scored, Unscored
from dragoman.core.tasks import Scenario, Task
from dragoman.core.texts.characters import escape_controls
from dragoman.core.tools import Change, ToolCall, ToolResult
from dragoman.core.usage import Usage
from dragoman.report.terminal import MAX_SHOWN, print_conversation

TASK = Task("7", "tau2:retail", "digest", Scenario("You want a refund."))
LONG = "x" * (MAX_SHOWN + 1_234)
SCORE = Score(
    "dragoman-1",
    "assume-met",
    Scored(0.0),
    (
        ComponentScore("DB", True, Scored(0.0), (Evidence("orders/#W1", False, "differs"),)),
        ComponentScore("ACTION", False, Scored(1.0), (Evidence("a1 cancel", True, kind="write"),)),
        ComponentScore("COMMUNICATE", False, None),
        ComponentScore(
            "NL_ASSERTION", True, Unscored("open"), (Evidence("It says so", None),), assumed=True
        ),
    ),
)


def checked(score: Score, *failed: str) -> Score:
    """Return a score with findings of the checks of the simulated user."""
    evidence = (
        Evidence("goal_kept", "goal_kept" not in failed, "message 2 speaks as the agent"),
        Evidence("own_language", None, "too little was said to tell"),
    )
    return msgspec.structs.replace(score, simulator=evidence)


def outcome(*events: Event, score: Score | None = SCORE) -> ConversationResult:
    episode = Episode(events, Termination("user_stop"), steps=3, errors=1, seconds=2.0)
    return ConversationResult("tau2:retail", PLAIN, "clerk", "7", 2, episode, score)


def printed(given: ConversationResult, *, full: bool = False) -> str:
    console = Console(file=io.StringIO(), width=100, color_system=None)
    print_conversation(console, given, TASK, full=full)
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def words(text: str) -> str:
    return " ".join(text.split())


def test_words_calls_results_and_changes_are_printed_in_order() -> None:
    text = words(
        printed(
            outcome(
                Message("agent", text_reply("Hi!"), scripted=True),
                Message("user", TextReply(Utterance("Refund", spoken="re fund", heard="refunt"))),
                Message(
                    "agent",
                    ToolCallReply(
                        (ToolCall("1", "cancel", {"id": "#W1", "n": 1.0}, sent={"id": "w 1"}),),
                        "Right.",
                    ),
                ),
                ToolResult(
                    "1",
                    "cancel",
                    "done",
                    shown="hecho",
                    executed={"id": "W1"},
                    changes=(
                        Change(("orders", "#W1", 0), "set", "cancelled"),
                        Change(("lamp",), "del", side="user"),
                    ),
                ),
                ToolResult("2", "find", "no such user", error=True),
            )
        )
    )
    expected = [
        "tau2:retail, task 7, trial 2, en/text/none, clerk",
        "goal You want a refund.",
        "agent Hi! (scripted)",
        "user Refund",
        "spoken re fund",
        "heard refunt",
        "agent Right.",
        'calls cancel {"id":"#W1","n":1.0}',
        'sent {"id":"w 1"}',
        "result done",
        "shown hecho",
        'executed {"id":"W1"}',
        'changed orders/#W1/0: set "cancelled"',
        "changed lamp: del (user's side)",
        "error no such user",
        "ended user_stop, the user ended the conversation",
        "3 steps, 1 tool error, 2.0 s",
        "score 0 ASSUMED, rules dragoman-1, judge assume-met",
        "DB (counts): 0",
        "not met orders/#W1 (differs)",
        "ACTION (does not count): 1",
        "met a1 cancel (write)",
        "COMMUNICATE (does not count): nothing to judge",
        "NL_ASSERTION (counts): unscored: open ASSUMED",
        "undecided It says so",
    ]
    places = [text.find(part) for part in expected]
    assert -1 not in places, expected[places.index(-1)]
    assert places == sorted(places)


def test_long_results_are_shortened_with_a_note() -> None:
    given = outcome(ToolResult("1", "find", LONG))
    assert "1,234 characters cut" in words(printed(given))
    whole = printed(given, full=True)
    assert whole.count("x") == printed(given).count("x") + 1_234
    assert "cut" not in whole


def test_markup_in_data_is_printed_as_it_is() -> None:
    text = printed(
        outcome(Message("user", text_reply("[red]stop[/red] [/] [link=file:]")), score=None)
    )
    assert "[red]stop[/red] [/] [link=file:]" in text


def test_reasoning_is_printed_as_what_nobody_was_given() -> None:
    move = Message("agent", text_reply("In Kloster."), reasoning="Where is it?")
    text = words(printed(outcome(move, score=None)))
    assert "In Kloster. reasoning Where is it? (not delivered)" in text


def test_data_cannot_steer_the_terminal() -> None:
    attack = "\x1b[2J\x1b]0;title\x07\r\x9b1mover\u202ewrite"
    given = outcome(
        Message("user", text_reply(attack)),
        Message("agent", ToolCallReply((ToolCall("1", attack, {}, raw=attack, malformed=attack),))),
        ToolResult("1", attack, attack, changes=(Change((attack,), "set", attack),)),
        Message("agent", UnparsedReply(attack, attack), reasoning=attack),
    )
    given = msgspec.structs.replace(given, agent=attack)
    text = printed(given)
    assert not {"\x1b", "\x07", "\r", "\x9b", "\u202e"} & set(text)
    assert r"\x1b[2J" in text


@pytest.mark.parametrize("text", ["a\tb\nc", "naïve", "مرحبا", "👩‍👩‍👧"])
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert escape_controls(text) == text


def test_a_conversation_that_has_not_run_or_is_not_scored_says_so() -> None:
    assert "not scored yet" in printed(outcome(score=None))
    missing = ConversationResult("tau2:retail", PLAIN, "clerk", "7", 0)
    assert "has not run" in printed(missing)


def test_a_conversation_says_what_its_simulated_user_failed() -> None:
    text = words(printed(outcome(score=checked(SCORE, "goal_kept"))))
    assert "user failed a check: not evidence about the agent" in text
    assert "not met goal_kept (message 2 speaks as the agent)" in text
    assert "undecided own_language" in text
    assert "user no problem found" in words(printed(outcome(score=checked(SCORE))))
    assert "no problem found" not in words(printed(outcome()))


def test_measures_are_told_with_what_they_found_and_why_they_are_unscored() -> None:
    heard = MeasureResult(
        "hearing",
        "1",
        counts={"words": 40, "word errors": 4},
        evidence=(CountedItem({"words": 40}, 2, why="not heard: \x1b[2JPorto"), CountedItem({}, 3)),
    )
    failed = MeasureResult("leave", "1", "m", unscored="judge failed: no reply")
    text = printed(msgspec.structs.replace(outcome(), measures=(heard, failed)))

    assert "hearing 1: words 40, word errors 4" in text
    assert "event 3: not heard: " in text
    assert "\x1b" not in text
    assert "event 4" not in text
    assert "leave 1: unscored: judge failed: no reply" in text


def test_counters_of_a_measure_that_are_0_are_left_out() -> None:
    """`--json` has all of them."""
    heard = MeasureResult("hearing", "1", counts={"words": 40, "word errors": 0})
    silent = MeasureResult("timing", "1", counts={"silences": 0})
    nothing = MeasureResult("clarity", "1", counts={})
    text = printed(msgspec.structs.replace(outcome(), measures=(heard, silent, nothing)))

    assert "hearing 1: words 40" in text
    assert "word errors" not in text
    assert "timing 1: every count is 0" in text
    assert "clarity 1: nothing to count" in text


SPOKEN = (
    Message("user", TextReply(Utterance("Refund", "refund", "refund", AudioRef("a", 1.25, 8_000)))),
    Message("agent", TextReply(Utterance("Which one do you mean?")), latency=Latency(61.0, 59.5)),
    Message("user", TextReply(Utterance("That", "that", "that", AudioRef("b", 1.0, 8_000)))),
    Message("agent", text_reply("Done."), latency=UNKNOWN_LATENCY),
)


def test_a_spoken_conversation_is_printed_with_its_clock() -> None:
    spoken = msgspec.structs.replace(
        outcome(*SPOKEN), condition=condition_of({"voice": "telephone"})
    )
    lines = [
        line.split("clock")[1].strip() for line in printed(spoken).splitlines() if "clock" in line
    ]
    assert lines == [
        "0:00.0, spoke 1.2 s",
        "1:00.8, after 59.5 s of silence (first word), spoke 2.0 s (estimated)",
        "1:03.0, spoke 1.0 s",
        "unknown, after unknown silence, spoke 0.4 s (estimated)",
    ]


def test_text_has_no_clock() -> None:
    assert "clock" not in printed(outcome(*SPOKEN))


def test_what_was_inferred_of_the_user_is_told_field_by_field_where_it_was_inferred() -> None:
    known: dict[str, object] = {"age": "N/A", "technical_skill": 3}
    contexts = (
        UserContext(1, "small", known),
        UserContext(2, "small", failure="persona is missing", answer="{}"),
    )
    given = outcome(Message("user", text_reply("Help.")), Message("agent", text_reply("Gladly.")))
    assert given.episode is not None
    used = (Usage("user context", "small", 2, 700, 80),)
    played = msgspec.structs.replace(given.episode, contexts=contexts, usage=used)

    text = printed(msgspec.structs.replace(given, episode=played))

    reported = text.index("after 1 message of the user (small)")
    assert text.index("Help.") < reported < text.index("technical skill: 3") < text.index("Gladly.")
    assert "age: N/A" in text
    late = text.index("nothing after 1 message of the user: persona is missing (small)")
    assert late > text.index("Gladly.")
    assert "user profile inference: small, 2 calls, tokens 700 in, 80 out" in text
