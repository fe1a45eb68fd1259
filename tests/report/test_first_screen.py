"""Five questions are answered from the first screen, by its text and in a real browser."""

import re
from collections.abc import Callable, Coroutine, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dragoman.analysis.cell_summary import ConversationResult, summarize
from dragoman.analysis.comparison import group_cells
from dragoman.analysis.drops import drops_from_baseline
from dragoman.analysis.failure_attribution import FailureSource, attribution_result
from dragoman.core.conditions import PLAIN, Condition, condition_of
from dragoman.core.episodes import Episode, Termination
from dragoman.core.scores import Score, Scored
from dragoman.core.tasks import Scenario, Task
from dragoman.report.html_report import render_report
from dragoman.report.overview import cell_point, run_totals
from dragoman.report.overview_builder import build_overview
from dragoman.report.view_model import RunView

Browse = Callable[[Callable[[Any], Coroutine[Any, Any, None]]], list[str]]

TELEPHONE = condition_of({"voice": "telephone"})
BOTH = condition_of({"language": "vi", "scenario": "domain", "voice": "telephone"})


def failed(stage: FailureSource, count: int) -> list[FailureSource | float]:
    """Return that many conversations that failed at a stage."""
    return [stage] * count


FOUND: dict[Condition, list[FailureSource | float]] = {
    PLAIN: [1.0] * 20,
    TELEPHONE: [*failed("speech", 8), *[1.0] * 12],
    BOTH: [*failed("speech", 8), *failed("line", 4), *[1.0] * 8],
}
ANSWERS = (
    "support-v2 loses most in Vietnamese by telephone: 60.0 points of pass^1",
    "95% CI 40.0 to 80.0, n = 20 tasks x 1 trial. The recognizer costs 40.0 points, channel 20.0.",
    "support-v2 Vietnamese telephone",
    "\N{MINUS SIGN}60.0 [\N{MINUS SIGN}80.0, \N{MINUS SIGN}40.0] 12 failures",
    "Failures to look at first task-00 recognizer",
)
"""Condition and agent; points, interval and stage; the row of the chart; the conversations."""

VISIBLE = """(() => {
  const words = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.parentElement.closest("script, style, title")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    if (box.width && box.top >= 0 && box.bottom <= 800 && box.right <= 1280) words.push(node.data);
  }
  return words.join(" ").replace(/\\s+/g, " ");
})()"""
"""The text within the first 800 pixels of a page."""


def outcome(condition: Condition, task: int, found: FailureSource | float) -> ConversationResult:
    return ConversationResult(
        *("courier", condition, "support-v2", f"task-{task:02}", 0),
        Episode((), Termination("user_stop"), 2, 0),
        Score("dragoman-1", "none", Scored(float(found == 1.0)), ()),
        measures=(attribution_result(found),) if isinstance(found, str) else (),
    )


def view(rows: Sequence[ConversationResult]) -> RunView:
    tasks = {row.task: Task(row.task, "courier", "same", Scenario("")) for row in rows}
    cells = summarize(rows, "dragoman-1", "none")
    grouped = group_cells("nightly", rows, dict.fromkeys(tasks, "same"))
    drops = drops_from_baseline(grouped)
    return RunView(
        *("nightly", (), cells, tuple(rows)),
        {f"courier/{name}": task for name, task in tasks.items()},
        (),
        drops=drops,
        overview=build_overview(list(map(cell_point, cells)), drops, rows, {}, run_totals(cells)),
    )


@pytest.fixture(scope="module")
def page() -> str:
    """A report of one agent that loses by telephone, and more in Vietnamese."""
    rows = [
        outcome(condition, task, found)
        for condition, row in FOUND.items()
        for task, found in enumerate(row)
    ]
    return render_report([view(rows)], "nightly")


def test_the_axis_has_the_sign_of_the_numbers_beside_it(page: str) -> None:
    axis = re.findall(r'<text x="[^"]+" y="12" text-anchor="middle">([^<]+)</text>', page)

    assert axis == [
        "0",
        "\N{MINUS SIGN}20",
        "\N{MINUS SIGN}40",
        "\N{MINUS SIGN}60",
        "\N{MINUS SIGN}80",
    ]


def test_counts_of_nothing_and_costs_without_a_model_are_not_shown(page: str) -> None:
    (facts,) = re.findall(r'<ul class="facts-line">(.*?)</ul>', page, re.DOTALL)
    words = " ".join(re.sub("<[^>]+>", " ", facts).split())

    assert words.startswith("60 conversations cost none recorded")
    assert "unscored" not in words
    assert "infrastructure" not in words


class _Text(HTMLParser):
    """The text of the section `overview` that is open, and its links."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.links: dict[str, str] = {}
        self._path: list[str] = []
        self._href = ""
        self._is_inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "section" and found.get("id") in {"overview", "results"}:
            self._is_inside = found["id"] == "overview"
        self._href = found.get("href") or "" if tag == "a" else self._href
        if tag in {"title", "details"}:
            self._path.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in {"title", "details"}:
            self._path.pop()
        if tag == "a":
            self._href = ""

    def handle_data(self, data: str) -> None:
        if self._is_inside and not self._path and data.strip():
            self.words.append(data)
            if self._href:
                self.links.setdefault(data.strip(), self._href)


def first_section(page: str) -> _Text:
    found = _Text()
    found.feed(page)
    return found


def test_the_first_section_answers_five_questions(page: str) -> None:
    found = first_section(page)
    words = re.sub(r"\s+", " ", " ".join(found.words))
    for answer in ANSWERS:
        assert answer in words
    assert found.links["12 failures"].startswith("#?behind=")
    assert found.links["task-00"] == "#conversation-40"


def test_a_drop_of_the_first_screen_is_not_repeated_by_layer(page: str) -> None:
    assert 'id="lost"' not in page


def test_text_of_a_run_is_no_markup_on_the_first_screen() -> None:
    hostile = "<img src=x onerror=alert(1)>"
    rows = [
        msgspec.structs.replace(
            outcome(condition, task, found), agent=hostile, task=f"{hostile}{task}"
        )
        for condition, row in FOUND.items()
        for task, found in enumerate(row)
    ]
    found = render_report([view(rows)], hostile)
    assert "<img" not in found


@pytest.mark.slow
@pytest.mark.nightly
def test_a_browser_shows_the_five_answers_without_scrolling(
    page: str, browse: Browse, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    path.write_text(page, "utf-8")

    async def steps(tab: Any) -> None:  # noqa: ANN401 - a tab of conftest
        await tab.open(path.as_uri(), width=1280)
        words = await tab.value(VISIBLE)
        for answer in ANSWERS:
            assert answer in words, words

    assert browse(steps) == []


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize("width", [412, 1280, 1920])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_first_screen_fits_every_width(
    page: str, browse: Browse, tmp_path: Path, width: int, scheme: str
) -> None:
    path = tmp_path / "report.html"
    path.write_text(page, "utf-8")

    async def steps(tab: Any) -> None:  # noqa: ANN401
        await tab.open(path.as_uri(), width=width, scheme=scheme)
        assert await tab.value("document.documentElement.scrollWidth") <= width
        await tab.value("document.querySelector('.more > summary').click()")
        await tab.value("document.querySelector('.ranked a').click()")
        await tab.until("document.getElementById('count').textContent.startsWith('12 of 60')")

    assert browse(steps) == []
