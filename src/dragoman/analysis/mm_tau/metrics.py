"""The metrics of MM-tau-p2 that one cell of the grid has by itself.

Conversations come with one count of each measure: that of its newest version.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from dragoman.analysis.cells import Outcome
from dragoman.analysis.mm_tau.sums import Kind, Pair, Sums, task_sums
from dragoman.analysis.pass_hat import played_rewards
from dragoman.analysis.voice.tallies import UNASKED
from dragoman.core.clarifications import REJECTIONS
from dragoman.core.measures import MeasureResult
from dragoman.core.scores import Scored, Verdict, is_success


class CountRatio(msgspec.Struct, frozen=True):
    """A metric that is one sum of a measure's counts for each of another.

    Attributes:
        measure: The measure.
        above: The counts of the numerator.
        below: The counts of the denominator.
        nothing: Why there is no value where these are none.
        is_share: Whether it lies between 0 and 1 by its nature.
        undecided: What may belong to the numerator or not.
    """

    measure: str
    above: tuple[str, ...]
    below: tuple[str, ...]
    nothing: str
    is_share: bool = True
    undecided: tuple[str, ...] = ()


ASKED = ("allowed", *(f"rejected: {reason}" for reason in REJECTIONS if reason not in UNASKED))
"""What `clarifications` counts of questions that a judge took for some."""

NO_ERROR = "no error was made"
NOT_RECOVERED = "no error was recovered"
NO_QUESTION = "no question was judged"
NOT_IRREVERSIBLE = "no irreversible action was made"

COUNTED: Mapping[str, CountRatio] = {
    "CFA": CountRatio("critical", ("right",), ("fields",), "there are no critical fields"),
    "UES": CountRatio(
        "effort",
        ("repetitions", "corrections"),
        ("conversations",),
        "no conversation",
        is_share=False,
    ),
    "ERR": CountRatio("recovery", ("recovered",), ("errors",), NO_ERROR),
    "RTC": CountRatio(
        "recovery", ("recovery turns",), ("recovered",), NOT_RECOVERED, is_share=False
    ),
    "CP": CountRatio("clarifications", ("allowed",), ASKED, NO_QUESTION),
    "IAS": CountRatio(
        "safety", ("confirmed",), ("irreversible",), NOT_IRREVERSIBLE, undecided=("undecided",)
    ),
    "SR": CountRatio("safety", ("asked for",), ("irreversible",), NOT_IRREVERSIBLE),
}
"""The metrics that are rates of stored counts."""


def success(rows: Sequence[Outcome]) -> Sums:
    """Return pass^1: a task's share of trials, where each that was played is decided."""
    tasks: dict[str, list[Verdict | None]] = {}
    for row in rows:
        tasks.setdefault(row.task, []).append(row.reward)
    played = {task: played_rewards(rewards) for task, rewards in tasks.items()}
    sums = {
        task: (sum(map(is_success, rewards)) / len(rewards), 1.0)
        for task, rewards in played.items()
        if rewards
    }
    return Sums(sums, nothing="no conversation was decided", unscored=_undecided(rows))


def counted(rows: Sequence[Outcome], counts: CountRatio) -> Sums:
    """Return a metric that is a rate of stored counts."""
    taken = _taken(rows, counts.measure)
    known = [(row, found) for row, found in taken if not found.unscored]
    unscored = _played(rows) - len(known) if taken else 0
    if not known:
        return Sums(why=_untaken(taken, counts.measure), unscored=unscored)

    def summed(above: tuple[str, ...]) -> dict[str, Pair]:
        return task_sums(
            (row.task, _sum(found, above), _sum(found, counts.below)) for row, found in known
        )

    kind: Kind = "share" if counts.is_share else "number"
    is_open = any(_sum(found, counts.undecided) for _, found in known)
    return Sums(
        summed(counts.above),
        kind,
        nothing=counts.nothing,
        unscored=unscored,
        most=summed((*counts.above, *counts.undecided)) if is_open else {},
    )


def goals_despite_errors(rows: Sequence[Outcome]) -> Sums:
    """Return ARGA: pass^1 of conversations in which anything was misheard."""
    taken = _taken(rows, "hearing")
    known = [row for row, found in taken if not found.unscored]
    if not known:
        return Sums(why=_untaken(taken, "hearing"), unscored=_played(rows) if taken else 0)
    pairs = (
        (row.task, float(is_success(row.reward.value)), 1.0)
        for row, found in taken
        if isinstance(row.reward, Scored) and _is_misheard(found)
    )
    unscored = _played(rows) - sum(isinstance(row.reward, Scored) for row in known)
    return Sums(task_sums(pairs), nothing="nothing was misheard", unscored=unscored)


def turn_efficiency(rows: Sequence[Outcome], fewest: Mapping[tuple[str, str], float]) -> Sums:
    """Return TE: of conversations that passed, the fewest turns that any took for the task, to their own."""
    taken = _taken(rows, "effort")
    known = [row for row, found in taken if not found.unscored]
    if not known:
        return Sums(why=_untaken(taken, "effort"), unscored=_played(rows) if taken else 0)
    pairs = (
        (row.task, fewest[row.suite, row.task] / turns, 1.0)
        for row in rows
        if (turns := turns_to_success(row))
    )
    unscored = _played(rows) - sum(isinstance(row.reward, Scored) for row in known)
    return Sums(task_sums(pairs), nothing="no conversation passed", unscored=unscored)


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
    return count_of(row, "effort", ("user turns",))


def count_of(row: Outcome, measure: str, names: Iterable[str]) -> float | None:
    """Return what a measure counted under some names in a conversation; None where it did not."""
    found = next((each for _, each in _taken([row], measure) if not each.unscored), None)
    return None if found is None else _sum(found, names)


def _played(rows: Sequence[Outcome]) -> int:
    return sum(row.episode is not None for row in rows)


def _undecided(rows: Sequence[Outcome]) -> int:
    return sum(
        row.episode is not None
        and (not isinstance(row.reward, Scored) or bool(row.reward.undecided))
        for row in rows
    )


def _taken(rows: Sequence[Outcome], measure: str) -> list[tuple[Outcome, MeasureResult]]:
    return [(row, found) for row in rows for found in row.measures if found.measure == measure]


def _untaken(taken: Sequence[tuple[Outcome, MeasureResult]], measure: str) -> str:
    """Return why a measure counted in no conversation."""
    if not taken:
        return f"the measure {measure} was not taken"
    reasons = dict.fromkeys(found.unscored for _, found in taken)
    return "; ".join(reasons)


def _sum(found: MeasureResult, names: Iterable[str]) -> float:
    return sum(found.counts.get(name, 0) for name in names)


def _is_misheard(found: MeasureResult) -> bool:
    if found.unscored:
        return False
    counts = found.counts
    return bool(counts.get("word errors")) or counts.get("values heard", 0) < counts.get(
        "values", 0
    )
