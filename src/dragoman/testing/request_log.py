"""A log that counts requests and their outcomes; any thread can read it, also from a file."""

import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec

from dragoman.core.errors import UsageError

OK = "ok"
"""The outcome of a request with a good answer."""

ABANDONED = "abandoned"
"""The outcome of a request whose client left before the answer."""

BROKEN = "broken"
"""The outcome of a request on which the answerer raised an exception: status 500."""


class LogView(msgspec.Struct, frozen=True):
    """The counts at one instant.

    Args:
        started: Number of requests that were read.
        completed: Number of requests whose answer, good or bad, was sent.
        abandoned: Number of requests whose client left first, or that the server's stop
            interrupted.
        peak: Largest number of concurrent requests.
        outcomes: Number of requests by outcome: `ok`, the name of a fault, `refused` (4xx for a bad
            request), `limited` (capacity), `outage`, `abandoned` or `broken`.
        contents: The same by content hash of the request's body.
    """

    started: int
    completed: int
    abandoned: int
    peak: int
    outcomes: dict[str, int]
    contents: dict[str, dict[str, int]]

    @property
    def in_flight(self) -> int:
        """Number of requests in flight."""
        return self.started - self.completed - self.abandoned


class LogLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of a log file: the start or the end of a request, with its outcome."""

    event: Literal["started", "ended"]
    content: str
    outcome: str = ""


class RequestLog:
    """The counts of one server; it grows with the number of different requests."""

    def __init__(
        self, path: Path | None = None, on_end: Callable[[str, str], None] | None = None
    ) -> None:
        """Start counting.

        Args:
            path: A file that gets a line of JSON whenever a request starts or ends.
            on_end: Function that receives the content and the outcome of every request that ends.

        Raises:
            UsageError: If the file cannot be written.
        """
        self._lock = threading.Lock()
        self._on_end = on_end
        self._ended: Counter[tuple[str, str]] = Counter()
        self._started = 0
        self._finished = 0
        self._peak = 0
        try:
            # Unbuffered, so that every line is in the file whatever happens to this process.
            self._file = None if path is None else path.open("ab", buffering=0)
        except OSError as error:
            raise UsageError(f"log {path}: {error.strerror}") from error

    def start(self, content: str) -> int:
        """Count a request, and return the number of requests in flight, including it."""
        with self._lock:
            self._started += 1
            in_flight = self._started - self._finished
            self._peak = max(self._peak, in_flight)
            self._write(LogLine("started", content))
        return in_flight

    def end(self, content: str, outcome: str) -> None:
        """Count the outcome of a request."""
        with self._lock:
            self._finished += 1
            self._ended[content, outcome] += 1
            self._write(LogLine("ended", content, outcome))
        if self._on_end is not None:
            self._on_end(content, outcome)

    def view(self) -> LogView:
        """Return the counts at this instant."""
        with self._lock:
            ended = dict(self._ended)
            started, finished, peak = self._started, self._finished, self._peak
        outcomes: Counter[str] = Counter()
        contents: dict[str, dict[str, int]] = {}
        for (content, outcome), count in ended.items():
            outcomes[outcome] += count
            contents.setdefault(content, {})[outcome] = count
        abandoned = outcomes[ABANDONED]
        return LogView(started, finished - abandoned, abandoned, peak, dict(+outcomes), contents)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None

    def _write(self, line: LogLine) -> None:
        if self._file is not None:
            self._file.write(msgspec.json.encode(line) + b"\n")


def read_log(path: Path) -> list[LogLine]:
    """Return the lines of a log file."""
    decoder = msgspec.json.Decoder(LogLine)
    return [decoder.decode(line) for line in path.read_bytes().splitlines()]
