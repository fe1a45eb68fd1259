"""Configuration of a test server: faults, checks, capacity, latency and outages."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from dragoman.core.errors import UsageError
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.testing.chat_requests import Checks
from dragoman.testing.fault_injection import BatchFaults, Faults

OutageKind = Literal["unavailable", "refused"]
"""`unavailable` answers 503; `refused` closes the port, and the connections that are open."""


class Outage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A time of no service, in seconds: when it begins, after the server's start, and how long."""

    after: float
    seconds: float
    kind: OutageKind = "unavailable"


class Capacity(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits, None for none, and how long an answer takes.

    Args:
        requests_per_second: What is sustained; a second's worth may come at once.
        most_concurrent: Requests in flight at a time.
        latency_seconds: Before every completion.
        jitter_seconds: Up to so much more, drawn from the request's content.
        outages: Times of no service.
    """

    requests_per_second: float | None = None
    most_concurrent: int | None = None
    latency_seconds: float = 0.0
    jitter_seconds: float = 0.0
    outages: tuple[Outage, ...] = ()

    def __post_init__(self) -> None:
        """Refuse limits that let nothing through, and negative times."""
        if self.requests_per_second is not None and self.requests_per_second <= 0:
            raise ValueError("requests_per_second is above 0, or null for no limit")
        if self.most_concurrent is not None and self.most_concurrent < 1:
            raise ValueError("most_concurrent is at least 1, or null for no limit")
        times = [self.latency_seconds, self.jitter_seconds]
        times += [time for outage in self.outages for time in (outage.after, outage.seconds)]
        if min(times) < 0:
            raise ValueError("times are not negative")


class Admission(msgspec.Struct, frozen=True):
    """Whether a request is let in, and the headers that tell the client where it stands."""

    is_admitted: bool
    headers: Mapping[str, str]


_ROUNDING = 1e-9
_OPEN = Admission(is_admitted=True, headers={})


class CapacityGate:
    """Lets requests in within a capacity's limits; refills evenly, like a leaking bucket."""

    def __init__(self, capacity: Capacity) -> None:
        self._rate = capacity.requests_per_second
        self._most = capacity.most_concurrent
        self._size = max(1.0, self._rate or 1.0)
        self._left = self._size
        self._last: float | None = None

    def admit(self, now: float, in_flight: int) -> Admission:
        """Decide on one request.

        Args:
            now: Seconds on a clock that only goes forward.
            in_flight: Requests being answered, this one included.
        """
        if self._most is not None and in_flight > self._most:
            return Admission(is_admitted=False, headers={"Retry-After": "1"})
        if self._rate is None:
            return _OPEN
        if self._last is not None:
            self._left = min(self._size, self._left + (now - self._last) * self._rate)
        self._last = now
        is_admitted = self._left > 1 - _ROUNDING
        self._left = max(0.0, self._left - is_admitted)
        return Admission(is_admitted, self._headers(self._rate, is_admitted=is_admitted))

    def _headers(self, rate: float, *, is_admitted: bool) -> Mapping[str, str]:
        headers = {
            "x-ratelimit-limit-requests": f"{self._size:g}",
            "x-ratelimit-remaining-requests": str(int(self._left)),
            "x-ratelimit-reset-requests": f"{(self._size - self._left) / rate:.3f}s",
        }
        if not is_admitted:
            headers["Retry-After"] = str(max(1, math.ceil((1 - self._left) / rate)))
        return headers


Kind = TypeVar("Kind", bound=msgspec.Struct)


class ServerConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything about a server but its answers; without arguments, a server that behaves.

    Args:
        faults: What goes wrong.
        capacity: What the server can take.
        checks: What it insists on.
        batches: What goes wrong with batches.
        seed: Another one draws other faults and other latencies.
    """

    faults: Faults = Faults()
    capacity: Capacity = Capacity()
    checks: Checks = Checks()
    batches: BatchFaults = BatchFaults()
    seed: int = 0


def load_config(path: Path, kind: type[Kind]) -> Kind:
    """Read a behaviour of a server from a file of JSON.

    Raises:
        UsageError: Where the file cannot be read or says something else.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except OSError as error:
        raise UsageError(f"faults {path}: {error.strerror}") from error
    except DECODING_ERRORS as error:
        raise UsageError(f"faults {path}: {error}") from error
