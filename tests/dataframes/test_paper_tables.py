"""Tables for papers: the figures of cells by agent and condition, or by category."""

import csv
from collections.abc import Iterator, Mapping

import msgspec
import pytest

from dragoman.analysis.cell_summary import ConversationResult, summarize
from dragoman.core.conditions import PLAIN, Condition, condition_of
from dragoman.core.errors import UsageError
from dragoman.core.leaderboard import Aggregate, Leaderboard
from dragoman.core.scores import Score, Scored, Unscored
from dragoman.dataframes.category_tables import category_table
from dragoman.dataframes.paper_tables import CellChoice, cells_table, choose_cells
from dragoman.report.pass_tables import TableCell, TableLayout, distinguishing_axes, pass_table
from dragoman.report.table_markup import csv_table
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


def cells(*parts: Iterator[ConversationResult]) -> tuple[TableCell, ...]:
    found = summarize([row for part in parts for row in part], "rules", "none")
    return tuple(map(TableCell, found))


def values(table: PaperTable) -> list[tuple[str | float | None, ...]]:
    return [
        tuple(cell.value if isinstance(cell, Estimate) else cell for cell in row)
        for row in table.rows
    ]


TWO = {"a": (1, 1), "b": (1, 0)}
ONE = {"a": (1, 0), "b": (0, 0)}


def test_a_row_has_an_agent_its_condition_and_every_power_with_its_tasks() -> None:
    found = cells(played("gold", PLAIN, TWO), played("gold", PHONE, ONE))
    table = pass_table(found, TableLayout())
    assert table.keys == ("agent", "voice")
    assert table.columns == (("pass^1",), ("pass^2",))
    assert values(table) == [
        ("gold", "text", 0.75, 0.5),
        ("gold", "telephone", 0.25, 0.0),
    ]
    assert table.note == "n = 2 tasks \u00d7 2 trials"


def test_a_figure_has_the_interval_that_its_cell_has_everywhere() -> None:
    found = cells(played("gold", PLAIN, TWO))
    ((_, first),) = pass_table(found, TableLayout(powers=(1,))).rows
    assert isinstance(first, Estimate)
    assert first.interval == found[0].summary.result.figures[0].interval


def test_an_axis_makes_columns_and_a_cell_that_is_not_there_has_no_figure() -> None:
    found = cells(
        played("gold", PLAIN, TWO), played("gold", VIETNAMESE, ONE), played("mine", PLAIN, TWO)
    )
    table = pass_table(found, TableLayout(("language",), powers=(1,)))
    assert table.columns == (("English", "pass^1"), ("Vietnamese", "pass^1"))
    assert values(table) == [("gold", 0.75, 0.25), ("mine", 0.75, None)]
    assert table.note == "n = 2 tasks \u00d7 2 trials. -: not played in these runs"


def test_a_power_that_a_cell_lacks_the_trials_for_has_its_reason_in_the_note() -> None:
    found = cells(played("gold", PLAIN, TWO), played("mine", PLAIN, {"a": (1,), "b": (0,)}))
    table = pass_table(found, TableLayout())
    assert values(table)[1] == ("mine", 0.5, None, "2")
    assert table.note == "-: fewer trials than pass^2 needs"


def test_more_figures_than_a_page_has_room_for_get_a_row_for_each_power() -> None:
    languages = ("en", "vi", "th", "id")
    conditions = [
        PLAIN if code == "en" else condition_of({"language": code, "scenario": "domain"})
        for code in languages
    ]
    found = cells(*(played("gold", condition, TWO) for condition in conditions))
    table = pass_table(found, TableLayout(("language",)))
    assert table.keys == ("agent", "figure")
    assert [column[0] for column in table.columns] == [
        "English",
        "Vietnamese",
        "Thai",
        "Indonesian",
    ]
    assert table.note == "n = 2 tasks \u00d7 2 trials"
    assert [row[1] for row in table.rows] == ["pass^1", "pass^2"]


def test_what_follows_from_another_axis_has_no_column() -> None:
    assert distinguishing_axes([PLAIN, VIETNAMESE]) == ("language",)
    assert distinguishing_axes([PLAIN, PHONE]) == ("voice",)
    assert distinguishing_axes([PLAIN, VIETNAMESE, PHONE]) == ("language", "voice")
    interaction = condition_of({"language": "vi", "scenario": "interaction"})
    assert distinguishing_axes([PLAIN, VIETNAMESE, interaction]) == ("language", "scenario")


def test_simulated_errors_are_named_and_not_coded() -> None:
    found = cells(played("gold", VIETNAMESE, TWO), played("gold", NOISY, ONE))
    assert [row[1] for row in pass_table(found, TableLayout(powers=(1,))).rows] == [
        "text",
        "simulated 15 % WER",
    ]


def test_an_axis_that_the_runs_do_not_have_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(
        UsageError, match="--by mood: no such axis: choose of agent, suite, run, lang"
    ):
        pass_table(cells(played("gold", PLAIN, TWO)), TableLayout(("mood",)))


def test_rows_of_agents_have_the_conditions_as_groups_of_columns() -> None:
    found = cells(
        *(
            played(agent, condition, TWO)
            for agent in ("gold", "mine")
            for condition in (PLAIN, VIETNAMESE, NOISY)
        )
    )
    table = pass_table(found, TableLayout(rows="agent"))
    assert table.keys == ("agent",)
    assert table.level_names == ("language", "voice", "figure")
    assert table.columns == (
        ("English", "text", "pass^1"),
        ("English", "text", "pass^2"),
        ("Vietnamese", "text", "pass^1"),
        ("Vietnamese", "text", "pass^2"),
        ("Vietnamese", "simulated 15 % WER", "pass^1"),
        ("Vietnamese", "simulated 15 % WER", "pass^2"),
    )
    assert values(table) == [
        ("gold", 0.75, 0.5, 0.75, 0.5, 0.75, 0.5),
        ("mine", 0.75, 0.5, 0.75, 0.5, 0.75, 0.5),
    ]


def test_rows_of_conditions_have_the_agents_as_groups_of_columns() -> None:
    found = cells(
        played("gold", PLAIN, TWO), played("gold", PHONE, ONE), played("mine", PLAIN, ONE)
    )
    table = pass_table(found, TableLayout(rows="condition", powers=(1,)))
    assert table.keys == ("voice",)
    assert values(table) == [("text", 0.75, 0.25), ("telephone", 0.25, None)]


def test_several_axes_make_columns_inside_columns() -> None:
    found = cells(played("gold", VIETNAMESE, TWO), played("gold", NOISY, ONE))
    table = pass_table(found, TableLayout(("voice", "language"), powers=(1,)))
    assert table.columns == (
        ("text", "Vietnamese", "pass^1"),
        ("simulated 15 % WER", "Vietnamese", "pass^1"),
    )


def test_numbers_of_tasks_that_differ_are_next_to_the_figures() -> None:
    found = cells(played("gold", PLAIN, TWO), played("gold", PHONE, {"a": (1, 1)}))
    table = pass_table(found, TableLayout(rows="agent", powers=(1,)))
    assert values(table) == [("gold", 0.75, "2 \u00d7 2", 1.0, "1 \u00d7 2")]
    assert table.note == ""


def test_a_power_of_fewer_tasks_says_how_many() -> None:
    found = cells(played("gold", PLAIN, {"a": (1, 1), "b": (1,)}))
    assert pass_table(found, TableLayout()).note == "n = 2 tasks \u00d7 2 trials, 1 for pass^2"


def test_the_highest_of_the_agents_under_each_condition_is_set_off_on_request() -> None:
    found = cells(
        played("gold", PLAIN, TWO),
        played("mine", PLAIN, ONE),
        played("gold", PHONE, ONE),
        played("mine", PHONE, ONE),
    )
    plain = pass_table(found, TableLayout(rows="agent", powers=(1,)))
    bold = pass_table(found, TableLayout(rows="agent", powers=(1,), is_bold=True))
    assert plain.best == frozenset()
    assert bold.best == {(0, 1)}, "the agents are alike by telephone"
    assert bold.note.endswith(
        "Bold: the highest of the agents under a condition; differences need not be significant"
    )


def test_a_figure_without_a_decided_task_shows_its_bounds() -> None:
    score = Score("rules", "none", Unscored("no judge"), ())
    row = ConversationResult("shop", PLAIN, "mine", "a", 0, None, score)
    found = cells(played("gold", PLAIN, {"a": (1,)}), iter([row]))
    table = cells_table(found, TableLayout(), ("rules", "none"))
    assert table.with_texts().rows[1] == ("mine", "0.000 to 1.000", "0")
    assert "tasks without a result counted as failed, and as passed" in table.note


def test_what_all_conditions_share_is_in_the_caption() -> None:
    found = cells(played("gold", VIETNAMESE, TWO))
    assert pass_table(found, TableLayout(powers=(1,))).caption == (
        "pass^1 on shop (Vietnamese), with 95 % confidence intervals over tasks."
    )


def test_agents_and_values_of_axes_choose_cells() -> None:
    found = cells(
        *(
            played(agent, condition, TWO)
            for agent in ("provider/gold", "mine")
            for condition in (PLAIN, VIETNAMESE, NOISY)
        )
    )

    def chosen(**given: object) -> list[tuple[str, str]]:
        picked = choose_cells(found, msgspec.convert(given, CellChoice))
        return [(cell.summary.agent, cell.summary.condition.label) for cell in picked]

    assert chosen(agents=("gold",), axes={"voice": ("simulated:15",)}) == [
        ("provider/gold", "vi:domain/simulated:15/none")
    ]
    assert chosen(agents=("mine",), axes={"language": ("en", "vi"), "scenario": ("domain",)}) == [
        ("mine", "en/text/none"),
        ("mine", "vi:domain/text/none"),
        ("mine", "vi:domain/simulated:15/none"),
    ]
    with pytest.raises(UsageError, match=r"--language th: .* choose of en, vi"):
        chosen(axes={"language": ("th",)})
    with pytest.raises(UsageError, match=r"--agent you: .* choose of gold, mine"):
        chosen(agents=("you",))
    with pytest.raises(UsageError, match="no agent has a condition with all these values"):
        chosen(axes={"language": ("en",), "voice": ("simulated:15",)})


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
        ("overall", None, "4 of 6"),
    ]
    assert table.note == (
        "overall has no figure without live. "
        "x to y: the figure with tasks without a result counted as failed, and as passed"
    )


def test_an_aggregate_without_a_figure_and_a_category_in_part_show_their_bounds() -> None:
    found = cells(
        played("gold", PLAIN, {"a": (1,), "b": (1,)}, "bench:simple"),
        played("gold", PLAIN, {"c": (1,)}, "bench:parallel"),
    )
    simple, parallel, _, overall = category_table(found, BOARD).with_texts().rows
    assert simple == ("simple", "1.000 [0.158, 1.000]", "2")
    assert parallel == ("parallel", "1.000 [0.025, 1.000]\n0.500 to 1.000", "1 of 2")
    assert overall == ("overall", "0.375 to 1.000", "3 of 6")


def test_each_agent_and_input_has_a_column_of_the_categories() -> None:
    found = cells(
        played("gold", PLAIN, {"a": (1,), "b": (1,)}, "bench:simple"),
        played("mine", PLAIN, {"a": (1,), "b": (0,)}, "bench:simple"),
        played("gold", PHONE, {"a": (0,), "b": (1,)}, "bench:simple"),
    )
    table = category_table(found, BOARD)
    assert table.columns == (("gold", "text"), ("gold", "telephone"), ("mine", "text"), ("", "n"))
    assert values(table)[0] == ("simple", 1.0, 0.5, 0.5, "2")


def test_categories_are_columns_of_rows_of_agents() -> None:
    found = cells(
        played("gold", PLAIN, {"a": (1,), "b": (1,)}, "bench:simple"),
        played("mine", PLAIN, {"a": (0,)}, "bench:live"),
    )
    table = category_table(found, BOARD, rows_are_agents=True)
    assert table.keys == ("agent",)
    assert table.columns == (
        ("simple",),
        ("live",),
        ("ast",),
        ("overall",),
    )
    assert values(table) == [
        ("gold", 1.0, None, None, None),
        ("mine", None, 0.0, None, None),
        ("n", "2", "1 of 2", "2 of 4", "1 to 2 of 6"),
    ]


def test_csv_of_categories_has_the_played_and_the_planned_tasks_as_numbers() -> None:
    found = cells(played("gold", PLAIN, {"a": (1,)}, "bench:simple"))
    table = category_table(found, BOARD, rows_are_agents=True)
    simple, ast, _ = csv.DictReader(csv_table(table).splitlines())
    assert (simple["category"], simple["tasks"], simple["planned"]) == ("simple", "1", "2")
    assert (simple["suite"], simple["rules"], simple["judge"]) == ("bench:simple", "rules", "none")
    assert (ast["suite"], ast["tasks"], ast["planned"], ast["agent"]) == ("", "1", "4", "gold")


def test_csv_has_the_stored_values_next_to_the_words() -> None:
    found = cells(played("gold", VIETNAMESE, TWO), played("gold", NOISY, ONE))
    table = pass_table(found, TableLayout(("language",), powers=(1,)))
    _, noisy = csv.DictReader(csv_table(table).splitlines())
    assert (noisy["language"], noisy["language_label"]) == ("vi", "Vietnamese")
    assert (noisy["voice"], noisy["voice_label"]) == ("simulated:15", "simulated 15 % WER")
    assert (noisy["suite"], noisy["condition"]) == ("shop", "vi:domain/simulated:15/none")
    assert (noisy["k"], noisy["tasks"], noisy["planned"], noisy["trials"]) == ("1", "2", "2", "2")
