"""Endpoint client: sends each call of a model with retries, rate limits and load balancing.

The client decides when a call may be sent (concurrency, rate limits, outages, Retry-After) and to
which of several equal endpoints. It retries transport failures and counts every failed attempt. It
does not judge the content of answers. A second sender makes a single attempt, to probe an endpoint.
"""

import asyncio
import codecs
import logging
import math
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, wait_random_exponential

from dragoman.core.errors import ParticipantError, attach_delay
from dragoman.core.texts.redaction import redact
from dragoman.core.usage import NO_ROOM, Usage
from dragoman.models.endpoints.endpoint_pool import (
    GIVEN_UP,
    NOT_REACHED,
    Endpoint,
    EndpointPool,
    Probe,
    loop_time,
    send_hedged,
)
from dragoman.models.endpoints.error_responses import is_context_overflow, is_request_error
from dragoman.models.endpoints.rate_limit import RateLimiter, pause_from_headers, retry_after
from dragoman.models.http.transport import (
    GOOD,
    Attempts,
    CallContext,
    HttpResponse,
    MalformedResponse,
    RequestRejected,
    RetryPolicy,
    Transport,
    TransportError,
    UnexpectedResponse,
)

T = TypeVar("T")
_Arrivals = tuple[tuple[int, float], ...]
_Counting = Callable[[Mapping[str, int]], None]

log = logging.getLogger(__name__)

RATE_LIMITED = 429
TIMEOUT = "timeout"
OVERLOADED = frozenset({503, 529})
OF_THE_SERVER = range(500, 600)
NO_ROOM_NOW = OVERLOADED | {RATE_LIMITED}
GATEWAYS = frozenset({408, 425, 502, 504, 520, 521, 522, 523, 524})
"""Statuses of gateways that did not reach their endpoint, or not in time."""

ELSEWHERE = range(300, 400)
"""Status codes that point to a wrong address.

If the address gave answers before, the server there has lost the endpoint.
"""

A_WINDOW = 60.0
"""Length of the windows after which providers restart their counts, in seconds.

While other calls are served, a refusal delays a call for no longer.
"""

SOON = (0.1, 0.25)
"""Minimum and maximum seconds before a failed call is sent again while others are served."""

NO_CREDIT = b"insufficient_quota"
"""OpenAI's code in a 429 that is permanent."""

HEDGED = "hedged"
"""Fault kind of a call that was sent a second time because its answer did not come.

Both calls may be charged.
"""

MOST_SHOWN = 300


class EndpointPacing(NamedTuple):
    """Pacing options of one endpoint, in addition to its adaptive limit.

    Attributes:
        allowance: Rate limiter with the allowance per minute; None for no limit.
        hedge_after: Seconds after which a call without an answer is sent a second time; None for
            never.
        too_slow: Advice in messages after a timeout: the limits, and the option that raises them.
    """

    allowance: RateLimiter | None = None
    hedge_after: float | None = None
    too_slow: str = ""


UNPACED = EndpointPacing()


class EndpointClient:
    """Client of one endpoint, or of several equal ones, with their learned limits.

    Args:
        name: The endpoint's name in messages.
        endpoints: At least one endpoint; several endpoints serve the same model.
        secrets: Texts that must not appear anywhere; they are removed from bodies and messages.
        retry_policy: Limits after which the client gives up.
        pace: Pacing of the calls.
    """

    def __init__(
        self,
        name: str,
        endpoints: Sequence[Endpoint],
        secrets: tuple[str, ...] = (),
        retry_policy: RetryPolicy | None = None,
        pace: EndpointPacing = UNPACED,
    ) -> None:
        self._name = name
        self._equal = EndpointPool(endpoints)
        self._secrets = secrets
        self._retry_policy = retry_policy or RetryPolicy()
        self._pace = pace
        self._has_reported_slow = False
        self._jitter = wait_random_exponential(multiplier=0.5, max=30)

    @classmethod
    def of(
        cls,
        name: str,
        transport: Transport,
        secrets: tuple[str, ...] = (),
        retry_policy: RetryPolicy | None = None,
    ) -> "EndpointClient":
        """Return the client of one endpoint that is reached without a proxy."""
        retry_policy = retry_policy or RetryPolicy()
        at = Endpoint(name, transport, outage=retry_policy.outage)
        return cls(name, (at,), secrets, retry_policy)

    async def send(
        self,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
        read: Callable[[bytes], T],
        call_context: CallContext,
    ) -> tuple[T, Attempts]:
        """Send a body until it is answered, and return the result of `read` for the answer.

        If the call is cancelled while the endpoint delays it, the delay is attached to the
        cancellation.

        Raises:
            ParticipantError: If no answer came; its usage holds the failed attempts.
            UnexpectedResponse: If the answer has another shape than `read` expects.
            RequestRejected: If the endpoint refused the request itself.
            RunHalted: If the endpoint is down permanently.
        """

        def posted(at: Endpoint, sent: bytes) -> Awaitable[HttpResponse]:
            return at.transport.post(
                at.url or url, headers, sent, at.proxy, call_context.most_bytes
            )

        async def attempt(at: Endpoint, began: float, count: _Counting) -> tuple[T, _Arrivals]:
            answer = await posted(at, body)
            count(answer.faults)
            value = self._understood(answer, read, at, is_chat=call_context.is_chat)
            if pause := pause_from_headers(answer.headers):
                self._hold(at, pause)
            return value, _arrivals(answer, began)

        call = _Call(attempt, call_context, len(body), lambda at: posted(at, b"{}"))
        (value, arrivals), seconds = await self._tried(call)
        return value, Attempts(call.faults, seconds, arrivals)

    async def tried(
        self, attempt: Callable[[], Awaitable[T]], call_context: CallContext
    ) -> tuple[T, Attempts]:
        """Run an operation at the endpoint, with retries, and return its result.

        If the call is cancelled while the endpoint delays it, the delay is attached to the
        cancellation.

        Args:
            attempt: Function that runs the operation once; it raises TransportError if the
                transport failed.
            call_context: Purpose and model of the call.

        Raises:
            ParticipantError: If the operation failed; its usage holds the failed attempts.
            UnexpectedResponse: If `attempt` raises it.
            RequestRejected: If `attempt` raises it.
            RunHalted: If the endpoint is down permanently.
        """
        call = _Call(lambda _at, _began, _count: attempt(), call_context)
        value, seconds = await self._tried(call)
        return value, Attempts(call.faults, seconds)

    async def _tried(self, call: "_Call[T]") -> tuple[T, float]:
        """Return the result of a call and the duration of the successful attempt."""
        try:
            try:
                return await self._attempt(call)
            except TransportError as fault:
                first = fault
            return await self._retried(call, first)
        except asyncio.CancelledError as cut:
            if (delay := self._delay(call)) is not None:
                attach_delay(cut, delay)
            raise

    def require_good(self, answer: HttpResponse, *, is_chat: bool = False) -> bytes:
        """Return the body of a good answer without the secrets.

        Args:
            answer: The answer.
            is_chat: Whether the answer belongs to a chat completion.

        Raises:
            TransportError: For a status that may differ at the next attempt.
            RequestRejected: For any other status except the good ones, 200 and 201.
        """
        return self._understood(answer, bytes, self._equal.first, is_chat=is_chat)

    def hold(self, seconds: float) -> None:
        """Pause the endpoint for some seconds, at most for the limit of the retry policy."""
        self._hold(self._equal.first, seconds)

    def settle(self, sent: int, tokens: int) -> None:
        """Record how many tokens an answered request of this size took."""
        if self._pace.allowance is not None:
            self._pace.allowance.settle(sent, tokens)

    def _hold(self, at: Endpoint, seconds: float) -> None:
        at.hold(min(seconds, self._retry_policy.seconds))

    async def _retried(self, call: "_Call[T]", first: TransportError) -> tuple[T, float]:
        try:
            return await self._again(call, first)
        except TransportError as fault:
            why = f"{fault.detail}{_describe_attempts(call.faults)}"
            error = ParticipantError(f"{self._name}: {why}{self._advice(fault)}")
            error.usage = call.spent()
            raise error from fault

    def _delay(self, call: "_Call[T]") -> ParticipantError | None:
        """Return how the endpoint delayed a cancelled call; None if it did not."""
        if call.faults:
            why = f"no answer yet ({_kinds(call.faults)})"
        elif call.sent_at is None or call.at is None:
            why = "no room for the call yet"
        elif not call.call_context.is_itself and call.at.limiter.is_late(call.sent_at):
            why = f"no answer for {loop_time() - call.sent_at:.1f} s"
        else:
            return None
        delay = ParticipantError(f"{self._name}: {why}")
        delay.usage = call.spent()
        return delay

    async def _again(self, call: "_Call[T]", first: TransportError) -> tuple[T, float]:
        pending: list[TransportError] = [first]

        async def attempt() -> tuple[T, float]:
            if pending:
                raise pending.pop()
            return await self._attempt(call)

        retrying = AsyncRetrying(
            retry=retry_if_exception(_may_pass),
            wait=lambda state: min(self._wait(state, call), self._left(call)),
            stop=lambda _: self._is_hopeless(call),
            sleep=lambda seconds: _pause(seconds, call),
            reraise=True,
        )
        return await retrying(attempt)

    def _is_hopeless(self, call: "_Call[T]") -> bool:
        is_down = call.at is not None and call.at.breaker.is_down
        has_no_room = self._left(call) <= 0 and not is_down
        return has_no_room or call.counted >= self._retry_policy.attempts

    def _left(self, call: "_Call[T]") -> float:
        """Return the seconds for which a call may still be refused for lack of capacity."""
        began = call.refused_since
        refused = 0.0 if math.isinf(began) else loop_time() - began
        return max(0.0, self._retry_policy.seconds - refused)

    def _attempt(self, call: "_Call[T]") -> Awaitable[tuple[T, float]]:
        after = self._pace.hedge_after
        return self._once(call) if after is None else self._hedged(call, after)

    async def _hedged(self, call: "_Call[T]", after: float) -> tuple[T, float]:
        call.sent_at = None

        def left() -> float:
            return after if call.sent_at is None else after - (loop_time() - call.sent_at)

        return await send_hedged(lambda: self._once(call), left, lambda: call.count(HEDGED))

    async def _once(self, call: "_Call[T]") -> tuple[T, float]:
        if self._pace.allowance is not None:
            await self._pace.allowance.take(call.sent_bytes)
        at, slot = await self._equal.enter(call.call_context.purpose, call.failed_at, call.probe)
        call.at = at
        began = call.sent_at = loop_time()
        is_refused = False
        try:
            value = await self._equal.answered(at, call.attempt(at, began, call.count_all))
        except TransportError as fault:
            is_refused = fault.kind in NO_ROOM
            self._learn(fault, call, at)
            raise
        except UnexpectedResponse as error:
            at.breaker.answered()
            call.count("malformed")
            error.usage = call.spent()
            raise
        else:
            seconds = loop_time() - began
            at.served(seconds)
            return value, seconds
        finally:
            at.limiter.leave(slot, is_refused=is_refused)

    def _understood(
        self,
        answer: HttpResponse,
        read: Callable[[bytes], T],
        at: Endpoint,
        *,
        is_chat: bool = False,
    ) -> T:
        if answer.status in GOOD:
            body = redact(answer.body, self._secrets)
            try:
                return read(body)
            except MalformedResponse as error:
                raise TransportError("malformed", str(error)) from error
        body = redact(answer.body, self._secrets)
        is_final = is_context_overflow if answer.status in NO_ROOM_NOW else is_request_error
        if is_chat and is_final(body):
            at.breaker.answered()
            raise RequestRejected(answer.status, body)
        shown = _format_body_excerpt(body)
        if answer.status == RATE_LIMITED and NO_CREDIT not in body:
            raise TransportError(
                "rate_limited", f"refused for now (429){shown}", retry_after(answer)
            )
        if answer.status in OVERLOADED:
            detail = f"overloaded ({answer.status}){shown}"
            raise TransportError("overloaded", detail, retry_after(answer))
        is_lost = answer.status in GATEWAYS or (answer.status in ELSEWHERE and at.has_served)
        if not is_lost:
            # The endpoint answers; as far as is known, only this call failed.
            at.breaker.answered()
        if is_lost or answer.status in OF_THE_SERVER:
            detail = f"status {answer.status}{shown}"
            raise TransportError("server_error", detail, retry_after(answer))
        raise RequestRejected(answer.status, body)

    def _advice(self, fault: TransportError) -> str:
        """Return advice against a fault, to be appended to a message; "" for none."""
        is_too_slow = fault.kind == TIMEOUT and fault.detail != GIVEN_UP
        return f"; {self._pace.too_slow}" if is_too_slow and self._pace.too_slow else ""

    def _learn(self, fault: TransportError, call: "_Call[T]", at: Endpoint) -> None:
        if (advice := self._advice(fault)) and not self._has_reported_slow:
            self._has_reported_slow = True
            log.warning("%s: %s, the call is sent again%s", self._name, fault.detail, advice)
        call.count(fault.kind)
        call.failed_at.add(at)
        if fault.kind in NO_ROOM:
            call.refused_since = min(call.refused_since, loop_time())
        else:
            call.refused_since = math.inf
            call.counted += not at.breaker.is_down and fault.kind not in NOT_REACHED
        at.learn(fault)

    def _wait(self, state: RetryCallState, call: "_Call[T]") -> float:
        if self._equal.has_other(call.failed_at):
            return 0.0
        call.failed_at.clear()
        outcome = state.outcome
        fault = outcome.exception() if outcome is not None else None
        asked = (isinstance(fault, TransportError) and fault.retry_after) or 0.0
        if call.others_served_since(loop_time() - A_WINDOW):
            asked = min(asked, A_WINDOW)
        jittered = self._jittered(state, call.at)
        # A server that repeatedly asks for a tiny pause must not cause a tight loop.
        return asked + (min(jittered, asked / 4) if asked >= 1 else jittered)

    def _jittered(self, state: RetryCallState, at: Endpoint | None) -> float:
        """Return the waiting time if the server does not ask for one.

        It grows with each attempt, unless other calls are served.
        """
        if at is None or not at.is_serving:
            return float(self._jitter(state))
        shortest, longest = SOON
        # The number is not a secret.
        return random.uniform(0.5, 1) * max(shortest, min(at.limiter.usual, longest))  # noqa: S311


class _Call(Generic[T]):
    """One call in flight: its operation, and the number of failed attempts."""

    __slots__ = (
        "at",
        "attempt",
        "call_context",
        "counted",
        "failed_at",
        "faults",
        "probe",
        "refused_since",
        "sent_at",
        "sent_bytes",
    )

    def __init__(
        self,
        attempt: Callable[[Endpoint, float, _Counting], Awaitable[T]],
        call_context: CallContext,
        sent_bytes: int = 0,
        probe: Probe | None = None,
    ) -> None:
        self.attempt, self.call_context = attempt, call_context
        self.sent_bytes, self.probe = sent_bytes, probe
        self.at: Endpoint | None = None
        self.failed_at: set[Endpoint] = set()
        self.faults: dict[str, int] = {}
        self.counted = 0
        self.refused_since = math.inf
        self.sent_at: float | None = None

    def count(self, kind: str) -> None:
        """Count a failed attempt, or the second sending of a hedged call."""
        self.faults = {**self.faults, kind: self.faults.get(kind, 0) + 1}

    def count_all(self, faults: Mapping[str, int]) -> None:
        """Count additional faults that an answer reports."""
        if faults:
            kinds = dict.fromkeys((*self.faults, *faults))
            self.faults = {k: self.faults.get(k, 0) + faults.get(k, 0) for k in kinds}

    def others_served_since(self, moment: float) -> bool:
        """Return whether the endpoint of the last attempt has served another call since then."""
        return self.at is not None and self.at.served_at > moment

    def spent(self) -> Usage:
        """Return the usage of a call without an answer."""
        return Usage(self.call_context.purpose, self.call_context.model, 0, faults=self.faults)


async def _pause(seconds: float, call: "_Call[T]") -> None:
    """Wait; if other calls are served meanwhile, wait no longer than a window."""
    began = loop_time()
    while (left := began + seconds - loop_time()) > 0:
        await asyncio.sleep(min(left, A_WINDOW))
        if left > A_WINDOW and call.others_served_since(began):
            return


def _may_pass(error: BaseException) -> bool:
    return isinstance(error, TransportError) and error.may_pass


def _arrivals(answer: HttpResponse, began: float) -> _Arrivals:
    """Return the arrival times of an answer's pieces since its sending; none for a single piece."""
    if len(answer.arrivals) <= 1:
        return ()
    return tuple((come, at - began) for come, at in answer.arrivals)


def _describe_attempts(faults: Mapping[str, int]) -> str:
    attempts = sum(faults.values())
    return f" (gave up after {attempts} attempts: {_kinds(faults)})" if attempts > 1 else ""


def _kinds(faults: Mapping[str, int]) -> str:
    return ", ".join(f"{kind} {count}" for kind, count in faults.items())


def _format_body_excerpt(body: bytes) -> str:
    text = " ".join(body[: 4 * MOST_SHOWN].decode("utf-8", "replace").split())
    return f": {text[:MOST_SHOWN]}" if text else ""


class SingleAttemptSender:
    """Sender that makes one attempt, without rate limits, pauses or retries.

    Args:
        transport: Transport of the requests.
        proxy: The address of a proxy, or None.
        secrets: Texts that are removed from every answer.

    Attributes:
        answer: The last answer, whatever its status, without the secrets; None before the first.
    """

    def __init__(
        self, transport: Transport, proxy: str | None = None, secrets: tuple[str, ...] = ()
    ) -> None:
        self.answer: HttpResponse | None = None
        self._transport = transport
        self._proxy = proxy
        self._secrets = secrets

    async def send(
        self,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
        read: Callable[[bytes], T],
        call_context: CallContext,
    ) -> tuple[T, Attempts]:
        """Post a body once and return the result of `read` for the answer's body.

        Raises:
            TransportError: If no whole answer came.
            ParticipantError: If `read` finds the answer malformed.
            RequestRejected: For any status except the good ones, 200 and 201.
        """
        self.answer = None
        began = loop_time()
        given = await self._transport.post(url, headers, body, self._proxy, call_context.most_bytes)
        seconds = loop_time() - began
        is_good = given.status in GOOD
        content = redact(given.body.removeprefix(codecs.BOM_UTF8), self._secrets)
        self.answer = HttpResponse(given.status, given.headers, content, given.arrivals)
        if not is_good:
            raise RequestRejected(given.status, content)
        try:
            value = read(content)
        except MalformedResponse as error:
            raise ParticipantError(str(error)) from error
        arrivals = tuple((come, at - began) for come, at in given.arrivals)
        return value, Attempts({}, seconds, arrivals if len(arrivals) > 1 else ())

    def settle(self, sent: int, tokens: int) -> None:
        """Do nothing: this sender has no rate limits."""
