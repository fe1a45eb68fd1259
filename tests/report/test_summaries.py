"""The figures of a run as tables in a terminal."""

from decimal import Decimal

import msgspec

from dragoman.analysis.cell_summary import ConversationResult, summarize
from dragoman.core.conditions import PLAIN
from dragoman.core.costs import Cost, Price
from dragoman.core.episodes import Episode, Termination
from dragoman.core.scores import ComponentScore, Evidence, Score, Scored, Unscored
from dragoman.core.usage import Usage, as_replayed
from dragoman.report.formatting import money
from dragoman.report.summary import summary_table, usage_table
from dragoman.report.text_tables import TextTable, lines

SCORE = Score(
    "dragoman-1",
    "assume-met",
    Scored(0.0),
    (
        ComponentScore("DB", True, Scored(0.0)),
        ComponentScore("NL_ASSERTION", True, Unscored("open"), assumed=True),
    ),
)


def checked(score: Score, *failed: str) -> Score:
    """Return a score with findings of the checks of the simulated user."""
    evidence = (
        Evidence("goal_kept", "goal_kept" not in failed, "message 2 speaks as the agent"),
        Evidence("own_language", None, "too little was said to tell"),
    )
    return msgspec.structs.replace(score, simulator=evidence)


def outcome(score: Score = SCORE) -> ConversationResult:
    episode = Episode((), Termination("user_stop"), steps=3, errors=1, seconds=2.0)
    return ConversationResult("tau2:retail", PLAIN, "clerk", "7", 2, episode, score)


def printed(table: TextTable, width: int = 100) -> str:
    return "\n".join(lines(table, width))


def words(text: str) -> str:
    return " ".join(text.split())


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
        "3 tasks",
        "without a verdict 0",
        "(2 tasks)",
        "^1 1.000 [0.292, 1.000]",
        "^2 1.000 [0.158, 1.000]",
        "[0.667, 1.000]",
        "infrastructure errors 0",
        "tool errors 5",
    ):
        assert part in text
    assert "ASSUMED" not in text


def test_assumed_figures_are_marked_in_the_summary() -> None:
    text = printed(summary_table(summarize([outcome()], "dragoman-1", "assume-met")))
    assert "ASSUMED: rests on verdicts that were assumed" in words(text)
    assert text.count("ASSUMED") == 3


def test_figures_without_invalid_users_stand_in_a_row_of_their_own() -> None:
    passed = Score("dragoman-1", "none", Scored(1.0), ())
    failing = checked(Score("dragoman-1", "none", Scored(0.0), ()), "goal_kept")
    rows = [
        msgspec.structs.replace(outcome(score=given), task=str(number))
        for number, given in enumerate((checked(passed), failing))
    ]
    lines = printed(summary_table(summarize(rows, "dragoman-1", "none"))).splitlines()
    (apart,) = [line for line in lines if line.lstrip().startswith("valid users")]
    assert "invalid users 1" in "\n".join(lines)
    assert "^1 0.500" in "\n".join(lines)
    assert "^1 1.000" in apart
    every = printed(summary_table(summarize(rows[:1], "dragoman-1", "none")))
    assert "invalid users 0" in every
    assert "valid users" not in every.replace("invalid users 0", "")


def test_figures_are_never_cut_in_a_narrow_terminal() -> None:
    rows = [outcome(score=Score("dragoman-1", "a-judge-of-some-length", Scored(1.0), ()))]
    text = printed(summary_table(summarize(rows, "dragoman-1", "a-judge")), width=80)
    assert "…" not in text
    assert "^1 1.000 [0.025, 1.000]" in text


def priced(model: str) -> Price | None:
    return Price(Decimal(2), Decimal(8)) if model == "priced" else None


def used(*entries: Usage) -> list[ConversationResult]:
    episode = Episode((), Termination("user_stop"), steps=3, errors=1, usage=entries)
    return [ConversationResult("tau2:retail", PLAIN, "clerk", "7", 2, episode, SCORE)]


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
    assert "total cost: 5.60 USD (2.80 paid)" in text
    assert "cost 5.60 USD" in words(printed(summary_table(cells)))


def test_an_unknown_cost_is_said_once_with_how_to_set_it_and_is_never_zero() -> None:
    outcomes = used(
        Usage("agent", "free", input_tokens=5, output_tokens=5), Usage("user", "priced")
    )
    cells = summarize(outcomes, "dragoman-1", "assume-met", priced)
    table = usage_table(cells)
    assert table is not None
    text = words(printed(table, width=140))
    assert "agent free 1 5 5 none -" in text
    assert "user priced 1 unknown unknown none -" in text
    assert "total cost: unknown; no known cost of free, priced: add price=0 to the name" in text
    assert "USD" not in text
    assert "cost" not in words(printed(summary_table(cells))).replace("excluded", "")


def test_speech_is_shown_by_its_length_where_there_are_no_tokens() -> None:
    outcomes = used(
        Usage("synthesis", "voice", audio_seconds=3.5, characters=1_200),
        Usage("recognition", "ear", audio_seconds=75.0),
        Usage("recognition", "tokens", input_tokens=14, output_tokens=5, audio_seconds=2.0),
    )
    table = usage_table(summarize(outcomes, "dragoman-1", "assume-met", priced))
    assert table is not None
    text = words(printed(table, width=140))
    assert "synthesis voice 1 1,200 characters 3.5 s of audio none -" in text
    assert "recognition ear 1 1 min 15 s of audio words none -" in text
    assert "recognition tokens 1 14 5 none -" in text


def test_where_no_model_was_used_there_is_no_table_of_use() -> None:
    assert usage_table(summarize(used(), "dragoman-1", "assume-met", priced)) is None


def test_a_cost_too_small_to_be_shown_does_not_look_like_nothing() -> None:
    assert money(Cost(Decimal("0.00001"), Decimal(0))) == "less than 0.0001 USD (0.00 paid)"
    assert money(Cost(Decimal("1234.5"), Decimal("1234.5"))) == "1,234.50 USD"
    assert money(None) == "unknown"


def test_names_of_models_cannot_steer_the_terminal() -> None:
    attack = "\x1b[2J\x1b]0;title\x07\r\x9b1mover\u202ewrite"
    steered = PLAIN.with_axes(voice=attack)
    given = msgspec.structs.replace(outcome(), agent=attack, condition=steered)
    text = printed(summary_table(summarize([given], attack, attack)))
    assert not {"\x1b", "\x07", "\r", "\x9b", "\u202e"} & set(text)
    assert r"\x1b[2J" in text
