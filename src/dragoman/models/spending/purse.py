"""What models ask before they spend, and tell what they spent."""

from collections.abc import Iterable
from typing import Protocol

from dragoman.core.usage import Usage


class Purse(Protocol):
    """Allows calls and counts them."""

    def require_prices(self, models: Iterable[str]) -> None:
        """Refuse models whose calls could not be counted."""
        ...

    def check(self) -> None:
        """Raise RunHalted where no other call may be sent; to be asked before each."""
        ...

    def spend(self, usage: Usage) -> None:
        """Count what calls consumed; to be told after each, also after one that failed."""
        ...


class Receipts:
    """Allows everything, and keeps what was spent for a budget that is kept elsewhere."""

    def __init__(self) -> None:
        self._spent: list[Usage] = []

    def require_prices(self, models: Iterable[str]) -> None:
        """Refuse nothing: whoever keeps the budget has looked."""

    def check(self) -> None:
        """Allow the call."""

    def spend(self, usage: Usage) -> None:
        """Keep what was spent."""
        self._spent.append(usage)

    def take(self) -> tuple[Usage, ...]:
        """Return what was spent since this was last asked."""
        spent, self._spent = tuple(self._spent), []
        return spent
