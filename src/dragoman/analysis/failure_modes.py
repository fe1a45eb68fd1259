"""Failure modes of tool calls by tool and argument, with the share of affected conversations."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.intervals import Interval, ratio_interval
from dragoman.analysis.measure_metrics import newest
from dragoman.core.measures import CountedItem, MeasureResult
from dragoman.core.scores import Scored, Unscored


class ConversationShare(msgspec.Struct, frozen=True):
    """The number and share of `n` conversations.

    The interval is the 95 % interval over tasks, and None if there is not one.
    """

    count: int
    n: int
    interval: Interval | None

    @property
    def value(self) -> float | None:
        """The share; None of nothing."""
        return self.count / self.n if self.n else None


def conversation_share(found: Iterable[tuple[str, bool]]) -> ConversationShare:
    """Return the share of conversations that have a feature.

    Args:
        found: For each conversation its task, and whether it has the feature.
    """
    tasks: dict[str, list[bool]] = {}
    for task, has in found:
        tasks.setdefault(task, []).append(has)
    pairs = [(float(sum(each)), float(len(each))) for each in tasks.values()]
    count, n = (int(sum(side)) for side in zip(*pairs, strict=True)) if pairs else (0, 0)
    interval = ratio_interval(pairs, is_share=True) if pairs else None
    return ConversationShare(count, n, interval)


MEASURE = "modes"
"""The measure that finds failure modes."""

CHECKED = "calls"
"""The subject of failures that a suite's own check of calls names."""

_PLANNED, _COMPARED = "planned", "compared arguments"
REFERENCE = "reference"
"""The kind of evidence that tells what a reference says where its verdict is another."""

_OF_THE_USER = " (user)"


class ModePlace(msgspec.Struct, frozen=True):
    """A conversation that has a failure mode, and where in it."""

    suite: str
    condition: str
    agent: str
    task: str
    trial: int
    position: int | None


class ModeFigures(msgspec.Struct, frozen=True):
    """One failure mode of one tool, or of one argument of it.

    Attributes:
        subject: The tool, or `TOOL.ARGUMENT`.
        mode: The failure mode.
        times: Number of its occurrences.
        conversations: The conversations with it, of those in which it could occur. These are
            conversations whose plan has the tool or in which the argument of a call was compared.
            For refused calls, unplanned calls and errors of a suite's own check of calls they are
            all conversations.
        lost: Number of conversations with it that are known to have failed.
        why: The finding in the example.
        example: The first conversation that has it.
    """

    subject: str
    mode: str
    times: int
    conversations: ConversationShare
    lost: int
    why: str
    example: ModePlace


class FailureModeSummary(msgspec.Struct, frozen=True):
    """The failure modes of conversations.

    `unscored` counts the conversations without a result, by reason.

    If the measure cannot decide, but a suite's own check of calls did (BFCL), the error of this
    check is the mode.
    """

    conversations: int
    modes: tuple[ModeFigures, ...]
    unscored: Mapping[str, int]


class _Case(msgspec.Struct, frozen=True):
    row: ConversationResult
    entries: Sequence[CountedItem]


def failure_modes_result(row: ConversationResult) -> MeasureResult | None:
    """Return what the measure found in a conversation; None if it was not taken."""
    return next((each for each in newest(row.measures) if each.measure == MEASURE), None)


def agent_failure_modes(row: ConversationResult) -> frozenset[str] | None:
    """Return the modes of the agent's calls in a conversation; None if they are not known."""
    found = failure_modes_result(row)
    if found is None or found.unscored:
        return None
    return frozenset(
        mode
        for entry in found.evidence
        if not entry.subject.partition(".")[0].endswith(_OF_THE_USER)
        for mode in _modes(entry)
    )


def summarize_failure_modes(rows: Sequence[ConversationResult]) -> FailureModeSummary:
    """Return the failure modes of conversations, the most frequent first."""
    cases: list[_Case] = []
    unscored: dict[str, int] = {}
    for row in rows:
        entries = _entries(row)
        if isinstance(entries, Unscored):
            unscored[entries.reason] = unscored.get(entries.reason, 0) + 1
        else:
            cases.append(_Case(row, entries))
    occurring: dict[tuple[str, str], list[_Case]] = {}
    for case in cases:
        for subject, mode in dict.fromkeys(_pairs(case)):
            occurring.setdefault((subject, mode), []).append(case)
    figures = [
        _figures(subject, mode, having, cases) for (subject, mode), having in occurring.items()
    ]
    ordered = sorted(figures, key=lambda each: (-each.conversations.count, each.subject, each.mode))
    return FailureModeSummary(len(rows), tuple(ordered), unscored)


def has_failure_modes(row: ConversationResult) -> bool:
    """Return whether the failure modes of a conversation were measured."""
    return failure_modes_result(row) is not None or _find_check_faults(row) is not None


def _entries(row: ConversationResult) -> Sequence[CountedItem] | Unscored:
    found = failure_modes_result(row)
    if found is not None and not found.unscored:
        return found.evidence
    checked = _find_check_faults(row)
    if checked is not None:
        return checked
    return Unscored("not measured" if found is None else found.unscored)


def _find_check_faults(row: ConversationResult) -> Sequence[CountedItem] | None:
    """Return the errors that a suite's own check of calls found.

    None if the conversation has no such check that reached a decision.
    """
    components = () if row.score is None else row.score.components
    for part in components:
        if part.component == "CALLS" and isinstance(part.verdict, Scored):
            faults = (each for each in part.evidence if each.met is False)
            return tuple(
                CountedItem({fault.subject: 1}, subject=CHECKED, why=fault.why)
                for fault in faults
                if fault.kind != REFERENCE
            )
    return None


def _figures(
    subject: str, mode: str, having: Sequence[_Case], cases: Sequence[_Case]
) -> ModeFigures:
    having_it = {id(case) for case in having}
    may_have_it = [case for case in cases if _may_have(case, subject, mode)]
    share = conversation_share(
        ((case.row.task, id(case) in having_it) for case in may_have_it),
    )
    first = having[0]
    shown = next(entry for entry in first.entries if _is(entry, subject, mode))
    row = first.row
    return ModeFigures(
        subject,
        mode,
        sum(_is(entry, subject, mode) for case in having for entry in case.entries),
        share,
        sum(_is_lost(case.row) for case in having),
        shown.why,
        ModePlace(row.suite, row.condition.label, row.agent, row.task, row.trial, shown.position),
    )


def _may_have(case: _Case, subject: str, mode: str) -> bool:
    if any(_is(entry, subject, mode) for entry in case.entries):
        return True
    if subject == CHECKED or mode in {"failed", "not in the plan"}:
        return True
    return any(
        entry.subject == subject and not entry.counts.keys().isdisjoint({_PLANNED, _COMPARED})
        for entry in case.entries
    )


def _pairs(case: _Case) -> Iterator[tuple[str, str]]:
    for entry in case.entries:
        for mode in _modes(entry):
            yield entry.subject, mode


def _modes(entry: CountedItem) -> Iterator[str]:
    return (name for name in entry.counts if name not in {_PLANNED, _COMPARED})


def _is(entry: CountedItem, subject: str, mode: str) -> bool:
    return entry.subject == subject and mode in entry.counts


def _is_lost(row: ConversationResult) -> bool:
    return isinstance(row.reward, Scored) and row.reward.value < 1
