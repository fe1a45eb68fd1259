"""After a kill at any moment, stored results stay and `resume` completes the run.

The result equals that of a run without the kill.
"""

import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.chaos.interrupting import TIME_LIMIT, go_on, interruptible, stopped
from tests.chaos.sizes import KILLS

Command = Callable[..., list[str]]
Content = Callable[[Path], dict[str, Any]]
Counts = Callable[[Path], tuple[int, int, int]]
Start = Callable[..., subprocess.Popen[str]]

GRID = ("--user", "gold", "--judge", "rule", "--trials", 40, "--concurrency", 8)
CELLS = 5 * 40


@pytest.fixture
def start(folder: Path, environment: dict[str, str], command: Command) -> Iterator[Start]:
    """Start a process that does not outlive the test."""
    processes = []

    def call(*arguments: object) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            command(*arguments),
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        return process

    yield call
    for process in processes:
        process.kill()
        process.communicate()


def _finish(process: subprocess.Popen[str]) -> str:
    output, errors = process.communicate(timeout=TIME_LIMIT)
    assert process.returncode == 0, errors
    assert "Traceback" not in errors
    return output


@pytest.fixture
def unbroken(start: Start, folder: Path, content: Content) -> dict[str, Any]:
    """Content of a run that nobody killed."""
    _finish(start("run", "sample:shop", "--agent", "own:Slow", *GRID, "--out", "unbroken"))
    stored = content(folder / "unbroken")
    assert len(stored) == CELLS
    return stored


@pytest.mark.nightly
def test_a_run_killed_at_random_moments_ends_as_one_never_killed(
    start: Start, folder: Path, content: Content, counts: Counts, unbroken: dict[str, Any]
) -> None:
    seed = time.time_ns()
    print(f"seed of the moments: {seed}")  # noqa: T201 - shown where the test fails
    moments = Random(seed)  # noqa: S311 - moments, not secrets
    run = folder / "killed"
    arguments: tuple[object, ...] = (
        *("run", "sample:shop", "--agent", "own:Slow"),
        *(*GRID, "--out", "killed"),
    )
    kept = 0
    for number in range(KILLS):
        process = start(*arguments)
        if number == 0 or moments.random() < 0.7:
            # A moment in the middle of playing, however fast this machine is.
            goal = kept + moments.randint(1 if number == 0 else 0, 4)
            while process.poll() is None and counts(run)[1] < max(goal, number == 0):
                time.sleep(0.01)
            time.sleep(moments.uniform(0, 0.03))
        else:
            # Any moment at all, of starting too.
            time.sleep(moments.uniform(0, 0.5))
        assert process.poll() is None, process.communicate()
        process.kill()
        process.communicate()
        cells, episodes, scores = counts(run)
        assert cells == CELLS
        assert kept <= episodes == scores, "an episode and its score are stored together"
        kept = episodes
        arguments = ("resume", "killed")
    assert 0 < kept < CELLS

    _finish(start("resume", "killed"))

    assert content(run) == unbroken
    connection = sqlite3.connect(run / "run.sqlite")
    try:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        for table in ("episodes", "scores"):
            query = f"SELECT count(*), count(DISTINCT cell) FROM {table}"  # noqa: S608 - our own words
            assert connection.execute(query).fetchone() == (CELLS, CELLS)
    finally:
        connection.close()


@pytest.mark.nightly
def test_a_run_that_is_interrupted_says_how_to_go_on_and_goes_on_like_that(
    folder: Path,
    environment: dict[str, str],
    content: Content,
    counts: Counts,
    unbroken: dict[str, Any],
) -> None:
    arguments = ("run", "sample:shop", "--agent", "own:Slow", *GRID, "--out", "runs/stopped")
    process = interruptible(arguments, folder, environment)
    run = folder / "runs" / "stopped"
    while process.poll() is None and counts(run)[1] < 10:
        time.sleep(0.01)
    words = stopped(process)
    assert 10 <= counts(run)[1] < CELLS
    go_on(words, folder, environment)
    assert content(run) == unbroken
