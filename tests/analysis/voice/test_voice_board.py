"""Text, recognizers and agents that hear, side by side: figures that are counted by hand."""

from collections.abc import Mapping, Sequence

import pytest

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.input_modes import ALL_TASKS, InputMode, input_mode
from dragoman.analysis.voice_summary import InputModeMetrics, VoiceSummary, summarize_voice
from dragoman.core.conditions import PLAIN, Condition
from dragoman.core.episodes import Episode, Termination
from dragoman.core.leaderboard import NO_LEADERBOARD, Aggregate, Leaderboard, spoken_leaderboard
from dragoman.core.measures import MeasureResult
from dragoman.core.scores import Score, Scored, Unscored, Verdict

SCORING = ("dragoman-1", "none")
MIXED = PLAIN.with_axes(voice="telephone")
GENERIC = PLAIN.with_axes(voice="telephone", recognizer="generic")
ITSELF = PLAIN.with_axes(voice="telephone", recognizer="itself")
MEANT = PLAIN.with_axes(voice="telephone", recognizer="understood")
MISRECOGNIZED = PLAIN.with_axes(voice="simulated:15")
RULE = {"clarify": "rule"}

LEADERBOARD = Leaderboard(
    {"one": 4, "other": 4, "third": 4},
    (Aggregate("pair", ("one", "other")), Aggregate("elsewhere", ("third",))),
    spoken=Aggregate("overall", ("pair", "third")),
)
ON_THE_LEADERBOARD = spoken_leaderboard(LEADERBOARD)

Rewards = Sequence[float | None]


def outcomes(
    condition: Condition,
    rewards: Rewards,
    suite: str = "bench:one",
    agent: str = "clerk",
    counts: Mapping[str, int | float] | None = None,
) -> list[ConversationResult]:
    """Return one outcome for each task; None is one that infrastructure broke."""
    measures = (
        () if counts is None else (MeasureResult("clarifications", "1", counts=dict(counts)),)
    )
    return [
        ConversationResult(
            suite,
            condition,
            agent,
            f"t{number}",
            0,
            Episode(
                (), Termination("user_stop" if value is not None else "infrastructure_error"), 1, 0
            ),
            Score(*SCORING, verdict(value), ()),
            measures=measures,
        )
        for number, value in enumerate(rewards)
    ]


def verdict(value: float | None) -> Verdict:
    return Unscored("infrastructure: 529") if value is None else Scored(value)


def summary(*cells: list[ConversationResult], of: Leaderboard = NO_LEADERBOARD) -> VoiceSummary:
    rows = [row for cell in cells for row in cell]
    digests = {(row.suite, row.task): "same" for row in rows}
    return summarize_voice(rows, digests, {}, SCORING, of)


def metrics_of(found: VoiceSummary, name: str, clarify: str = "none") -> InputModeMetrics:
    (row,) = (
        each
        for each in found.input_modes
        if (each.input_mode.name, each.input_mode.clarify) == (name, clarify)
    )
    return row


def test_a_way_is_read_from_the_axes_and_not_from_the_label() -> None:
    assert input_mode(PLAIN) == InputMode("text", "none")
    assert input_mode(MIXED) == InputMode("telephone", "mixed")
    assert input_mode(MISRECOGNIZED.with_axes(clarify="rule")) == InputMode(
        "simulated:15", "none", "rule"
    )


def test_text_comes_first_and_agents_that_hear_come_last() -> None:
    found = summary(*(outcomes(each, [1.0]) for each in (ITSELF, MIXED, PLAIN, GENERIC)))

    names = [row.input_mode.name for row in found.input_modes]
    assert names == ["text", "telephone+mixed", "telephone+generic", "telephone+itself"]


def test_the_difference_to_text_is_paired_by_task() -> None:
    # The third task broke in voice, so text has it and the difference does not.
    found = summary(
        outcomes(PLAIN, [1.0, 1.0, 0.0, 1.0]),
        outcomes(MIXED, [1.0, 0.0, None, 0.0]),
    )

    text, mixed = metrics_of(found, "text"), metrics_of(found, "telephone+mixed")
    assert text.scores[ALL_TASKS].value == 0.75
    assert text.to_text == {}
    assert mixed.scores[ALL_TASKS].value == pytest.approx(1 / 3)
    assert mixed.scores[ALL_TASKS].tasks == 3
    drop = mixed.to_text[ALL_TASKS]
    assert drop.value == pytest.approx(-2 / 3)
    assert drop.tasks == 3
    assert drop.interval is not None
    assert drop.interval.low < -2 / 3 < drop.interval.high
    assert drop.left_out == {"incomplete in B": 1}
    assert mixed.cell.infrastructure_errors == 1
    assert mixed.cell.unscored == {"infrastructure: 529": 1}


def test_trials_of_a_task_are_one_difference() -> None:
    text = outcomes(PLAIN, [1.0, 1.0])
    spoken = outcomes(MIXED, [0.0, 1.0])
    again = [
        ConversationResult(
            row.suite,
            row.condition,
            row.agent,
            row.task,
            1,
            row.episode,
            Score(*SCORING, Scored(1.0), ()),
        )
        for row in (*text, *spoken)
    ]

    found = summary(text, spoken, again)

    assert metrics_of(found, "telephone+mixed").to_text[ALL_TASKS].value == pytest.approx(-0.25)
    assert metrics_of(found, "telephone+mixed").to_text[ALL_TASKS].tasks == 2


def test_without_text_there_is_no_difference_to_it() -> None:
    (row,) = summary(outcomes(MIXED, [1.0, 0.0])).input_modes

    assert (row.to_text, row.text) == ({}, None)


def test_the_text_of_another_agent_or_language_is_none_of_ones_own() -> None:
    thai = {"language": "th", "scenario": "domain"}
    found = summary(
        outcomes(PLAIN, [1.0], agent="other"),
        outcomes(PLAIN.with_axes(**thai), [1.0]),
        outcomes(MIXED, [1.0]),
    )

    assert metrics_of(found, "telephone+mixed").text is None


def test_aggregates_weigh_categories_and_not_tasks() -> None:
    found = summary(
        outcomes(PLAIN, [1.0, 1.0, 1.0, 1.0], "bench:one"),
        outcomes(PLAIN, [1.0], "bench:other"),
        outcomes(PLAIN, [1.0, 0.0], "bench:third"),
        outcomes(MIXED, [1.0, 1.0, 0.0, 0.0], "bench:one"),
        outcomes(MIXED, [0.0], "bench:other"),
        outcomes(MIXED, [0.0, 0.0], "bench:third"),
        of=ON_THE_LEADERBOARD,
    )

    text, mixed = metrics_of(found, "text"), metrics_of(found, "telephone+mixed")
    assert found.names == ("one", "other", "third", "pair", "overall", ALL_TASKS)
    # pair: (1 + 1) / 2; overall: (1 + 0.5) / 2; all tasks: 6 of 7.
    assert [text.scores[name].value for name in ("pair", "overall", ALL_TASKS)] == [
        1.0,
        0.75,
        pytest.approx(6 / 7),
    ]
    # one: -0.5, other: -1, third: -0.5; pair: -0.75; overall: -0.625; all tasks: -4 / 7.
    assert [mixed.to_text[name].value for name in ("pair", "overall", ALL_TASKS)] == [
        -0.75,
        -0.625,
        pytest.approx(-4 / 7),
    ]
    one, other, pair = (mixed.to_text[name] for name in ("one", "other", "pair"))
    assert one.interval is not None
    assert other.interval is not None
    assert pair.interval is not None
    below = ((-0.5 - one.interval.low) / 2) ** 2 + ((-1 - other.interval.low) / 2) ** 2
    assert pair.interval.low == pytest.approx(-0.75 - below**0.5)


def test_an_aggregate_that_lacks_a_category_has_no_figure_and_says_so() -> None:
    found = summary(
        outcomes(PLAIN, [1.0], "bench:one"),
        outcomes(MIXED, [0.0], "bench:one"),
        of=ON_THE_LEADERBOARD,
    )

    mixed = metrics_of(found, "telephone+mixed")
    assert mixed.scores["pair"].value is None
    assert mixed.scores["pair"].missing == ("other",)
    assert mixed.to_text["pair"].value is None
    assert mixed.scores[ALL_TASKS].value == 0.0


def test_a_board_of_what_is_spoken_has_the_aggregates_that_it_needs_alone() -> None:
    assert [entry.name for entry in ON_THE_LEADERBOARD.aggregates] == ["pair", "overall"]


def test_sensitivity_is_between_the_recognizers_that_lie_farthest_apart() -> None:
    whisper = PLAIN.with_axes(voice="telephone", recognizer="whisper/small")
    found = summary(
        outcomes(PLAIN, [1.0, 1.0, 1.0, 1.0]),
        outcomes(MIXED, [1.0, 1.0, 0.0, 0.0]),
        outcomes(GENERIC, [0.0, 1.0, 0.0, 0.0]),
        outcomes(whisper, [1.0, 1.0, 1.0, 0.0]),
        outcomes(ITSELF, [0.0, 0.0, 0.0, 0.0]),
        outcomes(MEANT, [1.0, 1.0, 1.0, 1.0]),
    )

    (entry,) = found.sensitivity
    spread = entry.spreads[ALL_TASKS]
    assert entry.recognizers == ("mixed", "generic", "whisper/small")
    assert (spread.lowest, spread.highest) == ("generic", "whisper/small")
    assert (spread.apart.value, spread.apart.tasks) == (0.5, 4)


def test_one_recognizer_has_no_sensitivity() -> None:
    assert summary(outcomes(PLAIN, [1.0]), outcomes(MIXED, [1.0])).sensitivity == ()


def test_what_clarifications_won_back_is_against_the_same_way_without() -> None:
    found = summary(
        outcomes(PLAIN, [1.0, 1.0, 1.0, 1.0]),
        outcomes(MIXED, [1.0, 0.0, 0.0, 0.0]),
        outcomes(MIXED.with_axes(**RULE), [1.0, 1.0, 1.0, 0.0]),
        outcomes(GENERIC.with_axes(**RULE), [1.0, 1.0, 1.0, 1.0]),
    )

    asked = metrics_of(found, "telephone+mixed", "rule")
    assert asked.won_back[ALL_TASKS].value == 0.5
    # Text was played only without a judge, so this cell is its baseline.
    assert (asked.text, asked.to_text[ALL_TASKS].value) == ("none", -0.25)
    assert metrics_of(found, "telephone+generic", "rule").won_back == {}
    assert metrics_of(found, "telephone+mixed").won_back == {}


def test_questions_are_what_was_allowed_or_rejected_as_a_question() -> None:
    condition = MIXED.with_axes(**RULE)
    cells = [
        outcomes(condition, [1.0], "bench:one", counts={"conversations": 1}),
        outcomes(
            condition,
            [1.0],
            "bench:two",
            counts={"conversations": 1, "judged": 1, "rejected": 1, "rejected: no question": 1},
        ),
        outcomes(
            condition,
            [1.0],
            "bench:three",
            counts={
                "conversations": 1,
                "judged": 3,
                "allowed": 2,
                "rejected": 1,
                "rejected: outside": 1,
            },
        ),
        outcomes(
            condition,
            [1.0],
            "bench:four",
            counts={"conversations": 1, "judged": 1, "rejected": 1, "rejected: leak": 1},
        ),
    ]

    (row,) = summary(*cells).input_modes

    shares = {entry.name: (entry.conversations, entry.of) for entry in row.questions}
    assert shares == {"judged": (2, 4), "allowed": (1, 4), "rejected": (2, 4)}
    (measure_count,) = row.measure_counts
    assert measure_count.counts["judged"] == 5


def test_where_nobody_judged_there_is_no_rate_of_questions() -> None:
    (row,) = summary(outcomes(MIXED, [1.0])).input_modes

    assert row.questions == ()


def test_tasks_of_two_suites_with_one_name_are_two_tasks() -> None:
    found = summary(
        outcomes(MIXED, [1.0, 1.0], "a:x"), outcomes(MIXED, [0.0, 0.0], "b:y"), of=NO_LEADERBOARD
    )

    (row,) = found.input_modes
    assert row.scores[ALL_TASKS].tasks == 4
    assert row.scores[ALL_TASKS].value == 0.5
    assert found.names == ("a:x", "b:y", ALL_TASKS)
