"""Intervals over tasks: the task is the unit that is drawn, its trials come along."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from dragoman.core.measures import ROUNDING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RESAMPLES = 2_000
LEVEL = 0.95

MANY_TASKS = 150
"""Of more tasks those with one value are drawn together: the same distribution in a tenth of the
time. Figures of smaller suites stay as they were printed, to the digit."""

_MOST_AT_ONCE = 2**18
"""Values of draws that are looked at together: what they take of memory is bounded."""


class Interval(msgspec.Struct, frozen=True, array_like=True):
    """A closed interval."""

    low: float
    high: float


def clustered_interval(values: Sequence[float], seed: int) -> Interval:
    """Return the 95 % interval of the mean of one value per task, by percentile bootstrap.

    Where all tasks agree, resampling would claim certainty. The exact binomial (Clopper-Pearson)
    limit over tasks stands in, so that 1 of 1 reads [0.025, 1]; for another rate on which all agree
    it is laid to both sides in proportion.
    """
    import numpy as np

    count = len(values)
    tail = (1 - LEVEL) / 2
    if min(values) == max(values):
        value, edge = values[0], tail ** (1 / count)
        return Interval(value * edge, 1 - (1 - value) * edge)
    if count > MANY_TASKS:
        drawn, times = zip(*Counter(values).items(), strict=True)
    else:
        drawn, times = tuple(values), (1,) * count
    means = _draws(times, seed) @ np.asarray(drawn, dtype=float) / count
    low, high = np.quantile(means, [tail, 1 - tail])
    return Interval(float(low), float(high))


@lru_cache(maxsize=4)
def _draws(times: tuple[int, ...], seed: int) -> "NDArray[np.int64]":
    """Return how often each value is in each draw, by how often it was seen: figures of one seed share them."""
    import numpy as np

    count = sum(times)
    generator = np.random.default_rng(seed)
    return generator.multinomial(count, [each / count for each in times], size=RESAMPLES)


def ratio_interval(
    pairs: Sequence[tuple[float, float]], seed: int, *, is_share: bool
) -> Interval | None:
    """Return the 95 % interval of a ratio of sums, by percentile bootstrap over tasks.

    Where all tasks agree on a share, the limit of `clustered_interval` stands in; of another ratio
    nothing is known then.

    Args:
        pairs: What each task adds to the numerator, and to the denominator (more than 0).
        seed: Of the draws.
        is_share: Whether the ratio lies between 0 and 1 by its nature.
    """
    import numpy as np

    ratios = [above / below for above, below in pairs]
    if min(ratios) == max(ratios):
        return clustered_interval(ratios, seed) if is_share else None
    count = len(pairs)
    generator = np.random.default_rng(seed)
    counts = generator.multinomial(count, [1 / count] * count, size=RESAMPLES)
    above, below = (counts @ np.asarray(side, dtype=float) for side in zip(*pairs, strict=True))
    low, high = np.quantile(above / below, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(low), float(high))


def paired_ratio_interval(pairs: Sequence[tuple[float, float]], seed: int) -> Interval | None:
    """Return the 95 % interval of a ratio of sums to which a task may add nothing below.

    By percentile bootstrap over tasks, so that both sides of a task are drawn together; a draw with
    nothing below is without end. None where no draw changes it, or where the interval has no upper end.

    Args:
        pairs: What each task adds to the numerator, and to the denominator (0 or more).
        seed: Of the draws.
    """
    import numpy as np

    count = len(pairs)
    generator = np.random.default_rng(seed)
    counts = generator.multinomial(count, [1 / count] * count, size=RESAMPLES)
    above, below = (counts @ np.asarray(side, dtype=float) for side in zip(*pairs, strict=True))
    drawn = np.full(RESAMPLES, np.inf)
    np.divide(above, below, out=drawn, where=below > 0)
    drawn.sort()
    low, high = (drawn[int(each * (RESAMPLES - 1))] for each in ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    return None if low == high or np.isinf(high) else Interval(float(low), float(high))


def quantile_interval(tasks: Sequence[Sequence[float]], share: float, seed: int) -> Interval | None:
    """Return the 95 % interval of a quantile of all tasks' values, by percentile bootstrap over tasks.

    Where no draw changes it (one task, or all values the same) nothing is known of others.

    Args:
        tasks: The values of each task, at least one.
        share: The quantile: the smallest value at or below which this share of all lies.
        seed: Of the draws.
    """
    import numpy as np

    values = np.concatenate([np.asarray(of_task, dtype=float) for of_task in tasks])
    if len(tasks) == 1 or values.min() == values.max():
        return None
    order = np.argsort(values, kind="stable")
    owners = np.repeat(np.arange(len(tasks)), [len(of_task) for of_task in tasks])[order]
    generator = np.random.default_rng(seed)
    counts = generator.multinomial(len(tasks), [1 / len(tasks)] * len(tasks), size=RESAMPLES)
    at_once = max(1, _MOST_AT_ONCE // len(values))
    places = [
        _places(np.cumsum(counts[first : first + at_once, owners], axis=1), share)
        for first in range(0, RESAMPLES, at_once)
    ]
    drawn = values[order][np.concatenate(places)]
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return None if low == high else Interval(float(low), float(high))


def _places(below: "NDArray[np.int64]", share: float) -> "NDArray[np.int64]":
    """Return where in each row of rising counts that share of its last one is reached."""
    places: NDArray[np.int64] = (below < share * below[:, -1:] - ROUNDING).sum(axis=1)
    return places


def difference_interval(differences: Sequence[float], seed: int) -> Interval:
    """Return the 95 % interval of the mean of one difference (-1 to 1) per task.

    It is the interval of the shares that the differences are laid over, so that tasks which all
    agree claim no certainty here either.
    """
    shares = clustered_interval([(1 + value) / 2 for value in differences], seed)
    return Interval(2 * shares.low - 1, 2 * shares.high - 1)
