"""Fault injection: faults drawn from the content of a request, and applied to the answer.

Transport faults hit the answer on its way. They are drawn again each time a request comes again, so
that retries can succeed. Agent faults are mistakes of the model in a well-formed answer. They
depend only on the request, so a retry does not change the model's reply.
"""

from collections.abc import Mapping, Sequence
from email.utils import formatdate
from typing import Literal, TypeVar

import msgspec
from msgspec.structs import replace

from dragoman.core.content_keys import derive_seed
from dragoman.testing.chat_requests import Call, Refusal
from dragoman.testing.responses import CannedReply, HttpAnswer, error_answer, event

UNRESOLVABLE_URL = "http://no-such-host.invalid/v1"
"""An address with a name that never resolves.

Its top-level domain is reserved for that (RFC 2606).
"""

_CHANCES = 2**31
_ROUNDING = 1e-9


class ServerFault(msgspec.Struct, frozen=True, tag_field="kind", forbid_unknown_fields=True):
    """A fault that hits a share `rate` of requests, from 0 to 1."""

    rate: float

    def __post_init__(self) -> None:
        """Refuse a rate outside of this range."""
        if not 0 <= self.rate <= 1:
            raise ValueError(f"a rate is from 0 to 1, not {self.rate}")


class RateLimited(ServerFault, frozen=True, tag="rate_limited"):
    """Status 429, with `Retry-After` in seconds or as a date; None omits the header."""

    retry_after: int | None = 1
    as_date: bool = False
    with_limits: bool = False


class ServerError(ServerFault, frozen=True, tag="server_error"):
    """One of several statuses from 500; `in_stream` ends streams with an error event instead.

    `retry_after` is the header in seconds; None for no header.
    """

    statuses: tuple[int, ...] = (500, 502, 503)
    in_stream: bool = False
    retry_after: int | None = None

    def __post_init__(self) -> None:
        """Refuse statuses that are not server errors."""
        ServerFault.__post_init__(self)
        if not self.statuses or not all(500 <= status <= 599 for status in self.statuses):  # noqa: PLR2004
            raise ValueError(f"statuses are from 500 to 599, not {self.statuses}")


class Slow(ServerFault, frozen=True, tag="slow"):
    """The body is sent in small pieces over some seconds."""

    seconds: float = 1.0


class Cut(ServerFault, frozen=True, tag="cut"):
    """The connection closes in the middle of the body."""


class Reset(ServerFault, frozen=True, tag="reset"):
    """The connection is reset before any byte."""


class MalformedJson(ServerFault, frozen=True, tag="malformed_json"):
    """Status 200 with broken JSON; in a stream, in one of its events."""


class WrongContentType(ServerFault, frozen=True, tag="wrong_content_type"):
    """Status 200 with a page of HTML."""


class EmptyBody(ServerFault, frozen=True, tag="empty_body"):
    """Status 200 with an empty body."""


class Redirect(ServerFault, frozen=True, tag="redirect"):
    """Status 302 to another address, as a proxy answers when it has lost its server."""


class HugeBody(ServerFault, frozen=True, tag="huge_body"):
    """Status 200 with this many bytes of white space before the answer."""

    size: int = 16 * 1024 * 1024


class Hang(ServerFault, frozen=True, tag="hang"):
    """Silence for some seconds, before the answer or in the middle of a stream."""

    seconds: float = 60.0


class InvalidArguments(ServerFault, frozen=True, tag="invalid_arguments"):
    """The arguments of the reply's calls are broken JSON; replies without calls stay whole."""


class DuplicateReply(ServerFault, frozen=True, tag="duplicate_reply"):
    """The last call comes twice with one id; a reply without calls comes as two equal choices."""


TransportFault = (
    RateLimited
    | ServerError
    | Slow
    | Cut
    | Reset
    | MalformedJson
    | WrongContentType
    | EmptyBody
    | Redirect
    | HugeBody
    | Hang
)
AgentFault = InvalidArguments | DuplicateReply
Ending = Literal["completed", "failed", "expired", "cancelled"]
LineFault = Literal["ok", "malformed", "wrong_id", "missing", "refused", "overloaded"]
Kind = TypeVar("Kind", bound=ServerFault)


class Faults(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All faults of a server; at most one of each group hits an answer.

    Args:
        transport: Faults that hit answers on their way.
        agent: Mistakes of the model itself.
        most_in_a_row: Number of transport faults in a row after which a request is spared once.
        first: Number of first requests that transport faults spare.
    """

    transport: tuple[TransportFault, ...] = ()
    agent: tuple[AgentFault, ...] = ()
    most_in_a_row: int = 3
    first: int = 0

    def __post_init__(self) -> None:
        """Refuse rates that add up to more than 1."""
        for group in (self.transport, self.agent):
            total = sum(fault.rate for fault in group)
            if total > 1 + _ROUNDING:
                raise ValueError(f"the rates of one group add up to {total:g}, more than 1")
        if self.most_in_a_row < 1:
            raise ValueError(f"most_in_a_row is at least 1, not {self.most_in_a_row}")


class BatchFaults(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Faults of batches, in the order of their occurrence; none by default.

    Args:
        seconds: Seconds for which a batch is in progress.
        refused: Number of batches that are refused with status 429 before one is accepted.
        lost: Number of times that the connection is cut after a batch was created.
        endings: Endings of the first batches; later ones are completed. An `expired` batch has
            answered every other request, a `failed` or `cancelled` one none.
        lines: Faults in the answers of the first batch that has answers, from its first request on.
        are_served: Whether the server offers batches at all.
    """

    seconds: float = 0.0
    refused: int = 0
    lost: int = 0
    endings: tuple[Ending, ...] = ()
    lines: tuple[LineFault, ...] = ()
    are_served: bool = True


class FaultDraws:
    """Draws faults from the seed and the content.

    For transport faults, the number of earlier requests with the content counts, too.
    """

    def __init__(self, faults: Faults, seed: int) -> None:
        self._faults = faults
        self._seed = seed
        self._times: dict[str, tuple[int, int]] = {}
        self._to_spare = faults.first

    def transport(self, content: str) -> TransportFault | None:
        """Return the fault of the answer to the next request with this content, if any."""
        if not self._faults.transport:
            return None
        if self._to_spare > 0:
            self._to_spare -= 1
            return None
        times, in_a_row = self._times.get(content, (0, 0))
        fault = None
        if in_a_row < self._faults.most_in_a_row:
            fault = choose_fault(
                self._faults.transport, chance(self._seed, content, f"try {times}")
            )
        self._times[content] = (times + 1, 0 if fault is None else in_a_row + 1)
        return fault

    def agent(self, content: str) -> AgentFault | None:
        """Return the mistake in the reply to a request with this content, if any."""
        if not self._faults.agent:
            return None
        return choose_fault(self._faults.agent, chance(self._seed, content, "agent"))


def chance(seed: int, content: str, purpose: str) -> float:
    """Return a number from 0 up to 1, without 1, that depends only on the arguments."""
    return derive_seed(content, f"{purpose}/{seed}") / _CHANCES


def kind_of(fault: ServerFault) -> str:
    """Return a fault's name, as in files and logs."""
    return str(fault.__struct_config__.tag)


def choose_fault(faults: Sequence[Kind], drawn: float) -> Kind | None:
    """Return the fault whose interval between 0 and 1 contains the draw."""
    reached = 0.0
    for fault in faults:
        reached += fault.rate
        if drawn < reached:
            return fault
    return None


DRIBBLES = 10

_PAGE = b"<!doctype html><title>Gateway</title><p>This is not the answer you are looking for.</p>"
_LIMITED = Refusal("too many requests (an injected fault)", None, "rate_limited", 429, "requests")


class Moment(msgspec.Struct, frozen=True):
    """The time of a fault, and a number that determines its details.

    The time is in seconds since 1970, the number from 0 to 1.
    """

    now: float
    chance: float


def inject_fault(fault: TransportFault, answer: HttpAnswer, moment: Moment) -> HttpAnswer:
    """Return the faulty answer in place of a correct one."""
    match fault:
        case RateLimited():
            return error_answer(_LIMITED, _limit_headers(fault, moment.now))
        case ServerError():
            return _server_error(fault, answer, moment.chance)
        case WrongContentType() | EmptyBody() | Redirect() | HugeBody():
            return _other_body(fault, answer)
        case MalformedJson():
            return _truncate_answer(answer)
        case Slow() | Hang():
            return _delay_answer(fault, answer)
        case Cut() | Reset():
            return _broken_off(fault, answer)


def inject_reply_fault(fault: AgentFault, reply: CannedReply) -> CannedReply:
    """Return the reply with a mistake, or the same reply if the mistake does not apply to it."""
    if isinstance(fault, InvalidArguments):
        return replace(reply, tool_calls=tuple(map(_with_broken_arguments, reply.tool_calls)))
    if reply.tool_calls:
        return replace(reply, tool_calls=(*reply.tool_calls, reply.tool_calls[-1]))
    return replace(reply, choices=2)


def _limit_headers(fault: RateLimited, now: float) -> Mapping[str, str]:
    after = fault.retry_after
    if after is None:
        return {}
    headers = {"Retry-After": formatdate(now + after, usegmt=True) if fault.as_date else str(after)}
    if fault.with_limits:
        headers |= {
            "x-ratelimit-limit-requests": "1",
            "x-ratelimit-remaining-requests": "0",
            "x-ratelimit-reset-requests": f"{after}s",
        }
    return headers


def _server_error(fault: ServerError, answer: HttpAnswer, drawn: float) -> HttpAnswer:
    status = fault.statuses[int(drawn * len(fault.statuses))]
    refusal = Refusal("the server broke (an injected fault)", status=status, type="server_error")
    after = fault.retry_after
    error = error_answer(refusal, {} if after is None else {"Retry-After": str(after)})
    if not (fault.in_stream and answer.is_stream):
        return error
    whole = answer.pieces[: len(answer.pieces) // 2]
    return replace(answer, pieces=(*whole, event(error.body)))


def _other_body(
    fault: WrongContentType | EmptyBody | Redirect | HugeBody, answer: HttpAnswer
) -> HttpAnswer:
    match fault:
        case WrongContentType():
            return HttpAnswer(200, (_PAGE,), "text/html")
        case EmptyBody():
            return replace(answer, pieces=())
        case Redirect():
            return HttpAnswer(302, (_PAGE,), "text/html", {"Location": UNRESOLVABLE_URL})
        case HugeBody():
            return replace(answer, pieces=(b" " * fault.size, answer.body))


def _truncate_answer(answer: HttpAnswer) -> HttpAnswer:
    if not answer.is_stream:
        return replace(answer, pieces=(_first_half(answer.body),))
    middle = (len(answer.pieces) - 1) // 2
    torn = _first_half(answer.pieces[middle].rstrip()) + b"\n\n"
    return replace(answer, pieces=(*answer.pieces[:middle], torn, *answer.pieces[middle + 1 :]))


def _delay_answer(fault: Slow | Hang, answer: HttpAnswer) -> HttpAnswer:
    if isinstance(fault, Slow):
        pieces = _split_bytes(answer.body, DRIBBLES)
        return replace(answer, pieces=pieces, pause=fault.seconds / (len(pieces) - 1 or 1))
    if answer.is_stream:
        return replace(answer, pieces=_split_bytes(answer.body, 2), pause=fault.seconds)
    return replace(answer, wait=answer.wait + fault.seconds)


def _broken_off(fault: Cut | Reset, answer: HttpAnswer) -> HttpAnswer:
    if isinstance(fault, Reset):
        return replace(answer, ending="reset")
    sent = _first_half(answer.body)
    return replace(answer, pieces=(sent,), ending="cut", missing=len(answer.body) - len(sent))


def _first_half(data: bytes) -> bytes:
    return data[: len(data) // 2]


def _split_bytes(data: bytes, parts: int) -> tuple[bytes, ...]:
    size = -(-len(data) // parts)
    return tuple(data[start : start + size] for start in range(0, len(data), size))


def _with_broken_arguments(call: Call) -> Call:
    # An empty text would be read as no arguments.
    broken = call.function.arguments.rstrip()[:-1] or "{"
    return replace(call, function=replace(call.function, arguments=broken))
