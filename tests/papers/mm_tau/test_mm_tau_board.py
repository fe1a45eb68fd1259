"""The metrics of MM-tau-p2 over cells of the grid: figures that are counted by hand."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.core.conditions import PLAIN, Condition
from dragoman.core.episodes import Episode, Termination
from dragoman.core.measures import MeasureResult
from dragoman.core.scores import Score, Scored
from dragoman.papers.mm_tau.mm_tap import MmTapWeights
from dragoman.papers.mm_tau.summary import METRICS, MmTauCell, MmTauSummary, summarize_mm_tau

SCORING = ("dragoman-1", "none")
VOICE = PLAIN.with_axes(voice="telephone")


def measured(name: str, **counts: float) -> MeasureResult:
    return MeasureResult(
        name, "1", counts={key.replace("_", " "): each for key, each in counts.items()}
    )


def turns(count: int, **counts: int) -> MeasureResult:
    return measured("effort", conversations=1, user_turns=count, **counts)


def heard(errors: int) -> MeasureResult:
    return measured("hearing", words=10, word_errors=errors, values=2, values_heard=2)


def outcomes(
    condition: Condition,
    rewards: Sequence[float],
    measures: Sequence[tuple[MeasureResult, ...]] = (),
    agent: str = "clerk",
) -> list[ConversationResult]:
    episode = Episode((), Termination("user_stop"), 1, 0)
    return [
        ConversationResult(
            *("courier", condition, agent, f"t{number}", 0, episode),
            Score(*SCORING, Scored(value), ()),
            measures=measures[number] if measures else (),
        )
        for number, value in enumerate(rewards)
    ]


def summary(*cells: list[ConversationResult], weights: MmTapWeights | None = None) -> MmTauSummary:
    rows = [row for cell in cells for row in cell]
    digests = {(row.suite, row.task): "same" for row in rows}
    return summarize_mm_tau(rows, digests, SCORING, weights)


def cell(found: MmTauSummary, voice: str) -> MmTauCell:
    (each,) = (each for each in found.cells if each.input_mode.voice == voice)
    return each


def test_robustness_is_the_success_by_voice_to_that_in_text_over_the_same_tasks() -> None:
    # The fourth task was played only by voice.
    found = summary(outcomes(PLAIN, [1, 1, 0]), outcomes(VOICE, [1, 0, 0, 1]))

    metric = cell(found, "telephone").metrics["MRS"]
    assert (metric.value, metric.n) == (0.5, 3)


def test_where_nothing_passed_in_text_there_is_no_robustness() -> None:
    found = summary(outcomes(PLAIN, [0, 0]), outcomes(VOICE, [1, 0]))

    metric = cell(found, "telephone").metrics["MRS"]
    assert (metric.value, metric.why) == (None, "no task passed in text")


def test_an_agent_that_fails_more_by_voice_has_an_interval_around_its_robustness() -> None:
    found = summary(outcomes(PLAIN, [1] * 10), outcomes(VOICE, [1] * 6 + [0] * 4))

    metric = cell(found, "telephone").metrics["MRS"]
    assert metric.value == pytest.approx(0.6)
    assert metric.interval is not None
    assert metric.interval.low < 0.6 < metric.interval.high < 1


def test_turn_overhead_is_of_all_turns_of_the_tasks_in_both() -> None:
    found = summary(
        outcomes(PLAIN, [1, 1], [(turns(2),), (turns(3),)]),
        outcomes(VOICE, [1, 0, 1], [(turns(3),), (turns(4),), (turns(9),)]),
    )

    metric = cell(found, "telephone").metrics["TO"]
    assert metric.value == pytest.approx((7 - 5) / 5)
    assert metric.n == 2


def test_turn_efficiency_is_of_what_passed_to_the_shortest_that_passed_anywhere() -> None:
    found = summary(
        outcomes(PLAIN, [1, 0], [(turns(2),), (turns(1),)]),
        outcomes(VOICE, [1, 1], [(turns(4),), (turns(3),)]),
    )

    assert cell(found, "text").metrics["TE"].value == 1.0
    assert cell(found, "text").metrics["TE"].n == 1
    assert cell(found, "telephone").metrics["TE"].value == pytest.approx((2 / 4 + 3 / 3) / 2)


def test_goals_despite_errors_are_of_conversations_in_which_anything_was_misrecognized() -> None:
    found = summary(outcomes(VOICE, [1, 1, 0], [(heard(0),), (heard(2),), (heard(1),)]))

    metric = cell(found, "telephone").metrics["ARGA"]
    assert (metric.value, metric.n) == (0.5, 2)


def test_where_nothing_was_misrecognized_or_hearing_is_not_known_there_are_no_such_goals() -> None:
    clean = summary(outcomes(VOICE, [1], [(heard(0),)]))
    assert cell(clean, "telephone").metrics["ARGA"].why == "nothing was misrecognized"
    itself = MeasureResult("hearing", "3", unscored="the agent was given the audio itself")
    blind = summary(outcomes(VOICE, [1], [(itself,)]))
    assert cell(blind, "telephone").metrics["ARGA"].why == "the agent was given the audio itself"
    untaken = summary(outcomes(VOICE, [1]))
    assert cell(untaken, "telephone").metrics["ARGA"].why == "the measure hearing was not taken"


def test_counts_of_measures_are_rates_over_all_conversations() -> None:
    found = summary(
        outcomes(
            PLAIN,
            [1, 0],
            [
                (
                    measured("critical", fields=4, right=3),
                    turns(2, repetitions=1),
                    measured("recovery", errors=2, recovered=2, recovery_turns=5),
                    measured("safety", irreversible=1, asked_for=1, confirmed=1),
                ),
                (
                    measured("critical", fields=1, right=0),
                    turns(5, repetitions=1, corrections=1),
                    measured("recovery", errors=1, recovered=0),
                    measured("safety", irreversible=3, asked_for=2, confirmed=0),
                ),
            ],
        )
    )

    metrics = cell(found, "text").metrics
    values = {name: metrics[name].value for name in ("CFA", "UES", "ERR", "RTC", "IAS", "SR")}
    assert values == {
        "CFA": pytest.approx(3 / 5),
        "UES": 1.5,
        "ERR": pytest.approx(2 / 3),
        "RTC": 2.5,
        "IAS": 0.25,
        "SR": 0.75,
    }
    assert [metrics[name].n for name in ("CFA", "ERR", "RTC")] == [5, 3, 2]


def test_clarification_precision_is_of_what_judges_took_for_questions() -> None:
    judged: dict[str, int | float] = {
        "allowed": 3,
        "rejected: ambiguous": 1,
        "rejected: no question": 5,
    }
    row = MeasureResult("clarifications", "1", counts=judged)
    metrics = cell(summary(outcomes(PLAIN, [1], [(row,)])), "text").metrics
    assert (metrics["CP"].value, metrics["CP"].n) == (0.75, 4)
    assert metrics["CR"].value is None


ALL = (
    measured("critical", fields=2, right=1),
    turns(4, repetitions=1),
    measured("recovery", errors=2, recovered=1, recovery_turns=1),
    measured("safety", irreversible=2, asked_for=2, confirmed=1),
    heard(1),
)


def test_the_composite_is_made_of_all_its_parts_and_clipped_beside_it() -> None:
    text = outcomes(PLAIN, [1, 0], [(turns(5),), (turns(5),)])
    found = cell(summary(text, outcomes(VOICE, [1, 1], [ALL, ALL])), "telephone")

    # CFA .5, pass^1 1, MRS 2, ARGA 1, ERR .5, TE 1, UES 1, TO -0.2, IAS .5.
    robustness, efficiency = (2 + 1 + 0.5) / 3, (1 + 1 / 2 + 1 / 0.8) / 3
    raw = 0.35 * 0.5 + 0.35 * robustness + 0.2 * efficiency + 0.1 * 0.5
    assert found.mm_tap == pytest.approx(raw)
    robustness, efficiency = (1 + 1 + 0.5) / 3, (1 + 1 / 2 + 1) / 3
    clipped = 0.35 * 0.5 + 0.35 * robustness + 0.2 * efficiency + 0.1 * 0.5
    assert found.clipped == pytest.approx(clipped)
    assert found.lacks == ()


def test_weights_are_those_that_are_given() -> None:
    text = outcomes(PLAIN, [1, 1], [(turns(4),), (turns(4),)])
    weighed = summary(
        text, outcomes(VOICE, [1, 1], [ALL, ALL]), weights=MmTapWeights(0.0, 0.0, 0.0, 1.0)
    )
    assert cell(weighed, "telephone").mm_tap == 0.5


def test_a_composite_that_lacks_a_part_is_missing_and_never_0() -> None:
    found = summary(outcomes(VOICE, [1, 1], [ALL, ALL]))

    spoken = cell(found, "telephone")
    assert (spoken.mm_tap, spoken.clipped, spoken.lacks) == (None, None, ("MRS", "TO"))
    assert "no text conversation of the same agent" in spoken.metrics["MRS"].why


def test_text_has_no_metric_of_voice_and_every_missing_metric_says_why() -> None:
    (text,) = summary(outcomes(PLAIN, [1])).cells

    assert [text.metrics[name].why for name in ("ARGA", "MRS", "TO")] == [
        "nobody speaks in text"
    ] * 3
    assert all(text.metrics[name].why for name in METRICS)


def test_a_persona_and_an_exposure_are_set_against_their_own_text() -> None:
    hard = {"persona": "hard", "exposure": "1"}
    found = summary(
        outcomes(PLAIN, [1, 1]),
        outcomes(PLAIN.with_axes(**hard), [1, 0]),
        outcomes(VOICE.with_axes(**hard), [1, 0]),
    )

    spoken = cell(found, "telephone")
    assert (spoken.persona, spoken.exposure, spoken.metrics["MRS"].value) == ("hard", "1", 1.0)


def test_the_composite_has_an_interval_and_all_its_tasks() -> None:
    counts = [
        (
            measured("critical", fields=2, right=1 + number % 2),
            turns(4 + number % 3, repetitions=number % 2),
            measured("recovery", errors=2, recovered=1 + number % 2, recovery_turns=1),
            measured("safety", irreversible=2, asked_for=2, confirmed=number % 3),
            heard(1),
        )
        for number in range(12)
    ]
    rewards = [float(number % 4 > 0) for number in range(12)]
    text = outcomes(PLAIN, rewards, [(turns(4),)] * 12)
    found = cell(summary(text, outcomes(VOICE, rewards[::-1], counts)), "telephone")

    assert found.tasks == 12
    assert found.mm_tap is not None
    assert found.mm_tap_interval is not None
    assert found.mm_tap_interval.low < found.mm_tap < found.mm_tap_interval.high


def test_undecided_actions_give_two_bounds_and_a_judge_no_second_count() -> None:
    of_rule = measured("safety", irreversible=2, asked_for=2, confirmed=1, undecided=1)
    of_judge = replace(of_rule, judge="consent-1:m", counts={"irreversible": 2})
    found = cell(summary(outcomes(PLAIN, [1, 1], [(of_rule, of_judge)] * 2)), "text")
    safety = found.metrics["IAS"]
    assert (safety.value, safety.most, safety.n) == (0.5, 1.0, 4)
    assert safety.interval is not None
    assert safety.interval.high == 1.0
