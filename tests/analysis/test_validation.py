from collections.abc import Mapping

import msgspec
import pytest

from dragoman.analysis.published_tables import PrintedCell, compare_tables, validate

POSSIBLE = {1: 0.62, 2: 0.46, 3: 0.38}
CELL = PrintedCell("row 1", "airline", "english", "en", "tiny", 3, POSSIBLE, tasks=50)


def cell(place: int, **changes: object) -> PrintedCell:
    return msgspec.structs.replace(CELL, place=f"row {place}", **changes)


def kinds(*cells: PrintedCell) -> list[tuple[str, tuple[str, ...]]]:
    return [(entry.kind, entry.rows) for entry in validate(cells, 0.001)]


def test_a_sound_table_has_no_findings() -> None:
    assert kinds(CELL, cell(2, language="th", figures={1: 0.62, 2: 0.48, 3: 0.4})) == []


def test_impossible_figures_are_named_with_the_nearest_that_can_be() -> None:
    (found,) = validate([cell(2, figures={1: 0.5, 2: 0.6, 3: 0.38})], 0.001)

    assert (found.kind, found.rows, found.cells) == (
        "infeasible",
        ("row 2",),
        ("airline, english, en, tiny",),
    )
    assert found.what.startswith("pass^1 0.500, pass^2 0.600, pass^3 0.380 cannot be, of 50 tasks")
    assert "the nearest that can is" in found.what


@pytest.mark.parametrize("changes", [{"tasks": None}, {"tasks": 0}, {"figures": {}}])
def test_what_cannot_be_told_is_said_and_not_passed(changes: Mapping[str, object]) -> None:
    assert kinds(cell(1, **changes)) == [("unchecked", ("row 1",))]


def test_a_cell_given_twice_is_a_duplicate() -> None:
    again = cell(2, figures={1: 0.6, 2: 0.4, 3: 0.3})

    assert kinds(CELL, again) == [("duplicate", ("row 1", "row 2"))]


def test_figures_alike_are_a_duplicate_of_one_agent_on_one_suite_only() -> None:
    thai = cell(2, language="th")

    assert kinds(CELL, thai) == [("duplicate", ("row 1", "row 2"))]
    assert kinds(CELL, msgspec.structs.replace(thai, suite="retail", condition="other")) == [
        ("incomplete", ("row 1",)),
        ("incomplete", ("row 2",)),
    ]


def test_agents_that_solve_all_or_nothing_are_no_copies_of_each_other() -> None:
    figures = {1: 1.0, 2: 1.0, 3: 1.0}

    assert kinds(cell(1, figures=figures), cell(2, figures=figures, language="th")) == []


def test_one_source_for_two_cells_is_a_duplicate() -> None:
    other = cell(2, language="th", figures={1: 0.6, 2: 0.4, 3: 0.3}, source="runs/a")

    assert kinds(cell(1, source="runs/a"), other) == [("duplicate", ("row 1", "row 2"))]


def test_missing_trials_and_tasks_are_told() -> None:
    assert kinds(cell(1, simulations=150)) == []
    assert kinds(cell(1, simulations=148)) == [("missing trials", ("row 1",))]
    assert kinds(cell(1, left_out=2)) == [("missing trials", ("row 1",))]


@pytest.mark.parametrize(
    ("figures", "rho", "objection"),
    [
        (POSSIBLE, 0.613, ""),
        (POSSIBLE, 0.713, "rho^3 0.713: pass^3 / pass^1 is 0.613"),
        ({1: 0.62}, 0.613, "rho^3 0.613: pass^1 or pass^3 is not given"),
        ({1: 0.0, 3: 0.0}, 0.0, "rho^3 0: not defined where pass^1 is 0"),
    ],
)
def test_rho_must_follow_from_its_own_figures(
    figures: dict[int, float], rho: float, objection: str
) -> None:
    findings = validate([cell(1, figures=figures, rho={3: rho})], 0.001)

    assert [entry.what for entry in findings if entry.kind == "rho"] == [objection] * bool(
        objection
    )


def test_rho_of_unrounded_figures_is_accepted() -> None:
    row = cell(1, tasks=114, figures={1: 0.155, 2: 0.088, 3: 0.061}, rho={3: 0.396})

    assert validate([row], 0.0005) == ()
    (without_tasks,) = [
        entry
        for entry in validate([msgspec.structs.replace(row, tasks=None)], 0.0005)
        if entry.kind == "rho"
    ]
    assert without_tasks.what.endswith("0.394")


def test_routes_and_users_that_differ_under_one_agent_are_told() -> None:
    other = cell(2, language="th", figures={1: 0.6, 2: 0.4, 3: 0.3}, route="b/tiny", user="u-2")

    findings = validate([cell(1, route="a/tiny", user="u-1"), other], 0.001)

    assert [entry.kind for entry in findings] == ["mixed routes", "mixed routes"]
    assert findings[0].what == ("tiny: 2 routes: a/tiny x 1 (english); b/tiny x 1 (english)")
    assert findings[1].what.startswith("tiny: 2 simulated users")


def test_absent_cells_of_a_condition_are_told() -> None:
    rows = [
        CELL,
        cell(2, language="th", figures={1: 0.6, 2: 0.4, 3: 0.3}),
        cell(3, agent="large", figures={1: 0.8, 2: 0.7, 3: 0.64}),
    ]

    (found,) = validate(rows, 0.001)

    assert (found.kind, found.what) == (
        "incomplete",
        "english: cells absent: 1 (airline, th, large)",
    )


def test_an_agent_that_only_some_conditions_have_is_told() -> None:
    rows = [
        CELL,
        cell(2, agent="large", figures={1: 0.8, 2: 0.7, 3: 0.64}),
        cell(3, condition="tools", figures={1: 0.6, 2: 0.4, 3: 0.3}),
    ]

    (found,) = validate(rows, 0.001)

    assert found.rows == ("row 3",)
    assert found.what.startswith("tools: no agent large, which other conditions have")


def test_two_tables_are_compared_figure_by_figure() -> None:
    other = [
        cell(7, figures={1: 0.621, 2: 0.462, 3: 0.38}, rho={3: 0.6}),
        cell(8, language="vi"),
    ]

    found = compare_tables([CELL, cell(2, language="th")], other, 0.001)

    assert (found.cells, found.figures) == (1, 4)
    assert [(d.row_a, d.row_b, d.figure, d.a, d.b) for d in found.differences] == [
        ("row 1", "row 7", "pass^2", 0.46, 0.462),
        ("row 1", "row 7", "rho^3", None, 0.6),
    ]
    assert (found.only_a, found.only_b) == (
        ("airline, english, th, tiny",),
        ("airline, english, vi, tiny",),
    )
