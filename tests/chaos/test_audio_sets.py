"""The making of an audio set may die at any moment: the same command ends where no death would have."""

import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

KILLS = 5
PATIENCE_S = 300
MESSAGES = 33
"""Of courier; with its transcripts a set has four lines for each."""

Command = Callable[..., list[str]]

SPEAK = ("speak", "courier", "--asr", "mixed,simulated:15", "--json", "--out")


@pytest.fixture
def environment(environment: dict[str, str], speech_models: Path, tmp_path: Path) -> dict[str, str]:
    """An environment in which language models are not made anew."""
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

    assert start("unbroken").wait(PATIENCE_S) == 0
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
    assert start("killed").wait(PATIENCE_S) == 0

    assert _content(folder / "killed") == _content(folder / "unbroken")
    shutil.rmtree(folder / "unbroken")
    verified = subprocess.run(
        command("speak", "--verify", "killed"), cwd=folder, env=environment, check=False
    )
    assert verified.returncode == 0
