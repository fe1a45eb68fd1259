"""The port through which models reach endpoints.

Who stands behind it retries, paces and counts faults; a wire only says what to send and how to read
what comes back.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol, TypeVar

import msgspec

from dragoman.core.errors import ParticipantError
from dragoman.models.wire.transport import CHAT_BYTES, HttpResponse

T = TypeVar("T")


class Unreadable(Exception):  # noqa: N818 - it tells a sender of a bad body and never leaves it
    """A body of a good answer that is not what it must be; its text says why, without the body."""


class Misshapen(ParticipantError):  # noqa: N818 - says what the answer is
    """A whole answer of another shape than was asked for: trying again would not help."""


class EndpointRefused(ParticipantError):  # noqa: N818 - says what the endpoint did
    """A request that the endpoint refuses as it is: trying again would not help."""

    def __init__(self, status: int, body: bytes) -> None:
        shown = " ".join(body[:1_200].decode("utf-8", "replace").split())[:300]
        super().__init__(f"refused with status {status}: {shown}")
        self.status = status
        self.body = body


class Who(msgspec.Struct, frozen=True):
    """For whom something is sent: the purpose (agent, user, judge) and the model's name.

    `most_bytes` is the largest answer of theirs that is read. `is_itself` marks an endpoint that is
    the participant and no model that it asks: its silence is its own. `is_chat` marks chat completions,
    whose servers answer with an error of their own also where the request or the model is the reason.
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
        arrivals: Of an answer that came piece by piece: how many bytes had come after how many seconds.
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
        who: Who,
    ) -> tuple[T, Attempts]:
        """Post a body and return what `read_reply` makes of the answer's.

        `read_reply` raises `Unreadable` where a body is not what it must be: one more fault of the endpoint;
        and `Misshapen` where asking again would bring the same.

        Raises:
            ParticipantError: Where no readable answer came, with what was tried as its `usage`.
            Misshapen: Where the answer is of another shape, with what was tried as its `usage`.
            EndpointRefused: Where the endpoint refuses the request as it is.
        """
        ...

    def settle(self, sent: int, tokens: int) -> None:
        """Learn how many tokens an answered request of so many bytes took."""
        ...


class Gatekeeper(Protocol):
    """Lets something be done at an endpoint when it may be, and again where it broke on the way."""

    async def tried(self, attempt: Callable[[], Awaitable[T]], who: Who) -> tuple[T, Attempts]:
        """Do something until it is done, and return what came of it.

        `attempt` raises `Fault` where it broke on the way.

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
            EndpointRefused: For any other status but 200.
        """
        ...

    def hold(self, seconds: float) -> None:
        """Let nothing more through for some seconds."""
        ...
