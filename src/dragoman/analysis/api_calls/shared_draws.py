"""Rates of one group of tasks with intervals, all from the same draws of tasks."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from dragoman.analysis.intervals import LEVEL, RESAMPLES, Interval, clustered_interval
from dragoman.core.measures import Rate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
    rates: Sequence[Rate], tasks: Mapping[str, Sequence[Counts]], seed: int
) -> tuple[RateFigure, ...]:
    """Return rates over tasks, whose conversations are drawn together.

    Tasks that add the same are drawn as one kind, so that 20,000 of them cost what their kinds do.

    Args:
        rates: The rates.
        tasks: What the conversations of each task count for.
        seed: Of the draws.
    """
    import numpy as np

    kinds = Counter(
        tuple(pair for rate in rates for pair in _pair(rate, conversations))
        for conversations in tasks.values()
    )
    if not kinds:
        return tuple(RateFigure(rate.part, rate.name, None, None, 0) for rate in rates)
    table = np.asarray(list(kinds), dtype=float)
    times = np.asarray(list(kinds.values()), dtype=float)
    count = int(times.sum())
    drawn = np.random.default_rng(seed).multinomial(count, times / count, size=RESAMPLES) @ table
    return tuple(
        _figure(rate, _Column(table[:, at : at + 2], times, drawn[:, at : at + 2]), seed)
        for rate, at in zip(rates, range(0, 2 * len(rates), 2), strict=True)
    )


class _Column(NamedTuple):
    """Numerators and denominators of one rate: by kind of task with how many there are, and by draw."""

    kinds: "NDArray[np.float64]"
    times: "NDArray[np.float64]"
    drawn: "NDArray[np.float64]"


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


def _figure(rate: Rate, column: _Column, seed: int) -> RateFigure:
    above, below = (float(each) for each in column.times @ column.kinds)
    if not below:
        return RateFigure(rate.part, rate.name, None, None, 0)
    return RateFigure(rate.part, rate.name, above / below, _interval(rate, column, seed), below)


def _interval(rate: Rate, column: _Column, seed: int) -> Interval | None:
    """Return the interval of a rate; where all tasks agree, a share has that of so many tasks."""
    import numpy as np

    counted = column.kinds[:, 1] > 0
    ratios = column.kinds[counted, 0] / column.kinds[counted, 1]
    if ratios.min() == ratios.max():
        same = [float(ratios[0])] * int(column.times[counted].sum())
        return clustered_interval(same, seed) if rate.reads == "share" else None
    known = column.drawn[:, 1] > 0
    shares = column.drawn[known, 0] / column.drawn[known, 1]
    low, high = np.quantile(shares, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(low), float(high))
