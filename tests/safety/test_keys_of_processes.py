"""Processes with canaries as keys: command lines, files after a kill, served pages."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.safety.canaries import canaries
from tests.safety.conftest import Watched
from tests.safety.echoing import EchoServer
from tests.safety.looking import found_in, named_in
from tests.safety.pages import ASK, crawled

pytestmark = [pytest.mark.slow, pytest.mark.nightly]

TIME_LIMIT = 60


@contextmanager
def started(watched: Watched, *words: object) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command as a process that prints into files; kill it if it has not ended."""
    with (watched.home / "printed").open("ab") as printed:
        process = subprocess.Popen(
            [sys.executable, "-m", "dragoman", *map(str, words)],
            cwd=watched.work,
            env={**os.environ, **watched.variables},
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=printed,
        )
        try:
            yield process
        finally:
            process.kill()
            process.wait(TIME_LIMIT)


def command_lines(process: int) -> Iterator[tuple[int, bytes]]:
    """Yield the number and the command line of a process and of its descendants."""
    try:
        yield process, Path(f"/proc/{process}/cmdline").read_bytes()
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:  # it has ended
        return
    for child in children:
        yield from command_lines(int(child))


def test_workers_command_lines_and_what_a_kill_leaves_hold_no_key(
    watched: Watched, echo: EchoServer
) -> None:
    agent = f"compatible/any?base_url={echo.at('words')}"
    words = ("run", "courier", "--agent", agent, "--trials", 40, "--workers", 2, "--max-steps", 9)
    with started(watched, *words, "--no-preflight", "--out", "killed") as process:
        lines: set[tuple[int, bytes]] = set()
        until = time.monotonic() + TIME_LIMIT
        while len(echo.heard) < 600 and process.poll() is None:
            assert time.monotonic() < until, (watched.home / "printed").read_text()
            lines.update(command_lines(process.pid))
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait(TIME_LIMIT)
    assert len({number for number, _ in lines}) >= 3
    assert [line for _, line in lines if named_in(line, canaries())] == []
    assert (watched.work / "killed" / "run.sqlite").exists()
    assert found_in(watched.home, canaries()) == []


def test_pages_hold_no_key(watched: Watched, echo: EchoServer) -> None:
    agent = f"compatible/any?base_url={echo.at('words')}"
    refused = f"compatible/any?base_url={echo.at('refused')}"
    for name, each in (("words", agent), ("refused", refused)):
        talk = ("run", "sample:shop", "--agent", each, "--limit", 1, "--max-steps", 3)
        watched(*talk, "--no-preflight", "--out", name)
    with started(watched, "view", "words", "refused", "--no-browser", "--port", 0) as process:
        pages = dict(crawled(address_in(watched.home / "printed")))
        process.send_signal(signal.SIGINT)
        process.wait(TIME_LIMIT)
    assert len(pages) > 5
    assert any("words" in path for path in pages)
    assert [path for path, page in pages.items() if named_in(page, canaries())] == []
    assert watched.found() == []


def address_in(printed: Path) -> str:
    """Return the address that a server says it has."""
    until = time.monotonic() + TIME_LIMIT
    while True:
        text = printed.read_text() if printed.exists() else ""
        found = re.search(r"http://(?:127\.0\.0\.1|localhost):\d+", text)
        if found:
            return found.group()
        assert time.monotonic() < until, text
        time.sleep(0.05)


def test_a_server_of_the_world_says_no_key(watched: Watched) -> None:
    with started(watched, "world", "serve", "--port", 0) as process:
        address = address_in(watched.home / "printed")
        with ASK(address, timeout=TIME_LIMIT) as answer:
            page = answer.read()
        process.send_signal(signal.SIGINT)
        process.wait(TIME_LIMIT)
    assert named_in(page, canaries()) == []
    assert watched.found() == []
