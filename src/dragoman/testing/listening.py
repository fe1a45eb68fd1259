"""A loopback port that can be closed and opened again while a server runs."""

import asyncio
import os
import socket
from collections.abc import Callable

from dragoman.core.errors import UsageError

HOST = "127.0.0.1"
BACKLOG = 2048


class Listener:
    """Accepts connections while it is open; while it is not, they are refused."""

    def __init__(self, protocol: Callable[[], asyncio.Protocol], port: int) -> None:
        """Prepare a listener.

        Args:
            protocol: Makes what serves one connection.
            port: Where to listen; 0 takes a free port, which is kept from then on.
        """
        self.port = port
        self._protocol = protocol
        self._accepting: asyncio.Task[asyncio.Server] | None = None

    def open(self) -> None:
        """Listen from now on; needs a running event loop.

        Raises:
            UsageError: Where the port is taken.
        """
        if self._accepting is not None:
            return
        try:
            bound = socket.create_server((HOST, self.port), backlog=BACKLOG)
        except (OSError, OverflowError) as error:
            reason = os.strerror(error.errno or 0) if isinstance(error, OSError) else "no such port"
            raise UsageError(f"port {self.port}: {reason}: choose another, or 0") from error
        self.port = bound.getsockname()[1]
        loop = asyncio.get_running_loop()
        serving = loop.create_server(self._protocol, sock=bound, backlog=BACKLOG)
        self._accepting = loop.create_task(serving)

    def close(self) -> None:
        """Refuse connections from now on; those that are open stay."""
        task, self._accepting = self._accepting, None
        if task is not None and task.done():
            task.result().close()
        elif task is not None:
            task.add_done_callback(lambda done: done.result().close())
