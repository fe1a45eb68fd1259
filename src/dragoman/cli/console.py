"""The terminal of a person who plays a part: lines from standard input, texts to standard error.

Standard output stays free for results. Waiting for a line does not block the event loop.
"""

import asyncio
import os
import sys

from dragoman.core.errors import RunHalted
from dragoman.core.texts.visible import visible

MAX_LINE = 65_536
"""Bytes of one typed line."""
_CHUNK = 4_096


class TerminalConsole:
    """Reads lines from a file descriptor, which may be a terminal, a pipe or a file."""

    def __init__(self, descriptor: int = 0) -> None:
        self._descriptor = descriptor
        self._pending = b""
        self._has_ended = False

    async def read(self, prompt: str) -> str | None:
        """Return the next line without its end, or None where there is no more input.

        Raises:
            RunHalted: For a line longer than anybody types.
        """
        print(prompt, end="", file=sys.stderr, flush=True)
        while b"\n" not in self._pending and not self._has_ended:
            await _readable(self._descriptor)
            chunk = os.read(self._descriptor, _CHUNK)
            self._has_ended = not chunk
            self._pending += chunk
            if len(self._pending) > MAX_LINE and b"\n" not in self._pending:
                raise RunHalted(f"standard input: a line of more than {MAX_LINE} bytes")
        if not self._pending:
            print(file=sys.stderr)
            return None
        line, _, self._pending = self._pending.partition(b"\n")
        return line.decode("utf-8", "replace")

    def show(self, text: str) -> None:
        """Show a text; control characters in it are written out."""
        print(visible(text), file=sys.stderr, flush=True)


async def _readable(descriptor: int) -> None:
    """Wait until a descriptor has input; a file always has."""
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    try:
        loop.add_reader(descriptor, ready.set)
    except PermissionError:
        return
    try:
        await ready.wait()
    finally:
        loop.remove_reader(descriptor)
