"""Figures that runs in other languages have, and their content."""

from collections.abc import Sequence

import pytest

from dragoman.analysis.cell_summary import ConversationResult, summarize
from dragoman.core.conditions import PLAIN, Condition
from dragoman.core.episodes import Episode, Termination
from dragoman.core.protocols import Provenance
from dragoman.core.scores import Score, Scored
from dragoman.core.tasks import Scenario, Task
from dragoman.report.figure_spec import FigureSpec
from dragoman.report.run_figures import run_figures
from dragoman.report.view_model import RunView, compare_cells

PASSED = {"en": 4, "th": 1, "vi": 2}


def localized(language: str, scenario: str = "domain") -> Condition:
    return PLAIN if language == "en" else PLAIN.with_axes(language=language, scenario=scenario)


def rows(
    language: str, agent: str, passed: int, suite: str = "courier"
) -> list[ConversationResult]:
    episode = Episode((), Termination("user_stop"), steps=1, errors=0)
    return [
        ConversationResult(
            *(suite, localized(language), agent, f"t{task}", trial, episode),
            Score("dragoman-1", "none", Scored(float(task < passed)), ()),
        )
        for task in range(4)
        for trial in range(2)
    ]


def view(outcomes: Sequence[ConversationResult]) -> RunView:
    tasks = {(row.suite, row.task) for row in outcomes}
    return RunView(
        *("mine", ()),
        summarize(outcomes, "dragoman-1", "none"),
        tuple(outcomes),
        {f"{suite}/{task}": Task(task, suite, "d", Scenario("")) for suite, task in tasks},
        (Provenance("s", "MIT", "n", "d"),),
    )


def found(*outcomes: ConversationResult) -> dict[str, FigureSpec]:
    run = view(outcomes)
    return {each.name: each for each in run_figures([run], compare_cells([run]))}


@pytest.fixture(scope="module")
def grid() -> dict[str, FigureSpec]:
    agents = (("good", 0), ("bad", 1))
    return found(
        *(
            row
            for language, passed in PASSED.items()
            for agent, less in agents
            for row in rows(language, agent, passed - less)
        )
    )


def test_runs_in_english_have_no_figure_of_languages() -> None:
    assert {each.section for each in found(*rows("en", "good", 2)).values()} == {"summary"}


def test_every_form_of_the_source_is_there(grid: dict[str, FigureSpec]) -> None:
    own = {name: each.kind for name, each in grid.items() if each.section == "languages"}

    assert own == {
        "languages-pass-1-courier": "bars",
        "lost-to-english-courier": "bars",
        "radar-pass-1-courier-domain": "radar",
        "languages-rho-2-courier": "bars",
        "radar-rho-2-courier-domain": "radar",
        "map-of-languages-and-domains": "heat",
    }


def test_what_is_lost_to_english_is_paired_and_has_its_sign(grid: dict[str, FigureSpec]) -> None:
    lost = grid["lost-to-english-courier"]

    values = {(each.place, each.series): each.value for each in lost.data}
    assert values == {
        ("th", "good"): -0.75,
        ("th", "bad"): -0.75,
        ("vi", "good"): -0.5,
        ("vi", "bad"): -0.5,
    }
    assert all(each.n == 4 and each.interval is not None for each in lost.data)


def test_rho_of_an_agent_that_solved_nothing_is_not_known(grid: dict[str, FigureSpec]) -> None:
    rho = {(each.place, each.series): each for each in grid["languages-rho-2-courier"].data}

    assert rho["th", "bad"].value is None
    assert rho["th", "bad"].note == "no task was solved"
    assert rho["en", "good"].n == 4


def test_a_correlation_over_fewer_than_three_pairs_is_none(grid: dict[str, FigureSpec]) -> None:
    assert "correlation-of-languages" not in grid

    three = found(
        *(
            row
            for number, passed in enumerate((4, 3, 1))
            for language, less in (("en", 0), ("th", 1))
            for row in rows(language, f"agent {number}", passed - less)
        )
    )["correlation-of-languages"]

    (above,) = [each for each in three.data if (each.place, each.column) == ("en", "th")]
    assert (above.n, above.series, round(above.value or 0, 6)) == (3, "pass^1", 1.0)


def test_scenarios_are_a_curve_from_english_on() -> None:
    outcomes = [
        ConversationResult(
            "courier", condition, "good", row.task, row.trial, row.episode, row.score
        )
        for condition, passed in (
            (PLAIN, 4),
            (localized("th", "interaction"), 3),
            (localized("th"), 1),
        )
        for row in rows("en", "good", passed)
    ]

    curve = found(*outcomes)["degradation-courier-good"]

    assert [(each.place, each.value) for each in curve.data] == [
        ("english", 1.0),
        ("interaction", 0.75),
        ("domain", 0.25),
    ]
