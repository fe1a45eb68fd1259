"""Processes that Ctrl-C stops, and that continue with the command that they print."""

import shlex
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.conftest import without_progress

TIME_LIMIT = 120

# A shell makes background processes ignore Ctrl-C, and the tests may run in the background.
_INTERRUPTIBLE = (
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL);"
    "os.execv(sys.executable, [sys.executable, '-m', 'dragoman', *sys.argv[1:]])"
)


def interruptible(
    arguments: Sequence[object], folder: Path, environment: dict[str, str]
) -> "subprocess.Popen[str]":
    """Start a command that Ctrl-C reaches."""
    return subprocess.Popen(
        [sys.executable, "-c", _INTERRUPTIBLE, *map(str, arguments)],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def stopped(process: "subprocess.Popen[str]") -> list[str]:
    """Stop a run by Ctrl-C; return the words by which it says that it is gone on with."""
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=TIME_LIMIT)
    assert process.returncode == 130, errors
    lines = without_progress(errors)
    assert len(lines) == 1, errors
    assert lines[0].startswith("dragoman: stopped"), errors
    return shlex.split(lines[0][lines[0].index("dragoman resume") :])


def go_on(words: Sequence[str], folder: Path, environment: dict[str, str]) -> None:
    """Run the command that a stopped run prints."""
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
