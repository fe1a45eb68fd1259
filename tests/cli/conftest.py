"""The command line as people meet it: its own folder, its own cache, text and an exit status."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

Cli = Callable[..., CompletedProcess[str]]
Refused = Callable[..., str]
RunJson = Callable[..., Any]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder that commands run in."""
    work = tmp_path / "work"
    work.mkdir()
    return work


@pytest.fixture
def speaking(tmp_path: Path, speech_models: Path) -> Path:
    """A private cache with language models, so that none is built again."""
    cache = tmp_path / "speaking"
    (cache / "dragoman").mkdir(parents=True)
    (cache / "dragoman" / "speech").symlink_to(speech_models)
    return cache


@pytest.fixture
def dragoman(folder: Path, in_process: Cli) -> Cli:
    """Return a function that runs a command in this process and returns its result."""

    def call(*arguments: object, cache: Path | None = None, **more: str) -> CompletedProcess[str]:
        return in_process(*arguments, cwd=folder, **(_environment(folder, cache) | more))

    return call


@pytest.fixture
def process(folder: Path) -> Cli:
    """Return the same function with a separate process, for tests of the process itself."""

    def call(
        *arguments: object, cache: Path | None = None, limit_s: float = 120, **more: str
    ) -> CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "dragoman", *map(str, arguments)],
            cwd=folder,
            env={**os.environ, **_environment(folder, cache), **more},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=limit_s,
            check=False,
        )

    return call


def _environment(folder: Path, cache: Path | None) -> dict[str, str]:
    return {"XDG_CACHE_HOME": str(cache or folder / "no-cache"), "COLUMNS": "100"}


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory, in_process: Cli) -> Path:
    """A finished run, to be copied."""
    folder = tmp_path_factory.mktemp("finished")
    done = in_process("run", "sample:shop", "--agent", "gold", "--out", "mine", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "mine"


@pytest.fixture
def run_json(dragoman: Cli) -> RunJson:
    """Run a command that must succeed with `--json` and return the object it ends with."""

    def call(*arguments: object, status: int = 0, **more: Any) -> Any:  # noqa: ANN401 - whatever JSON holds
        done = dragoman(*arguments, "--json", **more)
        assert done.returncode == status, done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    return call


@pytest.fixture
def refused(dragoman: Cli) -> Refused:
    """Run a command that must fail with one line of our own, and return that line."""

    def call(*arguments: object, status: int, **more: Any) -> str:  # noqa: ANN401 - passed on
        done = dragoman(*arguments, **more)
        assert "Traceback" not in done.stderr, done.stderr
        assert done.returncode == status, done.stderr
        assert done.stdout == ""
        lines = done.stderr.splitlines()
        assert len(lines) == 1, done.stderr
        assert lines[0].startswith("dragoman: ")
        return lines[0]

    return call
