"""`dragoman show` of a run that is too large to be read whole each time."""

import json
from collections.abc import Callable
from subprocess import CompletedProcess

import pytest

from dragoman.cli import run_overview


@pytest.mark.slow
def test_a_large_run_is_shown_by_what_was_counted_when_it_was_written(
    dragoman: Callable[..., CompletedProcess[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("--agent", "gold,silent", "--trials", 2, "--out", "mine")
    assert dragoman("run", "sample:shop", *asked).returncode == 0
    whole = dragoman("show", "mine", "--full").stdout.splitlines()
    monkeypatch.setattr(run_overview, "MOST_READ", 3)

    shown = dragoman("show", "mine")

    assert shown.returncode == 0
    first, *lines = shown.stdout.splitlines()
    assert first in whole
    causes = [line for line in lines if line[:1].isdigit()]
    assert causes
    assert causes == [line for line in whole if line[:1].isdigit()]
    example = next(line for line in lines if "one of them: " in line)
    command = example.split("one of them: dragoman ")[1].split()
    assert dragoman(*command).returncode == 0
    assert "dragoman show mine --full" in lines[-1]
    assert dragoman("show", "mine", "--full").stdout.splitlines() == whole


@pytest.mark.slow
def test_a_large_run_ends_with_its_first_page(
    dragoman: Callable[..., CompletedProcess[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_overview, "MOST_READ", 3)

    perfect = dragoman("run", "courier", "--agent", "gold", "--out", "good")

    assert perfect.returncode == 0
    lines = perfect.stdout.splitlines()
    assert lines[0] == "good: 33 conversations, 33 passed (rules dragoman-2, judge none)"
    assert lines[-1] == "Next: dragoman report good"

    failing = dragoman("run", "sample:shop", "--agent", "silent", "--out", "bad")

    assert failing.returncode == 0
    assert failing.stdout.startswith("bad: 5 conversations, 0 passed, 4 failed, 1 unscored")


@pytest.mark.slow
def test_figures_of_a_large_run_are_there_for_who_asks_for_them(
    dragoman: Callable[..., CompletedProcess[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_overview, "MOST_READ", 3)
    assert dragoman("run", "sample:shop", "--agent", "silent", "--out", "mine").returncode == 0

    assert "cells" in json.loads(dragoman("resume", "mine", "--json").stdout)
    gated = dragoman("resume", "mine", "--fail-under", "0.5")
    assert gated.returncode == 1
    assert "--fail-under 0.5 is not met" in gated.stderr
