"""A metric as what each task adds to it, so that tasks can be drawn together, and what it comes to."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from dragoman.analysis.intervals import (
    Interval,
    joined_interval,
    paired_ratio_interval,
    ratio_interval,
)

Pair = tuple[float, float]
"""What a task adds to a metric's numerator and denominator."""

Kind = Literal["share", "number", "paired"]
"""Whether a metric lies between 0 and 1 by its nature, need not, or sets voice against text."""


class Metric(msgspec.Struct, frozen=True):
    """One metric.

    Attributes:
        value: None where it is not defined.
        interval: 95 %, by bootstrap over tasks; None where there is none.
        n: How much it is taken over: fields, errors, conversations, or tasks that are paired.
        why: Why there is no value.
        unscored: Conversations that were played and are not in it, since they could not be counted or judged.
        most: The most that the value can be, where something is undecided; `value` is the least then.
    """

    value: float | None = None
    interval: Interval | None = None
    n: float = 0
    why: str = ""
    unscored: int = 0
    most: float | None = None


class Sums(msgspec.Struct, frozen=True):
    """What the tasks of one cell add to a metric.

    Attributes:
        tasks: By task.
        kind: How its values lie.
        less: What is taken off the ratio of the sums.
        nothing: Why there is no value where nothing stands below.
        why: Why nothing was counted at all.
        unscored: Conversations that could not be counted or judged.
        most: The same with all that is undecided in the numerator; empty where nothing is.
    """

    tasks: Mapping[str, Pair] = {}
    kind: Kind = "share"
    less: float = 0.0
    nothing: str = ""
    why: str = ""
    unscored: int = 0
    most: Mapping[str, Pair] = {}

    @property
    def is_paired(self) -> bool:
        """Whether it is over tasks that are paired, one by one."""
        return self.kind == "paired"

    @property
    def pairs(self) -> list[Pair]:
        """What enters: tasks without anything below say nothing, but where they are paired."""
        return [pair for pair in self.tasks.values() if pair[1] or self.is_paired]


def metric(sums: Sums) -> Metric:
    """Return what sums come to."""
    pairs = sums.pairs
    below = sum(each for _, each in pairs)
    if sums.why or not below:
        why = sums.why or sums.nothing
        return Metric(n=len(pairs) if sums.is_paired else 0, why=why, unscored=sums.unscored)
    value = sum(above for above, _ in pairs) / below - sums.less
    n = len(pairs) if sums.is_paired else below
    interval = _interval(sums, pairs)
    if not sums.most:
        return Metric(value, interval, n, unscored=sums.unscored)
    upper = metric(msgspec.structs.replace(sums, tasks=sums.most, most={}))
    ends = joined_interval(interval, upper.interval)
    return Metric(value, ends, n, unscored=sums.unscored, most=upper.value)


def task_sums(pairs: Iterable[tuple[str, float, float]]) -> dict[str, Pair]:
    """Return the sums by task."""
    sums: dict[str, Pair] = {}
    for task, above, below in pairs:
        known = sums.get(task, (0.0, 0.0))
        sums[task] = known[0] + above, known[1] + below
    return sums


def _interval(sums: Sums, pairs: Sequence[Pair]) -> Interval | None:
    if not sums.is_paired:
        return ratio_interval(pairs, is_share=sums.kind == "share")
    ends = paired_ratio_interval(pairs)
    return None if ends is None else Interval(ends.low - sums.less, ends.high - sums.less)
