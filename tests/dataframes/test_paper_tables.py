"""Tables for papers: the figures of cells by agent and condition, or by category."""

from collections.abc import Iterator, Mapping

import pytest

from dragoman.analysis.cell_summary import CellSummary, ConversationResult, summarize
from dragoman.core.conditions import PLAIN, Condition, condition_of
from dragoman.core.errors import UsageError
from dragoman.core.leaderboard import Aggregate, Leaderboard
from dragoman.core.scores import Score, Scored
from dragoman.dataframes.paper_tables import category_table, distinguishing_axes, pass_table
from dragoman.report.text_tables import Estimate, PaperTable

VIETNAMESE = condition_of({"language": "vi", "scenario": "domain"})
PHONE = PLAIN.with_axes(voice="telephone")
NOISY = VIETNAMESE.with_axes(voice="simulated:15")


def played(
    agent: str, condition: Condition, rewards: Mapping[str, tuple[int, ...]], suite: str = "shop"
) -> Iterator[ConversationResult]:
    for task, trials in rewards.items():
        for trial, reward in enumerate(trials):
            score = Score("rules", "none", Scored(float(reward)), ())
            yield ConversationResult(suite, condition, agent, task, trial, None, score)


def cells(*parts: Iterator[ConversationResult]) -> tuple[CellSummary, ...]:
    return summarize([row for part in parts for row in part], "rules", "none")


def values(table: PaperTable) -> list[tuple[str | float | None, ...]]:
    return [
        tuple(cell.value if isinstance(cell, Estimate) else cell for cell in row)
        for row in table.rows
    ]


TWO = {"a": (1, 1), "b": (1, 0)}
ONE = {"a": (1, 0), "b": (0, 0)}


def test_a_row_has_an_agent_its_condition_and_every_power_with_its_tasks() -> None:
    found = cells(played("gold", PLAIN, TWO), played("gold", PHONE, ONE))
    table = pass_table(found, None, (1, 2))
    assert table.keys == ("agent", "voice")
    assert table.columns == (("pass^1",), ("pass^2",), ("n",))
    assert values(table) == [
        ("gold", "text", 0.75, 0.5, "2 \u00d7 2"),
        ("gold", "telephone", 0.25, 0.0, "2 \u00d7 2"),
    ]


def test_a_figure_has_the_interval_that_its_cell_has_everywhere() -> None:
    found = cells(played("gold", PLAIN, TWO))
    ((_, first, *_),) = pass_table(found, None, (1,)).rows
    assert isinstance(first, Estimate)
    assert first.interval == found[0].result.figures[0].interval


def test_an_axis_makes_columns_and_a_cell_that_is_not_there_has_no_figure() -> None:
    found = cells(
        played("gold", PLAIN, TWO), played("gold", VIETNAMESE, ONE), played("mine", PLAIN, TWO)
    )
    table = pass_table(found, "language", (1,))
    assert table.columns == (("English", "pass^1"), ("Vietnamese", "pass^1"))
    assert values(table) == [("gold", 0.75, 0.25), ("mine", 0.75, None)]
    assert table.note == "n = 2 \u00d7 2"


def test_more_figures_than_a_page_has_room_for_get_a_row_for_each_power() -> None:
    languages = ("en", "vi", "th", "id")
    conditions = [
        PLAIN if code == "en" else condition_of({"language": code, "scenario": "domain"})
        for code in languages
    ]
    found = cells(*(played("gold", condition, TWO) for condition in conditions))
    table = pass_table(found, "language", (1, 2))
    assert table.keys == ("agent", "figure")
    assert [column[0] for column in table.columns] == [
        "English",
        "Vietnamese",
        "Thai",
        "Indonesian",
        "n",
    ]
    assert [row[1] for row in table.rows] == ["pass^1", "pass^2"]


def test_what_follows_from_another_axis_has_no_column() -> None:
    assert distinguishing_axes([PLAIN, VIETNAMESE]) == ("language",)
    assert distinguishing_axes([PLAIN, PHONE]) == ("voice",)
    assert distinguishing_axes([PLAIN, VIETNAMESE, PHONE]) == ("language", "voice")
    interaction = condition_of({"language": "vi", "scenario": "interaction"})
    assert distinguishing_axes([PLAIN, VIETNAMESE, interaction]) == ("language", "scenario")


def test_simulated_errors_are_named_and_not_coded() -> None:
    found = cells(played("gold", VIETNAMESE, TWO), played("gold", NOISY, ONE))
    assert [row[1] for row in pass_table(found, None, (1,)).rows] == [
        "text",
        "simulated errors, 15 %",
    ]


def test_an_axis_that_the_runs_do_not_have_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(UsageError, match="--by mood: no such axis: choose of agent, suite, lang"):
        pass_table(cells(played("gold", PLAIN, TWO)), "mood", (1,))


BOARD = Leaderboard(
    {"simple": 2, "parallel": 2, "live": 2},
    (Aggregate("ast", ("simple", "parallel")), Aggregate("overall", ("ast", "live"))),
)


def test_categories_come_in_the_order_of_the_leaderboard_with_its_aggregates_below() -> None:
    found = cells(
        played("gold", PLAIN, {"c": (1,), "d": (0,)}, "bench:parallel"),
        played("gold", PLAIN, {"a": (1,), "b": (1,)}, "bench:simple"),
    )
    table = category_table(found, BOARD)
    assert table.columns == (("gold",), ("n",))
    assert values(table) == [
        ("simple", 1.0, "2"),
        ("parallel", 0.5, "2"),
        ("ast", 0.75, "4"),
        ("overall", None, "4"),
    ]
    assert table.note == "overall has no figure without live"


def test_each_agent_and_input_has_a_column_of_the_categories() -> None:
    found = cells(
        played("gold", PLAIN, {"a": (1,), "b": (1,)}, "bench:simple"),
        played("mine", PLAIN, {"a": (1,), "b": (0,)}, "bench:simple"),
        played("gold", PHONE, {"a": (0,), "b": (1,)}, "bench:simple"),
    )
    table = category_table(found, BOARD)
    assert table.columns == (("gold", "text"), ("gold", "telephone"), ("mine", "text"), ("", "n"))
    assert values(table)[0] == ("simple", 1.0, 0.5, 0.5, "2")
