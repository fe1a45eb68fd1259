"""Distributed runs: if a worker dies, every conversation is stored once and unchanged."""

import functools
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.chaos.worker_processes import workers_of

pytestmark = [pytest.mark.chaos, pytest.mark.nightly]

Command = Callable[..., list[str]]
Content = Callable[[Path], dict[str, Any]]
Counts = Callable[[Path], tuple[int, int, int]]

GRID = ("--user", "gold", "--judge", "rule", "--trials", 40, "--concurrency", 16, "--quiet")
TIME_LIMIT = 180


@pytest.fixture
def spread(
    folder: Path, environment: dict[str, str], command: Command
) -> Callable[..., subprocess.Popen[str]]:
    def call(*arguments: object) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command(*arguments),
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return call


def finished(process: subprocess.Popen[str]) -> None:
    _, errors = process.communicate(timeout=TIME_LIMIT)
    assert process.returncode == 0, errors
    assert "Traceback" not in errors


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + TIME_LIMIT
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def has_stored(folder: Path, counts: Counts, at_least: int) -> bool:
    return (folder / "run.sqlite").exists() and counts(folder)[1] >= at_least


def unbroken(folder: Path, spread: Callable[..., subprocess.Popen[str]], *words: object) -> Path:
    grid = (*GRID, *words, "--out", folder / "whole")
    finished(spread("run", "sample:shop", "--agent", "own:Slow", *grid))
    return folder / "whole"


def test_workers_that_are_killed_lose_and_double_nothing(
    folder: Path,
    spread: Callable[..., subprocess.Popen[str]],
    content: Content,
    counts: Counts,
) -> None:
    whole = unbroken(folder, spread)
    out = folder / "spread"
    run = spread("run", "sample:shop", "--agent", "own:Slow", *GRID, "--workers", 2, "--out", out)
    for stored in (20, 60, 100):
        wait_for(functools.partial(has_stored, out, counts, stored))
        os.kill(workers_of(run)[0], signal.SIGKILL)
    finished(run)
    assert content(out) == content(whole)


def test_a_worker_that_hangs_is_replaced_and_what_it_had_is_played_by_others(
    folder: Path,
    spread: Callable[..., subprocess.Popen[str]],
    content: Content,
    counts: Counts,
) -> None:
    limit = ("--timeout", 10)
    whole = unbroken(folder, spread, *limit)
    out = folder / "spread"
    grid = (*GRID, *limit, "--workers", 2, "--out", out)
    run = spread("run", "sample:shop", "--agent", "own:Slow", *grid)
    wait_for(functools.partial(has_stored, out, counts, 40))
    hung = workers_of(run)[0]
    os.kill(hung, signal.SIGSTOP)
    finished(run)
    assert not Path(f"/proc/{hung}/cmdline").exists()
    assert content(out) == content(whole)


def test_a_run_that_is_killed_takes_its_workers_along_and_is_gone_on_with(
    folder: Path,
    spread: Callable[..., subprocess.Popen[str]],
    content: Content,
    counts: Counts,
) -> None:
    whole = unbroken(folder, spread)
    out = folder / "spread"
    run = spread("run", "sample:shop", "--agent", "own:Slow", *GRID, "--workers", 2, "--out", out)
    wait_for(lambda: has_stored(out, counts, 40))
    workers = workers_of(run)
    assert len(workers) == 2
    run.kill()
    run.communicate()
    wait_for(lambda: not any(Path(f"/proc/{worker}/cmdline").exists() for worker in workers))
    finished(spread("resume", out, "--workers", 3, "--quiet"))
    assert content(out) == content(whole)
