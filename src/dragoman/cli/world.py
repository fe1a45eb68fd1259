"""Implementation of `dragoman world`: serves the bundled web APIs and prints their documents."""

import asyncio
import signal
from datetime import datetime
from pathlib import Path

from dragoman.core.errors import UsageError
from dragoman.testing.itc_server import SimulatedApiServer, load_faults, write_documents


def serve_simulated_apis(port: int, faults: str | None, at: str | None) -> None:
    """Serve the bundled world until interrupted, and print its address when it answers.

    Raises:
        UsageError: If the faults cannot be read, the time is invalid, or the port is taken.
    """
    now = None if at is None else moment(at)
    asyncio.run(_serve(SimulatedApiServer(load_faults(faults), now=now, port=port)))


def print_documents(folder: Path, port: int) -> None:
    """Write the documents about the APIs and print their number.

    Raises:
        UsageError: If they cannot be written.
    """
    written = write_documents(folder, f"http://127.0.0.1:{port}")
    print(f"{len(written)} documents in {folder}")


def moment(text: str) -> datetime:
    """Parse an instant.

    Raises:
        UsageError: If the text is not an instant, or has no offset.
    """
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise UsageError(f"--at {text}: write it as 2026-03-16T10:00:00Z")
    return found


async def _serve(server: SimulatedApiServer) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with server:
        print(server.origin, flush=True)
        await stopped.wait()
