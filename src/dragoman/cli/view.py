"""The viewer: the `view` command, and the page of a run while it plays (`run --view`).

Run as a module, it serves one run until its standard input ends.
"""

import asyncio
import signal
import subprocess
import sys
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from dragoman.cli.output import print_error
from dragoman.config.environment import cache_folder, environment_variable

if TYPE_CHECKING:
    from dragoman.viewer.open_runs import Library

STOP_SECONDS = 10


def view_runs(folders: Sequence[Path], port: int, *, browser: bool) -> None:
    """Serve runs until interrupted, and print the address when the server answers.

    Raises:
        UsageError: If a folder does not exist, or the port is taken.
    """
    from dragoman.viewer.open_runs import DEFAULT, Library, require_places

    places = tuple(folders) or (DEFAULT,)
    require_places(folders)
    library = Library(places, cache_folder() / "views")
    asyncio.run(_serve(library, port, browser=browser))


async def _serve(library: "Library", port: int, *, browser: bool) -> None:
    from dragoman.viewer.server import serving

    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    async with serving(library, port) as address:
        print(address, flush=True)
        if browser:
            await loop.run_in_executor(None, webbrowser.open, address)
        await stopped.wait()


@contextmanager
def live_page(folder: Path, *, is_on: bool) -> Iterator[None]:
    """Serve a run's page while it plays, and open it in a browser if there is a display.

    The page closes with the run. In a terminal it stays until Enter or Ctrl-C, so that the last
    conversations can be read.

    Args:
        folder: The run's folder.
        is_on: Whether to serve the page.
    """
    if not is_on:
        yield
        return
    command = [sys.executable, "-P", "-m", "dragoman.cli.view", str(folder.resolve())]
    # Ctrl-C in the terminal is for the run, which stops its viewer: in a session of its own the
    # viewer does not print a traceback while it loads.
    with subprocess.Popen(  # noqa: S603 - this module by its name, and a folder
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as viewer:
        try:
            address = _address(viewer)
            if address and has_display():
                webbrowser.open(address)
            yield
            if address and sys.stdin.isatty() and sys.stderr.isatty():
                print(f"{address} is served until Enter or Ctrl-C", file=sys.stderr)
                sys.stdin.readline()
        finally:
            _stop(viewer)


def has_display() -> bool:
    """Return whether a browser can be shown: not in CI, and not without a display."""
    if environment_variable("CI"):
        return False
    if sys.platform in {"darwin", "win32"}:
        return True
    return bool(environment_variable("DISPLAY") or environment_variable("WAYLAND_DISPLAY"))


def _address(viewer: "subprocess.Popen[bytes]") -> str:
    """Return the address when the viewer answers; "" if it does not start."""
    line = viewer.stdout.readline().decode().strip() if viewer.stdout is not None else ""
    if line:
        print(f"view: {line}", file=sys.stderr, flush=True)
    else:
        print_error("view: the page could not be served; the run continues")
    return line


def _stop(viewer: "subprocess.Popen[bytes]") -> None:
    """Stop the viewer by closing its standard input."""
    if viewer.stdin is not None:
        with suppress(OSError):
            viewer.stdin.close()
    try:
        viewer.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        viewer.kill()


async def _serve_until_end(folder: Path) -> None:
    from dragoman.viewer.open_runs import Library
    from dragoman.viewer.server import serving

    library = Library((folder,), cache_folder() / "views")
    async with serving(library) as address:
        (run,) = library.for_another_thread().runs()
        print(f"{address}run/{quote(run.name, safe='')}", flush=True)
        await asyncio.to_thread(sys.stdin.buffer.read)


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(_serve_until_end(Path(sys.argv[1])))
