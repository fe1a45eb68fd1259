"""Metrics of MM-tau-p2 for one cell, for voice against text, and relative changes between cells."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Literal

import msgspec

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.comparison import CellOutcomes
from dragoman.analysis.input_modes import UNASKED
from dragoman.analysis.intervals import (
    RESAMPLES,
    Interval,
    drawn_sums,
    joined_interval,
    paired_ratio_interval,
    ratio_interval,
)
from dragoman.analysis.pass_hat import played_rewards
from dragoman.analysis.rater_agreement import percentile_interval
from dragoman.core.clarifications import REJECTIONS
from dragoman.core.measures import MeasureResult
from dragoman.core.scores import Scored, Verdict, is_success

Pair = tuple[float, float]
"""Contributions of a task to a metric's numerator and denominator."""

Kind = Literal["share", "number", "paired"]
"""Whether a metric lies between 0 and 1 by its nature, need not, or sets voice against text."""


class Metric(msgspec.Struct, frozen=True):
    """One metric.

    Attributes:
        value: None where it is not defined.
        interval: 95 %, by bootstrap over tasks; None where there is none.
        n: Number of items that it is taken over: fields, errors, conversations, or paired tasks.
        why: Reason why the value is missing.
        unscored: Conversations that were played and are not in it, since they could not be counted
            or judged.
        most: The largest possible value, if something is undecided; `value` is then the smallest.
    """

    value: float | None = None
    interval: Interval | None = None
    n: float = 0
    why: str = ""
    unscored: int = 0
    most: float | None = None


class Sums(msgspec.Struct, frozen=True):
    """Contributions of the tasks of one cell to a metric.

    Attributes:
        tasks: By task.
        kind: The kind of its values.
        less: Number that is subtracted from the ratio of the sums.
        nothing: Reason why the value is missing if the denominator is 0.
        why: Why nothing was counted at all.
        unscored: Conversations that could not be counted or judged.
        most: The same with all undecided items in the numerator; empty if nothing is undecided.
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
        """The pairs that enter: those with a denominator, or all if tasks are paired."""
        return [pair for pair in self.tasks.values() if pair[1] or self.is_paired]


def metric(sums: Sums) -> Metric:
    """Return the metric of sums."""
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


class CountRatio(msgspec.Struct, frozen=True):
    """A metric that is one sum of a measure's counts for each of another.

    Attributes:
        measure: The measure.
        above: The counts of the numerator.
        below: The counts of the denominator.
        nothing: Reason why the value is missing if the denominator is 0.
        is_share: Whether it lies between 0 and 1 by its nature.
        undecided: Counts that may or may not belong to the numerator.
    """

    measure: str
    above: tuple[str, ...]
    below: tuple[str, ...]
    nothing: str
    is_share: bool = True
    undecided: tuple[str, ...] = ()


ASKED = ("allowed", *(f"rejected: {reason}" for reason in REJECTIONS if reason not in UNASKED))
"""Counts of `clarifications` for questions that a judge took as clarifications."""

NO_ERROR = "no error was made"
NOT_RECOVERED = "no error was recovered"
NO_QUESTION = "no question was judged"
NOT_IRREVERSIBLE = "no irreversible action was made"

COUNTED: Mapping[str, CountRatio] = {
    "CFA": CountRatio("critical", ("right",), ("fields",), "no critical fields"),
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


def success(rows: Sequence[ConversationResult]) -> Sums:
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
    return Sums(sums, nothing="no conversation was decided", unscored=_count_undecided(rows))


def sum_count_ratio(rows: Sequence[ConversationResult], counts: CountRatio) -> Sums:
    """Return a metric that is a rate of stored counts."""
    taken = _select_measurements(rows, counts.measure)
    known = [(row, found) for row, found in taken if not found.unscored]
    unscored = _count_played(rows) - len(known) if taken else 0
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


def goals_despite_errors(rows: Sequence[ConversationResult]) -> Sums:
    """Return ARGA: pass^1 of conversations with at least one recognition error."""
    taken = _select_measurements(rows, "hearing")
    known = [row for row, found in taken if not found.unscored]
    if not known:
        return Sums(why=_untaken(taken, "hearing"), unscored=_count_played(rows) if taken else 0)
    pairs = (
        (row.task, float(is_success(row.reward.value)), 1.0)
        for row, found in taken
        if isinstance(row.reward, Scored) and _is_misrecognized(found)
    )
    unscored = _count_played(rows) - sum(isinstance(row.reward, Scored) for row in known)
    return Sums(task_sums(pairs), nothing="nothing was misrecognized", unscored=unscored)


def turn_efficiency(
    rows: Sequence[ConversationResult], fewest: Mapping[tuple[str, str], float]
) -> Sums:
    """Return TE: for each passed conversation, the fewest turns for its task over its own turns.

    The fewest turns are those of any conversation that passed the task.
    """
    taken = _select_measurements(rows, "effort")
    known = [row for row, found in taken if not found.unscored]
    if not known:
        return Sums(why=_untaken(taken, "effort"), unscored=_count_played(rows) if taken else 0)
    pairs = (
        (row.task, fewest[row.suite, row.task] / turns, 1.0)
        for row in rows
        if (turns := turns_to_success(row))
    )
    unscored = _count_played(rows) - sum(isinstance(row.reward, Scored) for row in known)
    return Sums(task_sums(pairs), nothing="no conversation passed", unscored=unscored)


def fewest_turns(rows: Iterable[ConversationResult]) -> dict[tuple[str, str], float]:
    """Return the fewest user turns of any passed conversation, by suite and task."""
    fewest: dict[tuple[str, str], float] = {}
    for row in rows:
        if turns := turns_to_success(row):
            place = (row.suite, row.task)
            fewest[place] = min(turns, fewest.get(place, turns))
    return fewest


def turns_to_success(row: ConversationResult) -> float:
    """Return the user's turns of a conversation that passed; 0 for any other."""
    if not isinstance(row.reward, Scored) or not is_success(row.reward.value):
        return 0
    return user_turns(row) or 0


def user_turns(row: ConversationResult) -> float | None:
    """Return the user's turns; None where they were not counted."""
    return count_of(row, "effort", ("user turns",))


def count_of(row: ConversationResult, measure: str, names: Iterable[str]) -> float | None:
    """Return what a measure counted under some names in a conversation; None where it did not."""
    found = next(
        (each for _, each in _select_measurements([row], measure) if not each.unscored), None
    )
    return None if found is None else _sum(found, names)


def _count_played(rows: Sequence[ConversationResult]) -> int:
    return sum(row.episode is not None for row in rows)


def _count_undecided(rows: Sequence[ConversationResult]) -> int:
    return sum(
        row.episode is not None
        and (not isinstance(row.reward, Scored) or bool(row.reward.undecided))
        for row in rows
    )


def _select_measurements(
    rows: Sequence[ConversationResult], measure: str
) -> list[tuple[ConversationResult, MeasureResult]]:
    return [(row, found) for row in rows for found in row.measures if found.measure == measure]


def _untaken(taken: Sequence[tuple[ConversationResult, MeasureResult]], measure: str) -> str:
    """Return why a measure counted in no conversation."""
    if not taken:
        return f"the measure {measure} was not taken"
    reasons = dict.fromkeys(found.unscored for _, found in taken)
    return "; ".join(reasons)


def _sum(found: MeasureResult, names: Iterable[str]) -> float:
    return sum(found.counts.get(name, 0) for name in names)


def _is_misrecognized(found: MeasureResult) -> bool:
    if found.unscored:
        return False
    counts = found.counts
    return bool(counts.get("word errors")) or counts.get("values heard", 0) < counts.get(
        "values", 0
    )


NO_TEXT = "no text conversation of the same agent and users to compare with"
_NO_TASK_IN_BOTH_MODES = "no task is known in text and by voice"


def modality_robustness(text: CellOutcomes, voice: CellOutcomes) -> Sums:
    """Return MRS: pass^1 by voice to pass^1 in text, over the tasks that are decided in both."""
    in_text, in_voice = success(text.outcomes), success(voice.outcomes)
    pairs = {
        task: (in_voice.tasks[task][0], in_text.tasks[task][0])
        for task in _find_shared_tasks(text, voice, in_text.tasks, in_voice.tasks)
    }
    nothing = "no task passed in text" if pairs else _NO_TASK_IN_BOTH_MODES
    return Sums(pairs, "paired", nothing=nothing, unscored=in_text.unscored + in_voice.unscored)


def turn_overhead(text: CellOutcomes, voice: CellOutcomes) -> Sums:
    """Return TO: how many more turns the user took by voice than in text, to those in text."""
    in_text, in_voice = _turns(text), _turns(voice)
    pairs: dict[str, Pair] = {
        task: (in_voice[task], in_text[task])
        for task in _find_shared_tasks(text, voice, in_text, in_voice)
    }
    unscored = sum(
        row.episode is not None and user_turns(row) is None
        for cell in (text, voice)
        for row in cell.outcomes
    )
    return Sums(pairs, "paired", 1.0, nothing=_NO_TASK_IN_BOTH_MODES, unscored=unscored)


def _find_shared_tasks(
    text: CellOutcomes, voice: CellOutcomes, in_text: Iterable[str], in_voice: Mapping[str, object]
) -> list[str]:
    """Return the tasks that are known in both, and are the same there."""
    return [
        task
        for task in in_text
        if task in in_voice and text.digests.get(task) == voice.digests.get(task)
    ]


def _turns(cell: CellOutcomes) -> dict[str, float]:
    """Return the mean number of user turns per conversation, by task.

    Conversations in which the user was silent are excluded.
    """
    known: dict[str, list[float]] = {}
    for row in cell.outcomes:
        if turns := user_turns(row):
            known.setdefault(row.task, []).append(turns)
    return {task: fmean(turns) for task, turns in known.items()}


_NOT_ABOVE_0 = "a percentage needs a value above 0 to compare with"
_NO_TASK = "no task is in both"


def relative_change(of: Sums, to: Sums) -> Metric:
    """Return how much larger one cell's metric is than another's, over the tasks that both have.

    Both sides of a task are drawn together. A draw in which a side has nothing to divide by, or the
    second is not above 0, has no change; if one in twenty draws has no change, the interval is
    missing.

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
    return Metric(value, _change_interval(drawn), len(shared), unscored=unscored)


def _changes(sums: "Sequence[Sequence[float]]", less: float) -> list[float]:
    import numpy as np

    above, below, above_to, below_to = np.asarray(sums, dtype=float).T
    with np.errstate(divide="ignore", invalid="ignore"):
        value, base = above / below - less, above_to / below_to - less
        changes = np.where(base > 0, value / base - 1, np.nan)
    found: list[float] = changes.tolist()
    return found


def _change_interval(drawn: Sequence[float]) -> Interval | None:
    if len(drawn) < RESAMPLES * 0.95 or min(drawn) == max(drawn):
        return None
    return percentile_interval(drawn)
