"""Figures 5 and 6 of SEATauBench: errors by severity, and tools that several languages share."""

from collections.abc import Sequence
from typing import get_args

import pytest

from dragoman.analysis.cell_summary import ConversationResult, summarize
from dragoman.core.conditions import PLAIN, Condition
from dragoman.core.episodes import Episode, Termination
from dragoman.core.measures import MeasureResult, ReportedError, Severity
from dragoman.core.protocols import Provenance
from dragoman.core.scores import Score, Scored
from dragoman.report.charts import render_svg
from dragoman.report.figure_spec import FigureSpec
from dragoman.report.run_figures import run_figures
from dragoman.report.view_model import RunView, compare_cells

THAI = PLAIN.with_axes(language="th", scenario="domain")


def rows(
    condition: Condition, passed: int, errors: Sequence[str | None] = ()
) -> list[ConversationResult]:
    """Return two trials of four tasks.

    `errors` has an entry for each task; None means that the task was not judged.
    """
    episode = Episode((), Termination("user_stop"), steps=1, errors=0)
    return [
        ConversationResult(
            *("courier", condition, "gold", f"t{task}", trial, episode),
            Score("dragoman-1", "none", Scored(float(task < passed)), ()),
            measures=judged(errors[task]) if errors else (),
        )
        for task in range(4)
        for trial in range(2)
    ]


def judged(severity: str | None) -> tuple[MeasureResult, ...]:
    if severity is None:
        return (MeasureResult("errors", "1", "m", unscored="the judge said nothing"),)
    (level,) = [each for each in get_args(Severity) if each == severity] or [None]
    found = () if level is None else (ReportedError("agent", level, ("other",), 1),)
    return (MeasureResult("errors", "1", "m", counts={"judged": 1}, errors=found),)


def found(*outcomes: ConversationResult) -> dict[str, FigureSpec]:
    run = RunView(
        *("mine", ()),
        summarize(outcomes, "dragoman-1", "none"),
        tuple(outcomes),
        {},
        (Provenance("s", "MIT", "n", "d"),),
    )
    return {each.name: each for each in run_figures([run], compare_cells([run]))}


def tools(*languages: str) -> Condition:
    return PLAIN.with_axes(language="+".join(("en", *languages)), scenario="tools", partition="42")


def test_errors_by_severity_stand_side_by_side_for_each_language() -> None:
    drawn = found(
        *rows(PLAIN, 4, ["", "", "minor", "critical"]),
        *rows(THAI, 1, ["critical", "critical", "minor", None]),
    )

    agent = drawn["errors-agent-courier"]
    assert (str(agent.section), str(agent.kind)) == ("languages", "stack")
    assert list(agent.places) == ["en", "th"]
    shares = {(each.place, each.series): each.value for each in agent.data}
    assert shares["en", "critical"] == 0.25
    assert shares["th", "critical"] == pytest.approx(4 / 6)
    assert shares["th", "correct"] == 0.0
    assert {each.place: each.n for each in agent.data} == {"en": 8, "th": 6}
    assert all("2 unscored" in each.note for each in agent.data if each.place == "th")
    assert {each.value for each in drawn["errors-user-courier"].data} == {0.0, 1.0}
    assert "<svg" in render_svg(agent)


def test_errors_of_a_run_in_english_are_in_the_summary() -> None:
    drawn = found(*rows(PLAIN, 4, ["", "", "minor", "critical"]))
    assert drawn["errors-agent-courier"].section == "summary"
    assert not [name for name in found(*rows(PLAIN, 4)) if name.startswith("errors")]


def test_figures_over_the_number_of_languages_of_tools_begin_with_english() -> None:
    drawn = found(
        *rows(tools("th", "vi"), 2), *rows(PLAIN, 4), *rows(tools("th"), 3), *rows(THAI, 0)
    )

    for name in ("tool-languages-pass-1-courier", "tool-languages-rho-2-courier"):
        drawing = drawn[name]
        assert drawing.kind == "lines"
        assert [each.place for each in drawing.data] == ["1", "2", "3"]
        assert [each.column for each in drawing.data] == ["en", "en+th", "en+th+vi"]
        assert "<svg" in render_svg(drawing)
    values = [each.value for each in drawn["tool-languages-pass-1-courier"].data]
    assert values == [1.0, 0.75, 0.5]


def test_two_mixes_of_one_size_are_two_series() -> None:
    other = tools("th").with_axes(partition="43")
    drawn = found(*rows(PLAIN, 4), *rows(tools("th"), 3), *rows(other, 2))
    data = drawn["tool-languages-pass-1-courier"].data
    assert {each.series for each in data if each.place == "2"} == {
        "gold, en+th shared by 42",
        "gold, en+th shared by 43",
    }


def test_a_run_without_shared_tools_has_no_such_figure() -> None:
    drawn = found(*rows(PLAIN, 4), *rows(THAI, 1))
    assert not [name for name in drawn if name.startswith("tool-languages")]
