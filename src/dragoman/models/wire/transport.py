"""What carries a body to an endpoint and an answer back, once, and every way in which that fails."""

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

import msgspec

CHAT_BYTES = 8 * 1024 * 1024
"""The largest body of a reply in words and calls that is read."""

MEDIA_BYTES = 64 * 1024 * 1024
"""The largest body that is read where audio or vectors are asked for."""

OK = 200
GOOD = frozenset({OK, 201})
"""Of an answer that holds what was asked for; some gateways say that they created it."""


FaultKind = Literal[
    "dns",
    "connect",
    "cut",
    "timeout",
    "broken_http",
    "oversized",
    "rate_limited",
    "overloaded",
    "server_error",
    "malformed",
]
"""What went wrong between us and an endpoint; none of it is the model's doing."""


class Fault(Exception):  # noqa: N818 - the field's word; what is made of it are errors
    """One failed attempt: its kind, what happened, and how long the server asks to wait.

    `may_pass` is False where another attempt is of no use: what is lost cannot be had again.
    """

    def __init__(
        self,
        kind: FaultKind,
        detail: str,
        retry_after: float | None = None,
        *,
        may_pass: bool = True,
    ) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
        self.retry_after = retry_after
        self.may_pass = may_pass


class Timeouts(msgspec.Struct, frozen=True):
    """How long to wait, in seconds: for a connection, between two bytes, and for a whole answer."""

    connect: float = 15.0
    read: float = 300.0
    total: float = 900.0

    @property
    def told(self) -> str:
        """The limits in words, with the option that lengthens them."""
        return (
            f"a server may be silent for {self.read:g} s and take {self.total:g} s for an answer: "
            "--read-timeout SECONDS waits longer"
        )


class Patience(msgspec.Struct, frozen=True):
    """When the gate gives up on a call, and on an endpoint.

    Attributes:
        attempts: Failed attempts at one call; refusals for want of room and outages do not count.
        seconds: How long one call may be refused for want of room.
        outage: Seconds after which an endpoint that does not answer ends the run.
    """

    attempts: int = 8
    seconds: float = 1_800.0
    outage: float = 1_800.0


class HttpResponse(msgspec.Struct, frozen=True):
    """What an endpoint answered; names of headers are found in any case.

    Attributes:
        arrivals: How many bytes of the body had come at which times of the event loop.
        faults: What went wrong at the endpoint besides, by kind: it is counted with the call.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    arrivals: Sequence[tuple[int, float]] = ()
    faults: Mapping[str, int] = {}


def reason_of(error: OSError) -> str:
    """Return what an error of the system says, without what it is about."""
    return error.strerror or type(error).__name__


class Transport(Protocol):
    """What carries a body to an endpoint and an answer back, once."""

    async def post(
        self,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
        proxy: str | None = None,
        most_bytes: int = CHAT_BYTES,
    ) -> HttpResponse:
        """Send a body and return the answer, whatever its status; raise Fault where none came.

        `most_bytes` is the largest good answer that is read.
        """
        ...

    async def close(self) -> None:
        """Release what it holds."""
        ...
