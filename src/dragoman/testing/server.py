"""A local model server that answers from a script or from recordings, and misbehaves on demand.

In a test, `with ModelServer(answerer, behaviour) as server:` and ask at `server.url`; as a process of
its own, `python -m dragoman.testing.server --help`. It listens on the loopback address only.
"""

import asyncio
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from aiohttp import web

from dragoman.core.errors import DragomanError, UsageError
from dragoman.testing.answers import Answerer
from dragoman.testing.behaviour import Behaviour
from dragoman.testing.capacity import OutageKind
from dragoman.testing.endpoint import Endpoint
from dragoman.testing.listening import HOST, Listener
from dragoman.testing.options import Options, load_answerer, read_options
from dragoman.testing.request_log import LogView, RequestLog
from dragoman.testing.serving_thread import ServingThread

STOPPING_SECONDS = 0.1


class ModelServer:
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
        self._behaviour = behaviour or Behaviour()
        self._log = RequestLog(log_file)
        self._endpoint = Endpoint(answerer, self._behaviour, self._log)
        self._listener = Listener(self._protocol, port)
        self._runner = web.AppRunner(
            self._endpoint.application(),
            access_log=None,
            handler_cancellation=True,
            shutdown_timeout=STOPPING_SECONDS,
        )
        self._thread: ServingThread | None = None
        self._windows: list[asyncio.TimerHandle] = []

    @property
    def url(self) -> str:
        """The base address for clients."""
        return f"http://{HOST}:{self._listener.port}/v1"

    @property
    def log(self) -> LogView:
        """The counts at this instant."""
        return self._log.view()

    @property
    def outage(self) -> OutageKind | None:
        """The outage that there is; set it to begin or end one."""
        return self._endpoint.outage

    @outage.setter
    def outage(self, kind: OutageKind | None) -> None:
        if self._thread is None:
            self._switch(kind)
        else:
            self._thread.call(lambda: self._switch(kind))

    def __enter__(self) -> Self:
        self._thread = ServingThread(self)
        self._thread.enter()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._thread is not None:
            self._thread.leave()

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        try:
            self._listener.open()
        except UsageError:
            await self._runner.cleanup()
            self._log.close()
            raise
        loop = asyncio.get_running_loop()
        for outage in self._behaviour.capacity.outages:
            ending = outage.after + outage.seconds
            self._windows += (
                loop.call_later(outage.after, self._switch, outage.kind),
                loop.call_later(ending, self._switch, None),
            )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for window in self._windows:
            window.cancel()
        self._listener.close()
        await self._runner.cleanup()
        self._log.close()

    def _protocol(self) -> asyncio.Protocol:
        server = self._runner.server
        if server is None:
            raise RuntimeError("the server accepts connections before it was entered")
        return server()

    def _switch(self, kind: OutageKind | None) -> None:
        self._endpoint.outage = kind
        if kind == "refused":
            self._listener.close()
        else:
            self._listener.open()


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
