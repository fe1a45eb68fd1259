"""What one way costs or wins against another: paired by task and trial, category by category.

The differences of categories are those of `dragoman.analysis.comparison`; an aggregate's is their
weighted mean, as its figures are, with the interval that follows from theirs.
"""

from collections.abc import Mapping, Sequence

import msgspec

from dragoman.analysis.aggregates import Standing, aggregated
from dragoman.analysis.comparison import CellOutcomes, Comparison, compare
from dragoman.analysis.intervals import Interval
from dragoman.analysis.voice.ways import ALL_TASKS, PlayedWay
from dragoman.core.leaderboard import Leaderboard

_ANY = Interval(-1.0, 1.0)


class Contrast(msgspec.Struct, frozen=True):
    """A difference of accuracies (-1 to 1) over the same tasks.

    Attributes:
        value: None where no task was finished in both, or a category is missing.
        interval: 95 %, over tasks.
        tasks: How many were finished in both.
        left_out: Tasks of either that were not, counted by reason; empty for aggregates.
    """

    value: float | None
    interval: Interval | None
    tasks: int
    left_out: dict[str, int] = {}


NO_TASKS = Contrast(None, None, 0)
"""Where nothing was finished in both."""


def contrasts(a: PlayedWay, b: PlayedWay, board: Leaderboard) -> dict[str, Contrast]:
    """Return how much better B is than A, by category, by aggregate, and over all tasks."""
    couples: dict[str, tuple[CellOutcomes, CellOutcomes]] = {
        name: (cell, b.categories[name])
        for name, cell in a.categories.items()
        if name in b.categories
    }
    couples[ALL_TASKS] = a.pooled, b.pooled
    found = dict(zip(couples, map(_contrast, compare(couples.values())), strict=True))
    return found | _aggregates(found, board)


def _contrast(entry: Comparison) -> Contrast:
    if not entry.gaps:
        return Contrast(None, None, 0, entry.left_out)
    first = entry.gaps[0]
    return Contrast(first.difference, first.interval, first.tasks, entry.left_out)


def _aggregates(found: Mapping[str, Contrast], board: Leaderboard) -> dict[str, Contrast]:
    standings = {
        name: Standing(name, each.value, each.interval, each.tasks, size, _ANY)
        for name, size in board.sizes.items()
        if (each := found.get(name)) is not None
    }
    made = aggregated(board.aggregates, standings, board.sizes)
    return {
        name: Contrast(each.value, each.interval, each.tasks)
        for name, each in made.items()
        if each.tasks
    }


def farthest(figures: Sequence[float | None]) -> tuple[int, int] | None:
    """Return the places of the lowest and the highest figure; None where fewer than two are known."""
    known = [place for place, value in enumerate(figures) if value is not None]
    if len(known) < 2:  # noqa: PLR2004 - a spread has two ends
        return None
    ordered = sorted(known, key=lambda place: (figures[place] or 0.0, place))
    return ordered[0], ordered[-1]
