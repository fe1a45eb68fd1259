"""How much a metric changes between two cells, in parts of the second: the percentages of the source's Tables 3 and 4."""

from collections.abc import Sequence

from dragoman.analysis.intervals import RESAMPLES, Interval, drawn_sums
from dragoman.analysis.judges.agreement import percentile_interval
from dragoman.analysis.mm_tau.sums import Metric, Sums

_NOT_ABOVE_0 = "there is no percentage of what is not above 0"
_NO_TASK = "no task is in both"


def relative_change(of: Sums, to: Sums) -> Metric:
    """Return how much larger one cell's metric is than another's, over the tasks that both have.

    Both sides of a task are drawn together. A draw in which a side has nothing to divide by, or the
    second is not above 0, has no change; there is no interval where one in twenty is such a draw.

    Args:
        of: What changed.
        to: To what it is compared.
    """
    import numpy as np

    if of.why or to.why:
        return Metric(why=of.why or to.why)
    shared = [task for task in of.tasks if task in to.tasks]
    unscored = of.unscored + to.unscored
    if not shared:
        return Metric(why=_NO_TASK, unscored=unscored)
    sides = [(*of.tasks[task], *to.tasks[task]) for task in shared]
    whole = np.asarray(sides, dtype=float).sum(axis=0)
    (value,) = _changes([whole.tolist()], of.less)
    if not np.isfinite(value):
        below = whole[[1, 3]]
        why = _NOT_ABOVE_0 if below.all() else (of.nothing or _NO_TASK)
        return Metric(n=len(shared), why=why, unscored=unscored)
    drawn = [each for each in _changes(drawn_sums(sides).tolist(), of.less) if np.isfinite(each)]
    return Metric(value, _interval(drawn), len(shared), unscored=unscored)


def _changes(sums: "Sequence[Sequence[float]]", less: float) -> list[float]:
    import numpy as np

    above, below, above_to, below_to = np.asarray(sums, dtype=float).T
    with np.errstate(divide="ignore", invalid="ignore"):
        value, base = above / below - less, above_to / below_to - less
        changes = np.where(base > 0, value / base - 1, np.nan)
    found: list[float] = changes.tolist()
    return found


def _interval(drawn: Sequence[float]) -> Interval | None:
    if len(drawn) < RESAMPLES * 0.95 or min(drawn) == max(drawn):
        return None
    return percentile_interval(drawn)
