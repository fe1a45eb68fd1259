"""Rates of two agents over the same tasks: each one's mean, and their difference.

Each conversation counts once, whatever it holds, and each task once: a figure is a mean over tasks of
the means over their conversations. A difference is always that of B to A, over tasks that have the
figure on both sides.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import lcm

import msgspec

from dragoman.analysis.comparison import FINEST_UNIT
from dragoman.analysis.intervals import Interval, clustered_interval, difference_interval
from dragoman.analysis.sign_flip import holm, sign_flip_p
from dragoman.core.measures import Rate

Counts = Mapping[str, int | float]

TaskCounts = Mapping[str, Sequence[Counts]]
"""What the conversations of each task count for."""

_MOST_STEPS = 200_000
"""Of the test's distribution: with many tasks differences are rounded to a coarser unit."""
_LEAST_UNIT = 20


class Mean(msgspec.Struct, frozen=True):
    """A mean over tasks with its 95 % interval; both None where no task has the figure."""

    value: float | None
    interval: Interval | None
    tasks: int


class PairedRate(msgspec.Struct, frozen=True):
    """One figure of A and B.

    Attributes:
        part: What it is a figure of; "" for the whole.
        name: Its name.
        a: A's, over all its tasks.
        b: B's.
        tasks: Over how many tasks the difference is.
        in_a: A's mean over these.
        in_b: B's mean over these.
        difference: B's less A's; None where no task has the figure on both sides.
        interval: Of the difference, 95 %, tasks drawn with both sides.
        p: Of the sign-flip test; None where it was not tested.
        adjusted_p: The same by Holm's correction over all tests of its table.
    """

    part: str
    name: str
    a: Mean
    b: Mean
    tasks: int
    in_a: float | None
    in_b: float | None
    difference: float | None
    interval: Interval | None
    p: float | None = None
    adjusted_p: float | None = None


def paired_rate(rate: Rate, a: TaskCounts, b: TaskCounts, *, tested: bool) -> PairedRate:
    """Return a share of both sides.

    Args:
        rate: The share.
        a: A's tasks.
        b: B's tasks.
        tested: Whether the difference is tested, too.
    """
    of_a, of_b = (_values(rate, side) for side in (a, b))
    both = sorted({*of_a} & {*of_b})
    differences = [of_b[task] - of_a[task] for task in both]
    floats = [float(each) for each in differences]
    return PairedRate(
        rate.part,
        rate.name,
        _mean(of_a),
        _mean(of_b),
        len(floats),
        _average([of_a[task] for task in both]),
        _average([of_b[task] for task in both]),
        _average(differences),
        difference_interval(floats) if floats else None,
        sign_flip_p(_whole(differences)) if tested and differences else None,
    )


def corrected(rates: Iterable[PairedRate]) -> tuple[PairedRate, ...]:
    """Return figures with the p-values of those that were tested corrected for their number."""
    found = tuple(rates)
    adjusted = iter(holm([each.p for each in found if each.p is not None]))
    return tuple(
        each if each.p is None else msgspec.structs.replace(each, adjusted_p=next(adjusted))
        for each in found
    )


def _values(rate: Rate, tasks: TaskCounts) -> dict[str, Fraction]:
    """Return the tasks' own figures; those without any are left out."""
    found = {}
    for task, conversations in tasks.items():
        own = [each for counts in conversations if (each := _share(rate, counts)) is not None]
        if own:
            found[task] = sum(own, Fraction()) / len(own)
    return found


def _share(rate: Rate, counts: Counts) -> Fraction | None:
    over = sum(Fraction(counts.get(name, 0)) for name in rate.numerator)
    under = sum(Fraction(counts.get(name, 0)) for name in rate.denominator)
    return over / under if under else None


def _average(values: Sequence[Fraction]) -> float | None:
    return float(sum(values, Fraction()) / len(values)) if values else None


def _mean(values: Mapping[str, Fraction]) -> Mean:
    if not values:
        return Mean(None, None, 0)
    floats = [float(values[task]) for task in sorted(values)]
    return Mean(_average(list(values.values())), clustered_interval(floats), len(floats))


def _whole(differences: Sequence[Fraction]) -> list[int]:
    """Return differences in one unit for all; those without a common one are rounded to a fine one."""
    most = min(FINEST_UNIT, max(_LEAST_UNIT, _MOST_STEPS // len(differences)))
    unit = min(lcm(*(each.denominator for each in differences)), most)
    return [round(each * unit) for each in differences]
