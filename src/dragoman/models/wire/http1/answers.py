"""Reads the answers that come over one connection, within bounds of what is kept of them."""

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser
from multidict import CIMultiDict

from dragoman.models.wire.transport import GOOD, Fault, FaultKind, HttpResponse, reason_of

ERROR_BYTES = 64 * 1024
"""What is read of the body of an error."""

FRAMING_BYTES = 64 * 1024
"""What an answer may hold beside its body: head, sizes of chunks, trailers."""

FRAMING_RATIO = 16
"""And so many more for each byte of the body, which may come in small chunks."""

INTERIM = range(100, 200)
BODILESS = frozenset({204, 304})
SUCCESS = range(200, 300)


class AnswerReader:
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
        self.fault: Fault | None = None
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
            self.break_off("cut", f"the connection broke ({reason_of(error)})")
        else:
            self.break_off("cut", "the connection was cut")

    def break_off(self, kind: FaultKind, detail: str) -> None:
        """Wait for nothing more of an answer that is not whole."""
        if not self.is_settled:
            self.fault = Fault(kind, detail)
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
