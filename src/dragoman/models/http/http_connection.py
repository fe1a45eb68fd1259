"""One HTTP/1.1 connection: writes a request and parses one bounded response in bounded time."""

import asyncio
import math
import select
import sys
from collections.abc import Callable
from typing import Literal, cast

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser
from multidict import CIMultiDict

from dragoman.models.http.connection_reuse import ConnectionReplies, PeerTrust
from dragoman.models.http.transport import (
    GOOD,
    HttpResponse,
    TransportError,
    TransportErrorKind,
    describe_os_error,
)

ERROR_BYTES = 64 * 1024
"""What is read of the body of an error."""

FRAMING_BYTES = 64 * 1024
"""What an answer may hold beside its body: head, sizes of chunks, trailers."""

FRAMING_RATIO = 16
"""And so many more for each byte of the body, which may come in small chunks."""

INTERIM = range(100, 200)
BODILESS = frozenset({204, 304})
SUCCESS = range(200, 300)


class ResponseParser:
    """Reads one answer after the other; the parser of a connection calls it back.

    Attributes:
        is_settled: Whether there is nothing more to wait for.
        is_whole: Whether all of the answer came that is read of it.
        is_ended: Whether its last byte came: what follows belongs to no request.
        has_surplus: Whether something followed it.
        keeps: Whether the connection may carry another call after it.
        fault: Why it cannot come any more, or None.
    """

    def __init__(self) -> None:
        self._parser = HttpResponseParser(self)
        self.begin(0)

    def begin(self, most_bytes: int) -> None:
        """Expect an answer; of a good one's body no more than these bytes."""
        self.is_settled = self.is_whole = self.is_ended = self.has_surplus = False
        self.keeps = False
        self.fault: TransportError | None = None
        self._most_bytes = most_bytes
        self._bound = most_bytes
        self._status = 0
        self._headers: CIMultiDict[str] = CIMultiDict()
        self._has_head = False
        self._ends_with_connection = False
        self._body = bytearray()
        self._received = 0
        self._arrivals: list[tuple[int, float]] = []

    @property
    def size(self) -> int:
        """How many bytes of the body came."""
        return len(self._body)

    def taken(self) -> HttpResponse:
        """Return the whole answer.

        Raises:
            Fault: Where none came.
        """
        # A connection is kept, and so is what is raised: neither holds a body with it.
        body, self._body = self._body, bytearray()
        if self.fault is None:
            return HttpResponse(self._status, self._headers, bytes(body), self._arrivals)
        body.clear()
        raise self.fault

    def read(self, data: bytes, at: float) -> bool:
        """Read what came at a time of the event loop; return whether nothing more is to come."""
        before = len(self._body)
        self._received += len(data)
        broken = ""
        try:
            self._parser.feed_data(data)
        except HttpParserUpgrade:
            broken = "another protocol, which was not asked for"
        except HttpParserError as error:
            broken = f"no HTTP answer ({type(error).__name__})"
        if broken:
            self.keeps = False
            self.has_surplus |= self.is_ended
            self.break_off("broken_http", broken)
        elif len(self._body) > before:
            self._arrivals.append((len(self._body), at))
        self._require_bounds()
        return self.is_settled

    def end(self, error: Exception | None) -> None:
        """Learn that nothing more comes, and what broke the connection, if anything did."""
        self.keeps = False
        if error is None and self._ends_with_connection and self.fault is None:
            self._finish()
        elif isinstance(error, OSError):
            self.break_off("cut", f"the connection broke ({describe_os_error(error)})")
        else:
            self.break_off("cut", "the connection was cut")

    def break_off(self, kind: TransportErrorKind, detail: str) -> None:
        """Wait for nothing more of an answer that is not whole."""
        if not self.is_settled:
            self.fault = TransportError(kind, detail)
            self.is_settled = True

    def _finish(self) -> None:
        self.is_settled = self.is_whole = True

    def _require_bounds(self) -> None:
        if self._received - len(self._body) > FRAMING_BYTES + FRAMING_RATIO * len(self._body):
            self.break_off("broken_http", "more than its body can need is said about the answer")
        if len(self._body) <= self._bound or self.fault is not None:
            return
        self.keeps = False
        if self._status in GOOD:
            self.is_settled = self.is_whole = False
            self.break_off("oversized", f"the answer has more than {self._most_bytes:,} bytes")
        else:
            del self._body[self._bound :]
            self._finish()

    # What follows is called by the parser.

    def on_message_begin(self) -> None:
        """Learn that bytes came which nobody asked for, where the answer had ended."""
        self.keeps = False
        self.has_surplus |= self.is_ended

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header; of trailers nothing is kept."""
        if not self._has_head:
            self._headers.add(name.decode("latin-1"), value.decode("latin-1"))

    def on_headers_complete(self) -> None:
        """Judge by the head what is to be read of the body."""
        if self.is_whole or self.is_ended:
            return
        self._status = self._parser.get_status_code()
        if self._status in INTERIM:
            return
        self._has_head = True
        headers = self._headers
        coding = headers.get("Content-Encoding", "identity").strip().lower()
        transfer = headers.get("Transfer-Encoding", "chunked").strip().lower()
        if coding not in {"", "identity"} or transfer != "chunked":
            self.break_off("broken_http", "the answer is compressed, which was not asked for")
        length = headers.get("Content-Length")
        self._ends_with_connection = (
            length is None and "Transfer-Encoding" not in headers and self._status not in BODILESS
        )
        if self._status not in GOOD:
            self._bound = ERROR_BYTES
        elif length is not None and int(length) > self._most_bytes:
            self.break_off("oversized", f"the answer has more than {self._most_bytes:,} bytes")

    def on_body(self, content: bytes) -> None:
        """Keep a piece of the body, unless it is of no use."""
        if not self.is_settled:
            self._body += content

    def on_message_complete(self) -> None:
        """Learn that an answer, or what came before it, is there."""
        if not self._has_head:
            self._headers.clear()
            return
        if not self.is_settled:
            # After an error of its own a gateway may still hand on what it waited for.
            self.keeps = self._parser.should_keep_alive() and self._status in SUCCESS
            self._finish()
        self.is_ended = True


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
"""Status lines that servers send on an idle connection before they close it.

They are not an answer to any request.
"""


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


class HttpConnection(asyncio.Protocol):
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
        doubt: Why its last answer may be that of another request: "equal" to one before it, or from
            a "peer" that is known to send what nobody asked for; "" where nothing says so.
        read_over: What is kept of its answers.
        trust: What is known of the peer.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        read_seconds: float,
        on_lost: Callable[["HttpConnection"], None],
        trust: PeerTrust,
    ) -> None:
        self.freed_at = self.slowest = 0.0
        self.answered = 0
        self.doubt: Literal["", "equal", "peer"] = ""
        self.is_spent = False
        self._asked: tuple[bytes, ...] = ()
        self.read_over = ConnectionReplies()
        self.trust = trust
        self._silence: _Silence | None = None
        self._answers: dict[int, tuple[int, float]] = {}
        self._loop = loop
        self._read_seconds = read_seconds
        self._on_lost = on_lost
        self._transport: asyncio.Transport | None = None
        self._answer = ResponseParser()
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
        """Return whether the connection has no unread data.

        Such data would not be an answer to the next call.
        """
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
        what comes next may then be out of step. Nothing and a page of HTML are nobody's reply: such
        an answer is refused by whoever reads it, and its connection closes.
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
        """End a call that takes too long.

        One timer serves all calls; it is moved if it fires too early.
        """
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
    """Return whether a request is the previous call, sent again.

    Of equal bodies, each has its own draw.
    """
    return bool(before) and request[-1] is before[-1] and request == before
