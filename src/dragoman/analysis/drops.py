"""Drops in success against a baseline condition, split by the stage that failed.

On each layer the condition without it is the baseline of all others. Every number names the
conversations behind it, and the parts add up to the drop. The result of a replay takes precedence.
The checks of the simulated user count where no stage before the agent failed, and the wrong
arguments decide whether all of them are a matter of language.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Literal, get_args

import msgspec

from dragoman.analysis.cell_summary import ConversationResult, PlaceInRun, place_in_run
from dragoman.analysis.comparison import CellOutcomes, CellPair, Comparison
from dragoman.analysis.failure_attribution import ATTRIBUTION, FAILURE_SOURCES, FailureSource
from dragoman.analysis.families import (
    PairFilter,
    all_pairs,
    baseline_pairs,
    compare_in_families,
    pairs_with_baseline,
)
from dragoman.analysis.intervals import Interval, difference_interval, ratio_interval
from dragoman.analysis.measure_metrics import newest
from dragoman.core.scores import Scored, is_success

FailureStage = FailureSource | Literal["language", "user", "not looked for"]

FAILURE_STAGES: dict[FailureStage, str] = {
    "line": FAILURE_SOURCES["line"],
    "speech": FAILURE_SOURCES["speech"],
    "hearing": FAILURE_SOURCES["hearing"],
    "mishearing": FAILURE_SOURCES["mishearing"],
    "language": "as arguments; each value that is wrong is one in another language",
    "arguments": FAILURE_SOURCES["arguments"],
    "user": "the simulated user failed a check of its part, and nothing before it lost the "
    "conversation",
    "agent": FAILURE_SOURCES["agent"],
    "unknown": FAILURE_SOURCES["unknown"],
    "not looked for": "was not played again, so that nobody knows",
}
"""The stages at which a conversation is lost, as it goes; each that failed is of one."""


class DropPart(msgspec.Struct, frozen=True):
    """The loss of one stage as a share of trials: failures there in B minus those in A.

    A negative value is a gain.

    Attributes:
        stage: The stage.
        value: Its part of the drop; the parts of a drop add up to it.
        interval: 95 % interval, paired over tasks.
        behind: Conversations that failed at the stage in B.
        in_base: Conversations that failed at the stage in A.
    """

    stage: FailureStage
    value: float
    interval: Interval
    behind: tuple[PlaceInRun, ...]
    in_base: tuple[PlaceInRun, ...]


class CountedShare(msgspec.Struct, frozen=True):
    """A count and its share of a whole, over the compared tasks of one cell.

    Attributes:
        name: Name of the counted thing.
        count: Number of occurrences.
        of: Size of the whole; None if it was not counted.
        interval: 95 % interval of the share, over tasks; None without an interval.
        behind: The conversations in which it occurred.
    """

    name: str
    count: float
    of: float | None
    interval: Interval | None
    behind: tuple[PlaceInRun, ...]

    @property
    def value(self) -> float | None:
        """The share; None if the whole is not known or 0."""
        return self.count / self.of if self.of else None


class PairedShares(msgspec.Struct, frozen=True):
    """The same share in A and in B; None if it was not counted."""

    base: CountedShare | None
    other: CountedShare | None


class Drop(msgspec.Struct, frozen=True):
    """Drop from A, the baseline, to B, over the tasks that both finished.

    Attributes:
        comparison: The two cells and their differences; p is corrected within its family.
        parts: Part of each stage in the drop; stages without a failure are excluded.
        misrecognized: The conversations that failed in B and in which a value that calls need was
            not recognized.
        values: Kinds of such values, with the share of spoken values that was not recognized in B;
            the most frequent kind first.
        word_errors: Word errors, as a share of the words that users said.
        other_language: Turns in which the agent did not use its language.
    """

    comparison: Comparison
    parts: tuple[DropPart, ...]
    misrecognized: tuple[PlaceInRun, ...] = msgspec.field(name="misheard")
    values: tuple[CountedShare, ...]
    word_errors: PairedShares
    other_language: PairedShares

    @property
    def value(self) -> float | None:
        """pass^1 of A minus pass^1 of B; None if no task was compared."""
        return 0.0 - self.comparison.gaps[0].difference if self.comparison.gaps else None

    @property
    def interval(self) -> Interval | None:
        """The 95 % interval of the loss."""
        if not self.comparison.gaps:
            return None
        found = self.comparison.gaps[0].interval
        return Interval(0.0 - found.high, 0.0 - found.low)

    @property
    def failed(self) -> tuple[PlaceInRun, ...]:
        """The conversations that failed in B."""
        return tuple(place for part in self.parts for place in part.behind)

    @property
    def is_looked_for(self) -> bool:
        """Whether it is known of every conversation that failed which stage lost it."""
        return all(part.stage != "not looked for" for part in self.parts)


_BEHIND_THE_USER = frozenset({"agent", "unknown", "not looked for"})
_OTHER_LANGUAGE = "other language"
_FURTHER_DIFFERENCES = ("missing", "added", "type", "format", "other value", "not called")


def failure_stage(row: ConversationResult) -> FailureStage:
    """Return the stage that lost a conversation, which failed."""
    found: FailureStage = _find_cause(row) or "not looked for"
    if found == "arguments" and _is_of_language(measure_counts(row, "modes")):
        return "language"
    if found in _BEHIND_THE_USER and row.score is not None and row.score.invalid:
        return "user"
    return found


def measure_counts(row: ConversationResult, measure: str) -> Mapping[str, int | float]:
    """Return the counts of the newest version of a measure in a conversation.

    The mapping is empty if the measure did not count the conversation.
    """
    return next((entry.counts for entry in newest(row.measures) if entry.measure == measure), {})


def _find_cause(row: ConversationResult) -> FailureSource | None:
    counts = measure_counts(row, ATTRIBUTION)
    return next((name for name in get_args(FailureSource) if counts.get(name)), None)


def _is_of_language(counts: Mapping[str, int | float]) -> bool:
    """Return whether the only errors in a conversation's calls are of language."""
    return bool(counts.get(_OTHER_LANGUAGE)) and not any(map(counts.get, _FURTHER_DIFFERENCES))


_KIND_LOST, _KIND_SAID = "lost: ", "said: "


class _Side(msgspec.Struct, frozen=True, dict=True):
    """The conversations of one cell on the compared tasks, and how many each task has."""

    rows: Sequence[ConversationResult]
    trials: Mapping[str, int]

    @cached_property
    def failed(self) -> Mapping[FailureStage, Sequence[ConversationResult]]:
        """Those that failed, by stage."""
        found: dict[FailureStage, list[ConversationResult]] = {}
        for row in self.rows:
            if isinstance(row.reward, Scored) and not is_success(row.reward.value):
                found.setdefault(failure_stage(row), []).append(row)
        return found


def find_drops(cells: Sequence[CellOutcomes], chosen: PairFilter = all_pairs) -> tuple[Drop, ...]:
    """Return the drops between conditions that differ in one layer, in the order of the cells.

    Args:
        cells: The cells of a run.
        chosen: Filter that removes pairs whose comparison says nothing about the condition that
            differs.
    """
    return _drops_of(chosen(baseline_pairs(cells)), cells, chosen)


def drops_from_baseline(
    cells: Sequence[CellOutcomes], chosen: PairFilter = all_pairs
) -> tuple[Drop, ...]:
    """Return the drop of each condition against the baseline of its agent, whatever differs.

    Args:
        cells: The cells of a run.
        chosen: The same filter as that of `find_drops`.
    """
    return _drops_of(chosen(pairs_with_baseline(cells)), cells, chosen)


def _drops_of(
    pairs: Sequence[CellPair], cells: Sequence[CellOutcomes], chosen: PairFilter
) -> tuple[Drop, ...]:
    return tuple(map(_drop, pairs, compare_in_families(pairs, cells, chosen)))


def _drop(pair: CellPair, found: Comparison) -> Drop:
    base, other = (_side(cell, found) for cell in pair)
    return Drop(
        found,
        _parts(base, other, found),
        tuple(place_in_run(row) for row in _misrecognized(other)),
        _values(other),
        PairedShares(*(_share(side, "hearing", "word errors", "words") for side in (base, other))),
        PairedShares(
            *(_share(side, "language", "agent wrong", "agent turns") for side in (base, other))
        ),
    )


def _side(cell: CellOutcomes, found: Comparison) -> _Side:
    """Return the conversations that entered a comparison, trials that were not played aside."""
    tasks = {pair.task for pair in found.pairs}
    rows = [row for row in cell.outcomes if row.task in tasks and row.reward is not None]
    trials: dict[str, int] = {}
    for row in rows:
        trials[row.task] = trials.get(row.task, 0) + 1
    return _Side(rows, trials)


def _parts(base: _Side, other: _Side, found: Comparison) -> tuple[DropPart, ...]:
    """Return what each stage lost."""
    in_base, in_other = base.failed, other.failed
    parts = []
    for stage in FAILURE_STAGES:
        rows, known = in_other.get(stage, ()), in_base.get(stage, ())
        if not rows and not known:
            continue
        shares, of_base = _shares(rows, other), _shares(known, base)
        each = [shares.get(p.task, 0.0) - of_base.get(p.task, 0.0) for p in found.pairs]
        parts.append(
            DropPart(
                stage,
                sum(each) / len(each),
                difference_interval(each),
                tuple(map(place_in_run, rows)),
                tuple(map(place_in_run, known)),
            )
        )
    return tuple(parts)


def _shares(rows: Iterable[ConversationResult], side: _Side) -> dict[str, float]:
    """Return by task which share of its trials these are."""
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.task] = counts.get(row.task, 0) + 1
    return {task: count / side.trials[task] for task, count in counts.items()}


def _misrecognized(side: _Side) -> list[ConversationResult]:
    """Return failed conversations with a misrecognized value that no answer restored."""
    failed = (row for rows in side.failed.values() for row in rows)
    return [
        row
        for row in failed
        if (counts := measure_counts(row, "values")).get("lost", 0) > counts.get("won back", 0)
    ]


def _values(side: _Side) -> tuple[CountedShare, ...]:
    names = dict.fromkeys(
        name.removeprefix(_KIND_LOST)
        for row in side.rows
        for name, count in measure_counts(row, "values").items()
        if name.startswith(_KIND_LOST) and count
    )
    shares = (_share(side, "values", _KIND_LOST + kind, _KIND_SAID + kind, kind) for kind in names)
    found = [share for share in shares if share is not None]
    return tuple(sorted(found, key=lambda share: -share.count))


def _share(side: _Side, measure: str, count: str, of: str, name: str = "") -> CountedShare | None:
    """Return a share of what a measure counted; None if it counted nothing of the kind."""
    counted = [(row, measure_counts(row, measure)) for row in side.rows]
    known = [(row, counts) for row, counts in counted if count in counts]
    if not known:
        return None
    has_whole = all(of in counts for _, counts in known)
    return CountedShare(
        name or count,
        sum(counts[count] for _, counts in known),
        sum(counts[of] for _, counts in known) if has_whole else None,
        _interval(known, count, of) if has_whole else None,
        tuple(place_in_run(row) for row, counts in known if counts[count]),
    )


def _interval(
    known: Iterable[tuple[ConversationResult, Mapping[str, int | float]]], count: str, of: str
) -> Interval | None:
    tasks: dict[str, tuple[float, float]] = {}
    for row, counts in known:
        above, below = tasks.get(row.task, (0.0, 0.0))
        tasks[row.task] = above + counts[count], below + counts[of]
    pairs = [pair for pair in tasks.values() if pair[1]]
    return ratio_interval(pairs, is_share=_is_share(count)) if pairs else None


def _is_share(count: str) -> bool:
    """Return whether the count cannot exceed its whole.

    Recognizers may insert more words than were said.
    """
    return count != "word errors"
