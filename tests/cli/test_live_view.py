"""`dragoman run --view`: the page of a run is served while it plays, and ends with it."""

import os
import subprocess
import sys
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from dragoman.cli.view import has_display

SLOW_AGENT = """
import time


def agent(messages, tools):
    time.sleep(0.2)
    return "I cannot help you with that."
"""


def test_no_browser_is_opened_in_ci_or_without_a_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("CI", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert not has_display()

    monkeypatch.setenv("DISPLAY", ":0")
    assert has_display()

    monkeypatch.setenv("CI", "true")
    assert not has_display()


@pytest.mark.slow
def test_the_page_of_a_run_answers_while_it_plays_and_ends_with_it(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW_AGENT)
    words = ("run", "courier", "--agent", "slow:agent", "--concurrency", "1", "--out", "mine")
    environment = {
        **os.environ,
        "CI": "true",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)]),
    }
    with subprocess.Popen(
        [sys.executable, "-m", "dragoman", *words, "--view", "--plain"],
        cwd=tmp_path,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as run:
        assert run.stderr is not None
        line = next(line for line in run.stderr if line.startswith("view: "))
        address = line.removeprefix("view: ").strip()
        with urlopen(address, timeout=30) as page:  # noqa: S310 - it is our own
            text = page.read().decode()
        assert run.poll() is None
        run.stderr.read()

    assert run.returncode == 0
    assert "<title>mine" in text
    with pytest.raises(URLError):
        urlopen(address, timeout=5)  # noqa: S310 - it is our own
