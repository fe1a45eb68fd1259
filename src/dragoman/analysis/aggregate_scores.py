"""Aggregate scores of a benchmark: weighted means over categories, with missing parts reported.

An interval of a weighted sum follows from those of its parts: the squared distances from figure
to limit add up with squared weights (method of variance estimates recovery, Zou and Donner 2008).
"""

import math
from collections.abc import Mapping, Sequence

import msgspec

from dragoman.analysis.intervals import Interval
from dragoman.core.leaderboard import Aggregate


class AggregateScore(msgspec.Struct, frozen=True):
    """The figure of a category or aggregate.

    Attributes:
        name: Name of the category or aggregate.
        value: The figure; None if a part is missing.
        interval: The interval; None if the figure or the interval of a part is None.
        tasks: Number of tasks that the figure is computed from.
        size: Number of all tasks.
        bounds: The figures with the missing results counted as 0 and as 1.
        missing: The parts without a figure.
    """

    name: str
    value: float | None
    interval: Interval | None
    tasks: int
    size: int
    bounds: Interval
    missing: tuple[str, ...] = ()


def aggregate_scores(
    aggregates: Sequence[Aggregate],
    categories: Mapping[str, AggregateScore],
    sizes: Mapping[str, int],
) -> dict[str, AggregateScore]:
    """Return the figures of the aggregates by name.

    Args:
        aggregates: The aggregates; an aggregate comes after its parts.
        categories: The known figures by category.
        sizes: Number of tasks of each category, including categories without a figure.
    """
    known = dict(categories)
    found: dict[str, AggregateScore] = {}
    for entry in aggregates:
        parts = [known.get(name) or _absent(name, sizes[name]) for name in entry.parts]
        found[entry.name] = known[entry.name] = _aggregate_score(entry, parts)
    return found


def _absent(name: str, size: int) -> AggregateScore:
    return AggregateScore(name, None, None, 0, size, Interval(0.0, 1.0))


def _weights(entry: Aggregate, parts: Sequence[AggregateScore]) -> Sequence[float]:
    if isinstance(entry.weights, tuple):
        return entry.weights
    if entry.weights == "equal":
        return [1 / len(parts)] * len(parts)
    return [part.size / sum(each.size for each in parts) for part in parts]


def _aggregate_score(entry: Aggregate, parts: Sequence[AggregateScore]) -> AggregateScore:
    weights = _weights(entry, parts)
    pairs = list(zip(weights, parts, strict=True))
    bounds = Interval(
        sum(weight * part.bounds.low for weight, part in pairs),
        sum(weight * part.bounds.high for weight, part in pairs),
    )
    tasks, size = sum(part.tasks for part in parts), sum(part.size for part in parts)
    values = [part.value for part in parts if part.value is not None]
    if len(values) < len(parts):
        missing = tuple(part.name for part in parts if part.value is None)
        return AggregateScore(entry.name, None, None, tasks, size, bounds, missing)
    value = sum(weight * figure for weight, figure in zip(weights, values, strict=True))
    return AggregateScore(entry.name, value, _interval(value, parts, weights), tasks, size, bounds)


def _interval(
    value: float, parts: Sequence[AggregateScore], weights: Sequence[float]
) -> Interval | None:
    below = above = 0.0
    for weight, part in zip(weights, parts, strict=True):
        if part.interval is None or part.value is None:
            return None
        below += (weight * (part.value - part.interval.low)) ** 2
        above += (weight * (part.interval.high - part.value)) ** 2
    return Interval(value - math.sqrt(below), value + math.sqrt(above))
