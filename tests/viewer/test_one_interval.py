"""One statistic has one interval: a run with voices, languages, personas and trials, on every surface."""

import csv
import html
import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any, NamedTuple

import pytest
from tests.viewer.conftest import View

import dragoman

Cli = Callable[..., CompletedProcess[str]]
Cell = str | float

pytestmark = pytest.mark.slow

GRID = (
    *("--agent", "literal", "--limit", "4", "--trials", "3", "--scenario", "interaction"),
    *("--voice", "text,simulated:15", "--persona", "none,hard", "--language", "en,th"),
)


class Estimate(NamedTuple):
    """A value, its number of tasks, and its interval, rounded to the common precision."""

    value: float
    tasks: int
    low: float
    high: float


class Played(NamedTuple):
    """A run, and the output of its command about cells and about differences of cells."""

    folder: Path
    reported: dict[str, Any]
    compared: dict[str, Any]

    @property
    def cells(self) -> dict[tuple[str, int], Estimate]:
        """By condition and k."""
        return {
            (cell["condition"], int(k)): estimate(value, cell["tasks"], *cell["interval"][k])
            for cell in self.reported["cells"]
            for k, value in cell["pass_hat"].items()
        }

    @property
    def gaps(self) -> dict[tuple[str, str, int], Estimate]:
        """By both conditions and k."""
        return {
            (each["a"]["condition"], each["b"]["condition"], int(k)): estimate(
                value, each["tasks"], *each["interval"][k]
            )
            for each in self.compared["comparisons"]
            for k, value in each["difference"].items()
        }


def estimate(value: Cell, tasks: Cell, low: Cell, high: Cell) -> Estimate:
    numbers = [round(float(each), 9) + 0.0 for each in (value, tasks, low, high)]
    return Estimate(numbers[0], int(numbers[1]), *numbers[2:])


def mirrored(found: Estimate) -> Estimate:
    return estimate(-found.value, found.tasks, -found.high, -found.low)


@pytest.fixture(scope="module")
def played(in_process: Cli, tmp_path_factory: pytest.TempPathFactory) -> Played:
    folder = tmp_path_factory.mktemp("one")
    done = in_process("run", "courier", *GRID, "--out", "mine", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    compared = in_process("compare", "mine", "--json", cwd=folder)
    assert compared.returncode == 0, compared.stderr
    return Played(folder / "mine", json.loads(done.stdout), json.loads(compared.stdout))


@pytest.fixture(scope="module")
def figures(in_process: Cli, played: Played) -> dict[str, list[dict[str, str]]]:
    done = in_process("figures", "mine", "--out", "figures", cwd=played.folder.parent)
    assert done.returncode == 0, done.stderr
    return {path.stem: read(path) for path in (played.folder.parent / "figures").glob("*.csv")}


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def drawn(rows: Sequence[dict[str, str]]) -> list[Estimate]:
    return [estimate(row["value"], row["n"], row["low"], row["high"]) for row in rows if row["low"]]


def test_the_run_has_all_that_is_walked(played: Played) -> None:
    assert len(played.cells) == 8 * 3
    assert played.reported["intervals"] == played.compared["intervals"] == "2"
    assert len({each.value for each in played.cells.values()}) > 3


def test_one_statistic_of_the_same_data_has_one_interval_wherever_it_stands(
    played: Played, figures: dict[str, list[dict[str, str]]]
) -> None:
    known = set(played.cells.values())
    of_cells = [
        name
        for name in figures
        if name.startswith(("pass-1", "pass-k", "voices", "languages-pass-1", "figure-3"))
    ]
    assert len(of_cells) >= 5
    for name in of_cells:
        found = drawn(figures[name])
        assert found
        assert set(found) <= known, name


def test_what_is_lost_has_one_interval_whichever_side_comes_first(
    played: Played, figures: dict[str, list[dict[str, str]]]
) -> None:
    known = {side for each in played.gaps.values() for side in (each, mirrored(each))}
    for name in ("gaps", "drops", "lost-to-english-courier"):
        assert set(drawn(figures[name])) <= known, name
    for loss in played.reported["losses"]:
        assert estimate(loss["lost"], loss["tasks"], *loss["interval"]) in known


def test_frames_and_exports_hold_the_same(in_process: Cli, played: Played) -> None:
    done = in_process("export", "mine", "--to", "csv", "--out", "t", cwd=played.folder.parent)
    assert done.returncode == 0, done.stderr
    frames = dragoman.load(played.folder).frames
    exported = {
        name: read(played.folder.parent / "t" / f"{name}.csv")
        for name in ("cells", "measures", "comparisons", "losses", "voices")
    }
    for rows in (exported, {name: frames[name].to_dicts() for name in exported}):
        cells = {
            (row["condition"], int(row["k"])): estimate(
                row["pass_hat"], row["tasks"], row["low"], row["high"]
            )
            for row in rows["cells"]
        }
        assert cells == played.cells
        measures = {
            (row["condition"], int(row["figure"][-1])): estimate(
                row["value"], row["n"], row["low"], row["high"]
            )
            for row in rows["measures"]
            if row["figure"].startswith("pass^")
        }
        assert measures == played.cells
        known = {side for each in played.gaps.values() for side in (each, mirrored(each))}
        found = {
            estimate(row["difference"], row["tasks"], row["low"], row["high"])
            for row in rows["comparisons"]
        }
        assert found == set(played.gaps.values())
        lost = [row for row in rows["losses"] if row["figure"] == "lost" and row["value"]]
        assert lost
        assert {estimate(row["value"], row["of"], row["low"], row["high"]) for row in lost} <= known


def shown(found: Estimate) -> str:
    return f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"


def in_percent(found: Estimate) -> str:
    return f"{100 * found.low:.1f}\u2013{100 * found.high:.1f}"


def test_the_terminal_the_report_and_the_viewer_show_the_same(
    in_process: Cli, played: Played, view: View
) -> None:
    work = played.folder.parent
    printed = in_process("score", "mine", "--full", cwd=work, COLUMNS="400").stdout
    for (_, k), found in played.cells.items():
        assert f"^{k} {shown(found)}" in printed
    assert in_process("report", "mine", "--out", "r.html", cwd=work).returncode == 0
    viewer = view(played.folder)
    first = viewer.first_run()
    pages = {
        "report": html.unescape((work / "r.html").read_text("utf-8")),
        "viewer": html.unescape(viewer.made(first, "0.")),
    }
    for (condition, k), found in played.cells.items():
        if k == 1:
            for name, page in pages.items():
                interval = in_percent(found)
                if name == "report":
                    interval = f"[{found.low:.3f}, {found.high:.3f}]"
                assert interval in page, (name, condition)
    known = {in_percent(each) for each in played.cells.values()}
    rows = re.findall(r'<span class="range">([^<]*\u2013[^<]*)</span>', pages["viewer"])
    assert rows
    assert set(rows) <= known


def test_comparisons_in_the_terminal_are_those_of_the_record(
    in_process: Cli, played: Played
) -> None:
    printed = in_process(
        "compare", "mine", "--full", cwd=played.folder.parent, COLUMNS="300"
    ).stdout
    for found in played.gaps.values():
        assert f"[{found.low:+.3f}, {found.high:+.3f}]" in printed


def test_groups_of_one_cell_have_the_interval_of_the_cell(in_process: Cli, played: Played) -> None:
    axes = "language,voice,persona"
    done = in_process("show", "mine", "--by", axes, "--json", cwd=played.folder.parent)
    groups = json.loads(done.stdout)["groups"]
    first = {found for (_, k), found in played.cells.items() if k == 1}
    assert len(groups) == 8
    assert set(groups_of(groups)) == first


def groups_of(groups: Sequence[dict[str, Any]]) -> Iterator[Estimate]:
    for group in groups:
        yield estimate(group["value"], group["tasks"], *group["interval"])


def test_figures_that_are_drawn_say_the_interval_of_their_data(
    played: Played, figures: dict[str, list[dict[str, str]]]
) -> None:
    del figures
    drawing = (played.folder.parent / "figures" / "pass-1-courier.svg").read_text("utf-8")
    text = html.unescape(drawing).replace("\u00a0", " ")
    for (condition, k), found in played.cells.items():
        if k == 1:
            ends = f"{100 * found.low:.1f} % to {100 * found.high:.1f} %"
            assert f"{100 * found.value:.1f} %, 95 % interval {ends}" in text, condition


def test_an_index_of_an_earlier_method_is_made_anew() -> None:
    from dragoman.analysis.intervals import INTERVAL_METHOD
    from dragoman.viewer import stored_answers, stored_figures

    assert stored_figures._FIGURES_NAME.endswith(f" {INTERVAL_METHOD}")
    assert stored_answers._DROPS_NAME.endswith(f" {INTERVAL_METHOD}")
    assert stored_answers._OVERVIEW_NAME.endswith(f" {INTERVAL_METHOD}")
