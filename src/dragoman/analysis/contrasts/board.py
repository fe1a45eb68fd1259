"""Contrasts of agents on suites of web APIs: over all tasks, by language, and by what else they are."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from dragoman.analysis.cells import Outcome
from dragoman.analysis.contrasts.paired import (
    Counts,
    PairedRate,
    TaskCounts,
    corrected,
    paired_rate,
)
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

ALL, NOT_ENGLISH, APIS = "all", "other languages", "APIs"
"""Axes beside that of the languages: everything, what is not English, and whether APIs were seen."""

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
"""The figures that are tested; the others have intervals alone, so that fewer tests are corrected for."""

Place = tuple[str, str]
"""Suite and task."""

TaskLabels = Mapping[Place, Mapping[str, str]]
"""What tasks are labelled with."""

Seen = Mapping[str, Mapping[Place, str]]
"""By the name of a side whether it was trained on the APIs of a task; none for one that was not."""


class ContrastSide(msgspec.Struct, frozen=True):
    """One side: its name, its conversations on all suites, and the digests of their tasks."""

    name: str
    outcomes: tuple[Outcome, ...]
    digests: Mapping[Place, str]


class SideContrast(msgspec.Struct, frozen=True):
    """B against A over the tasks of one suite that have something in common.

    Attributes:
        suite: The suite.
        a: The one side.
        b: The other.
        axis: By what tasks are taken apart.
        group: What these have in common.
        rates: Every figure.
        left_out: Tasks that were not compared, counted by reason.
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
            KeyError: Where there is none.
        """
        for each in self.rates:
            if (each.name, each.part) == (name, part):
                return each
        raise KeyError(name)


def contrasts(
    couples: Sequence[tuple[ContrastSide, ContrastSide]],
    labels: TaskLabels,
    seen: Seen,
) -> tuple[SideContrast, ...]:
    """Return all contrasts of couples (A, B); p-values are corrected over those of one axis.

    Args:
        couples: Who is set against whom.
        labels: Of all tasks.
        seen: Of sides B.
    """
    found = [each for a, b in couples for each in _of_couple(a, b, labels, seen.get(b.name, {}))]
    by_axis: dict[str, list[SideContrast]] = {}
    for each in found:
        by_axis.setdefault(each.axis, []).append(each)
    return tuple(each for of_axis in by_axis.values() for each in _corrected(of_axis))


def _corrected(found: Sequence[SideContrast]) -> Iterator[SideContrast]:
    rates = iter(corrected(rate for each in found for rate in each.rates))
    for each in found:
        own = tuple(next(rates) for _ in each.rates)
        yield msgspec.structs.replace(each, rates=own)


def _of_couple(
    a: ContrastSide,
    b: ContrastSide,
    labels: TaskLabels,
    seen: Mapping[Place, str],
) -> Iterator[SideContrast]:
    suites = dict.fromkeys(suite for suite, _ in {**a.digests, **b.digests})
    for suite in suites:
        of_a, of_b, left_out = _paired(_counted(a, suite), _counted(b, suite), a, b, suite)
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


def _counted(player: ContrastSide, suite: str) -> dict[str, list[Counts | None]]:
    found: dict[str, list[Counts | None]] = {}
    for row in player.outcomes:
        if row.suite == suite:
            found.setdefault(row.task, []).append(_counts(row))
    return found


def _counts(row: Outcome) -> Counts | None:
    """Return what a conversation counts for; None where it was not played or nothing could be counted."""
    newest = {each.measure: each for each in row.measures if not each.unscored}
    counts: dict[str, int | float] = {}
    for name in (THOUGHTS, CALLS):
        if name in newest:
            counts |= newest[name].counts
    if isinstance(row.reward, Scored) and not row.reward.undecided:
        counts |= {"decided": 1, "passed": int(is_success(row.reward.value))}
    return counts or None


def _paired(
    a: Mapping[str, Sequence[Counts | None]],
    b: Mapping[str, Sequence[Counts | None]],
    player_a: ContrastSide,
    player_b: ContrastSide,
    suite: str,
) -> tuple[TaskCounts, TaskCounts, dict[str, int]]:
    """Return the tasks that both sides have whole, and how many are left out by reason."""
    left_out: dict[str, int] = {}
    kept: list[str] = []
    for task in dict.fromkeys((*a, *b)):
        digests = [each.digests.get((suite, task)) for each in (player_a, player_b)]
        why = _obstacle(a.get(task), b.get(task), is_same=digests[0] == digests[1])
        if why:
            left_out[why] = left_out.get(why, 0) + 1
        else:
            kept.append(task)
    return _whole(a, kept), _whole(b, kept), left_out


def _whole(side: Mapping[str, Sequence[Counts | None]], tasks: Iterable[str]) -> TaskCounts:
    return {task: [each for each in side[task] if each is not None] for task in tasks}


def _obstacle(
    a: Sequence[Counts | None] | None, b: Sequence[Counts | None] | None, *, is_same: bool
) -> str:
    """Return why a task cannot be compared; "" where it can."""
    if a is None or b is None:
        return "only in A" if b is None else "only in B"
    if not is_same:
        return "another version of the task"
    sides = [name for name, rows in (("A", a), ("B", b)) if any(each is None for each in rows)]
    return f"not played or not counted in {' and '.join(sides)}" if sides else ""
