"""What became of an endpoint's calls in some seconds, and what that says beside other seconds."""

import math
from typing import NamedTuple

GROWN = 1.25
"""So many times the answers of another window say that the endpoint serves more."""

TOLERATED_LOSS = 0.1
"""The share of answers that a lower limit may cost: windows of a few answers differ by chance."""

LOST_BEYOND_CHANCE = 1.5
COLLAPSED, COLLAPSED_BEYOND_CHANCE = 0.35, 2.5
"""Answers have collapsed where more than this share is missing, and so many deviations of chance."""

FAR_LOWER, UNCHANGED, MOST_RANDOM = 0.62, 0.75, 0.75
"""At the first share of a limit, calls that are refused whatever is sent are refused as often, or at least
the second share as often; but where more than the third share of them is, overload looks alike."""


class Window(NamedTuple):
    """What was seen in some seconds.

    Attributes:
        first_limit: How many calls could be under way at its beginning.
        limit: How many can be at its end.
        seconds: How long it was.
        answers: Calls that were answered.
        refusals: Calls for which the endpoint had no room, as it said.
        is_wanted: Whether more calls wait to be let through.
    """

    first_limit: float
    limit: float
    seconds: float
    answers: int
    refusals: int
    is_wanted: bool

    @property
    def rate(self) -> float:
        """Answers a second."""
        return self.answers / self.seconds

    @property
    def refused_share(self) -> float:
        """The share of calls that were refused."""
        return self.refusals / (self.answers + self.refusals)

    def has_more_than(self, before: "Window") -> bool:
        """Whether the endpoint serves more than before."""
        return self.rate > GROWN * before.rate

    def has_lost_since(self, before: "Window") -> bool:
        """Whether fewer answers come than before."""
        return self.rate < (1 - TOLERATED_LOSS) * before.rate

    def has_surely_lost_since(self, before: "Window") -> bool:
        """Whether fewer answers come than before, by more than chance would have it."""
        missing, chance = self._missing(before.rate)
        return self.has_lost_since(before) and missing > LOST_BEYOND_CHANCE * chance

    def with_next(self, seen: "Window") -> "Window":
        """Return this window and the next as one."""
        return seen._replace(
            first_limit=self.first_limit,
            seconds=self.seconds + seen.seconds,
            answers=self.answers + seen.answers,
            refusals=self.refusals + seen.refusals,
        )

    def is_refused_all_the_same(self, before: "Window") -> bool:
        """Whether hardly fewer are refused though far fewer are let through."""
        share = self.refused_share
        is_far_lower = self.limit <= max(1.0, FAR_LOWER * before.limit)
        return is_far_lower and UNCHANGED * before.refused_share < share < MOST_RANDOM

    def has_collapsed_from(self, rate: float) -> bool:
        """Whether hardly any answers come beside so many a second."""
        missing, chance = self._missing(rate)
        return missing > max(COLLAPSED * rate * self.seconds, COLLAPSED_BEYOND_CHANCE * chance)

    def _missing(self, rate: float) -> tuple[float, float]:
        """Return how many answers are missing at a rate, and by how many they differ by chance."""
        expected = rate * self.seconds
        return expected - self.answers, math.sqrt(expected)


DOUBLING, GROWTH = 1.0, 0.1
"""The share by which a round of answers raises a limit while it is searched for, and after that."""


class NextLimit(NamedTuple):
    """What follows from a window.

    Attributes:
        limit: How many calls may be under way from now on.
        growth: The share by which a round of answers raises that, at least by one; 0 for not at all.
        to_settle: Windows to let pass: calls that began before end only now.
    """

    limit: float
    growth: float = 0.0
    to_settle: int = 0
