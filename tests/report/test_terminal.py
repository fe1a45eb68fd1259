import io
from decimal import Decimal

import msgspec
import pytest
from rich.console import Console
from rich.table import Table

from dragoman.analysis.cells import Outcome, summarize
from dragoman.core.costs import Cost, Price
from dragoman.core.episodes import Ending, Episode, Event, Move
from dragoman.core.scores import ComponentScore, Evidence, Score, Scored, Unscored
from dragoman.core.speech import Called, Said, Unparsed, Utterance, say
from dragoman.core.tasks import Scenario, Task
from dragoman.core.tools import Change, ToolCall, ToolResult
from dragoman.core.usage import Usage, as_replayed
from dragoman.report.terminal import (
    MAX_SHOWN,
    print_conversation,
    summary_table,
    usage_table,
)
from dragoman.report.visible import visible
from dragoman.report.wording import money

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


def outcome(*events: Event, score: Score | None = SCORE) -> Outcome:
    episode = Episode(events, Ending("user_stop"), steps=3, errors=1, seconds=2.0)
    return Outcome("tau2:retail", "en/text/none", "clerk", "7", 2, episode, score)


def printed(given: Outcome | Table, *, full: bool = False, width: int = 100) -> str:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    if isinstance(given, Outcome):
        print_conversation(console, given, TASK, full=full)
    else:
        console.print(given)
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def words(text: str) -> str:
    return " ".join(text.split())


def test_words_calls_results_and_changes_are_printed_in_order() -> None:
    text = words(
        printed(
            outcome(
                Move("agent", say("Hi!"), scripted=True),
                Move("user", Said(Utterance("Refund", spoken="re fund", heard="refunt"))),
                Move(
                    "agent",
                    Called(
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
        "wanted You want a refund.",
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
        "3 steps, 1 tool errors, 2.0 s",
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
    text = printed(outcome(Move("user", say("[red]stop[/red] [/] [link=file:]")), score=None))
    assert "[red]stop[/red] [/] [link=file:]" in text


def test_data_cannot_steer_the_terminal() -> None:
    attack = "\x1b[2J\x1b]0;title\x07\r\x9b1mover\u202ewrite"
    given = outcome(
        Move("user", say(attack)),
        Move("agent", Called((ToolCall("1", attack, {}, raw=attack, malformed=attack),))),
        ToolResult("1", attack, attack, changes=(Change((attack,), "set", attack),)),
        Move("agent", Unparsed(attack, attack)),
    )
    given = msgspec.structs.replace(given, agent=attack)
    text = printed(given) + printed(summary_table(summarize([given], attack, attack)))
    assert not {"\x1b", "\x07", "\r", "\x9b", "\u202e"} & set(text)
    assert r"\x1b[2J" in text


@pytest.mark.parametrize("text", ["a\tb\nc", "naïve", "مرحبا", "👩‍👩‍👧"])
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


def test_a_conversation_that_has_not_run_or_is_not_scored_says_so() -> None:
    assert "not scored yet" in printed(outcome(score=None))
    missing = Outcome("tau2:retail", "en/text/none", "clerk", "7", 0)
    assert "has not run" in printed(missing)


def test_the_summary_shows_figures_with_rules_judge_and_what_was_left_out() -> None:
    passed = Score("dragoman-1", "rule-1", Scored(1.0), ())
    rows = [
        msgspec.structs.replace(outcome(score=passed), task=str(number), trial=trial)
        for number in range(3)
        for trial in range(2)
        if (number, trial) != (2, 1)
    ]
    text = printed(summary_table(summarize(rows, "dragoman-1", "rule-1")))
    for part in (
        "clerk",
        "en/text/none",
        "dragoman-1",
        "rule-1",
        "2 tasks",
        "1 left out",
        "^1 1.000 [0.158, 1.000]",
        "^2 1.000 [0.158, 1.000]",
        "[0.667, 1.000]",
        "0 infrastructure",
        "5 tool errors",
    ):
        assert part in text
    assert "ASSUMED" not in text


def test_assumed_figures_are_marked_in_the_summary() -> None:
    text = printed(summary_table(summarize([outcome()], "dragoman-1", "assume-met")))
    assert "ASSUMED: rests on verdicts that were assumed" in words(text)
    assert text.count("ASSUMED") == 3


def checked(score: Score, *failed: str) -> Score:
    """Return a score with what the checks of the simulated user found."""
    evidence = (
        Evidence("goal_kept", "goal_kept" not in failed, "message 2 speaks as the agent"),
        Evidence("own_language", None, "too little was said to tell"),
    )
    return msgspec.structs.replace(score, simulator=evidence)


def test_a_conversation_says_what_its_simulated_user_failed() -> None:
    text = words(printed(outcome(score=checked(SCORE, "goal_kept"))))
    assert "user failed its part: this says nothing of the agent" in text
    assert "not met goal_kept (message 2 speaks as the agent)" in text
    assert "undecided own_language" in text
    assert "user nothing found" in words(printed(outcome(score=checked(SCORE))))
    assert "nothing found" not in words(printed(outcome()))


def test_figures_without_invalid_users_stand_in_a_row_of_their_own() -> None:
    passed = Score("dragoman-1", "none", Scored(1.0), ())
    failing = checked(Score("dragoman-1", "none", Scored(0.0), ()), "goal_kept")
    rows = [
        msgspec.structs.replace(outcome(score=given), task=str(number))
        for number, given in enumerate((checked(passed), failing))
    ]
    lines = printed(summary_table(summarize(rows, "dragoman-1", "none"))).splitlines()
    (apart,) = [line for line in lines if "valid users" in line]
    assert "1 invalid user" in "\n".join(lines)
    assert "^1 0.500" in "\n".join(lines)
    assert "^1 1.000" in apart
    every = printed(summary_table(summarize(rows[:1], "dragoman-1", "none")))
    assert "0 invalid users" in every
    assert "valid users" not in every.replace("0 invalid users", "")


def test_figures_are_never_cut_in_a_narrow_terminal() -> None:
    rows = [outcome(score=Score("dragoman-1", "a-judge-of-some-length", Scored(1.0), ()))]
    text = printed(summary_table(summarize(rows, "dragoman-1", "a-judge")), width=80)
    assert "…" not in text
    assert "^1 1.000 [0.025, 1.000]" in text


def priced(model: str) -> Price | None:
    return Price(Decimal(2), Decimal(8)) if model == "priced" else None


def used(*entries: Usage) -> list[Outcome]:
    episode = Episode((), Ending("user_stop"), steps=3, errors=1, usage=entries)
    return [Outcome("tau2:retail", "en/text/none", "clerk", "7", 2, episode, SCORE)]


def test_what_was_used_is_shown_with_its_cost() -> None:
    call = Usage("agent", "priced", input_tokens=1_000_000, output_tokens=100_000)
    failed = Usage("agent", "priced", 0, faults={"timeout": 2, "rate_limited": 1})
    judge = Usage("judge", "priced", input_tokens=1_000, output_tokens=0)
    outcomes = used(call, as_replayed(call), failed, judge)
    cells = summarize(outcomes, "dragoman-1", "assume-met", priced)
    table = usage_table(cells)
    assert table is not None
    text = words(printed(table, width=140))
    assert "agent priced 2 (1 from cache) 2,000,000 200,000 rate_limited 1, timeout 2" in text
    assert "5.60 USD (2.80 paid)" in text
    assert "judge priced 1 1,000 0 none 0.0020 USD" in text
    assert "cost of all: 5.60 USD (2.80 paid)" in text
    assert "cost 5.60 USD" in words(printed(summary_table(cells)))


def test_an_unknown_cost_is_called_unknown_and_never_zero() -> None:
    outcomes = used(
        Usage("agent", "free", input_tokens=5, output_tokens=5), Usage("user", "priced")
    )
    cells = summarize(outcomes, "dragoman-1", "assume-met", priced)
    table = usage_table(cells)
    assert table is not None
    text = words(printed(table, width=140))
    assert "agent free 1 5 5 none unknown" in text
    assert "user priced 1 unknown unknown none unknown" in text
    assert "cost of all: unknown" in text
    assert "USD" not in text
    assert "cost unknown" in words(printed(summary_table(cells)))


def test_speech_is_shown_by_its_length_where_there_are_no_tokens() -> None:
    outcomes = used(
        Usage("synthesis", "voice", audio_seconds=3.5, characters=1_200),
        Usage("recognition", "ear", audio_seconds=75.0),
        Usage("recognition", "tokens", input_tokens=14, output_tokens=5, audio_seconds=2.0),
    )
    table = usage_table(summarize(outcomes, "dragoman-1", "assume-met", priced))
    assert table is not None
    text = words(printed(table, width=140))
    assert "synthesis voice 1 1,200 characters 3.5 s of audio none unknown" in text
    assert "recognition ear 1 1 min 15 s of audio words none unknown" in text
    assert "recognition tokens 1 14 5 none unknown" in text


def test_where_no_model_was_used_there_is_no_table_of_use() -> None:
    assert usage_table(summarize(used(), "dragoman-1", "assume-met", priced)) is None


def test_a_cost_too_small_to_be_shown_does_not_look_like_nothing() -> None:
    assert money(Cost(Decimal("0.00001"), Decimal(0))) == "less than 0.0001 USD (0.00 paid)"
    assert money(Cost(Decimal("1234.5"), Decimal("1234.5"))) == "1,234.50 USD"
    assert money(None) == "unknown"
