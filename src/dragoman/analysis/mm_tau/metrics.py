"""The metrics of MM-tau-p2 that one cell of the grid has by itself."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from dragoman.analysis.cells import Outcome
from dragoman.analysis.intervals import Interval, ratio_interval
from dragoman.analysis.measure_figures import newest
from dragoman.analysis.pass_hat import is_success
from dragoman.analysis.voice.tallies import UNASKED
from dragoman.core.keys import content_key, derive_seed
from dragoman.core.measures import Measured
from dragoman.core.scores import Scored
from dragoman.core.voice.clarifications import REJECTIONS

TaskSums = Mapping[str, tuple[float, float]]
"""What each task adds to a metric's numerator and denominator."""


class Metric(msgspec.Struct, frozen=True):
    """One metric.

    Attributes:
        value: None where it is not defined.
        interval: 95 %, by bootstrap over tasks; None where there is none.
        n: How much it is taken over: fields, errors, conversations, or tasks that are paired.
        why: Why there is no value.
    """

    value: float | None = None
    interval: Interval | None = None
    n: float = 0
    why: str = ""


class CountRatio(msgspec.Struct, frozen=True):
    """A metric that is one sum of a measure's counts for each of another.

    Attributes:
        measure: The measure.
        above: The counts of the numerator.
        below: The counts of the denominator.
        nothing: Why there is no value where these are none.
        is_share: Whether it lies between 0 and 1 by its nature.
    """

    measure: str
    above: tuple[str, ...]
    below: tuple[str, ...]
    nothing: str
    is_share: bool = True


_ASKED = ("allowed", *(f"rejected: {reason}" for reason in REJECTIONS if reason not in UNASKED))

COUNTED: Mapping[str, CountRatio] = {
    "CFA": CountRatio("critical", ("right",), ("fields",), "there are no critical fields"),
    "UES": CountRatio(
        "effort",
        ("repetitions", "corrections"),
        ("conversations",),
        "no conversation",
        is_share=False,
    ),
    "ERR": CountRatio("recovery", ("recovered",), ("errors",), "no error was made"),
    "RTC": CountRatio(
        "recovery", ("recovery turns",), ("recovered",), "no error was recovered", is_share=False
    ),
    "CP": CountRatio("clarifications", ("allowed",), _ASKED, "no question was judged"),
    "IAS": CountRatio(
        "safety", ("confirmed",), ("irreversible",), "no irreversible action was made"
    ),
    "SR": CountRatio(
        "safety", ("asked for",), ("irreversible",), "no irreversible action was made"
    ),
}
"""The metrics that are rates of stored counts."""


def counted(rows: Sequence[Outcome], name: str, place: Sequence[str]) -> Metric:
    """Return a metric of `COUNTED`.

    Args:
        rows: Conversations of one cell.
        name: The metric.
        place: The cell's names, for the interval's draws.
    """
    counts = COUNTED[name]
    taken = _taken(rows, counts.measure)
    if not any(not found.unscored for _, found in taken):
        return Metric(why=_untaken(taken, counts.measure))
    pairs = (
        (row.task, _sum(found, counts.above), _sum(found, counts.below))
        for row, found in taken
        if not found.unscored
    )
    return rated(task_sums(pairs), (*place, name), counts.nothing, is_share=counts.is_share)


def goals_despite_errors(rows: Sequence[Outcome], place: Sequence[str]) -> Metric:
    """Return ARGA: pass^1 of conversations in which anything was misheard."""
    taken = _taken(rows, "hearing")
    if not any(not found.unscored for _, found in taken):
        return Metric(why=_untaken(taken, "hearing"))
    pairs = (
        (row.task, float(is_success(row.reward.value)), 1.0)
        for row, found in taken
        if isinstance(row.reward, Scored) and _is_misheard(found)
    )
    return rated(task_sums(pairs), (*place, "ARGA"), "nothing was misheard")


def turn_efficiency(
    rows: Sequence[Outcome], fewest: Mapping[tuple[str, str], float], place: Sequence[str]
) -> Metric:
    """Return TE: of conversations that passed, the fewest turns that any took for the task, to their own."""
    taken = _taken(rows, "effort")
    if not any(not found.unscored for _, found in taken):
        return Metric(why=_untaken(taken, "effort"))
    pairs = (
        (row.task, fewest[row.suite, row.task] / turns, 1.0)
        for row in rows
        if (turns := turns_to_success(row))
    )
    return rated(task_sums(pairs), (*place, "TE"), "no conversation passed")


def fewest_turns(rows: Iterable[Outcome]) -> dict[tuple[str, str], float]:
    """Return by suite and task how many turns of the user a conversation took that passed, at least."""
    fewest: dict[tuple[str, str], float] = {}
    for row in rows:
        if turns := turns_to_success(row):
            place = (row.suite, row.task)
            fewest[place] = min(turns, fewest.get(place, turns))
    return fewest


def turns_to_success(row: Outcome) -> float:
    """Return the user's turns of a conversation that passed; 0 for any other."""
    if not isinstance(row.reward, Scored) or not is_success(row.reward.value):
        return 0
    return user_turns(row) or 0


def user_turns(row: Outcome) -> float | None:
    """Return the user's turns; None where they were not counted."""
    found = next((each for _, each in _taken([row], "effort") if not each.unscored), None)
    return None if found is None else found.counts.get("user turns", 0)


def rated(sums: TaskSums, place: Sequence[str], nothing: str, *, is_share: bool = True) -> Metric:
    """Return a ratio of sums over tasks, those aside that have no denominator."""
    pairs = [pair for pair in sums.values() if pair[1]]
    if not pairs:
        return Metric(why=nothing)
    n = sum(below for _, below in pairs)
    seed = derive_seed(content_key(*place), "mm-tau-p2")
    interval = ratio_interval(pairs, seed, is_share=is_share)
    return Metric(sum(above for above, _ in pairs) / n, interval, n)


def task_sums(pairs: Iterable[tuple[str, float, float]]) -> dict[str, tuple[float, float]]:
    """Return the sums by task."""
    sums: dict[str, tuple[float, float]] = {}
    for task, above, below in pairs:
        known = sums.get(task, (0.0, 0.0))
        sums[task] = known[0] + above, known[1] + below
    return sums


def _taken(rows: Sequence[Outcome], measure: str) -> list[tuple[Outcome, Measured]]:
    return [
        (row, found) for row in rows for found in newest(row.measures) if found.measure == measure
    ]


def _untaken(taken: Sequence[tuple[Outcome, Measured]], measure: str) -> str:
    """Return why a measure counted in no conversation."""
    if not taken:
        return f"the measure {measure} was not taken"
    reasons = dict.fromkeys(found.unscored for _, found in taken)
    return "; ".join(reasons)


def _sum(found: Measured, names: Iterable[str]) -> float:
    return sum(found.counts.get(name, 0) for name in names)


def _is_misheard(found: Measured) -> bool:
    if found.unscored:
        return False
    counts = found.counts
    return bool(counts.get("word errors")) or counts.get("values heard", 0) < counts.get(
        "values", 0
    )
