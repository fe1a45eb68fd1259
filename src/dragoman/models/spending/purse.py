"""What models ask before they spend, and tell what they spent."""

from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Protocol

from dragoman.core.usage import Usage


class Purse(Protocol):
    """Allows calls and counts them."""

    def require_prices(self, models: Iterable[str]) -> None:
        """Refuse models whose calls could not be counted."""
        ...

    def room(self, model: str) -> AbstractAsyncContextManager[None]:
        """Return what waits until a call of a model may be sent, to be left once it is counted.

        Entering it raises RunHalted where no other call may be sent.
        """
        ...

    def spend(self, usage: Usage) -> None:
        """Count what calls consumed; to be told after each, also after one that failed."""
        ...


def room_in(purse: Purse | None, model: str) -> AbstractAsyncContextManager[None]:
    """Return the room for a call of a model; all there is where nothing limits it."""
    return nullcontext() if purse is None else purse.room(model)


class Receipts:
    """Allows everything, and keeps what was spent for a budget that is kept elsewhere."""

    def __init__(self) -> None:
        self._spent: list[Usage] = []

    def require_prices(self, models: Iterable[str]) -> None:
        """Refuse nothing: whoever keeps the budget has looked."""

    def room(self, model: str) -> AbstractAsyncContextManager[None]:  # noqa: ARG002 - obeys Purse
        """Allow the call."""
        return nullcontext()

    def spend(self, usage: Usage) -> None:
        """Keep what was spent."""
        self._spent.append(usage)

    def take(self) -> tuple[Usage, ...]:
        """Return what was spent since this was last asked."""
        spent, self._spent = tuple(self._spent), []
        return spent
