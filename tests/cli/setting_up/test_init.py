"""`dragoman init`: its questions, its files, and its refusals."""

import io
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from dragoman.cli.init import ask_for_line, make_grid
from dragoman.config.options import keys_of
from dragoman.config.run_config import RunRequest

Cli = Callable[..., CompletedProcess[str]]
Refused = Callable[..., str]


def _written(folder: Path) -> dict[str, object]:
    return tomllib.loads((folder / "grid.toml").read_text("utf-8"))


def test_what_is_not_asked_is_usual_and_the_file_runs_as_written(
    dragoman: Cli, folder: Path
) -> None:
    made = dragoman("init", "--suite", "sample:shop", "--agent", "gold,silent", "--yes")
    ran = dragoman("run", "grid.toml", "--out", "mine")

    assert (made.returncode, ran.returncode) == (0, 0), made.stderr + ran.stderr
    assert _written(folder) == {
        "suite": "sample:shop",
        "agents": ["gold", "silent"],
        "judge": "none",
        "trials": 1,
        "limit": 5,
    }
    assert made.stdout.splitlines()[-1].startswith("next: dragoman run grid.toml --dry-run")


def test_every_key_of_a_grid_stands_in_the_file_and_its_example_can_be_switched_on(
    dragoman: Cli, folder: Path
) -> None:
    dragoman("init", "--yes")
    text = (folder / "grid.toml").read_text("utf-8")

    for key in keys_of(RunRequest):
        lines = [
            line
            for line in text.splitlines()
            if line.startswith((f"{key.name} = ", f"# {key.name} = "))
        ]
        assert len(lines) == 1, key.name
        assert tomllib.loads(lines[0].removeprefix("# ")).keys() == {key.name}
    assert max(map(len, text.splitlines())) <= 80


def test_answers_are_asked_on_standard_error_and_enter_takes_what_is_in_brackets(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("\nliteral\n\n\nvi\n\n\n3\nall\n"))

    make_grid(folder / "grid.toml", {}, ask_for_line)

    printed = capsys.readouterr()
    assert "Suite; `dragoman list suites` [courier]: " in printed.err
    assert "[courier]" not in printed.out
    assert _written(folder) == {
        "suite": "courier",
        "agents": ["literal"],
        "judge": "none",
        "languages": ["vi"],
        "scenarios": ["interaction"],
        "trials": 3,
    }


def test_what_has_to_be_had_first_is_said(dragoman: Cli, folder: Path) -> None:
    done = dragoman("init", "--agent", "openai/gpt-4.1", "--yes", OPENAI_API_KEY="")

    assert done.returncode == 0
    assert "before a run: openai/gpt-4.1 needs a key: set OPENAI_API_KEY" in done.stdout
    assert _written(folder)["agents"] == ["openai/gpt-4.1"]


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--suite", "nope", "unknown suite 'nope'"),
        ("--language", "xx", "unknown language 'xx'"),
        ("--agent", "nope", "unknown agent 'nope'"),
        ("--limit", "many", "a number, not 'many'"),
        ("--trials", "0", "trials must be above 0"),
    ],
)
def test_what_does_not_exist_is_refused_and_nothing_is_written(
    refused: Refused, folder: Path, option: str, value: str, said: str
) -> None:
    assert said in refused("init", option, value, "--yes", status=2)
    assert not (folder / "grid.toml").exists()


def test_a_file_that_is_there_stays_as_it_is(refused: Refused, folder: Path) -> None:
    (folder / "grid.toml").write_text("mine", "utf-8")

    assert "exists and is not replaced" in refused("init", "--yes", status=2)
    assert (folder / "grid.toml").read_text("utf-8") == "mine"


def test_input_that_ends_is_told_with_what_to_do(dragoman: Cli) -> None:
    done = dragoman("init")

    assert done.returncode == 2
    assert "the input ended: answer by options, or take the defaults with --yes" in done.stderr
