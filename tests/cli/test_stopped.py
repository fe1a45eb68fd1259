"""Ctrl-C during a command: one line, exit status 130, and no half-written file."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import NoReturn

import pytest

Cli = Callable[..., CompletedProcess[str]]


def interrupt(*_: object, **__: object) -> NoReturn:
    """Stand for a moment in which a person presses Ctrl-C."""
    raise KeyboardInterrupt


@pytest.fixture
def run(dragoman: Cli, folder: Path) -> Path:
    """A small run."""
    done = dragoman("run", "sample:shop", "--agent", "silent", "--out", "mine")
    assert done.returncode == 0, done.stderr
    return folder / "mine"


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        (("report", "mine"), "dragoman.report.html_report.render_report"),
        (("bundle", "mine"), "dragoman.formats.run_bundle._Packing.write"),
        (
            ("export", "mine", "--to", "csv", "--out", "tables"),
            "dragoman.formats.table_files.run_tables",
        ),
        (("show", "mine"), "dragoman.cli.run_result.show_run"),
    ],
)
def test_a_stopped_command_says_so_and_leaves_no_file(
    dragoman: Cli,
    run: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    place: str,
) -> None:
    before = sorted(run.parent.rglob("*"))
    monkeypatch.setattr(place, interrupt)

    done = dragoman(*arguments)

    assert (done.returncode, done.stdout, done.stderr) == (130, "", "dragoman: stopped\n")
    assert sorted(run.parent.rglob("*")) == before


@pytest.mark.usefixtures("run")
def test_a_stopped_attribution_names_the_command_that_resumes_it(
    dragoman: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dragoman.cli.attribution.attribute_failures", interrupt)
    done = dragoman("attribute", "mine")
    assert (done.returncode, done.stderr) == (
        130,
        (
            "dragoman: stopped; finished replays are stored; resume the others with: "
            "dragoman attribute mine\n"
        ),
    )


def test_a_run_that_is_stopped_while_its_page_starts_names_the_command_that_resumes_it(
    dragoman: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dragoman.cli.view._address", interrupt)
    done = dragoman("run", "sample:shop", "--agent", "gold", "--view", "--out", "mine")
    assert (done.returncode, done.stderr) == (
        130,
        "dragoman: stopped; resume with: dragoman resume mine\n",
    )
    monkeypatch.undo()
    assert dragoman("resume", "mine").returncode == 0
