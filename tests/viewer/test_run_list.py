"""The list of runs: figures, states, the filter, two runs to compare, and a folder without runs."""

import html
import re
from pathlib import Path

import pytest
from tests.viewer.conftest import View
from tests.viewer.test_pages_of_a_run import HOSTILE, cell, new_run, played_now

from dragoman.core.conditions import PLAIN, condition_of
from dragoman.core.content_keys import content_key
from dragoman.core.errors import UsageError
from dragoman.store.run_plan import StoredCell
from dragoman.viewer import run_list
from dragoman.viewer.open_runs import require_places

PHONE = condition_of({"voice": "telephone"})
TASKS = [f"t{number}" for number in range(8)]
GRID = [
    StoredCell(content_key(condition.label, task), "shop", condition, "a", task, 0)
    for condition in (PLAIN, PHONE)
    for task in TASKS
]


def words(page: str) -> str:
    """Return the visible text of a page."""
    text = html.unescape(re.sub("<[^>]+>", " ", page))
    return re.sub(r" ([,.])", r"\1", " ".join(text.split()))


def play(folder: Path, lost: int = 7) -> None:
    """Store a run that loses tasks by telephone."""
    with new_run(folder, GRID) as store:
        store.put(
            played_now(each, ago=500, value=float(number < len(GRID) - lost))
            for number, each in enumerate(GRID)
        )


def test_a_run_shows_its_score_its_largest_drop_and_its_outcomes(
    view: View, tmp_path: Path
) -> None:
    play(tmp_path / "run")
    viewer = view(tmp_path)
    viewer.made("/run/run")

    shown = words(viewer.made("/", "63.1"))

    assert "100.0 63.1\u2013100.0 a English text" in shown
    assert re.search(r"\u221287\.5 \[\u2212100\.0, \u2212\d+\.\d\] a telephone", shown)
    assert "9 passed, 7 failed" in shown
    assert "done" in shown


def test_a_stopped_run_shows_how_to_go_on(view: View, tmp_path: Path) -> None:
    cells = [cell(task) for task in TASKS]
    with new_run(tmp_path / "a run", cells) as store:
        store.put([played_now(each, ago=5_000) for each in cells[:3]])
    viewer = view(tmp_path)
    viewer.made("/run/a-run")

    shown = words(viewer.get("/").text)

    assert f"stopped 3 of 8 \u00b7 resume: dragoman resume '{tmp_path / 'a run'}'" in shown


@pytest.mark.slow
def test_a_run_that_goes_on_shows_its_rate_until_it_is_done(view: View, tmp_path: Path) -> None:
    cells = [cell(task) for task in TASKS]
    with new_run(tmp_path / "run", cells) as store:
        store.put([played_now(each, ago=3) for each in cells[:4]])
        viewer = view(tmp_path)
        viewer.made("/run/run")
        going = viewer.get("/run/run/state").text
        store.put([played_now(each, ago=0) for each in cells[4:]])
        viewer.made("/run/run")
        done = viewer.get("/run/run/state").text

    assert "data-going" in going
    assert re.search(r"running 4 of 8 \u00b7 [\d.]+ per minute", words(going))
    assert words(done) == "done"


def test_runs_are_filtered_by_name_suite_and_agent(view: View, tmp_path: Path) -> None:
    for name, agent in (("before", "openai/gpt-4.1"), ("after", "vllm/llama")):
        new_run(tmp_path / name, [cell("t1", agent)], (agent,)).close()
    viewer = view(tmp_path)

    def listed(query: str) -> list[str]:
        return re.findall(r'<a href="/run/([^"/]+)">', viewer.get(f"/?q={query}").text)

    assert sorted(listed("")) == ["after", "before"]
    assert listed("BEF") == ["before"]
    assert listed("llama+shop") == ["after"]
    assert "No run has nothing in its name" in words(viewer.get("/?q=nothing").text)


def test_two_selected_runs_are_compared(view: View, tmp_path: Path) -> None:
    play(tmp_path / "before")
    play(tmp_path / "after", lost=2)
    viewer = view(tmp_path)
    for name in ("before", "after"):
        viewer.made(f"/run/{name}")

    two = viewer.get("/compare?run=before&run=after")
    none = viewer.get("/compare")
    three = viewer.get("/compare?run=before&run=after&run=before")

    assert "run before" in words(two.text)
    assert "run after" in words(two.text)
    assert (none.status, three.status) == (400, 400)
    assert "select one to compare its conditions" in three.text


def test_compare_begins_with_the_largest_difference(view: View, tmp_path: Path) -> None:
    play(tmp_path / "before")
    play(tmp_path / "after", lost=2)
    viewer = view(tmp_path)
    for name in ("before", "after"):
        viewer.made(f"/run/{name}")

    one = words(viewer.get("/compare?a=before").text)
    two = words(viewer.get("/compare?run=before&run=after").text)

    assert re.search(r"A a English text 100\.0 .* B a English, telephone 12\.5 ", one)
    assert "Worse in B: 7 tasks" in one
    assert re.search(r"run before 12\.5 .* run after 75\.0 ", two)
    assert "Better in B: 5 tasks" in two


def test_compare_shows_the_difference_with_its_interval(view: View, tmp_path: Path) -> None:
    play(tmp_path / "run")
    viewer = view(tmp_path)
    viewer.made("/run/run")

    lost = words(viewer.get("/compare?a=run").text)
    even = words(viewer.get("/compare?a=run&cell_a=0&cell_b=0").text)

    assert re.search(
        r"B against A: \u221287\.5 points of pass\^1, 95% CI \[\u2212100\.0, \u2212\d+\.\d\], "
        r"8 tasks that both finished",
        lost,
    )
    assert "No task is better in B. 1 task succeeds equally often in both." in lost
    assert "Better in B" not in lost
    assert "No task is better in B. No task is worse in B. 8 tasks succeed equally often" in even


def test_cells_are_named_in_words_with_percentages(view: View, tmp_path: Path) -> None:
    play(tmp_path / "run")

    shown = words(view(tmp_path).made("/run/run", "63.1"))

    cells = shown[shown.index("Cells agent condition") :]
    assert re.search(r"a English text 100\.0 63\.1\u2013100\.0 8 8 passed", cells)
    assert re.search(r"a English, telephone 12\.5 ", cells)


def test_every_page_of_a_whole_run_has_the_same_tabs(view: View, tmp_path: Path) -> None:
    play(tmp_path / "run")
    viewer = view(tmp_path)
    viewer.made("/run/run")

    current = re.compile(r'<li><a href="[^"]+" aria-current="page">([^<]+)</a></li>')
    for page, tab in (
        ("/run/run", "Overview"),
        ("/run/run/conversations", "Conversations"),
        ("/compare?a=run", "Compare"),
    ):
        text = viewer.get(page).text
        assert "Overview Conversations Compare Cells Provenance" in words(text)
        assert current.findall(text) == [tab]


def test_a_list_without_known_costs_has_no_column_of_costs(view: View, tmp_path: Path) -> None:
    free = [cell("t1")]
    with new_run(tmp_path / "unknown", free) as store:
        store.put([played_now(free[0], ago=5, model="no/such-model")])
    play(tmp_path / "priced")
    viewer = view(tmp_path)

    unknown = words(viewer.made("/run/unknown/conversations", "data-row"))
    ordered = words(viewer.get("/run/unknown/conversations?order=cost").text)
    priced = words(viewer.made("/run/priced/conversations", "passed"))

    assert "tool errors cost, USD" not in unknown
    assert "tool errors cost, USD" in ordered
    assert "tool errors cost, USD" in priced


def test_many_runs_are_listed_by_pages(
    view: View, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_list, "MOST_RUNS", 2)
    for number in range(3):
        new_run(tmp_path / f"run{number}", [cell("t1")]).close()
    viewer = view(tmp_path)

    first = viewer.get("/").text
    (older,) = re.findall(r'rel="next" href="([^"]+)"', first)
    second = viewer.get(html.unescape(older)).text

    counts = [len(re.findall("<tr data-row>", page)) for page in (first, second)]
    assert counts == [2, 1]


def test_a_folder_without_runs_shows_what_to_run(view: View, tmp_path: Path) -> None:
    viewer = view(tmp_path)

    shown = words(viewer.get("/").text)
    new_run(tmp_path / "run", [cell("t1")]).close()

    assert "No runs yet" in shown
    assert "dragoman demo" in shown
    assert f"--out {tmp_path}/first" in shown
    assert "1 run" in words(viewer.get("/").text)


def test_a_folder_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    require_places([tmp_path])
    with pytest.raises(UsageError, match="no such folder"):
        require_places([tmp_path / "missing"])


def test_hostile_names_are_text_in_the_list(view: View, tmp_path: Path) -> None:
    new_run(tmp_path / "run", [cell("t1", HOSTILE)], (HOSTILE,)).close()

    page = view(tmp_path).get("/?q=%3Cscript%3E").text

    assert "<script>window" not in page
    assert "<img" not in page
