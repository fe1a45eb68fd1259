"""One connection: a request is written to it, and one answer read in bounded time."""

import asyncio
from collections.abc import Callable
from typing import cast

from dragoman.models.wire.http1.answers import AnswerReader
from dragoman.models.wire.transport import HttpResponse

SMALL_BYTES = 256 * 1024
"""Bodies that are no larger are all read at once."""


class Connection(asyncio.Protocol):
    """Carries one call at a time; a call that breaks or is cut off closes it.

    Args:
        read_seconds: How long it may be silent while a call is under way.
        on_lost: Called once it is closed.

    Attributes:
        freed_at: When it had carried its last call.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        read_seconds: float,
        on_lost: Callable[["Connection"], None],
    ) -> None:
        self.freed_at = 0.0
        self._loop = loop
        self._read_seconds = read_seconds
        self._on_lost = on_lost
        self._transport: asyncio.Transport | None = None
        self._answer = AnswerReader()
        self._is_busy = False
        self._small_only = True
        self._news: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._ends_at = 0.0
        self._heard_at = 0.0
        self._unsent = 0

    @property
    def is_open(self) -> bool:
        """Whether its other end may still hear of it."""
        return self._transport is not None

    @property
    def is_free(self) -> bool:
        """Whether another call may go over it."""
        transport = self._transport
        return (
            transport is not None
            and self._answer.keeps
            and not self._is_busy
            and not transport.is_closing()
            and not transport.get_write_buffer_size()
        )

    async def exchange(
        self,
        request: tuple[bytes, ...],
        most_bytes: int,
        ends_at: float,
        large: asyncio.Semaphore,
    ) -> HttpResponse:
        """Send a request and return the answer, whatever its status.

        Args:
            request: A head and a body.
            most_bytes: The largest body of a good answer that is read.
            ends_at: When, by the loop's time, the answer has to be whole.
            large: What is entered while more than a small body is read.

        Raises:
            Fault: Where no whole answer came.
        """
        answer = self._answer
        answer.begin(most_bytes)
        self._is_busy = self._small_only = True
        self._ends_at = ends_at
        try:
            self._send(request)
            if not answer.is_settled:
                await self._hear()
            if not answer.is_settled:
                await self._read_on(large)
        finally:
            self._is_busy = False
            self.freed_at = self._loop.time()
            if not answer.keeps:
                self.abort()
        return answer.taken()

    def abort(self) -> None:
        """Close it at once."""
        if self._transport is not None:
            self._transport.abort()

    def _send(self, request: tuple[bytes, ...]) -> None:
        if self._transport is None or self._transport.is_closing():
            self._answer.break_off("cut", "the connection was cut")
        else:
            self._transport.writelines(request)

    async def _hear(self) -> None:
        """Wait until the answer is there, or too long, or late."""
        self._heard_at = self._loop.time()
        self._news = self._loop.create_future()
        if self._timer is None:
            self._timer = self._loop.call_at(self._due(), self._look_at_clock)
        await self._news

    async def _read_on(self, large: asyncio.Semaphore) -> None:
        """Read the rest of a large answer when few others are being read."""
        try:
            async with asyncio.timeout_at(self._ends_at):
                await large.acquire()
        except TimeoutError:
            self._answer.break_off("timeout", "no answer in time")
            return
        try:
            self._small_only = False
            if self._transport is not None and not self._answer.is_settled:
                self._transport.resume_reading()
                await self._hear()
        finally:
            large.release()

    def _due(self) -> float:
        return min(self._heard_at + self._read_seconds, self._ends_at)

    def _look_at_clock(self) -> None:
        """End a call that takes too long; one timer serves all calls, moved when it comes too early."""
        self._timer = None
        if self._news is None or self._news.done() or self._transport is None:
            return
        now, unsent = self._loop.time(), self._transport.get_write_buffer_size()
        if unsent != self._unsent:
            self._unsent, self._heard_at = unsent, now
        if now >= self._due():
            self._answer.break_off("timeout", "no answer in time")
            self._wake()
        else:
            self._timer = self._loop.call_at(self._due(), self._look_at_clock)

    def _wake(self) -> None:
        if self._news is not None and not self._news.done():
            self._news.set_result(None)

    # What follows is called by the event loop.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep what carries the bytes."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Read a piece of the answer; what nobody asked for ends the connection."""
        answer = self._answer
        if not self._is_busy or answer.is_settled:
            answer.keeps = False
            self.abort()
            return
        self._heard_at = self._loop.time()
        if answer.read(data, self._heard_at):
            self._wake()
        elif self._small_only and answer.size > SMALL_BYTES and self._transport is not None:
            self._transport.pause_reading()
            self._wake()

    def connection_lost(self, error: Exception | None) -> None:
        """End what is under way."""
        self._transport = None
        if self._timer is not None:
            self._timer.cancel()
        self._answer.end(error)
        self._wake()
        self._on_lost(self)
