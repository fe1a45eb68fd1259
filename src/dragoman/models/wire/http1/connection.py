"""One connection: a request is written to it, and one answer read in bounded time."""

import asyncio
import math
import select
import sys
from collections.abc import Callable
from typing import Literal, cast

from dragoman.models.wire.http1.answers import AnswerReader
from dragoman.models.wire.http1.peer_trust import PeerTrust
from dragoman.models.wire.sources import ReadOver
from dragoman.models.wire.transport import GOOD, HttpResponse

if sys.platform != "win32":
    import fcntl
    import termios

SMALL_BYTES = 256 * 1024
"""Bodies that are no larger are all read at once."""

MOST_ANSWERS = 128
"""A connection that brought so many carries nothing more: none is out of step for long."""

MOST_HELD = 4 * 1024
"""A body of a request that is no larger is held until the next one, which may be the same."""

LATE_SECONDS = 1.0
"""An answer that equals one of no longer ago may be that one, come a second time."""

LATE_ANSWERS = 8
"""And so may one that equals any of so many before it."""

NEVER = -LATE_ANSWERS, -math.inf

FAREWELLS = b"HTTP/1.1 408", b"HTTP/1.0 408"
"""Said to a connection that carried nothing for long, before it is closed: an answer to no request."""


class _Silence:
    """Whether a socket has nothing to be read."""

    __slots__ = ("_count", "_number")

    def __init__(self, transport: asyncio.Transport) -> None:
        socket = transport.get_extra_info("socket")
        self._number = -1 if socket is None else socket.fileno()
        self._count = bytearray(4)

    def holds(self) -> bool:
        """Look at it now; the event loop has not yet seen what came since its last round."""
        if self._number < 0:
            return True
        if sys.platform == "win32":
            return not select.select([self._number], [], [], 0)[0]
        fcntl.ioctl(self._number, termios.FIONREAD, self._count)
        return not any(self._count)


class Connection(asyncio.Protocol):
    """Carries one call at a time; a call that breaks or is cut off closes it.

    Args:
        read_seconds: How long it may be silent while a call is under way.
        on_lost: Called once it is closed.
        trust: What is known of the peer that it leads to.

    Attributes:
        freed_at: When it had carried its last call.
        slowest: How long its slowest answer took, in seconds.
        answered: How many good answers it brought.
        is_spent: Whether it is to carry nothing more, although it could.
        doubt: Why its last answer may be that of another request: "equal" to one before it, or from a
            "peer" that is known to send what nobody asked for; "" where nothing says so.
        read_over: What is kept of its answers.
        trust: What is known of the peer.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        read_seconds: float,
        on_lost: Callable[["Connection"], None],
        trust: PeerTrust,
    ) -> None:
        self.freed_at = self.slowest = 0.0
        self.answered = 0
        self.doubt: Literal["", "equal", "peer"] = ""
        self.is_spent = False
        self._asked: tuple[bytes, ...] = ()
        self.read_over = ReadOver()
        self.trust = trust
        self._silence: _Silence | None = None
        self._answers: dict[int, tuple[int, float]] = {}
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
        began = self._loop.time()
        try:
            self._send(request)
            if not answer.is_settled:
                await self._hear()
            if not answer.is_settled:
                await self._read_on(large)
        except BaseException:
            # Whoever is cut off may not have seen the answer, although it came.
            answer.keeps = False
            raise
        finally:
            self._is_busy = False
            self.freed_at = self._loop.time()
            self.slowest = max(self.slowest, self.freed_at - began)
            if not answer.keeps:
                self.abort()
        response = answer.taken()
        if response.status in GOOD:
            self._judge(response.body, is_same_call=_is_same(request, self._asked))
        self._asked = request if len(request[-1]) <= MOST_HELD else ()
        return response

    def is_silent(self) -> bool:
        """Whether nothing came over it that nobody read yet: what did is no answer to the next call."""
        if self._transport is None:
            return False
        if self._silence is None:
            self._silence = _Silence(self._transport)
        return self._silence.holds()

    def found_surplus(self) -> None:
        """Learn that it brought what nobody asked for: none of its answers is to be trusted."""
        if not self.read_over.is_doubtful:
            self.trust.found_surplus(self.read_over.doubt())

    def abort(self) -> None:
        """Close it at once."""
        if self._transport is not None:
            self._transport.abort()

    def _judge(self, body: bytes, *, is_same_call: bool) -> None:
        """Doubt an answer that may be that of another request: never what came first over it.

        An answer that equals the one before it answers the same call where that is sent again; but
        what comes next may then be out of step. Nothing and a page of HTML are nobody's reply: such an
        answer is refused by whoever reads it, and its connection closes.
        """
        digest, now = hash(body), self.freed_at
        self.trust.answers += 1
        self.answered += 1
        number, at = self._answers.get(digest, NEVER)
        self._answers[digest] = self.answered, now
        is_equal = self.answered - number <= LATE_ANSWERS or now - at < LATE_SECONDS
        self.is_spent = is_equal or self.answered >= MOST_ANSWERS
        is_late = is_equal and not _is_no_reply(body)
        if is_late and not (is_same_call and number == self.answered - 1):
            self.doubt = "equal"
        elif self.answered > 1 and self.trust.is_doubtful:
            self.doubt = "peer"

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
            if answer.is_ended and not (data.startswith(FAREWELLS) and not self._is_busy):
                self.found_surplus()
            answer.keeps = False
            self.abort()
            return
        self._heard_at = self._loop.time()
        is_settled = answer.read(data, self._heard_at)
        if answer.has_surplus:
            self.found_surplus()
        if is_settled:
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


def _is_no_reply(body: bytes) -> bool:
    begins = body[:200].lstrip().lower()
    return not begins or begins.startswith((b"<!doctype html", b"<html"))


def _is_same(request: tuple[bytes, ...], before: tuple[bytes, ...]) -> bool:
    """Whether a request is that of the call before, sent again: of equal bodies each has its own draw."""
    return bool(before) and request[-1] is before[-1] and request == before
