"""Bootstrap confidence intervals, clustered by task: its trials are resampled together.

An interval depends on the values of the tasks alone. All statistics over equally many tasks share
one set of draws, made with a seed that depends on the number of tasks; a statistic lays its tasks
under these draws in the order of their values. So one statistic has one interval wherever it is
shown, and the same tasks in another order have the same one.

Draws come in pairs, the second of which is the first with the order of tasks reversed (antithetic
resampling, Hall 1989), so that a difference and its opposite have intervals that mirror each
other.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from math import isqrt
from typing import TYPE_CHECKING

import msgspec

from dragoman.core.content_keys import derive_seed
from dragoman.core.measures import ROUNDING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


INTERVAL_METHOD = "2"
"""The version of the method that draws intervals.

Version 1 drew each figure with a seed from the place where the figure stood.
"""

RESAMPLES = 2_000
LEVEL = 0.95
TAIL = (1 - LEVEL) / 2

MOST_SHARED = 2_000
"""Draws of so many tasks are kept; of more, tasks with one value are drawn together instead."""

_DIGITS = 12
"""Values that agree to so many digits are the same value, computed in another order."""

_DRAWS_AT_ONCE = 250
"""Number of draws that are processed together; it bounds the memory use."""

Row = tuple[float, ...]
"""Contribution of one task to the sums of a statistic."""


class Interval(msgspec.Struct, frozen=True, array_like=True):
    """A closed interval."""

    low: float
    high: float


def joined_interval(one: Interval | None, other: Interval | None) -> Interval | None:
    """Return the smallest interval that holds two; None if either is missing."""
    if one is None or other is None:
        return None
    return Interval(min(one.low, other.low), max(one.high, other.high))


def clustered_interval(values: Sequence[float]) -> Interval:
    """Return the 95 % interval of the mean of one value per task, by percentile bootstrap.

    If all tasks agree, resampling would claim certainty. The exact binomial (Clopper-Pearson) limit
    over tasks is used instead, so that 1 of 1 reads [0.025, 1]; for any other rate on which all
    tasks agree, its width is applied to both sides in proportion.
    """
    return _mean_interval(*_in_order((value,) for value in values))


def difference_interval(differences: Sequence[float]) -> Interval:
    """Return the 95 % interval of the mean of one difference (-1 to 1) per task.

    Tasks which all agree claim no certainty here either: their difference is laid over shares, and
    has the limit of these.
    """
    kinds, times = _in_order((value,) for value in differences)
    if len(kinds) > 1:
        return _mean_interval(kinds, times)
    shares = _mean_interval((((1 + kinds[0][0]) / 2,),), times)
    return _interval(2 * shares.low - 1, 2 * shares.high - 1)


def ratio_interval(pairs: Sequence[tuple[float, float]], *, is_share: bool) -> Interval | None:
    """Return the 95 % interval of a ratio of sums, by percentile bootstrap over tasks.

    If all tasks agree on a share, the limit of `clustered_interval` is used; any other ratio on
    which all tasks agree has no interval. A draw whose denominator is 0 has no ratio and is
    excluded.

    Args:
        pairs: Contributions of each task to the numerator and to the denominator (0 or more).
        is_share: Whether the ratio always lies between 0 and 1.
    """
    ratios = [above / below for above, below in pairs if below]
    if not ratios:
        return None
    if _is_one(ratios):
        return clustered_interval(ratios) if is_share else None
    if len({below for _, below in pairs}) == 1:
        # The mean of the ratios: the same statistic, which has the same interval.
        return clustered_interval(ratios)
    return _ratio_interval(*_in_order(pairs))


def paired_ratio_interval(pairs: Sequence[tuple[float, float]]) -> Interval | None:
    """Return the 95 % interval of a ratio of sums; a task may add 0 to the denominator.

    The percentile bootstrap over tasks resamples both sides of a task together; a draw whose
    denominator is 0 counts as infinite. None if no draw changes the ratio, or if the interval has
    no upper end.

    Args:
        pairs: Contributions of each task to the numerator and to the denominator (0 or more).
    """
    import numpy as np

    above, below = drawn_sums(pairs).T
    drawn = np.full(RESAMPLES, np.inf)
    np.divide(above, below, out=drawn, where=below > 0)
    drawn.sort()
    low, high = (drawn[int(each * (RESAMPLES - 1))] for each in (TAIL, 1 - TAIL))
    return None if low == high or np.isinf(high) else Interval(float(low), float(high))


def quantile_interval(tasks: Sequence[Sequence[float]], share: float) -> Interval | None:
    """Return the 95 % interval of a quantile of all tasks' values.

    The method is the percentile bootstrap over tasks. None if no draw changes the quantile (one
    task, or all values equal), since nothing is then known of other tasks.

    Args:
        tasks: The values of each task, at least one.
        share: The quantile: the smallest value at or below which this share of all values is.
    """
    import numpy as np

    found = Counter(tuple(sorted(of_task)) for of_task in tasks)
    kinds = sorted(found)
    times = tuple(found[kind] for kind in kinds)
    values = np.concatenate([np.asarray(kind, dtype=float) for kind in kinds])
    if len(tasks) == 1 or values.min() == values.max():
        return None
    order = np.argsort(values, kind="stable")
    owners = np.repeat(np.arange(len(kinds)), [len(kind) for kind in kinds])[order]
    places = [_places(counts, owners, share) for counts in _counts(times)]
    low, high = _ends(values[order][np.concatenate(places)])
    return None if low == high else Interval(low, high)


def drawn_sums(rows: Sequence[Row]) -> "NDArray[np.float64]":
    """Return the sums of the tasks' rows in each bootstrap draw, one row per draw of tasks.

    The columns are those of the input rows.

    Raises:
        ValueError: If `rows` is empty.
    """
    return _sums(*_in_order(rows))


def drawn_counts(times: Sequence[int]) -> "NDArray[np.float64]":
    """Return how often each kind is drawn, a row for each draw, of how often it was seen."""
    import numpy as np

    return np.concatenate(list(_counts(times)))


def middle_interval(drawn: "NDArray[np.float64]") -> Interval:
    """Return the middle 95 % of a statistic's draws."""
    return _interval(*_ends(drawn))


def _ends(drawn: "NDArray[np.float64]") -> tuple[float, float]:
    """Return the ends of the middle 95 %, interpolated linearly between two draws."""
    import numpy as np

    last = len(drawn) - 1
    lower = [int(TAIL * last), int((1 - TAIL) * last)]
    places = sorted({min(place + step, last) for place in lower for step in (0, 1)})
    ordered = np.partition(drawn, places)
    low, high = (
        ordered[place] + (share * last - place) * (ordered[min(place + 1, last)] - ordered[place])
        for place, share in zip(lower, (TAIL, 1 - TAIL), strict=True)
    )
    return float(low), float(high)


@lru_cache(maxsize=10_000)
def _mean_interval(kinds: tuple[Row, ...], times: tuple[int, ...]) -> Interval:
    if len(kinds) == 1:
        ((value,),) = kinds
        edge = TAIL ** (1 / times[0])
        return _interval(value * edge, 1 - (1 - value) * edge)
    return middle_interval(_sums(kinds, times)[:, 0] / sum(times))


@lru_cache(maxsize=10_000)
def _ratio_interval(kinds: tuple[Row, ...], times: tuple[int, ...]) -> Interval:
    above, below = _sums(kinds, times).T
    is_there = below > 0
    return middle_interval(above[is_there] / below[is_there])


def _in_order(rows: Iterable[Row]) -> tuple[tuple[Row, ...], tuple[int, ...]]:
    """Return the kinds of rows in the order of their values, and how often each was seen."""
    seen: dict[Row, int] = {}
    for row, times in Counter(rows).items():
        # 0.0 is added, so that -0.0 is 0.
        kind = tuple(round(value, _DIGITS) + 0.0 for value in row)
        seen[kind] = seen.get(kind, 0) + times
    kinds = sorted(seen)
    return tuple(kinds), tuple(seen[kind] for kind in kinds)


def _interval(low: float, high: float) -> Interval:
    return Interval(round(low, _DIGITS), round(high, _DIGITS))


def _is_one(values: Sequence[float]) -> bool:
    return len({round(value, _DIGITS) for value in values}) == 1


def _sums(kinds: Sequence[Row], times: tuple[int, ...]) -> "NDArray[np.float64]":
    """Return the sums of all draws of tasks of these kinds."""
    import numpy as np

    values, tasks = np.asarray(kinds, dtype=float), sum(times)
    if tasks > MOST_SHARED:
        return np.concatenate([counts @ values for counts in _counts(times)])
    # Summed by parts: all tasks at the last kind's value, less each step between kinds for the
    # tasks
    # before it; a few draws at a time, which stay in the processor's cache.
    steps, ends = np.diff(values, axis=0).T, list(accumulate(times))[:-1]
    draws, sums = _shared_draws(tasks), np.empty((RESAMPLES, values.shape[1]))
    for first in range(0, RESAMPLES, _DRAWS_AT_ONCE):
        some = slice(first, first + _DRAWS_AT_ONCE)
        sums[some] = values[-1] * tasks - (steps @ draws[ends, some].astype(float)).T
    return sums


def _counts(times: Sequence[int]) -> Iterator["NDArray[np.float64]"]:
    """Yield how often each kind is in some of the draws, one row per draw.

    The blocks together cover all draws.
    """
    import numpy as np

    tasks = sum(times)
    if tasks <= MOST_SHARED:
        draws, ends = _shared_draws(tasks), [0, *accumulate(times)]
        for first in range(0, RESAMPLES, _DRAWS_AT_ONCE):
            some = draws[ends, first : first + _DRAWS_AT_ONCE]
            yield np.diff(some.astype(float), axis=0).T
        return
    shares = np.asarray(times) / tasks
    for turn in (1, -1):
        generator = np.random.default_rng(_seed(tasks))
        for _ in range(0, RESAMPLES // 2, _DRAWS_AT_ONCE):
            drawn = generator.multinomial(tasks, shares[::turn], size=_DRAWS_AT_ONCE)
            yield drawn[:, ::turn].astype(float)


@lru_cache(maxsize=8)
def _shared_draws(tasks: int) -> "NDArray[np.uint16]":
    """Return cumulative counts: row n holds how often each draw contains the first n tasks.

    The difference of two rows tells how often the tasks between two places are drawn.
    """
    import numpy as np

    half = RESAMPLES // 2
    drawn = np.random.default_rng(_seed(tasks)).integers(0, tasks, size=(half, tasks))
    at = drawn + tasks * np.arange(half)[:, np.newaxis]
    counts = np.bincount(at.ravel(), minlength=half * tasks).reshape(half, tasks)
    both = np.concatenate([counts, counts[:, ::-1]]).T
    found = np.zeros((tasks + 1, RESAMPLES), dtype=np.uint16)
    np.cumsum(both, axis=0, out=found[1:], dtype=np.uint16)
    found.flags.writeable = False
    return found


def _seed(tasks: int) -> int:
    return derive_seed(f"{tasks} tasks", f"intervals {INTERVAL_METHOD}")


def _places(
    counts: "NDArray[np.float64]", owners: "NDArray[np.int64]", share: float
) -> "NDArray[np.int64]":
    """Return the rank among all values, from the smallest, at which each draw reaches its share.

    The share is a share of the draw's own values. Values are counted in stretches first, and
    then one by one in the stretch that reaches it.

    Args:
        counts: Number of times that each draw contains each kind of task.
        owners: Kind of each value.
        share: The share to reach.
    """
    import numpy as np

    size = isqrt(len(owners)) + 1
    stretches = np.arange(len(owners)) // size
    many = int(stretches[-1]) + 1
    held = np.bincount(owners * many + stretches, minlength=counts.shape[1] * many)
    reached = np.cumsum(counts @ held.reshape(-1, many), axis=1)
    wanted = share * reached[:, -1:] - ROUNDING
    stretch = (reached < wanted).sum(axis=1)
    draws = np.arange(len(counts))
    before = np.where(stretch > 0, reached[draws, stretch - 1], 0.0)[:, np.newaxis]
    inside = np.minimum(stretch[:, np.newaxis] * size + np.arange(size), len(owners) - 1)
    within = before + np.cumsum(counts[draws[:, np.newaxis], owners[inside]], axis=1)
    places: NDArray[np.int64] = stretch * size + (within < wanted).sum(axis=1)
    return np.minimum(places, len(owners) - 1)
