"""Takes pictures of the main screens in three widths and two themes: `make screens`.

The pictures are for people who look for defects. They are not in the repository, and they may be
large. The runs show hard cases: long names, many languages, an agent that fails every task, an empty
folder, and a run that goes on.
"""

import html
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from bench.screenshots import Picture, dragoman, play, shown, take, viewed

WIDTHS = (1280, 1920, 412)
"""Widths of a laptop, a large screen and a telephone, in pixels."""

HEIGHTS = {1280: 1500, 1920: 1500, 412: 2800}
"""Heights of the pictures, by width: a page that is longer is cut."""

SITE = Path(__file__).resolve().parents[1] / "build" / "site" / "index.html"
"""The first page of the documentation, if it was built."""

LANGUAGES = (
    *("run", "courier", "--limit", "6", "--language", "en,th,zh,id", "--scenario", "domain"),
    *("--agent", "vllm-a-model-with-a-long-name-of-its-own-instruct=careful"),
    *("--agent", "support-v2=literal", "--agent", "support-v1=lexical"),
)
FAILING = (
    *("run", "courier", "--agent", "silent", "--agent", "support-v1=literal", "--limit", "6"),
    *("--language", "en,vi", "--scenario", "domain"),
)
NIGHTLY = "/run/nightly"

SLOW_AGENT = """import time


def agent(messages, tools):
    time.sleep(4)
    return "What is your tracking number?"
"""


class Screen(NamedTuple):
    """A page to look at: its name, its address, and the text that it shows when it is complete."""

    name: str
    address: str
    shows: str = ""


def take_screens(browser: str, folder: Path, out: Path) -> None:
    """Play runs in a folder, and take the pictures of all main screens."""
    play(folder)
    runs = folder / "runs"
    dragoman(folder, *LANGUAGES, "--out", str(runs / "languages"))
    dragoman(folder, *FAILING, "--out", str(runs / "failing"))
    (folder / "empty").mkdir()
    with _run_in_background(folder), viewed(runs) as address, viewed(folder / "empty") as empty:
        for screen in _screens(address, empty, folder):
            if screen.shows:
                shown(screen.address, "", screen.shows)
            for picture in pictures_of(screen):
                take(browser, screen.address, picture, out / f"{picture.name}.png")
            sys.stdout.write(f"{out}: {screen.name}\n")


def pictures_of(screen: Screen) -> tuple[Picture, ...]:
    """Return the pictures of a screen: each width in the light and the dark theme."""
    return tuple(
        Picture(
            f"{screen.name}_{width}_{'dark' if is_dark else 'light'}",
            screen.address,
            HEIGHTS[width],
            width,
            is_dark,
        )
        for width in WIDTHS
        for is_dark in (False, True)
    )


def _screens(address: str, empty: str, folder: Path) -> Iterator[Screen]:
    """Yield the screens. The list of runs comes last: it then knows the figures of all runs."""
    matrix = "matrix-title"
    conversation, compared = _spoken_failure(address)
    yield Screen("2_run_page", f"{address}{NIGHTLY}", matrix)
    yield Screen("2_run_page_languages", f"{address}/run/languages", matrix)
    yield Screen("2_run_page_failing", f"{address}/run/failing", matrix)
    yield Screen("3_conversations", f"{address}{NIGHTLY}/conversations?outcome=fail", "data-row")
    yield Screen("4_conversation", address + conversation)
    yield Screen("5_compare", f"{address}/compare?a=nightly", "cell_b")
    yield Screen("5_compare_runs", f"{address}/compare?run=nightly&run=failing", "cell_b")
    if compared:
        yield Screen("5_side_by_side", address + compared)
    yield Screen("6_report", (folder / "report.html").as_uri())
    yield Screen("7_empty", f"{empty}/")
    yield Screen("7_running", f"{address}/run/running", "data-going")
    if SITE.is_file():
        yield Screen("8_docs", SITE.as_uri())
    else:
        sys.stdout.write("make screens: no picture of the documentation: run make docs first\n")
    yield Screen("1_run_list", f"{address}/", "data-row")


def _spoken_failure(address: str) -> tuple[str, str]:
    """Return the page of a failed spoken conversation and of its comparison with another."""
    shown(address, NIGHTLY, "matrix-title")
    words = "data-row"
    listed = shown(address, f"{NIGHTLY}/conversations?outcome=fail&voice=simulated:10", words)
    found = re.search(rf"{NIGHTLY}/conversation/[0-9a-f]+", listed)
    page = found[0] if found else NIGHTLY
    compared = re.search(r'href="(/compare[^"]+)">side by side', shown(address, page, "Transcript"))
    return page, html.unescape(compared[1]) if compared else ""


@contextmanager
def _run_in_background(folder: Path) -> Iterator[None]:
    """Play a run that is not finished while the pictures are taken."""
    (folder / "slow.py").write_text(SLOW_AGENT, "utf-8")
    out = folder / "runs" / "running"
    command = [sys.executable, "-m", "dragoman", "run", "courier", "--agent", "slow:agent"]
    command += ["--language", "en,vi", "--scenario", "domain", "--trials", "20", "--out", str(out)]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, cwd=folder, stdout=quiet, stderr=quiet) as process:
        try:
            until = time.monotonic() + 60
            while not out.exists() and time.monotonic() < until:
                time.sleep(0.2)
            yield
        finally:
            process.terminate()
