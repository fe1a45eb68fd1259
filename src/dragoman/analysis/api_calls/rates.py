"""Rates of one group of tasks with intervals."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from dragoman.analysis.intervals import Interval, ratio_interval
from dragoman.core.measures import Rate

Counts = Mapping[str, int | float]


class RateFigure(msgspec.Struct, frozen=True):
    """A rate over a group.

    Attributes:
        part: What it is a figure of; "" for the whole.
        name: Its name, which ends with the average where there are several.
        value: None where nothing was counted.
        interval: 95 %, over tasks; None where there is none.
        n: How much was counted: the denominator, or conversations for a mean over them.
    """

    part: str
    name: str
    value: float | None
    interval: Interval | None
    n: float


def rates_over(
    rates: Sequence[Rate], tasks: Mapping[str, Sequence[Counts]]
) -> tuple[RateFigure, ...]:
    """Return rates over tasks, whose conversations are drawn together; a task with nothing to count is left out.

    Args:
        rates: The rates.
        tasks: What the conversations of each task count for.
    """
    return tuple(_figure(rate, tasks.values()) for rate in rates)


def _figure(rate: Rate, tasks: Iterable[Sequence[Counts]]) -> RateFigure:
    pairs = [pair for of_task in tasks if (pair := _pair(rate, of_task))[1]]
    if not pairs:
        return RateFigure(rate.part, rate.name, None, None, 0)
    above, below = map(sum, zip(*pairs, strict=True))
    interval = ratio_interval(pairs, is_share=rate.reads == "share")
    return RateFigure(rate.part, rate.name, above / below, interval, below)


def _pair(rate: Rate, conversations: Sequence[Counts]) -> tuple[float, float]:
    """Return what a task adds to numerator and denominator."""
    above = below = 0.0
    for counts in conversations:
        over = sum(counts.get(name, 0) for name in rate.numerator)
        under = sum(counts.get(name, 0) for name in rate.denominator)
        if rate.averaging == "macro":
            over, under = (over / under, 1) if under else (0, 0)
        above, below = above + over, below + under
    return above, below
