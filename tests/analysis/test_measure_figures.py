"""Figures of counts: sums, rates over sums and over conversations, trends, intervals over tasks."""

from collections.abc import Mapping

import pytest

from dragoman.analysis.cell_summary import ConversationResult, summarize
from dragoman.analysis.intervals import Interval, ratio_interval
from dragoman.analysis.measure_metrics import MeasureRow, measure_rows
from dragoman.core.conditions import PLAIN
from dragoman.core.episodes import Episode, Termination
from dragoman.core.measures import (
    CountedItem,
    DeclaredMetrics,
    MeasureResult,
    MetricDefinition,
    Quantile,
    Rate,
    Total,
    Trend,
)
from dragoman.core.scores import Evidence, Score, Scored
from dragoman.report.formatting import measured_value

PLAYED = Episode((), Termination("user_stop"), 1, 0)


def outcome(task: str, *measures: MeasureResult, score: Score | None = None) -> ConversationResult:
    return ConversationResult("s", PLAIN, "gold", task, 0, PLAYED, score, measures=measures)


def asks(counts: Mapping[str, float], version: str = "1", unscored: str = "") -> MeasureResult:
    return MeasureResult("asks", version, "m@1", counts=dict(counts), unscored=unscored)


def rows(outcomes: list[ConversationResult], *figures: MetricDefinition) -> dict[str, MeasureRow]:
    declared = {"asks-1": DeclaredMetrics("asks", "1", figures)} if figures else {}
    cells = summarize(outcomes, "r", "none")
    return {row.figure: row for row in measure_rows(outcomes, cells, declared)}


def test_micro_adds_up_and_macro_averages_conversations() -> None:
    found = rows(
        [outcome("a", asks({"hits": 1, "all": 1})), outcome("b", asks({"hits": 0, "all": 3}))],
        Rate("micro", ("hits",), ("all",)),
        Rate("macro", ("hits",), ("all",), "macro"),
        Total("sum", ("all",)),
    )
    assert (found["micro"].value, found["micro"].n) == (0.25, 4)
    assert (found["macro"].value, found["macro"].n) == (0.5, 2)
    assert (found["sum"].value, found["sum"].interval) == (4.0, None)
    assert (found["micro"].judge, found["micro"].averaging) == ("m@1", "micro")


def test_f1_is_a_rate_whose_hits_weigh_double() -> None:
    f1 = Rate("F1", ("hits", "hits"), ("hits", "hits", "false", "missed"))
    found = rows([outcome("a", asks({"hits": 3, "false": 1, "missed": 2}))], f1)
    assert found["F1"].value == pytest.approx(2 * 3 / (2 * 3 + 1 + 2))


def test_what_is_unscored_enters_no_figure_and_is_counted() -> None:
    found = rows(
        [
            outcome("a", asks({"hits": 1, "all": 1})),
            outcome("b", asks({}, unscored="judge failed")),
        ],
        Rate("micro", ("hits",), ("all",)),
    )
    assert (found["micro"].value, found["micro"].n, found["micro"].unscored) == (1.0, 1, 1)
    assert found["micro"].conversations == 1


def test_nothing_counted_is_no_figure_rather_than_zero() -> None:
    found = rows([outcome("a", asks({"hits": 0, "all": 0}))], Rate("micro", ("hits",), ("all",)))
    assert (found["micro"].value, found["micro"].interval, found["micro"].n) == (None, None, 0)


def test_what_is_undecided_gives_a_rate_two_bounds_that_its_interval_holds() -> None:
    rate = Rate("agreed", ("yes",), ("all",), undecided=("open",))
    decided = [outcome(task, asks({"yes": 1, "all": 2, "open": 0})) for task in "ab"]
    left = [outcome(task, asks({"yes": 0, "all": 2, "open": 1})) for task in "cd"]
    found = rows([*decided, *left], rate)["agreed"]
    assert (found.value, found.most, found.n) == (0.25, 0.5, 8)
    assert found.interval is not None
    assert found.interval.low <= 0.25
    assert found.interval.high >= 0.5
    assert measured_value(found) == "25.0% to 50.0%"
    assert rows(decided, rate)["agreed"].most is None


def test_counts_without_declared_figures_are_added_up() -> None:
    found = rows([outcome("a", asks({"hits": 2})), outcome("b", asks({"hits": 3}))])
    assert (found["hits"].value, found["hits"].form) == (5.0, "total")


def test_only_the_newest_version_of_a_measure_enters() -> None:
    both = outcome("a", asks({"hits": 1}, "0"), asks({"hits": 4}))
    assert rows([both])["hits"].value == 4.0


def test_a_trend_correlates_position_and_rate_over_all_conversations() -> None:
    entries = tuple(
        CountedItem({"wrong": position, "turns": 4}, position) for position in (1, 2, 3)
    )
    drifting = MeasureResult("asks", "1", "m@1", counts={"turns": 12}, evidence=entries)
    found = rows([outcome("a", drifting)], Trend("drift r", ("wrong",), ("turns",)))
    assert found["drift r"].value == pytest.approx(1.0)
    assert found["drift r"].n == 3


def waits(task: str, *seconds: float) -> ConversationResult:
    entries = tuple(CountedItem({"wait": each}, position) for position, each in enumerate(seconds))
    return outcome(
        task, MeasureResult("asks", "1", "m@1", counts={"wait": sum(seconds)}, evidence=entries)
    )


def test_a_quantile_is_of_all_values_and_not_of_the_conversations_own() -> None:
    found = rows(
        [waits("a", 1, 2, 3, 4, 5, 6, 7), waits("b", 100), waits("c", 8, 9)],
        Quantile("median", "wait", 0.5),
        Quantile("high", "wait", 0.9, "seconds"),
    )
    assert (found["median"].value, found["median"].n, found["median"].form) == (5.0, 10, "number")
    assert (found["high"].value, found["high"].form) == (9.0, "seconds")


def test_a_quantile_of_nothing_is_no_figure_rather_than_zero() -> None:
    found = rows([waits("a")], Quantile("median", "wait", 0.5))
    assert (found["median"].value, found["median"].interval, found["median"].n) == (None, None, 0)


def test_pass_k_and_the_checks_of_simulated_users_are_rows_too() -> None:
    invalid = (Evidence("goal_kept", False, "left"), Evidence("own_language", None))
    good, bad = (Score("r", "none", Scored(1.0), (), simulator=one) for one in ((), invalid))
    found = rows([outcome("a", score=good), outcome("b", score=bad)])
    assert (found["pass^1"].measure, found["pass^1"].value) == ("reward", 1.0)
    assert (found["invalid"].measure, found["invalid"].value, found["invalid"].n) == (
        "simulator",
        1.0,
        1,
    )
    assert found["checks undecided"].value == 0.5


def test_intervals_draw_tasks_and_a_ratio_that_all_share_claims_no_certainty() -> None:
    wide = ratio_interval([(0, 4), (4, 4), (1, 2), (3, 3)], is_share=True)
    assert wide is not None
    assert 0 <= wide.low < 8 / 13 < wide.high <= 1
    assert ratio_interval([(2, 2)], is_share=True) == Interval(0.025, 1.0)
    assert ratio_interval([(6, 2), (3, 1)], is_share=False) is None


def test_each_pass_hat_k_says_how_many_tasks_entered_it() -> None:
    passed = Score("r", "none", Scored(1.0), ())
    found = rows(
        [
            ConversationResult("s", PLAIN, "gold", "a", 0, PLAYED, passed),
            ConversationResult("s", PLAIN, "gold", "a", 1, PLAYED, passed),
            ConversationResult("s", PLAIN, "gold", "b", 0, PLAYED, passed),
            ConversationResult("s", PLAIN, "gold", "b", 1),
        ]
    )
    assert (found["pass^1"].n, found["pass^1"].unscored) == (2, 0)
    assert (found["pass^2"].n, found["pass^2"].unscored) == (1, 1)
