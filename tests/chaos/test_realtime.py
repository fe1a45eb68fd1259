"""A whole run of an agent with realtime sessions, killed at any moment."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from dragoman.store.run_store import open_run

KILLS = 5

Command = Callable[..., list[str]]
Counts = Callable[[Path], tuple[int, int, int]]

GRID = ("--user", "gold", "--judge", "rule", "--trials", 6, "--concurrency", 2)
SLOW = '{"responses": [{"kind": "slow", "rate": 0.5, "seconds": 0.02}]}'


@pytest.fixture
def url(tmp_path: Path, command: Command, environment: dict[str, str]) -> Iterator[str]:
    """Gold's part of the sample in realtime sessions, in a process of their own."""
    gold = command("run", "sample:shop", "--agent", "gold", "--out", "gold")
    subprocess.run(gold, cwd=tmp_path, env=environment, check=True, capture_output=True)
    (tmp_path / "slow.json").write_text(SLOW)
    module = (sys.executable, "-m", "dragoman.testing.realtime")
    served = subprocess.Popen(
        [*module, "--replay", "gold", "--faults", "slow.json"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert served.stdout is not None
    yield served.stdout.readline().strip()
    served.terminate()
    served.communicate()


def stored(folder: Path) -> dict[str, tuple[int, Any]]:
    """Return the conversations of a run without how long they and their calls took."""
    found = {}
    with open_run(folder, write=False) as store:
        for key, attempt, episode in store.episodes():
            timeless = msgspec.structs.replace(episode, started=0.0, seconds=0.0)
            plain = msgspec.json.decode(msgspec.json.encode(timeless))
            for usage in plain.get("usage", ()):
                usage.pop("seconds", None)
            found[key] = (attempt, plain)
    return found


@pytest.mark.nightly
def test_a_run_over_realtime_sessions_that_is_killed_ends_as_one_never_killed(
    url: str, tmp_path: Path, command: Command, environment: dict[str, str], counts: Counts
) -> None:
    agent = ("--agent", f"compatible-realtime/any?base_url={url}")
    arguments: tuple[object, ...] = ("run", "sample:shop", *agent, *GRID, "--out", "killed")
    moments = Random(time.time_ns())  # noqa: S311 - moments, not secrets
    killed = tmp_path / "killed"
    for _ in range(KILLS):
        before = counts(killed)[1]
        process = subprocess.Popen(
            command(*arguments),
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while process.poll() is None and counts(killed)[1] <= before:
            time.sleep(0.01)
        time.sleep(moments.uniform(0, 0.05))
        assert process.poll() is None
        process.kill()
        process.wait()
        cells, episodes, scores = counts(killed)
        assert before <= episodes == scores < cells
        arguments = ("resume", "killed")
    whole = ("run", "sample:shop", *agent, *GRID, "--out", "whole")
    for rest in (arguments, whole):
        done = subprocess.run(
            command(*rest), cwd=tmp_path, env=environment, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr

    assert stored(killed) == stored(tmp_path / "whole")
    assert len(stored(killed)) == 30
