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
"""Longest part of an error's body that is read, in bytes."""

FRAMING_BYTES = 64 * 1024
"""Longest framing of an answer in bytes: head, sizes of chunks, trailers."""

FRAMING_RATIO = 16
"""Additional framing per byte of the body, which may come in small chunks."""

INTERIM = range(100, 200)
BODILESS = frozenset({204, 304})
SUCCESS = range(200, 300)


class ResponseParser:
    """Reads one answer after the other, through callbacks of the connection's HTTP parser.

    Attributes:
        is_settled: Whether there is nothing more to wait for.
        is_whole: Whether all of the answer came that is to be read.
        is_ended: Whether the last byte of the answer came: later bytes belong to no request.
        has_surplus: Whether bytes followed the answer.
        keeps: Whether the connection may carry another call after the answer.
        fault: The error why the answer cannot come, or None.
    """

    def __init__(self) -> None:
        self._parser = HttpResponseParser(self)
        self.begin(0)

    def begin(self, most_bytes: int) -> None:
        """Expect an answer; `most_bytes` limits the body of a good one."""
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
        """Number of bytes of the body that came."""
        return len(self._body)

    def taken(self) -> HttpResponse:
        """Return the whole answer.

        Raises:
            TransportError: If no whole answer came.
        """
        # The connection and the error are kept: neither may hold the body.
        body, self._body = self._body, bytearray()
        if self.fault is None:
            return HttpResponse(self._status, self._headers, bytes(body), self._arrivals)
        body.clear()
        raise self.fault

    def read(self, data: bytes, at: float) -> bool:
        """Read data that came at a time of the event loop; return whether the answer is settled."""
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
        """Record the end of the connection, and the error that broke it, if any."""
        self.keeps = False
        if error is None and self._ends_with_connection and self.fault is None:
            self._finish()
        elif isinstance(error, OSError):
            self.break_off("cut", f"the connection broke ({describe_os_error(error)})")
        else:
            self.break_off("cut", "the connection was cut")

    def break_off(self, kind: TransportErrorKind, detail: str) -> None:
        """Stop waiting for an answer that is not whole."""
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

    # The HTTP parser calls the methods below.

    def on_message_begin(self) -> None:
        """Record unrequested bytes if the answer had ended."""
        self.keeps = False
        self.has_surplus |= self.is_ended

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header; trailers are not kept."""
        if not self._has_head:
            self._headers.add(name.decode("latin-1"), value.decode("latin-1"))

    def on_headers_complete(self) -> None:
        """Decide from the head which part of the body is read."""
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
        """Keep a piece of the body, unless it is not needed."""
        if not self.is_settled:
            self._body += content

    def on_message_complete(self) -> None:
        """Record that an answer, or an interim answer before it, is complete."""
        if not self._has_head:
            self._headers.clear()
            return
        if not self.is_settled:
            # After an error of its own, a gateway may still forward the answer that it waited for.
            self.keeps = self._parser.should_keep_alive() and self._status in SUCCESS
            self._finish()
        self.is_ended = True


if sys.platform != "win32":
    import fcntl
    import termios

SMALL_BYTES = 256 * 1024
"""Bodies up to this size are read without a limit on their number."""

MOST_ANSWERS = 128
"""Number of answers after which a connection is not reused.

A connection is thus never out of step for long.
"""

MOST_HELD = 4 * 1024
"""Requests with bodies up to this size are held until the next one, which may be the same."""

LATE_SECONDS = 1.0
"""An answer that equals a previous one within this time may be that answer, delivered again."""

LATE_ANSWERS = 8
"""An answer that equals any of this many answers before it may be that answer, delivered again."""

NEVER = -LATE_ANSWERS, -math.inf

FAREWELLS = b"HTTP/1.1 408", b"HTTP/1.0 408"
"""Status lines that servers send on an idle connection before they close it.

They are not an answer to any request.
"""


class _Silence:
    """Checks whether a socket has unread data."""

    __slots__ = ("_count", "_number")

    def __init__(self, transport: asyncio.Transport) -> None:
        socket = transport.get_extra_info("socket")
        self._number = -1 if socket is None else socket.fileno()
        self._count = bytearray(4)

    def holds(self) -> bool:
        """Check the socket now; the event loop has not seen data that came since its last round."""
        if self._number < 0:
            return True
        if sys.platform == "win32":
            return not select.select([self._number], [], [], 0)[0]
        fcntl.ioctl(self._number, termios.FIONREAD, self._count)
        return not any(self._count)


class HttpConnection(asyncio.Protocol):
    """Connection that carries one call at a time; it closes if a call fails or is cancelled.

    Args:
        read_seconds: Longest silence during a call.
        on_lost: Function that is called once the connection is closed.
        trust: Reliability of the peer.

    Attributes:
        freed_at: Time at which the last call ended.
        slowest: Duration of the slowest answer, in seconds.
        answered: Number of good answers.
        is_spent: Whether the connection is not to be reused, although it could be.
        doubt: Reason why the last answer may belong to another request: "equal" if it equals an
            earlier one, or "peer" if the peer is known to send unrequested bytes; "" for none.
        read_over: Cached replies of the connection.
        trust: Reliability of the peer.
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
        """Whether the connection has not been lost."""
        return self._transport is not None

    @property
    def is_free(self) -> bool:
        """Whether the connection can carry another call."""
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
            request: The head and the body.
            most_bytes: The largest body of a good answer that is read.
            ends_at: Time of the event loop by which the answer has to be whole.
            large: Semaphore that is held while a large body is read.

        Raises:
            TransportError: If no whole answer came.
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
            # A cancelled caller may not have seen the answer, although it came.
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
        """Record that the connection delivered unrequested bytes.

        None of its answers is trustworthy.
        """
        if not self.read_over.is_doubtful:
            self.trust.found_surplus(self.read_over.doubt())

    def abort(self) -> None:
        """Close the connection at once."""
        if self._transport is not None:
            self._transport.abort()

    def _judge(self, body: bytes, *, is_same_call: bool) -> None:
        """Mark an answer as doubtful if it may belong to another request.

        The first answer never is.

        If a call is sent again, an answer that equals the previous one is its answer; but the next
        answer may then be out of step. An empty body and a page of HTML are not replies: the reader
        refuses such an answer, and its connection closes.
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
        """Wait until the answer is complete, too large for a small body, or late."""
        self._heard_at = self._loop.time()
        self._news = self._loop.create_future()
        if self._timer is None:
            self._timer = self._loop.call_at(self._due(), self._look_at_clock)
        await self._news

    async def _read_on(self, large: asyncio.Semaphore) -> None:
        """Read the rest of a large answer once few others are being read."""
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

        One timer serves all calls; it is set again if it fires too early.
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

    # The event loop calls the methods below.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport of the bytes."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Read a piece of the answer; unrequested bytes end the connection."""
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
        """End the current call."""
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

    Requests with equal bodies but different body objects are different draws.
    """
    return bool(before) and request[-1] is before[-1] and request == before
