"""The gate in front of one endpoint: every call of a model goes through it.

It decides when a call may go (pace, outages, what the server said about its limits), tries again what
broke on the way, and counts every failed attempt. What a model answered badly is none of its business.
"""

import asyncio
import math
import random
from collections.abc import Awaitable, Callable, Mapping
from typing import Generic, TypeVar

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, wait_random_exponential

from dragoman.core.errors import ParticipantError, tell_delay
from dragoman.core.texts.hidden_keys import hidden
from dragoman.core.usage import Usage
from dragoman.models.wire.breaker import Breaker
from dragoman.models.wire.pacing import Pacer
from dragoman.models.wire.rate_headers import pause_asked, retry_after
from dragoman.models.wire.sending import Attempts, EndpointRefused, Misshapen, Unreadable, Who
from dragoman.models.wire.transport import Fault, FaultKind, HttpResponse, Patience, Transport

T = TypeVar("T")

OK = 200
RATE_LIMITED = 429
OVERLOADED = frozenset({503, 529})
OF_THE_SERVER = range(500, 600)
GATEWAYS = frozenset({408, 425, 502, 504, 520, 521, 522, 523, 524})
"""Said by what stands before an endpoint: it was not reached, or not in time."""

NO_CREDIT = b"insufficient_quota"
"""OpenAI's word in a 429 that no waiting mends."""

NOT_REACHED = frozenset({"dns", "connect"})
NO_ROOM = frozenset({"rate_limited", "overloaded"})
WAS_REACHED = frozenset({"rate_limited", "malformed", "oversized"})
SPREAD_SECONDS = 0.05
MOST_SHOWN = 300


class Gate:
    """One endpoint, with what was learned about it.

    Args:
        name: The endpoint in messages.
        transport: Carries what is sent.
        secrets: Texts that must not appear anywhere: taken out of bodies and messages.
        proxy: The address of a proxy, or None.
        patience: When to give up.
    """

    def __init__(
        self,
        name: str,
        transport: Transport,
        secrets: tuple[str, ...] = (),
        proxy: str | None = None,
        patience: Patience | None = None,
    ) -> None:
        self._name = name
        self._transport = transport
        self._secrets = secrets
        self._proxy = proxy
        self._patience = patience or Patience()
        self._pacer = Pacer(_now)
        self._breaker = Breaker(name, self._patience.outage, _now)
        self._paused_until = 0.0
        self._jitter = wait_random_exponential(multiplier=0.5, max=30)

    async def send(
        self,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
        read: Callable[[bytes], T],
        who: Who,
    ) -> tuple[T, Attempts]:
        """Send a body until it is answered, and return what `read` makes of the answer.

        Where it is cut off and the endpoint had held it up, the cancellation says so.

        Raises:
            ParticipantError: Where it could not be answered; with the failed attempts as usage.
            Misshapen: Where the answer is of another shape than `read` reads.
            EndpointRefused: Where the endpoint refused the request itself.
            RunHalted: Where the endpoint is down for good.
        """

        async def attempt() -> tuple[T, tuple[tuple[int, float], ...]]:
            began, transport, proxy = _now(), self._transport, self._proxy
            answer = await transport.post(url, headers, body, proxy, who.most_bytes)
            value = self._understood(answer, read)
            self._heed(answer)
            return value, _arrivals(answer, began)

        (value, arrivals), attempts = await self.tried(attempt, who)
        return value, Attempts(attempts.faults, attempts.seconds, arrivals)

    async def tried(self, attempt: Callable[[], Awaitable[T]], who: Who) -> tuple[T, Attempts]:
        """Do something at the endpoint until it is done, and return what came of it.

        Where it is cut off and the endpoint had held it up, the cancellation says so.

        Args:
            attempt: Does it once; raises Fault where it broke on the way.
            who: For whom.

        Raises:
            ParticipantError: Where it could not be done; with the failed attempts as usage.
            Misshapen: Where `attempt` says so.
            EndpointRefused: Where `attempt` says so.
            RunHalted: Where the endpoint is down for good.
        """
        call = _Call(attempt, who)
        try:
            return await self._done(call)
        except asyncio.CancelledError as cut:
            if (delay := self._delay(call)) is not None:
                tell_delay(cut, delay)
            raise

    def require_good(self, answer: HttpResponse) -> bytes:
        """Return the body of an answer without the secrets.

        Raises:
            Fault: For a status that may be another one next time.
            EndpointRefused: For any other status but 200.
        """
        return self._understood(answer, bytes)

    def hold(self, seconds: float) -> None:
        """Let nothing more through for some seconds, as far as patience goes."""
        pause = min(seconds, self._patience.seconds)
        if pause > 0:
            self._paused_until = max(self._paused_until, _now() + pause)

    async def _done(self, call: "_Call[T]") -> tuple[T, Attempts]:
        try:
            return await self._attempt(call)
        except Fault as fault:
            first = fault
        try:
            return await self._again(call, first)
        except Fault as fault:
            error = ParticipantError(f"{self._name}: {fault.detail}{_counted(call.faults)}")
            error.usage = call.spent()
            raise error from fault

    def _delay(self, call: "_Call[T]") -> ParticipantError | None:
        """Return how the endpoint held a call up that is cut off; None where it did not."""
        if call.faults:
            why = f"no answer yet ({_kinds(call.faults)})"
        elif call.sent_at is None:
            why = "no room for the call yet"
        elif not call.who.is_itself and self._pacer.is_late(call.sent_at):
            why = f"no answer for {_now() - call.sent_at:.1f} s"
        else:
            return None
        delay = ParticipantError(f"{self._name}: {why}")
        delay.usage = call.spent()
        return delay

    async def _again(self, call: "_Call[T]", first: Fault) -> tuple[T, Attempts]:
        pending: list[Fault] = [first]

        async def attempt() -> tuple[T, Attempts]:
            if pending:
                raise pending.pop()
            return await self._attempt(call)

        retrying = AsyncRetrying(
            retry=retry_if_exception(_may_pass),
            wait=lambda state: min(self._wait(state), self._left(call)),
            stop=lambda _: self._is_hopeless(call),
            reraise=True,
        )
        return await retrying(attempt)

    def _is_hopeless(self, call: "_Call[T]") -> bool:
        has_no_room = self._left(call) <= 0 and not self._breaker.is_down
        return has_no_room or call.counted >= self._patience.attempts

    def _left(self, call: "_Call[T]") -> float:
        """Return for how many seconds a call may still be refused for want of room."""
        began = call.refused_since
        refused = 0.0 if math.isinf(began) else _now() - began
        return max(0.0, self._patience.seconds - refused)

    async def _attempt(self, call: "_Call[T]") -> tuple[T, Attempts]:
        await self._breaker.ready()
        await self._pause_over()
        slot = await self._pacer.enter()
        began = call.sent_at = _now()
        try:
            value = await call.attempt()
        except Fault as fault:
            self._learn(fault, call)
            raise
        except Misshapen as error:
            self._breaker.answered()
            call.count("malformed")
            error.usage = call.spent()
            raise
        else:
            seconds = _now() - began
            self._pacer.answered(seconds)
            self._breaker.answered()
            return value, Attempts(call.faults, seconds)
        finally:
            self._pacer.leave(slot)

    def _understood(self, answer: HttpResponse, read: Callable[[bytes], T]) -> T:
        body = hidden(answer.body, self._secrets)
        if answer.status == OK:
            try:
                return read(body)
            except Unreadable as error:
                raise Fault("malformed", str(error)) from error
        shown = _shown(body)
        if answer.status == RATE_LIMITED and NO_CREDIT not in body:
            raise Fault("rate_limited", f"refused for now (429){shown}", retry_after(answer))
        if answer.status in OVERLOADED:
            detail = f"overloaded ({answer.status}){shown}"
            raise Fault("overloaded", detail, retry_after(answer))
        if answer.status not in GATEWAYS:
            # It answers; what broke is this call, as far as anybody knows.
            self._breaker.answered()
        if answer.status in GATEWAYS or answer.status in OF_THE_SERVER:
            detail = f"status {answer.status}{shown}"
            raise Fault("server_error", detail, retry_after(answer))
        raise EndpointRefused(answer.status, body)

    def _learn(self, fault: Fault, call: "_Call[T]") -> None:
        call.count(fault.kind)
        if fault.kind in NO_ROOM:
            self._pacer.refused()
            call.refused_since = min(call.refused_since, _now())
        else:
            call.refused_since = math.inf
            call.counted += not self._breaker.is_down and fault.kind not in NOT_REACHED
        if fault.kind in WAS_REACHED:
            self._breaker.answered()
        else:
            self._breaker.failed(fault.detail)

    def _heed(self, answer: HttpResponse) -> None:
        """Hold further calls back where the server says that its allowance is used up."""
        self.hold(pause_asked(answer.headers))

    async def _pause_over(self) -> None:
        left = self._paused_until - _now()
        if left > 0:
            await asyncio.sleep(left + random.uniform(0, SPREAD_SECONDS))  # noqa: S311 - no secret

    def _wait(self, state: RetryCallState) -> float:
        outcome = state.outcome
        fault = outcome.exception() if outcome is not None else None
        jittered = float(self._jitter(state))
        asked = (isinstance(fault, Fault) and fault.retry_after) or 0.0
        # Who asks for next to nothing, again and again, is not to be asked in a tight loop.
        return asked + (min(jittered, asked / 4) if asked >= 1 else jittered)


class _Call(Generic[T]):
    """One call under way: what is done, and how often it failed."""

    __slots__ = ("attempt", "counted", "faults", "refused_since", "sent_at", "who")

    def __init__(self, attempt: Callable[[], Awaitable[T]], who: Who) -> None:
        self.attempt, self.who = attempt, who
        self.faults: dict[str, int] = {}
        self.counted = 0
        self.refused_since = math.inf
        self.sent_at: float | None = None

    def count(self, kind: FaultKind) -> None:
        """Count a failed attempt."""
        self.faults = {**self.faults, kind: self.faults.get(kind, 0) + 1}

    def spent(self) -> Usage:
        """Return what a call without an answer consumed."""
        return Usage(self.who.purpose, self.who.model, 0, faults=self.faults)


def _may_pass(error: BaseException) -> bool:
    return isinstance(error, Fault) and error.may_pass


def _now() -> float:
    """Return the event loop's time: seconds that never go back, and what all waits go by."""
    return asyncio.get_running_loop().time()


def _arrivals(answer: HttpResponse, began: float) -> tuple[tuple[int, float], ...]:
    """Return when the pieces of an answer came, counted from its sending; nothing for one piece."""
    if len(answer.arrivals) <= 1:
        return ()
    return tuple((come, at - began) for come, at in answer.arrivals)


def _counted(faults: Mapping[str, int]) -> str:
    attempts = sum(faults.values())
    return f" (gave up after {attempts} attempts: {_kinds(faults)})" if attempts > 1 else ""


def _kinds(faults: Mapping[str, int]) -> str:
    return ", ".join(f"{kind} {count}" for kind, count in faults.items())


def _shown(body: bytes) -> str:
    text = " ".join(body[: 4 * MOST_SHOWN].decode("utf-8", "replace").split())
    return f": {text[:MOST_SHOWN]}" if text else ""
