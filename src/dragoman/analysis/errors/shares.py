"""Shares of conversations with intervals over tasks."""

from collections.abc import Iterable

import msgspec

from dragoman.analysis.intervals import Interval, ratio_interval


class ConversationShare(msgspec.Struct, frozen=True):
    """How many of `n` conversations; the interval is 95 %, over tasks, and None where there is none."""

    count: int
    n: int
    interval: Interval | None

    @property
    def value(self) -> float | None:
        """The share; None of nothing."""
        return self.count / self.n if self.n else None


def conversation_share(found: Iterable[tuple[str, bool]]) -> ConversationShare:
    """Return the share of conversations that have something.

    Args:
        found: Of each conversation its task, and whether it has it.
    """
    tasks: dict[str, list[bool]] = {}
    for task, has in found:
        tasks.setdefault(task, []).append(has)
    pairs = [(float(sum(each)), float(len(each))) for each in tasks.values()]
    count, n = (int(sum(side)) for side in zip(*pairs, strict=True)) if pairs else (0, 0)
    interval = ratio_interval(pairs, is_share=True) if pairs else None
    return ConversationShare(count, n, interval)
