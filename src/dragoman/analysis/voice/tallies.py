"""What measures counted over all conversations of one way, and in how many of them."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from dragoman.analysis.cells import Outcome
from dragoman.analysis.intervals import Interval, ratio_interval
from dragoman.analysis.measure_figures import newest
from dragoman.core.clarifications import REJECTIONS, Reason
from dragoman.core.measures import MeasureResult

UNASKED: frozenset[Reason] = frozenset({"no question", "nothing to clarify", "spent"})
"""Reasons of decisions that say of no words that they ask how something is written."""


class Tally(msgspec.Struct, frozen=True):
    """The counts of one measure over conversations.

    Attributes:
        measure: The measure.
        version: Its version.
        judge: Who judged.
        conversations: How many were counted.
        unscored: How many could not be.
        counts: Sums of all counts, by name.
    """

    measure: str
    version: str
    judge: str
    conversations: int
    unscored: int
    counts: dict[str, int | float]


class Share(msgspec.Struct, frozen=True):
    """In how many conversations something happened; the interval is 95 %, over tasks."""

    name: str
    conversations: int
    of: int
    interval: Interval | None

    @property
    def value(self) -> float | None:
        """The share; None where no conversation was counted."""
        return self.conversations / self.of if self.of else None


def tallies(rows: Iterable[Outcome]) -> tuple[Tally, ...]:
    """Return what each measure counted, by its newest version."""
    groups: dict[tuple[str, str, str], list[MeasureResult]] = {}
    for row in rows:
        for entry in newest(row.measures):
            groups.setdefault((entry.measure, entry.version, entry.judge), []).append(entry)
    return tuple(
        Tally(
            *place,
            sum(not entry.unscored for entry in found),
            sum(bool(entry.unscored) for entry in found),
            _sums(found),
        )
        for place, found in groups.items()
    )


def tally_of(found: Sequence[Tally], measure: str) -> Tally | None:
    """Return the tally of a measure; None where it counted nothing."""
    return next((entry for entry in found if entry.measure == measure), None)


def question_shares(rows: Sequence[Outcome]) -> tuple[Share, ...]:
    """Return in how many conversations a question was judged, allowed and rejected.

    A question is what was allowed, or rejected for another reason than `UNASKED`. Empty where nobody judged.

    """
    counted = [
        (row.task, _questions(entry.counts))
        for row in rows
        for entry in newest(row.measures)
        if entry.measure == "clarifications" and not entry.unscored
    ]
    if not counted:
        return ()
    return tuple(
        _share(name, [(task, bool(found[name])) for task, found in counted])
        for name in ("judged", "allowed", "rejected")
    )


def _questions(counts: Mapping[str, int | float]) -> dict[str, float]:
    allowed = counts.get("allowed", 0)
    rejected = sum(
        counts.get(f"rejected: {reason}", 0) for reason in REJECTIONS if reason not in UNASKED
    )
    return {"judged": allowed + rejected, "allowed": allowed, "rejected": rejected}


def _share(name: str, found: Sequence[tuple[str, bool]]) -> Share:
    tasks: dict[str, tuple[float, float]] = {}
    for task, happened in found:
        above, below = tasks.get(task, (0, 0))
        tasks[task] = above + happened, below + 1
    interval = ratio_interval(list(tasks.values()), is_share=True)
    return Share(name, sum(happened for _, happened in found), len(found), interval)


def _sums(found: Iterable[MeasureResult]) -> dict[str, int | float]:
    sums: dict[str, int | float] = {}
    for entry in found:
        for name, count in entry.counts.items():
            sums[name] = sums.get(name, 0) + count
    return sums
