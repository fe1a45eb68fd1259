"""The command line as people meet it: another process, its own folder, its own cache."""

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
Told = Callable[..., Any]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder that commands run in."""
    work = tmp_path / "work"
    work.mkdir()
    return work


@pytest.fixture
def dragoman(folder: Path) -> Cli:
    """Run a command and return what it printed and how it ended."""

    def call(
        *arguments: object, cache: Path | None = None, limit_s: float = 120, **more: str
    ) -> CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "dragoman", *map(str, arguments)],
            cwd=folder,
            env={
                **os.environ,
                "XDG_CACHE_HOME": str(cache or folder / "no-cache"),
                "COLUMNS": "100",
                **more,
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=limit_s,
            check=False,
        )

    return call


@pytest.fixture
def told(dragoman: Cli) -> Told:
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
