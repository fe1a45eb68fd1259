"""A measure that is one function of a stored conversation."""

from collections.abc import Callable, Iterable

import msgspec

from dragoman.core.measures import Counted, Derived, Measured, PlayedCase, Setting, summed
from dragoman.core.scores import NO_JUDGE, Unscored

Count = Callable[[PlayedCase], Iterable[Counted] | Unscored]
"""Counts one conversation: an entry for each thing that counts, or why nothing can be counted."""


def _always(_setting: Setting) -> bool:
    return True


class Counting(msgspec.Struct, frozen=True):
    """A deterministic measure.

    Attributes:
        name: What it is called.
        version: Its version; a change that changes a count is a new one.
        count: Counts one conversation.
        figures: The figures to make of its counts.
        where: Whether there is anything to count under a condition.
        judge: Nobody judges.
        rules: Rule sets play no part.
    """

    name: str
    version: str
    count: Count
    figures: tuple[Derived, ...]
    where: Callable[[Setting], bool] = _always
    judge: str = NO_JUDGE
    rules: str = ""

    def applies(self, setting: Setting) -> bool:
        """Whether there is anything to count under a condition."""
        return self.where(setting)

    async def measure(self, case: PlayedCase) -> Measured:
        """Count one conversation."""
        found = self.count(case)
        if isinstance(found, Unscored):
            return Measured(self.name, self.version, unscored=found.reason)
        entries = tuple(found)
        return Measured(self.name, self.version, counts=summed(entries), evidence=entries)
