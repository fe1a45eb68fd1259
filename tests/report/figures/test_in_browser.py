"""Figures in a page: tooltips, hidden series, and marks that lead to conversations."""

from pathlib import Path

import pytest
from tests.browser import Browse, Tab

from dragoman.analysis.cell_summary import ConversationResult, summarize
from dragoman.core.conditions import PLAIN
from dragoman.core.episodes import Episode, Termination
from dragoman.core.protocols import Provenance
from dragoman.core.scores import Score, Scored
from dragoman.core.tasks import Scenario, Task
from dragoman.report.html_report import render_report
from dragoman.report.view_model import RunView

pytestmark = [pytest.mark.slow, pytest.mark.nightly]

FIGURE = "document.querySelector('#figure-languages-pass-1-s')"


@pytest.fixture
def page(tmp_path: Path) -> str:
    """The address of a report on two agents in three languages."""
    conditions = [
        PLAIN,
        *(PLAIN.with_axes(language=tag, scenario="domain") for tag in ("th", "vi")),
    ]
    episode = Episode((), Termination("user_stop"), steps=1, errors=0)
    score = Score("dragoman-1", "none", Scored(1.0), ())
    rows = [
        ConversationResult("s", condition, agent, task, 0, episode, score)
        for condition in conditions
        for agent in ("a", "b")
        for task in ("t1", "t2")
    ]
    tasks = {f"s/{task}": Task(task, "s", "d", Scenario("")) for task in ("t1", "t2")}
    cells = summarize(rows, "dragoman-1", "none")
    view = RunView("mine", (), cells, tuple(rows), tasks, (Provenance("s", "MIT", "n", "d"),))
    path = tmp_path / "report.html"
    path.write_text(render_report([view], "Mine"), "utf-8")
    return path.as_uri()


@pytest.mark.parametrize("width", [1280, 390])
def test_a_figure_tells_hides_and_leads(browse: Browse, page: str, width: int) -> None:
    async def steps(tab: Tab) -> None:
        await tab.open(page, width)
        area = f"{FIGURE}.querySelector('.scroll')"
        await tab.value(
            f"{area}.dispatchEvent(new KeyboardEvent('keydown', {{key: 'ArrowRight', bubbles: true}}))"
        )
        reported = await tab.value(f"{FIGURE}.querySelector('.readout').textContent")
        assert reported.startswith("en, a: 100.0\u00a0%, 95 % interval ")
        await tab.value(f"{FIGURE}.querySelector('.key').dispatchEvent(new Event('click'))")
        shown = f"{FIGURE}.querySelectorAll('.datum:not(.off)').length"
        assert await tab.value(shown) == 3
        mark = f"{FIGURE}.querySelector('.datum[data-cell=\"3\"] .mark')"
        await tab.value(f"{mark}.dispatchEvent(new MouseEvent('click', {{bubbles: true}}))")
        await tab.until("document.getElementById('count').textContent.startsWith('2 of 12')")
        assert await tab.value("document.documentElement.scrollWidth") <= width

    assert browse(steps) == []
