"""Does to answers what faults say: pure functions from the sound answer to the spoilt one."""

from collections.abc import Mapping
from email.utils import formatdate

import msgspec
from msgspec.structs import replace

from dragoman.testing.chat_requests import Call, Refusal
from dragoman.testing.completions import CannedReply, event
from dragoman.testing.faults import (
    UNRESOLVABLE_URL,
    AgentFault,
    Cut,
    EmptyBody,
    Hang,
    HugeBody,
    InvalidArguments,
    MalformedJson,
    RateLimited,
    Redirect,
    Reset,
    ServerError,
    Slow,
    TransportFault,
    WrongContentType,
)
from dragoman.testing.http_answers import HttpAnswer, error_answer

DRIBBLES = 10

_PAGE = b"<!doctype html><title>Gateway</title><p>This is not the answer you are looking for.</p>"
_LIMITED = Refusal("too many requests (an injected fault)", None, "rate_limited", 429, "requests")


class Moment(msgspec.Struct, frozen=True):
    """When a fault strikes: seconds since 1970, and a number from 0 to 1 that settles its details."""

    now: float
    chance: float


def spoil(fault: TransportFault, answer: HttpAnswer, moment: Moment) -> HttpAnswer:
    """Return what is sent instead of a sound answer."""
    match fault:
        case RateLimited():
            return error_answer(_LIMITED, _limit_headers(fault, moment.now))
        case ServerError():
            return _server_error(fault, answer, moment.chance)
        case WrongContentType() | EmptyBody() | Redirect() | HugeBody():
            return _other_body(fault, answer)
        case MalformedJson():
            return _torn(answer)
        case Slow() | Hang():
            return _delayed(fault, answer)
        case Cut() | Reset():
            return _broken_off(fault, answer)


def spoil_reply(fault: AgentFault, reply: CannedReply) -> CannedReply:
    """Return the reply with a mistake in it; the same reply where it has no place for it."""
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


def _torn(answer: HttpAnswer) -> HttpAnswer:
    if not answer.is_stream:
        return replace(answer, pieces=(_first_half(answer.body),))
    middle = (len(answer.pieces) - 1) // 2
    torn = _first_half(answer.pieces[middle].rstrip()) + b"\n\n"
    return replace(answer, pieces=(*answer.pieces[:middle], torn, *answer.pieces[middle + 1 :]))


def _delayed(fault: Slow | Hang, answer: HttpAnswer) -> HttpAnswer:
    if isinstance(fault, Slow):
        pieces = _divided(answer.body, DRIBBLES)
        return replace(answer, pieces=pieces, pause=fault.seconds / (len(pieces) - 1 or 1))
    if answer.is_stream:
        return replace(answer, pieces=_divided(answer.body, 2), pause=fault.seconds)
    return replace(answer, wait=answer.wait + fault.seconds)


def _broken_off(fault: Cut | Reset, answer: HttpAnswer) -> HttpAnswer:
    if isinstance(fault, Reset):
        return replace(answer, ending="reset")
    sent = _first_half(answer.body)
    return replace(answer, pieces=(sent,), ending="cut", missing=len(answer.body) - len(sent))


def _first_half(data: bytes) -> bytes:
    return data[: len(data) // 2]


def _divided(data: bytes, parts: int) -> tuple[bytes, ...]:
    size = -(-len(data) // parts)
    return tuple(data[start : start + size] for start in range(0, len(data), size))


def _with_broken_arguments(call: Call) -> Call:
    # Nothing at all would be read as no arguments.
    broken = call.function.arguments.rstrip()[:-1] or "{"
    return replace(call, function=replace(call.function, arguments=broken))
