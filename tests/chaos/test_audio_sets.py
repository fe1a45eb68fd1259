"""After a kill at any moment, the same command ends an audio set as without the kill."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from tests.chaos.worker_processes import workers_of

KILLS = 5
TIME_LIMIT_S = 300
MESSAGES = 33
"""Of courier; with its transcripts a set has four lines for each."""

Command = Callable[..., list[str]]

SPREAD = ("--workers", 2)
SPEAK = ("speak", "courier", "--asr", "mixed,simulated:15", "--json", "--out")


@pytest.fixture
def environment(environment: dict[str, str], speech_models: Path, tmp_path: Path) -> dict[str, str]:
    """Environment variables with a cache of language models, so that none is built again."""
    cache = tmp_path / "cache" / "dragoman"
    cache.mkdir(parents=True)
    (cache / "speech").symlink_to(speech_models)
    return environment | {"XDG_CACHE_HOME": str(cache.parent)}


def _content(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def _lines(folder: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in folder.rglob("*.jsonl"))


@pytest.mark.speech
@pytest.mark.nightly
def test_a_making_killed_five_times_ends_as_one_never_killed(
    folder: Path, environment: dict[str, str], command: Command
) -> None:
    def start(name: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command(*SPEAK, name), cwd=folder, env=environment, stdout=subprocess.DEVNULL
        )

    assert start("unbroken").wait(TIME_LIMIT_S) == 0
    seed = time.time_ns()
    print(f"seed of the moments: {seed}")  # noqa: T201 - shown where the test fails
    moments = Random(seed)  # noqa: S311 - moments, not secrets
    goals = sorted(moments.sample(range(1, 4 * MESSAGES), KILLS))
    for goal in goals:
        process = start("killed")
        while process.poll() is None and _lines(folder / "killed") < goal:
            time.sleep(0.01)
        assert process.poll() is None, "it ended before it was killed"
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert not (folder / "killed" / "card.json").exists()
    assert start("killed").wait(TIME_LIMIT_S) == 0

    assert _content(folder / "killed") == _content(folder / "unbroken")
    shutil.rmtree(folder / "unbroken")
    verified = subprocess.run(
        command("speak", "--verify", "killed"), cwd=folder, env=environment, check=False
    )
    assert verified.returncode == 0


@pytest.mark.speech
@pytest.mark.nightly
def test_workers_that_are_killed_and_their_command_too_leave_the_set_that_one_process_makes(
    folder: Path, environment: dict[str, str], command: Command
) -> None:
    def start(name: str, *words: object) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command(*SPEAK, name, *words), cwd=folder, env=environment, stdout=subprocess.DEVNULL
        )

    def wait_for(process: subprocess.Popen[bytes], goal: int) -> None:
        while process.poll() is None and _lines(folder / "killed") < goal:
            time.sleep(0.01)
        assert process.poll() is None, "it ended before anything was killed"

    assert start("unbroken").wait(TIME_LIMIT_S) == 0
    process = start("killed", *SPREAD)
    for goal in (MESSAGES + 3, 2 * MESSAGES + 3):
        wait_for(process, goal)
        os.kill(workers_of(process)[0], signal.SIGKILL)
    wait_for(process, 3 * MESSAGES)
    workers = workers_of(process)
    assert workers
    process.send_signal(signal.SIGKILL)
    process.wait()
    end = time.monotonic() + TIME_LIMIT_S
    while any(Path(f"/proc/{worker}").exists() for worker in workers):
        assert time.monotonic() < end, "a worker outlived its command"
        time.sleep(0.02)
    assert start("killed", *SPREAD).wait(TIME_LIMIT_S) == 0

    assert _content(folder / "killed") == _content(folder / "unbroken")
