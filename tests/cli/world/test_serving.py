"""`dragoman world`: its output, and its error messages."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from urllib.request import urlopen

import pytest

Cli = Callable[..., CompletedProcess[str]]


def test_documents_of_the_world_are_written(dragoman: Cli, folder: Path) -> None:
    done = dragoman("world", "documents", "--out", "docs", "--port", "9999")
    assert done.returncode == 0
    assert b"http://127.0.0.1:9999/br)" in (folder / "docs" / "catalogue.md").read_bytes()


def test_a_time_without_an_offset_is_told_in_one_line(dragoman: Cli) -> None:
    done = dragoman("world", "serve", "--at", "2026-03-16T10:00:00")
    assert done.returncode == 2
    assert "--at 2026-03-16T10:00:00: write it as 2026-03-16T10:00:00Z" in done.stderr


@pytest.mark.slow
def test_the_world_is_served_until_it_is_interrupted() -> None:
    serving = subprocess.Popen(
        [sys.executable, "-m", "dragoman", "world", "serve", "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
    )
    with serving:
        assert serving.stdout is not None
        origin = serving.stdout.readline().strip()
        with urlopen(f"{origin}/global/countries?code=PE") as response:  # noqa: S310 - as it printed
            assert b"Lima" in response.read()
        serving.send_signal(signal.SIGINT)
        assert serving.wait(20) == 0
