"""Transport and sender protocols: timeouts, retry policy, responses and transport errors.

A transport carries one request and one response. A sender retries, limits rates and counts failed
attempts. A model client only builds the request and parses the response. A server on this machine
gets longer timeouts, since it may read a long prompt for minutes before it answers.
"""

import ipaddress
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Literal, Protocol, TypeVar
from urllib.parse import urlsplit

import msgspec

from dragoman.core.errors import ParticipantError

CHAT_BYTES = 8 * 1024 * 1024
"""The largest body of a text reply that is read."""

MEDIA_BYTES = 64 * 1024 * 1024
"""The largest body that is read if the request asks for audio or vectors."""

OK = 200
GOOD = frozenset({OK, 201})
"""Statuses of a successful answer; some gateways send 201."""


TransportErrorKind = Literal[
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
"""Kinds of transport errors; none of them is the model's fault."""


class TransportError(Exception):
    """One failed attempt: its kind, a description, and the pause that the server asks for.

    `may_pass` is False if a retry cannot succeed, because the data are lost.
    """

    def __init__(
        self,
        kind: TransportErrorKind,
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
    """Timeouts in seconds: for a connection, between two bytes, and for a whole answer."""

    connect: float = 15.0
    read: float = 300.0
    total: float = 900.0

    @property
    def description(self) -> str:
        """The timeouts as a sentence, with the option that raises them."""
        return (
            f"a server may be silent for {self.read:g} s and take {self.total:g} s for an answer: "
            "--read-timeout SECONDS waits longer"
        )


class RetryPolicy(msgspec.Struct, frozen=True):
    """Limits after which the endpoint client gives up on a call, and on an endpoint.

    Attributes:
        attempts: Failed attempts at one call; refusals for lack of capacity and outages do not
            count.
        seconds: Longest time for which one call may be refused for lack of capacity.
        outage: Seconds after which an endpoint that does not answer ends the run.
    """

    attempts: int = 8
    seconds: float = 1_800.0
    outage: float = 1_800.0


class HttpResponse(msgspec.Struct, frozen=True):
    """Answer of an endpoint; header names are matched in any case.

    Attributes:
        arrivals: Number of bytes of the body that had come, with times of the event loop.
        faults: Additional faults of the endpoint by kind, which are counted with the call.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    arrivals: Sequence[tuple[int, float]] = ()
    faults: Mapping[str, int] = {}


def describe_os_error(error: OSError) -> str:
    """Return the message of an operating system error, without the name of the file or host."""
    return error.strerror or type(error).__name__


class Transport(Protocol):
    """Protocol of a transport: it sends a body to an endpoint once and returns the answer."""

    async def post(
        self,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
        proxy: str | None = None,
        most_bytes: int = CHAT_BYTES,
    ) -> HttpResponse:
        """Send a body and return the answer, whatever its status.

        Raise TransportError if none came.

        `most_bytes` is the size of the largest good answer that is read.
        """
        ...

    async def close(self) -> None:
        """Release all resources."""
        ...


T = TypeVar("T")


class MalformedResponse(Exception):  # noqa: N818
    """A malformed body of a good answer; the error text says why, without the body."""


class UnexpectedResponse(ParticipantError):  # noqa: N818 - says what the answer is
    """A whole answer of another shape than the request asked for: a retry would not help."""


class RequestRejected(ParticipantError):  # noqa: N818 - says what the endpoint did
    """A request that the endpoint refuses as it is: a retry would not help."""

    def __init__(self, status: int, body: bytes) -> None:
        shown = " ".join(body[:1_200].decode("utf-8", "replace").split())[:300]
        super().__init__(f"refused with status {status}: {shown}")
        self.status = status
        self.body = body


class CallContext(msgspec.Struct, frozen=True):
    """Context of a call: the purpose (agent, user, judge) and the model's name.

    `most_bytes` is the size of the largest answer that is read. `is_itself` marks an endpoint that
    is the participant itself and not a model that a participant asks: its silence counts as the
    participant's. `is_chat` marks chat completions; their servers answer with a server error even
    if the request or the model is the reason.
    """

    purpose: str
    model: str
    most_bytes: int = CHAT_BYTES
    is_itself: bool = False
    is_chat: bool = False


class Attempts(msgspec.Struct, frozen=True):
    """The attempts that led to an answer.

    Attributes:
        faults: Failed attempts by kind.
        seconds: Duration of the successful attempt.
        arrivals: For an answer that came in pieces: the number of bytes that had come after a
            number of seconds.
        is_timed: Whether `seconds` is the time of the model; answers of batches have no time.
    """

    faults: dict[str, int]
    seconds: float
    arrivals: tuple[tuple[int, float], ...] = ()
    is_timed: bool = True

    def seconds_to(self, count: int) -> float:
        """Return the seconds until this number of bytes had come."""
        return next((after for come, after in self.arrivals if come >= count), self.seconds)


class Sender(Protocol):
    """Protocol of a sender: it sends a body until it is answered, or gives up."""

    async def send(
        self,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
        read: Callable[[bytes], T],
        call_context: CallContext,
    ) -> tuple[T, Attempts]:
        """Post a body and return the result of `read` for the answer's body.

        `read` raises `MalformedResponse` if a body is malformed, which counts as a fault of the
        endpoint, and `UnexpectedResponse` if a retry would get the same answer.

        Raises:
            ParticipantError: If no readable answer came; its `usage` holds the failed attempts.
            UnexpectedResponse: If the answer has another shape; its `usage` holds the failed
                attempts.
            RequestRejected: If the endpoint refuses the request as it is.
        """
        ...

    def settle(self, sent: int, tokens: int) -> None:
        """Record how many tokens an answered request of this size in bytes took."""
        ...


class CallScheduler(Protocol):
    """Protocol of a scheduler: it runs operations at an endpoint, with retries."""

    async def tried(
        self, attempt: Callable[[], Awaitable[T]], call_context: CallContext
    ) -> tuple[T, Attempts]:
        """Run an operation with retries, and return its result.

        `attempt` raises `TransportError` if the transport failed.

        Raises:
            ParticipantError: If the operation failed; its `usage` holds the failed attempts.
        """
        ...

    def require_good(self, answer: HttpResponse, *, is_chat: bool = False) -> bytes:
        """Return the body of a good answer.

        Args:
            answer: The answer.
            is_chat: Whether the answer belongs to a chat completion.

        Raises:
            TransportError: For a status that may differ at the next attempt.
            RequestRejected: For any other status except the good ones, 200 and 201.
        """
        ...

    def hold(self, seconds: float) -> None:
        """Pause the endpoint for some seconds."""
        ...


LOCAL_TIMEOUTS = Timeouts(read=1_800.0, total=3_600.0)
"""Timeouts for a server on this machine."""

_HOSTS_OF_CONTAINERS = frozenset(
    {"host.docker.internal", "gateway.docker.internal", "host.containers.internal"}
)
"""Names that Docker and Podman give to the machine that runs a container."""


def is_local_address(address: str) -> bool:
    """Return whether an address is visibly one of this machine.

    Names are not resolved, and other machines of a private network do not count as this machine.
    """
    try:
        host = (urlsplit(address).hostname or "").rstrip(".")
    except ValueError:
        return False
    if host in _HOSTS_OF_CONTAINERS or host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        found = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    found = mapped or found
    return found.is_loopback or found.is_unspecified
