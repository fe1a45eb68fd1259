"""A leaderboard and a section of the report cost two classes and two entry points."""

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest

import dragoman

Cli = Callable[..., CompletedProcess[str]]

MODULE = """
import json

import polars as pl

from dragoman.ext.results import Datum, FigureSpec, LeadSection, StyleResult, TextTable, scored_runs


def trials(rows):
    found = {}
    for row in rows:
        found[row.agent] = found.get(row.agent, 0) + 1
    return found


def table_of(counts, title="Trials <b>"):
    return TextTable(("agent", "trials"), tuple((name, str(n)) for name, n in counts.items()), title)


class Section:
    key = "trials"
    title = "Trials"
    heading = "Trials & errors"
    frame_names = ("trials",)

    def part(self, results):
        return trials(results.rows) or None

    def figures(self, part):
        data = tuple(Datum(agent, n) for agent, n in part.items())
        yield FigureSpec("trials", self.key, "bars", "Trials by agent", "Counted.", data, "number", "trials")

    def tables(self, part):
        yield table_of(part)

    def frames(self, results):
        counts = trials(results.rows)
        return {"trials": pl.DataFrame({"agent": list(counts), "n": list(counts.values())})}


class Whole:
    key = "all-trials"
    title = "All trials"
    heading = "Trials of all runs"
    template = "{% for each in parts %}<p>{{ each.part }}</p>{% endfor %}"

    def figures(self, part):
        return ()

    def tables(self, part):
        return ()


class Style:
    name = "trials"
    about = "how many trials"
    options = ("kept",)
    endings = (".json",)

    def make(self, request):
        runs = scored_runs(request.folders, request.rules, request.judge)
        counts = trials(row for run in runs for row in run.outcomes)
        document = {"trials": counts, "kept": request.options.get("kept")}
        lines = ("a line before", table_of(counts))
        return StyleResult(lines, document, {".json": lambda: json.dumps(document).encode()})

    def lead(self, request):
        return LeadSection(Whole(), "<all>", hides="trials")
"""
ENTRY_POINTS = """
[dragoman.leaderboards]
trials = trial_counts:Style

[dragoman.report_sections]
trials = trial_counts:Section
"""
STYLE = ("--style", "trials")


def install(folder: Path, module: str) -> None:
    """Install a third-party package on the path of commands that run in a folder."""
    (folder / "trial_counts.py").write_text(module)
    package = folder / "trial_counts-1.0.dist-info"
    package.mkdir(exist_ok=True)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: trial-counts\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(ENTRY_POINTS)


@pytest.fixture
def run(tmp_path: Path, in_process: Cli) -> Cli:
    """Play two tasks, and return a function that runs a command on the run `mine`."""
    install(tmp_path, MODULE)
    grid = ("--agent", "gold,silent", "--limit", "2", "--out", "mine")
    played = in_process("run", "sample:shop", *grid, cwd=tmp_path)
    assert played.returncode == 0, played.stderr

    def call(*words: str) -> CompletedProcess[str]:
        return in_process(*words, cwd=tmp_path)

    return call


def test_a_style_is_listed_printed_written_and_given_as_json(run: Cli, tmp_path: Path) -> None:
    assert "trials                    how many trials" in run("list", "styles").stdout
    printed = run("leaderboard", "mine", *STYLE, "--out", "board.json")
    as_json = json.loads(run("leaderboard", "mine", *STYLE, "--kept", "0.4", "--json").stdout)

    assert printed.stdout.splitlines()[0] == "a line before"
    assert as_json["trials"] == {"gold": 2, "silent": 2}
    assert as_json["kept"] == 0.4
    assert json.loads((tmp_path / "board.json").read_text())["trials"] == as_json["trials"]


def test_what_a_style_does_not_take_is_refused_by_its_own_word(run: Cli) -> None:
    def refused(*words: str) -> str:
        done = run(*words)
        assert done.returncode == 2
        return done.stderr

    assert "--averaging goes with --style itc" in refused(
        "leaderboard", "mine", *STYLE, "--averaging", "micro"
    )
    assert "--kept goes with --style mm-tau-p2 or trials" in refused(
        "leaderboard", "mine", "--kept", "0.4"
    )
    assert "neither .json" in refused("leaderboard", "mine", *STYLE, "--out", "board.md")
    assert "or trials" in refused("leaderboard", "mine", "--style", "nobody-s")
    assert "choose mm-tau-p2 or trials" in refused("report", "mine", "--style", "bfcl")
    assert "--style trials writes .json" in refused("report", "mine", *STYLE, "--format", "md")


def test_a_section_is_listed_and_shown_with_its_figures_and_tables(
    run: Cli, tmp_path: Path
) -> None:
    assert "trials                    Trials & errors" in run("list", "sections").stdout
    assert run("report", "mine").returncode == 0
    page = (tmp_path / "mine" / "report.html").read_text()

    assert '<li><a href="#trials">Trials</a></li>' in page
    section = re.search(r'<section id="trials">.*?</section>', page, re.DOTALL)
    assert section is not None
    assert "<h2>Trials &amp; errors</h2>" in section[0]
    assert 'id="figure-trials"' in section[0]
    assert "Trials &lt;b&gt;" in section[0]
    assert page.index('id="results"') < section.start() < page.index('id="figures"')
    assert "figures/trials.svg" in run("figures", "mine").stdout


def test_a_style_begins_a_report_and_hides_the_section_that_says_the_same(
    run: Cli, tmp_path: Path
) -> None:
    assert run("report", "mine", *STYLE).returncode == 0
    page = (tmp_path / "mine" / "report.html").read_text()

    assert page.index('<section id="all-trials">') < page.index('<section id="results">')
    assert "<p>&lt;all&gt;</p>" in page
    assert '<section id="trials">' not in page


@pytest.fixture
def importable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let this process import the package too, and forget it afterwards."""
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("trial_counts", None)


@pytest.mark.usefixtures("importable")
def test_frames_of_a_section_are_exported_and_read(run: Cli, tmp_path: Path) -> None:
    assert run("export", "mine", "--to", "csv", "--out", "tables").returncode == 0
    frames = dragoman.load(tmp_path / "mine").frames

    assert (tmp_path / "tables" / "trials.csv").read_text().splitlines()[1] == "gold,2"
    assert "trials" in frames
    assert frames.trials["n"].to_list() == [2, 2]


@pytest.mark.parametrize(
    ("module", "complaint"),
    [
        ("import nowhere", "leaderboard 'trials': trial_counts:Style cannot be loaded (ModuleNot"),
        (MODULE.replace('about = "how', 'line = "how'), "trial_counts:Style lacks about"),
        (MODULE.replace('name = "trials"', 'name = "t"'), "its package calls it 't': use one name"),
    ],
)
def test_a_package_that_is_broken_is_one_line(
    run: Cli, tmp_path: Path, module: str, complaint: str
) -> None:
    install(tmp_path, module)
    done = run("leaderboard", "mine", *STYLE)

    assert done.returncode == 2
    assert complaint in done.stderr
    assert len(done.stderr.splitlines()) == 1
