"""Transport and sender protocols: timeouts, retry policy, responses and transport errors.

A transport carries one request and one response. A sender retries, limits rates and counts failed
attempts; a model client only builds the request and reads the response. A server on this machine
gets longer timeouts, since it may read a long prompt for minutes before it answers.
"""

import ipaddress
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Literal, Protocol, TypeVar
from urllib.parse import urlsplit

import msgspec

from dragoman.core.errors import ParticipantError

CHAT_BYTES = 8 * 1024 * 1024
"""The largest body of a reply in words and calls that is read."""

MEDIA_BYTES = 64 * 1024 * 1024
"""The largest body that is read where audio or vectors are asked for."""

OK = 200
GOOD = frozenset({OK, 201})
"""Of an answer that holds what was asked for; some gateways say that they created it."""


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
"""What went wrong between us and an endpoint; none of it is the model's doing."""


class TransportError(Exception):
    """One failed attempt: its kind, what happened, and how long the server asks to wait.

    `may_pass` is False where another attempt is of no use: what is lost cannot be had again.
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
    """How long to wait, in seconds: for a connection, between two bytes, and for a whole answer."""

    connect: float = 15.0
    read: float = 300.0
    total: float = 900.0

    @property
    def description(self) -> str:
        """The limits in words, with the option that lengthens them."""
        return (
            f"a server may be silent for {self.read:g} s and take {self.total:g} s for an answer: "
            "--read-timeout SECONDS waits longer"
        )


class RetryPolicy(msgspec.Struct, frozen=True):
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


def describe_os_error(error: OSError) -> str:
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


T = TypeVar("T")


class MalformedResponse(Exception):  # noqa: N818
    """A body of a good answer that is not what it must be; its text says why, without the body."""


class UnexpectedResponse(ParticipantError):  # noqa: N818 - says what the answer is
    """A whole answer of another shape than was asked for: trying again would not help."""


class RequestRejected(ParticipantError):  # noqa: N818 - says what the endpoint did
    """A request that the endpoint refuses as it is: trying again would not help."""

    def __init__(self, status: int, body: bytes) -> None:
        shown = " ".join(body[:1_200].decode("utf-8", "replace").split())[:300]
        super().__init__(f"refused with status {status}: {shown}")
        self.status = status
        self.body = body


class CallContext(msgspec.Struct, frozen=True):
    """For whom something is sent: the purpose (agent, user, judge) and the model's name.

    `most_bytes` is the largest answer of theirs that is read. `is_itself` marks an endpoint that is
    the participant and no model that it asks: its silence is its own. `is_chat` marks chat
    completions, whose servers answer with an error of their own also where the request or the model
    is the reason.
    """

    purpose: str
    model: str
    most_bytes: int = CHAT_BYTES
    is_itself: bool = False
    is_chat: bool = False


class Attempts(msgspec.Struct, frozen=True):
    """What it took to get an answer.

    Attributes:
        faults: Failed attempts by kind.
        seconds: How long the attempt that was answered was under way.
        arrivals: Of an answer that came piece by piece: how many bytes had come after how many
            seconds.
        is_timed: Whether `seconds` says how long the model took: what a batch brings has no time.
    """

    faults: dict[str, int]
    seconds: float
    arrivals: tuple[tuple[int, float], ...] = ()
    is_timed: bool = True

    def seconds_to(self, count: int) -> float:
        """Return how long it took until so many bytes had come."""
        return next((after for come, after in self.arrivals if come >= count), self.seconds)


class Sender(Protocol):
    """Sends a body until it is answered, or gives up."""

    async def send(
        self,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
        read: Callable[[bytes], T],
        call_context: CallContext,
    ) -> tuple[T, Attempts]:
        """Post a body and return what `read` makes of the answer's.

        `read` raises `MalformedResponse` where a body is not what it must be: one more fault of the
        endpoint; and `UnexpectedResponse` where asking again would bring the same.

        Raises:
            ParticipantError: Where no readable answer came, with what was tried as its `usage`.
            Misshapen: Where the answer is of another shape, with what was tried as its `usage`.
            RequestRejected: Where the endpoint refuses the request as it is.
        """
        ...

    def settle(self, sent: int, tokens: int) -> None:
        """Learn how many tokens an answered request of so many bytes took."""
        ...


class CallScheduler(Protocol):
    """Lets something be done at an endpoint when it may be, and again where it broke on the way."""

    async def tried(
        self, attempt: Callable[[], Awaitable[T]], call_context: CallContext
    ) -> tuple[T, Attempts]:
        """Do something until it is done, and return what came of it.

        `attempt` raises `TransportError` where it broke on the way.

        Raises:
            ParticipantError: Where it could not be done, with what was tried as its `usage`.
        """
        ...

    def require_good(self, answer: HttpResponse, *, is_chat: bool = False) -> bytes:
        """Return the body of a good answer.

        Args:
            answer: The answer.
            is_chat: Whether it is one to a chat completion.

        Raises:
            Fault: For a status that may be another one next time.
            RequestRejected: For any other status but 200.
        """
        ...

    def hold(self, seconds: float) -> None:
        """Let nothing more through for some seconds."""
        ...


LOCAL_TIMEOUTS = Timeouts(read=1_800.0, total=3_600.0)
"""How long a server on this machine is waited for."""

_HOSTS_OF_CONTAINERS = frozenset(
    {"host.docker.internal", "gateway.docker.internal", "host.containers.internal"}
)
"""What Docker and Podman call the machine that a container runs on."""


def is_local_address(address: str) -> bool:
    """Whether an address leads to this machine, as far as it says so itself.

    Names are not looked up, and other machines of a private network are other machines.
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
