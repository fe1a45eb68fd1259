"""The `view` command: serves the viewer until a person ends it."""

import asyncio
import signal
import webbrowser
from collections.abc import Sequence
from pathlib import Path

from dragoman.config.environment import cache_folder
from dragoman.viewer.open_runs import DEFAULT, Library, require_places
from dragoman.viewer.server import serving


def view_runs(folders: Sequence[Path], port: int, *, browser: bool) -> None:
    """Serve runs until interrupted; the address is printed when it answers.

    Raises:
        UsageError: Where a folder does not exist, or the port is taken.
    """
    places = tuple(folders) or (DEFAULT,)
    require_places(folders)
    library = Library(places, cache_folder() / "views")
    asyncio.run(_serve(library, port, browser=browser))


async def _serve(library: Library, port: int, *, browser: bool) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    async with serving(library, port) as address:
        print(address, flush=True)
        if browser:
            await loop.run_in_executor(None, webbrowser.open, address)
        await stopped.wait()
