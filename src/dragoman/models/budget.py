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
    """Allows calls and counts them."""

    def require_prices(self, models: Iterable[str]) -> None:
        """Refuse models whose calls could not be counted."""
        ...

    def reserve(self, model: str) -> AbstractAsyncContextManager[None]:
        """Return what waits until a call of a model may be sent, to be left once it is counted.

        Entering it raises RunHalted where no other call may be sent.
        """
        ...

    def record(self, usage: Usage) -> None:
        """Count what calls consumed; to be told after each, also after one that failed."""
        ...


def reserve_spend(
    spend_tracker: SpendTracker | None, model: str
) -> AbstractAsyncContextManager[None]:
    """Return the room for a call of a model; all there is where nothing limits it."""
    return nullcontext() if spend_tracker is None else spend_tracker.reserve(model)


class RecordingSpendTracker:
    """Allows everything, and keeps what was spent for a budget that is kept elsewhere."""

    def __init__(self) -> None:
        self._spent: list[Usage] = []

    def require_prices(self, models: Iterable[str]) -> None:
        """Refuse nothing: whoever keeps the budget has looked."""

    def reserve(self, model: str) -> AbstractAsyncContextManager[None]:  # noqa: ARG002
        """Allow the call."""
        return nullcontext()

    def record(self, usage: Usage) -> None:
        """Keep what was spent."""
        self._spent.append(usage)

    def take(self) -> tuple[Usage, ...]:
        """Return what was spent since this was last asked."""
        spent, self._spent = tuple(self._spent), []
        return spent


MARGIN = 2
"""What the dearest of a kind is multiplied by: calls grow with their conversations."""

Left = Callable[[], Decimal | None]
"""A function that returns the amount that may still be spent.

It returns None if nothing can be reserved, and raises an error if the budget is spent.
"""


class Reservations:
    """Lets work begin as long as what is under way can be paid for.

    For each piece of work twice the dearest seen of its kind is held back. What does not fit waits
    until it does, or until nothing else is under way; the first of a kind goes alone. Nobody
    overtakes.
    """

    def __init__(self) -> None:
        self._dearest: dict[str, Decimal] = {}
        self._held = NOTHING
        self._under_way = 0
        self._line: deque[asyncio.Event] = deque()

    @asynccontextmanager
    async def reserve(self, kind: str, left: Left) -> AsyncIterator[None]:
        """Wait until a piece of work of this kind may begin; it is under way until left.

        Raises:
            RunHalted: Where the limit is reached.
        """
        held = await self._admitted(kind, left)
        try:
            yield
        finally:
            self._under_way -= 1
            self._held -= held
            self._wake()

    def learn(self, kind: str, amount: Decimal) -> None:
        """Take note of what one piece of work came to."""
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
    """The most that may be spent; `text` is how it was given."""

    amount: Decimal
    unit: Unit
    text: str


def parse_spend_limit(text: str) -> SpendLimit:
    """Read a limit as people write it: `5 USD`, `$5`, `2M tokens`, `90 min`, `2 h`.

    Raises:
        UsageError: Where it is none.
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
    """Counts what this process spends, and halts the run when that reaches a limit.

    Of money and tokens something is held back for every call under way, and near the limit calls
    wait for each other: it is passed by what the last call costs, and by what calls come to that
    are more than twice as dear as any of their model before. Of time nothing is held back. What our
    own cache answered costs nothing.

    Args:
        limit: The most that may be spent.
        price_of: Returns prices, for a limit in money.
        clock: Seconds, for a limit in time; it runs from the first call.
        goes_on: The command that goes on once the budget is spent.
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
        """What calls came to so far, in the limit's unit; nothing where that is time."""
        return self._spent

    def require_prices(self, models: Iterable[str]) -> None:
        """Refuse a limit in money for models without a price.

        Raises:
            UsageError: Naming the first such model.
        """
        unknown = [model for model in models if self._price_of(model) is None]
        if self.limit.unit == "USD" and unknown:
            raise UsageError(
                f"a budget of {self.limit.text} needs the price of {unknown[0]}, which is not "
                "known: give it with --prices, or a budget in tokens or time"
            )

    def check(self) -> None:
        """Say whether anything more may be spent.

        Raises:
            RunHalted: Where it may not.
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
        """Return what waits until a call of a model may be sent, to be left once it is counted.

        Entering it raises RunHalted where no other call may be sent.
        """
        return self._calls_under_way.reserve(model, self.left)

    def left(self) -> Decimal | None:
        """Return what may still be spent; None where the limit is one of time.

        Raises:
            RunHalted: Where that is nothing.
        """
        self.check()
        return None if self.limit.unit == "seconds" else self.limit.amount - self._spent

    def record(self, usage: Usage) -> None:
        """Count what calls consumed; to be told after each, also after one that failed.

        A use that cannot be counted does not lose the reply: the next `check` halts the run.
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
        return f"what was finished is stored: {self._goes_on} goes on with {budget}"


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
    """Whether it is speech that is charged by its length alone."""
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
    """Another model, whose every call is counted against a budget."""

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
            RunHalted: Where the budget is spent.
            ParticipantError: Where the provider broke.
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
