"""Paired contrasts of agents on web API suites: models before and after training.

Each conversation counts once, whatever its length, and each task counts once: a figure is a mean
over tasks of the means over their conversations. A difference is always B minus A, over tasks that
have the figure on both sides.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import lcm

import msgspec

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.comparison import FINEST_UNIT
from dragoman.analysis.intervals import Interval, clustered_interval, difference_interval
from dragoman.analysis.significance import holm, sign_flip_p
from dragoman.core.apis.metrics import (
    CALLS,
    DETECTORS,
    EXACT_RATE,
    FORMAT_RATE,
    INVOCATION,
    LANGUAGE_LABEL,
    SELECTION,
    THOUGHTS,
    language_match_metric,
    scores,
)
from dragoman.core.conditions import ENGLISH
from dragoman.core.measures import Rate
from dragoman.core.scores import Scored, is_success

Counts = Mapping[str, int | float]

TaskCounts = Mapping[str, Sequence[Counts]]
"""Counts of the conversations of each task."""

_MOST_STEPS = 200_000
"""Largest size of the test's distribution.

With many tasks, differences are rounded to a coarser unit.
"""
_LEAST_UNIT = 20


class Mean(msgspec.Struct, frozen=True):
    """A mean over tasks with its 95 % interval; both None if no task has the figure."""

    value: float | None
    interval: Interval | None
    tasks: int


class PairedRate(msgspec.Struct, frozen=True):
    """One figure of A and B.

    Attributes:
        part: The subject of the figure; "" for the whole.
        name: Its name.
        a: Mean of A over all its tasks.
        b: Mean of B over all its tasks.
        tasks: Number of tasks behind the difference.
        in_a: Mean of A over these tasks.
        in_b: Mean of B over these tasks.
        difference: `in_b` minus `in_a`; None if no task has the figure on both sides.
        interval: 95 % interval of the difference; both sides of a task are resampled together.
        p: p-value of the sign-flip test; None if the difference was not tested.
        adjusted_p: `p` after Holm's correction over all tests of its table.
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


def correct_p_values(rates: Iterable[PairedRate]) -> tuple[PairedRate, ...]:
    """Return figures with the p-values of those that were tested corrected for their number."""
    found = tuple(rates)
    adjusted = iter(holm([each.p for each in found if each.p is not None]))
    return tuple(
        each if each.p is None else msgspec.structs.replace(each, adjusted_p=next(adjusted))
        for each in found
    )


def _values(rate: Rate, tasks: TaskCounts) -> dict[str, Fraction]:
    """Return the figures of the tasks; tasks without a figure are excluded."""
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
    """Return differences as integers in one common unit.

    Differences without a common unit are rounded to a fine one.
    """
    most = min(FINEST_UNIT, max(_LEAST_UNIT, _MOST_STEPS // len(differences)))
    unit = min(lcm(*(each.denominator for each in differences)), most)
    return [round(each * unit) for each in differences]


ALL, NOT_ENGLISH, APIS = "all", "other languages", "APIs"
"""The axes in addition to the language axis.

They are everything, the languages other than English, and whether the APIs were seen in
training.
"""

SEEN, UNSEEN, PARTLY = "seen", "unseen", "partly seen"
"""Whether rows that were trained on call the APIs that a task needs: all, none, or some of them."""

PASSED = Rate("pass^1", ("passed",), ("decided",))

_TESTED = frozenset(
    (rate.part, rate.name)
    for rate in (
        FORMAT_RATE,
        scores(SELECTION, "macro")[2],
        scores(INVOCATION, "macro")[2],
        EXACT_RATE,
        PASSED,
    )
)
"""The figures that have a significance test.

The others have intervals alone, so that the correction covers fewer tests.
"""

Place = tuple[str, str]
"""Suite and task."""

TaskLabels = Mapping[Place, Mapping[str, str]]
"""Labels of tasks."""

Seen = Mapping[str, Mapping[Place, str]]
"""Whether a side was trained on the APIs of a task, by the name of the side.

A side without training is absent.
"""


class ContrastSide(msgspec.Struct, frozen=True):
    """One side: its name, its conversations on all suites, and the digests of their tasks."""

    name: str
    outcomes: tuple[ConversationResult, ...]
    digests: Mapping[Place, str]


class SideContrast(msgspec.Struct, frozen=True):
    """Contrast of B with A over a group of tasks of one suite.

    Attributes:
        suite: The suite.
        a: The first side.
        b: The second side.
        axis: The axis that tasks are grouped by.
        group: The value that the tasks of the group share.
        rates: All figures.
        left_out: Number of excluded tasks by reason.
    """

    suite: str
    a: str
    b: str
    axis: str
    group: str
    rates: tuple[PairedRate, ...]
    left_out: dict[str, int]

    def rate(self, name: str, part: str = "") -> PairedRate:
        """Return a figure.

        Raises:
            KeyError: If the figure does not exist.
        """
        for each in self.rates:
            if (each.name, each.part) == (name, part):
                return each
        raise KeyError(name)


def paired_contrasts(
    cell_pairs: Sequence[tuple[ContrastSide, ContrastSide]],
    labels: TaskLabels,
    seen: Seen,
) -> tuple[SideContrast, ...]:
    """Return all contrasts of pairs (A, B).

    The p-values are corrected over the contrasts of one axis.

    Args:
        cell_pairs: The pairs of sides to compare.
        labels: The labels of all tasks.
        seen: Whether sides B were trained on the APIs of tasks.
    """
    found = [
        each for a, b in cell_pairs for each in _pair_contrasts(a, b, labels, seen.get(b.name, {}))
    ]
    by_axis: dict[str, list[SideContrast]] = {}
    for each in found:
        by_axis.setdefault(each.axis, []).append(each)
    return tuple(each for of_axis in by_axis.values() for each in _correct_contrasts(of_axis))


def _correct_contrasts(found: Sequence[SideContrast]) -> Iterator[SideContrast]:
    rates = iter(correct_p_values(rate for each in found for rate in each.rates))
    for each in found:
        own = tuple(next(rates) for _ in each.rates)
        yield msgspec.structs.replace(each, rates=own)


def _pair_contrasts(
    a: ContrastSide,
    b: ContrastSide,
    labels: TaskLabels,
    seen: Mapping[Place, str],
) -> Iterator[SideContrast]:
    suites = dict.fromkeys(suite for suite, _ in {**a.digests, **b.digests})
    for suite in suites:
        of_a, of_b, left_out = _pair_complete_tasks(
            _counts_by_task(a, suite), _counts_by_task(b, suite), a, b, suite
        )
        groups: dict[tuple[str, str], list[str]] = {(ALL, ""): []}
        for task in of_a:
            for group in _groups(labels.get((suite, task), {}), seen.get((suite, task), "")):
                groups.setdefault(group, []).append(task)
        for (axis, label), tasks in groups.items():
            rates = tuple(
                paired_rate(
                    rate,
                    {task: of_a[task] for task in tasks},
                    {task: of_b[task] for task in tasks},
                    tested=(rate.part, rate.name) in _TESTED,
                )
                for rate in RATES
            )
            yield SideContrast(
                suite, a.name, b.name, axis, label, rates, left_out if axis == ALL else {}
            )


def _groups(labels: Mapping[str, str], seen: str) -> Iterator[tuple[str, str]]:
    """Yield what a task belongs to."""
    yield ALL, ""
    if language := labels.get(LANGUAGE_LABEL):
        yield LANGUAGE_LABEL, language
        if language.partition("-")[0] != ENGLISH:
            yield NOT_ENGLISH, ""
    if seen:
        yield APIS, seen


def _rates() -> Iterator[Rate]:
    yield from map(language_match_metric, DETECTORS)
    yield FORMAT_RATE
    for part in (SELECTION, INVOCATION):
        yield from scores(part, "macro")
    yield EXACT_RATE
    yield PASSED


RATES = tuple(_rates())


def _counts_by_task(player: ContrastSide, suite: str) -> dict[str, list[Counts | None]]:
    found: dict[str, list[Counts | None]] = {}
    for row in player.outcomes:
        if row.suite == suite:
            found.setdefault(row.task, []).append(_counts(row))
    return found


def _counts(row: ConversationResult) -> Counts | None:
    """Return the counts of a conversation.

    None if it was not played or nothing could be counted.
    """
    newest = {each.measure: each for each in row.measures if not each.unscored}
    counts: dict[str, int | float] = {}
    for name in (THOUGHTS, CALLS):
        if name in newest:
            counts |= newest[name].counts
    if isinstance(row.reward, Scored) and not row.reward.undecided:
        counts |= {"decided": 1, "passed": int(is_success(row.reward.value))}
    return counts or None


def _pair_complete_tasks(
    a: Mapping[str, Sequence[Counts | None]],
    b: Mapping[str, Sequence[Counts | None]],
    player_a: ContrastSide,
    player_b: ContrastSide,
    suite: str,
) -> tuple[TaskCounts, TaskCounts, dict[str, int]]:
    """Return the tasks that are complete on both sides, and the number of excluded ones."""
    left_out: dict[str, int] = {}
    kept: list[str] = []
    for task in dict.fromkeys((*a, *b)):
        digests = [each.digests.get((suite, task)) for each in (player_a, player_b)]
        why = _obstacle(a.get(task), b.get(task), is_same=digests[0] == digests[1])
        if why:
            left_out[why] = left_out.get(why, 0) + 1
        else:
            kept.append(task)
    return _tasks_in_full(a, kept), _tasks_in_full(b, kept), left_out


def _tasks_in_full(side: Mapping[str, Sequence[Counts | None]], tasks: Iterable[str]) -> TaskCounts:
    return {task: [each for each in side[task] if each is not None] for task in tasks}


def _obstacle(
    a: Sequence[Counts | None] | None, b: Sequence[Counts | None] | None, *, is_same: bool
) -> str:
    """Return why a task cannot be compared; "" if it can."""
    if a is None or b is None:
        return "only in A" if b is None else "only in B"
    if not is_same:
        return "another version of the task"
    sides = [name for name, rows in (("A", a), ("B", b)) if any(each is None for each in rows)]
    return f"not played or not counted in {' and '.join(sides)}" if sides else ""


BEFORE = "before"
"""Name of the untrained model."""


class TrainingSummary(msgspec.Struct, frozen=True):
    """All contrasts of a study.

    Attributes:
        arms: The trainings, in order.
        inside: Suites like those that the training rows come from.
        outside: Suites of other projects.
        contrasts: Contrasts of each training with the untrained model, and of each training with
            the later ones.
        facts: Labels and values that describe the input.
    """

    arms: tuple[str, ...]
    inside: tuple[str, ...]
    outside: tuple[str, ...]
    contrasts: tuple[SideContrast, ...]
    facts: tuple[tuple[str, str], ...] = ()

    def of(self, axis: str, *, arms: bool = False) -> tuple[SideContrast, ...]:
        """Return the contrasts along an axis.

        They are contrasts with the model before training, or, with `arms`, contrasts between
        trainings.
        """
        return tuple(
            each for each in self.contrasts if each.axis == axis and (each.a != BEFORE) == arms
        )


def summarize_training(
    before: ContrastSide,
    arms: tuple[ContrastSide, ...],
    labels: TaskLabels,
    seen: Seen,
    suites: tuple[tuple[str, ...], tuple[str, ...]],
) -> TrainingSummary:
    """Return all contrasts.

    Args:
        before: The untrained model; its name is `BEFORE`.
        arms: The same model after each training.
        labels: Labels of tasks.
        seen: Whether the rows of a training call the APIs of a task, by training.
        suites: Suites in domain, and suites out of domain.
    """
    bought = paired_contrasts([(before, arm) for arm in arms], labels, seen)
    ablated = paired_contrasts([(b, a) for a, b in combinations(arms, 2)], labels, {})
    return TrainingSummary(tuple(arm.name for arm in arms), *suites, (*bought, *ablated))
