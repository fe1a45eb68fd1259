"""Takes the pictures of the documentation from real runs: `make screenshots`.

The runs are played without a key and shown in Chromium. The pictures are written into a build
folder. Only the picture of README is also in the repository; the same command renews it.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.request import urlopen

MAX_BYTES = 150_000
"""Maximum size of a picture, in bytes."""

IN_README = Path(__file__).resolve().parents[1] / "docs" / "pictures" / "run_page.png"
"""The picture at the top of README."""

WAIT_SECONDS = 120.0
"""Seconds after which a page that does not show the expected text is abandoned."""

GRID = (
    *("run", "courier", "--agent", "support-v2=careful", "--agent", "support-v1=literal"),
    *(
        "--language",
        "en,vi",
        "--scenario",
        "domain",
        "--voice",
        "text",
        "--voice",
        "simulated:10",
        "--trials",
        "2",
    ),
    *("--limit", "12"),
)
SMALL = ("run", "sample:shop", "--agent", "gold", "--agent", "silent", "--trials", "2")


class Picture(NamedTuple):
    """One picture: its name, the page that it shows, and the size of the window."""

    name: str
    page: str
    height: int = 760
    width: int = 1200
    is_dark: bool = False


def pictures(conversation: str) -> tuple[Picture, ...]:
    """Return the pictures; a failed conversation is named by its page."""
    return (
        Picture("run_page", "/run/nightly", 730),
        Picture("run_page_dark", "/run/nightly", 730, is_dark=True),
        Picture("run_list", "/", 420),
        Picture("compare", "/compare?a=nightly", 700),
        Picture("failures", "/run/nightly/conversations?outcome=fail", 640),
        Picture("conversation", conversation, 640),
        Picture("conversation_phone", conversation, 760, 420),
        Picture("report", "report", 730),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the runs, take all pictures, and return an exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where to write the pictures")
    parser.add_argument(
        "--screens", action="store_true", help="take the main screens, in 3 widths and 2 themes"
    )
    chosen = parser.parse_args(arguments)
    out: Path = chosen.folder
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        sys.stderr.write("make screenshots: no browser: install the package chromium\n")
        return 1
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        if chosen.screens:
            from bench.screens import take_screens

            take_screens(browser, folder, out)
            return 0
        play(folder)
        with viewed(folder / "runs") as address:
            _take_all(browser, address, folder, out)
    IN_README.parent.mkdir(exist_ok=True)
    shutil.copy(out / IN_README.name, IN_README)
    return 0


def play(folder: Path) -> None:
    """Play the runs and write the report of the first one."""
    runs = folder / "runs"
    dragoman(folder, *GRID, "--out", str(runs / "nightly"))
    dragoman(folder, "attribute", str(runs / "nightly"))
    dragoman(folder, *SMALL, "--out", str(runs / "shop"))
    dragoman(folder, "report", str(runs / "nightly"), "--out", str(folder / "report.html"))


def dragoman(folder: Path, *words: str) -> None:
    """Run a Dragoman command."""
    command = [sys.executable, "-m", "dragoman", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"make screenshots: {' '.join(words)}: {done.stderr[-2000:]}")


@contextmanager
def viewed(runs: Path) -> Iterator[str]:
    """Serve runs and yield the address."""
    command = [sys.executable, "-m", "dragoman", "view", str(runs), "--no-browser"]
    environment = {**os.environ, "XDG_CACHE_HOME": str(runs.parent / "cache")}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        try:
            address = server.stdout.readline().strip() if server.stdout else ""
            if not address.startswith("http://"):
                raise SystemExit("make screenshots: the viewer did not start")
            yield address.rstrip("/")
        finally:
            server.terminate()


def _take_all(browser: str, address: str, folder: Path, out: Path) -> None:
    shown(address, "/run/nightly", "matrix-title")
    shown(address, "/run/shop", "matrix-title")
    listed = shown(
        address, "/run/nightly/conversations?outcome=fail&voice=simulated:10", "data-row"
    )
    found = re.search(r"/run/nightly/conversation/[0-9a-f]+", listed)
    for each in pictures(found[0] if found else "/run/nightly"):
        page = (folder / "report.html").as_uri() if each.page == "report" else address + each.page
        path = out / f"{each.name}.png"
        take(browser, page, each, path)
        size = path.stat().st_size
        sys.stdout.write(f"{path}: {size / 1000:.0f} kB\n")
        if size > MAX_BYTES:
            raise SystemExit(f"make screenshots: {path} is larger than {MAX_BYTES / 1000:.0f} kB")


def shown(address: str, page: str, wanted: str) -> str:
    """Return a page once it holds the expected text; indices are built meanwhile."""
    until = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < until:
        with urlopen(address + page) as answer:  # noqa: S310 - our own server
            text: str = answer.read().decode()
        if wanted in text:
            return text
        time.sleep(0.2)
    raise SystemExit(f"make screenshots: {page} does not show {wanted}")


def take(browser: str, page: str, picture: Picture, path: Path) -> None:
    """Take one picture."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [
            *(browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"),
            *("--disable-dev-shm-usage", "--hide-scrollbars", f"--user-data-dir={profile}"),
            *(["--blink-settings=preferredColorScheme=0"] if picture.is_dark else []),
            *(f"--window-size={picture.width},{picture.height}", f"--screenshot={path}", page),
        ]
        subprocess.run(command, capture_output=True, check=True, timeout=WAIT_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
