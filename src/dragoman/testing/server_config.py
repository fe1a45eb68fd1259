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
"""Kinds of outages: `unavailable` answers 503.

`refused` closes the port and all open connections.
"""


class Outage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An outage: its beginning in seconds after the server's start, and its length in seconds."""

    after: float
    seconds: float
    kind: OutageKind = "unavailable"


class Capacity(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits (None for no limit), and latency.

    Args:
        requests_per_second: Sustained rate; a burst may have the requests of one second.
        most_concurrent: Largest number of requests in flight.
        latency_seconds: Seconds before every completion.
        jitter_seconds: Largest additional latency, drawn from the request's content.
        outages: Planned outages.
    """

    requests_per_second: float | None = None
    most_concurrent: int | None = None
    latency_seconds: float = 0.0
    jitter_seconds: float = 0.0
    outages: tuple[Outage, ...] = ()

    def __post_init__(self) -> None:
        """Refuse limits that admit nothing, and negative times."""
        if self.requests_per_second is not None and self.requests_per_second <= 0:
            raise ValueError("requests_per_second is above 0, or null for no limit")
        if self.most_concurrent is not None and self.most_concurrent < 1:
            raise ValueError("most_concurrent is at least 1, or null for no limit")
        times = [self.latency_seconds, self.jitter_seconds]
        times += [time for outage in self.outages for time in (outage.after, outage.seconds)]
        if min(times) < 0:
            raise ValueError("times are not negative")


class Admission(msgspec.Struct, frozen=True):
    """Decision whether a request is admitted, with the rate-limit headers for the client."""

    is_admitted: bool
    headers: Mapping[str, str]


_ROUNDING = 1e-9
_OPEN = Admission(is_admitted=True, headers={})


class CapacityGate:
    """Admits requests within a capacity's limits; it refills evenly, like a leaking bucket."""

    def __init__(self, capacity: Capacity) -> None:
        self._rate = capacity.requests_per_second
        self._most = capacity.most_concurrent
        self._size = max(1.0, self._rate or 1.0)
        self._left = self._size
        self._last: float | None = None

    def admit(self, now: float, in_flight: int) -> Admission:
        """Decide on one request.

        Args:
            now: Seconds of a monotonic clock.
            in_flight: Number of requests in flight, including this one.
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
    """Configuration of a server except its answers; the default has no faults.

    Args:
        faults: Faults of the server.
        capacity: Capacity of the server.
        checks: Requirements of the server.
        batches: Faults of batches.
        seed: Seed of the draws of faults and latencies.
    """

    faults: Faults = Faults()
    capacity: Capacity = Capacity()
    checks: Checks = Checks()
    batches: BatchFaults = BatchFaults()
    seed: int = 0


def load_config(path: Path, kind: type[Kind]) -> Kind:
    """Read a server's configuration from a JSON file.

    Raises:
        UsageError: If the file cannot be read or is invalid.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except OSError as error:
        raise UsageError(f"faults {path}: {error.strerror}") from error
    except DECODING_ERRORS as error:
        raise UsageError(f"faults {path}: {error}") from error
