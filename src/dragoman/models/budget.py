"""Budget of a run: a limit of money, tokens or time that all of its models share.

A model reserves budget before a call and records its usage after it. Reservations hold money back
for calls in flight, so that a limit is exceeded by one call at most.
"""

import asyncio
import re
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from decimal import Decimal
from typing import Literal, Protocol

import msgspec

from dragoman.core.audio import hears_audio
from dragoman.core.costs import NOTHING, PriceOf, cost_of
from dragoman.core.errors import ParticipantError, RunHalted, UsageError, attach_delay
from dragoman.core.protocols import ChatModel, ChatRequest, Completion
from dragoman.core.usage import Usage


class SpendTracker(Protocol):
    """Protocol of objects that allow calls and count their usage."""

    def require_prices(self, models: Iterable[str]) -> None:
        """Refuse models whose calls cannot be counted."""
        ...

    def reserve(self, model: str) -> AbstractAsyncContextManager[None]:
        """Return a context manager that waits until a call of a model may be sent.

        The caller leaves it once the call is counted.

        Entering it raises RunHalted if no other call may be sent.
        """
        ...

    def record(self, usage: Usage) -> None:
        """Count the usage of calls.

        The caller reports it after every call, also after a failed one.
        """
        ...


def reserve_spend(
    spend_tracker: SpendTracker | None, model: str
) -> AbstractAsyncContextManager[None]:
    """Return a reservation for a call of a model, or one that allows everything without a limit."""
    return nullcontext() if spend_tracker is None else spend_tracker.reserve(model)


class RecordingSpendTracker:
    """Spend tracker without a limit; it collects usage for a budget in another process."""

    def __init__(self) -> None:
        self._spent: list[Usage] = []

    def require_prices(self, models: Iterable[str]) -> None:
        """Do nothing: the process that keeps the budget has checked the prices."""

    def reserve(self, model: str) -> AbstractAsyncContextManager[None]:  # noqa: ARG002
        """Allow the call."""
        return nullcontext()

    def record(self, usage: Usage) -> None:
        """Keep the usage."""
        self._spent.append(usage)

    def take(self) -> tuple[Usage, ...]:
        """Return the usage since the last call of this method."""
        spent, self._spent = tuple(self._spent), []
        return spent


MARGIN = 2
"""Factor for the highest cost seen of a kind: calls grow with their conversations."""

Left = Callable[[], Decimal | None]
"""A function that returns the amount that may still be spent.

It returns None if nothing can be reserved, and raises an error if the budget is spent.
"""


class Reservations:
    """Reservations that let work begin as long as the work in progress can be paid for.

    Each piece of work reserves twice the highest cost seen of its kind. Work that does not fit
    waits until it fits, or until no other work is in progress. The first piece of work of a kind
    runs alone. Work starts in the order of its requests.
    """

    def __init__(self) -> None:
        self._dearest: dict[str, Decimal] = {}
        self._held = NOTHING
        self._under_way = 0
        self._line: deque[asyncio.Event] = deque()

    @asynccontextmanager
    async def reserve(self, kind: str, left: Left) -> AsyncIterator[None]:
        """Wait until a piece of work of this kind may begin.

        It counts as in progress until the exit.

        Raises:
            RunHalted: If the limit is reached.
        """
        held = await self._admitted(kind, left)
        try:
            yield
        finally:
            self._under_way -= 1
            self._held -= held
            self._wake()

    def learn(self, kind: str, amount: Decimal) -> None:
        """Record the cost of one piece of work."""
        self._dearest[kind] = max(amount, self._dearest.get(kind, NOTHING))

    async def _admitted(self, kind: str, left: Left) -> Decimal:
        if not self._line and (held := self._fitting(kind, left)) is not None:
            return self._take(held)
        turn = asyncio.Event()
        self._line.append(turn)
        try:
            while self._line[0] is not turn or (held := self._fitting(kind, left)) is None:
                turn.clear()
                await turn.wait()
            return self._take(held)
        except asyncio.CancelledError as cut:
            attach_delay(cut, ParticipantError("the budget has no room for another call yet"))
            raise
        finally:
            self._line.remove(turn)
            self._wake()

    def _fitting(self, kind: str, left: Left) -> Decimal | None:
        """Return the amount reserved for a piece of work that may begin.

        The result is None if the work has to wait.
        """
        room = left()
        if room is None:
            return NOTHING
        dearest = self._dearest.get(kind)
        held = room if dearest is None else MARGIN * dearest
        return held if not self._under_way or self._held + held <= room else None

    def _take(self, held: Decimal) -> Decimal:
        self._under_way += 1
        self._held += held
        return held

    def _wake(self) -> None:
        if self._line:
            self._line[0].set()


Unit = Literal["USD", "tokens", "seconds"]

_NUMBER = r"(?P<amount>\d{1,12}(?:\.\d{1,6})?)"
_DOLLARS = re.compile(rf"\$\s*{_NUMBER}")
_AMOUNT = re.compile(rf"{_NUMBER}\s*(?P<unit>[A-Za-z]+(?: tokens?)?)")
_UNITS: dict[str, tuple[int, Unit]] = {
    "usd": (1, "USD"),
    "token": (1, "tokens"),
    "tokens": (1, "tokens"),
    "k tokens": (1_000, "tokens"),
    "m tokens": (1_000_000, "tokens"),
    "s": (1, "seconds"),
    "min": (60, "seconds"),
    "h": (3_600, "seconds"),
}


class SpendLimit(msgspec.Struct, frozen=True):
    """The largest amount that may be spent; `text` is the limit as the user wrote it."""

    amount: Decimal
    unit: Unit
    text: str


def parse_spend_limit(text: str) -> SpendLimit:
    """Parse a limit as people write it: `5 USD`, `$5`, `2M tokens`, `90 min`, `2 h`.

    Raises:
        UsageError: If the text is not a limit.
    """
    given = text.strip()
    found = _DOLLARS.fullmatch(given) or _AMOUNT.fullmatch(given)
    unit = found.groupdict().get("unit", "usd").lower() if found else ""
    if found is None or unit not in _UNITS:
        raise UsageError(
            f"not a budget: {text!r}: write it like '5 USD', '2M tokens', '90 min' or '2 h'"
        )
    factor, name = _UNITS[unit]
    amount = Decimal(found["amount"]) * factor
    if not amount:
        raise UsageError(f"a budget of {text!r} allows nothing: leave it out for none")
    return SpendLimit(amount, name, given)


class Budget:
    """Counter of this process's spending, which halts the run at a limit.

    For money and tokens, every call in flight holds a reservation, and near the limit calls wait
    for each other. The limit is exceeded at most by the cost of the last call, and by calls that
    cost more than twice as much as any earlier call of their model. A limit in time needs no
    reservations. Replies from our own cache cost nothing.

    Args:
        limit: The largest amount that may be spent.
        price_of: Function that returns prices, for a limit in money.
        clock: Clock in seconds, for a limit in time, which starts with the first call.
        goes_on: The command that continues the run once the budget is spent.
    """

    def __init__(
        self,
        limit: SpendLimit,
        price_of: PriceOf,
        clock: Callable[[], float] = time.monotonic,
        goes_on: str = "`dragoman resume`",
    ) -> None:
        self.limit = limit
        self._goes_on = goes_on
        self._price_of = price_of
        self._clock = clock
        self._started: float | None = None
        self._spent = NOTHING
        self._calls = 0
        self._obstacle = ""
        self._calls_under_way = Reservations()

    @property
    def spent(self) -> Decimal:
        """Usage so far, in the limit's unit; zero for a limit in time."""
        return self._spent

    def require_prices(self, models: Iterable[str]) -> None:
        """Refuse a limit in money for models without a price.

        Raises:
            UsageError: With the name of the first such model.
        """
        unknown = [model for model in models if self._price_of(model) is None]
        if self.limit.unit == "USD" and unknown:
            raise UsageError(
                f"a budget of {self.limit.text} needs the price of {unknown[0]}, which is not "
                "known: give it with --prices, or a budget in tokens or time"
            )

    def check(self) -> None:
        """Check that more may be spent.

        Raises:
            RunHalted: If nothing more may be spent.
        """
        if self._started is None:
            self._started = self._clock()
        if self._obstacle:
            raise RunHalted(f"{self._obstacle}; {self._afterwards()}")
        spent = self._spent
        if self.limit.unit == "seconds":
            spent = Decimal(self._clock() - self._started)
        if spent >= self.limit.amount:
            raise RunHalted(
                f"the budget of {self.limit.text} is spent "
                f"({_format_amount(spent, self.limit.unit)} in "
                f"{self._calls} {'call' if self._calls == 1 else 'calls'}); {self._afterwards()}"
            )

    def reserve(self, model: str) -> AbstractAsyncContextManager[None]:
        """Return a context manager that waits until a call of a model may be sent.

        The caller leaves it once the call is counted.

        Entering it raises RunHalted if no other call may be sent.
        """
        return self._calls_under_way.reserve(model, self.left)

    def left(self) -> Decimal | None:
        """Return the amount that may still be spent; None for a limit in time.

        Raises:
            RunHalted: If nothing may be spent.
        """
        self.check()
        return None if self.limit.unit == "seconds" else self.limit.amount - self._spent

    def record(self, usage: Usage) -> None:
        """Count the usage of calls.

        The caller reports it after every call, also after a failed one.

        If the usage cannot be counted, the reply is not lost: the next `check` halts the run.
        """
        if usage.calls == usage.replayed:
            return
        self._calls += usage.calls - usage.replayed
        amount: Decimal | None = NOTHING
        match self.limit.unit:
            case "USD":
                cost = cost_of(usage, self._price_of)
                amount = None if cost is None else cost.paid
            case "tokens":
                amount = _paid_tokens(usage)
            case "seconds":
                pass
        if amount is not None:
            self._spent += amount
            self._calls_under_way.learn(usage.model, amount)
        elif self._price_of(usage.model) is None and self.limit.unit == "USD":
            self._obstacle = (
                f"the price of {usage.model} is not known, a budget in money cannot be kept"
            )
        else:
            self._obstacle = (
                f"{usage.model}: the endpoint tells no usage, a budget of {self.limit.text} cannot "
                "be kept"
            )

    def _afterwards(self) -> str:
        budget = "another --max-cost" if self._obstacle else "a budget of its own"
        return f"finished work is stored: {self._goes_on} continues with {budget}"


def _paid_tokens(usage: Usage) -> Decimal | None:
    if _is_speech_without_tokens(usage):
        return NOTHING
    counts = (
        usage.input_tokens,
        usage.output_tokens,
        usage.replayed_input_tokens,
        usage.replayed_output_tokens,
    )
    known = [count for count in counts if count is not None]
    if len(known) < len(counts):
        return None
    return Decimal(known[0] + known[1] - known[2] - known[3])


def _is_speech_without_tokens(usage: Usage) -> bool:
    """Return whether the usage is speech that is charged by its length alone."""
    is_speech = usage.audio_seconds is not None or usage.characters is not None
    return is_speech and usage.input_tokens is None and usage.output_tokens is None


def _format_amount(spent: Decimal, unit: Unit) -> str:
    match unit:
        case "USD":
            return f"{spent:.4f} USD"
        case "tokens":
            return f"{spent:,} tokens"
        case "seconds":
            return f"{spent / 60:.1f} min"


class BudgetedModel:
    """Wrapper of a model that counts every call against a budget."""

    def __init__(self, model: ChatModel, budget: SpendTracker) -> None:
        self._model = model
        self._budget = budget

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    @property
    def hears_audio(self) -> bool:
        """Whether the model can be given audio itself."""
        return hears_audio(self._model)

    async def complete(self, request: ChatRequest, purpose: str) -> Completion:
        """Return the model's reply.

        Raises:
            RunHalted: If the budget is spent.
            ParticipantError: If the provider failed.
        """
        async with self._budget.reserve(self.name):
            try:
                completion = await self._model.complete(request, purpose)
            except ParticipantError as error:
                if isinstance(error.usage, Usage):
                    self._budget.record(error.usage)
                raise
            self._budget.record(completion.usage)
        return completion
