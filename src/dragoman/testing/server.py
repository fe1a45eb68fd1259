"""A local model server that answers from a script or from recordings, and misbehaves on demand.

In a test, `with ModelServer(answerer, behaviour) as server:` and ask at `server.url`; as a process of
its own, `python -m dragoman.testing.server --help`. It listens on the loopback address only.
"""

import asyncio
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from dragoman.core.errors import DragomanError
from dragoman.testing.answers import Answerer, ToldOfEnds
from dragoman.testing.behaviour import Behaviour
from dragoman.testing.endpoint import Endpoint
from dragoman.testing.local_server import LocalServer
from dragoman.testing.options import Options, load_answerer, read_options
from dragoman.testing.request_log import RequestLog


class ModelServer(LocalServer):
    """An OpenAI-compatible endpoint as a context manager: `with` uses a thread, `async with` none.

    A server is entered once.
    """

    def __init__(
        self,
        answerer: Answerer,
        behaviour: Behaviour | None = None,
        *,
        port: int = 0,
        log_file: Path | None = None,
    ) -> None:
        """Prepare a server; entering it starts it.

        Args:
            answerer: Gives the replies.
            behaviour: What goes wrong; nothing where not given.
            port: Where to listen; 0 takes a free port.
            log_file: A file to append a line to whenever a request starts or ends.

        Raises:
            UsageError: Where the log file cannot be written.
        """
        behaviour = behaviour or Behaviour()
        on_end = answerer.ended if isinstance(answerer, ToldOfEnds) else None
        endpoint = Endpoint(answerer, behaviour, RequestLog(log_file, on_end))
        outages = behaviour.capacity.outages
        super().__init__(endpoint.application(), endpoint.exchange, outages, port)

    @property
    def url(self) -> str:
        """The base address for clients."""
        return f"{self.origin}/v1"


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until interrupted; return the exit status, 2 for a mistake in what was asked."""
    try:
        asyncio.run(_serve(read_options(arguments)))
    except DragomanError as error:
        sys.stderr.write(f"dragoman.testing.server: {' '.join(str(error).split())}\n")
        return 2
    return 0


async def _serve(options: Options) -> None:
    answerer = await load_answerer(options)
    server = ModelServer(answerer, options.behaviour, port=options.port, log_file=options.log)
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with server:
        sys.stdout.write(f"{server.url}\n")
        sys.stdout.flush()
        await stopped.wait()


if __name__ == "__main__":
    sys.exit(main())
