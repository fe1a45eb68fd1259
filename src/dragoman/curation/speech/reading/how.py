"""How a text states a value, and what finds it."""

from typing import Literal, Protocol

How = Literal["exactly", "spelled", "in words"]
"""As it is written, or in another written form; sign by sign or in groups; in words."""


class ValueReader(Protocol):
    """Finds values in texts; equal readers find the same."""

    def __hash__(self) -> int:
        """Return a hash, as what was found is remembered by reader."""
        ...

    def how_stated(self, value: str, text: str) -> How | None:
        """Return how a typed text states a value; None where it does not."""
        ...

    def how_said(self, value: str, text: str) -> How | None:
        """Return how a text that is said or heard states a value; None where it does not."""
        ...
