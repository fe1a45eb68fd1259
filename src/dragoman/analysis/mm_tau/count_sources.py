"""Sources of the counts behind MM-tau-p2's metrics: the log, by rules, or a judge of its rubric."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.measure_metrics import newest
from dragoman.analysis.mm_tau.definitions import (
    AGENT_MESSAGES,
    RECOVERIES,
    SCORED_MESSAGES,
    USER_MESSAGES,
)
from dragoman.analysis.mm_tau.metrics import (
    COUNTED,
    NO_ERROR,
    NO_QUESTION,
    NOT_IRREVERSIBLE,
    NOT_RECOVERED,
    CountRatio,
)
from dragoman.core.measures import MeasureResult
from dragoman.core.scores import NO_JUDGE, Score, Scored, Unscored, Verdict

RUBRIC = "mm_tau_p2"
"""The measure that judges take by the rubric that ships, whatever its version."""

BY_MESSAGE = "2"
"""The version of it that asks about each message."""

_ASKED_BY = ":"
"""Stands in a judge's name behind how it is asked."""


class CountSource(msgspec.Struct, frozen=True):
    """Who counted what happened in conversations.

    Attributes:
        version: Of the rubric; empty for the log.
        judge: Who answered it; empty for the log.
    """

    version: str = ""
    judge: str = ""

    @property
    def name(self) -> str:
        """Who it is, in words; the rubric's version where it is not the plain one."""
        if not self.judge:
            return "log"
        model = self.judge.partition(_ASKED_BY)[2]
        return model if self.variant == "1" else f"{model}, {RUBRIC}@{self.variant}"

    @property
    def variant(self) -> str:
        """The rubric's version without the hash of its text."""
        return self.version.partition("@")[0]

    @property
    def is_by_message(self) -> bool:
        """Whether it counted message by message, with the fields of the source's code."""
        return self.variant.partition(".")[0] == BY_MESSAGE

    @property
    def ratios(self) -> Mapping[str, CountRatio]:
        """The metrics that are rates of counts, by what is counted."""
        return {**COUNTED, **JUDGED} if self.judge else COUNTED


LOG = CountSource()

JUDGED: Mapping[str, CountRatio] = {
    "ERR": CountRatio(RUBRIC, ("recovered",), ("errors",), NO_ERROR),
    "RTC": CountRatio(RUBRIC, ("recovery_turns",), ("recovered",), NOT_RECOVERED, is_share=False),
    "UES": CountRatio(
        RUBRIC, ("repetitions", "corrections"), ("judged",), "no conversation", is_share=False
    ),
    "CP": CountRatio(
        RUBRIC, ("clarifications_necessary",), ("clarifications_requested",), NO_QUESTION
    ),
    "CR": CountRatio(
        RUBRIC,
        ("clarifications_requested",),
        ("clarifications_required",),
        "no clarification was required",
        is_share=False,
    ),
    "SR": CountRatio(
        RUBRIC, ("confirmations_requested",), ("confirmations_required",), NOT_IRREVERSIBLE
    ),
}
"""The metrics that a judge counts; the others are the log's whoever judges."""


def count_sources(rows: Iterable[ConversationResult]) -> tuple[CountSource, ...]:
    """Return the log, and every judge that was asked about any of these conversations."""
    judges = {
        CountSource(found.version, found.judge)
        for row in rows
        for found in row.measures
        if found.measure == RUBRIC and found.judge != NO_JUDGE
    }
    return (LOG, *sorted(judges, key=lambda each: (each.judge, each.variant, each.version)))


def with_newest_measures(row: ConversationResult) -> ConversationResult:
    """Return a conversation with the newest version of each measure, and every rubric result."""
    others = _once(newest([each for each in row.measures if each.measure != RUBRIC]))
    judged = (_with_all_names(each) for each in row.measures if each.measure == RUBRIC)
    return msgspec.structs.replace(row, measures=(*others, *judged))


def _with_all_names(found: MeasureResult) -> MeasureResult:
    """Return message counts with the names of the first version and of the source's code added."""
    if not CountSource(found.version, found.judge).is_by_message or found.unscored:
        return found
    counts = found.counts
    names = {**_SAME, **_SAME_AS_CODE}
    known = {name: counts[own] for name, own in names.items() if own in counts}
    agent, user = known.get(AGENT_MESSAGES, 0), known.get(USER_MESSAGES, 0)
    accuracy = counts.get("critical_field_percent", 0) / 100
    of_code = {SCORED_MESSAGES: agent + user, "critical_field_accuracy": accuracy}
    whole = {AGENT_MESSAGES: 0, USER_MESSAGES: 0, "corrections": 0}
    return msgspec.structs.replace(found, counts={**whole, **counts, **known, **of_code})


_SAME = {
    "errors": "error_committed",
    "recovered": RECOVERIES,
    "recovery_turns": "error_recovered",
    "repetitions": "user_effort",
    "clarifications_requested": "clarification_asked",
    "clarifications_necessary": "clarification_true_positives",
    "clarifications_required": "clarification_required",
    "confirmations_required": "confirmation_required",
    "confirmations_requested": "confirmation_true_positives",
    "tasks": "tasks_identified",
    "tasks_succeeded": "tasks_succeeded",
}
"""Counts of the first version, with the names of the same counts in the second version.

The second version counts repetitions with corrections.
"""

_SAME_AS_CODE = {AGENT_MESSAGES: "judged_agent_replies", USER_MESSAGES: "judged_user_replies"}


def _once(found: Sequence[MeasureResult]) -> Iterator[MeasureResult]:
    """Yield each measure once: without a judge where it was taken so, else by the newest judge."""
    chosen = {each.measure: each for each in found}
    chosen |= {each.measure: each for each in found if each.judge == NO_JUDGE}
    return (each for each in found if each is chosen[each.measure])


def counted_by_source(
    reader: CountSource, rows: Iterable[ConversationResult]
) -> tuple[ConversationResult, ...]:
    """Return conversations as one count source has them.

    For a judge, success is the success of all tasks that the judge counted.
    """
    if not reader.judge:
        return tuple(rows)
    return tuple(_apply_judgment(reader, row) for row in rows)


def judged_counts(reader: CountSource, row: ConversationResult) -> MeasureResult | None:
    """Return a judge's counts of a conversation, or the reason why it did not count.

    None if the judge was not asked.
    """
    entries = (
        found
        for found in reversed(row.measures)
        if (found.measure, found.version, found.judge) == (RUBRIC, reader.version, reader.judge)
    )
    return next(entries, None)


def judged_success(found: MeasureResult | None) -> Verdict:
    """Return whether all tasks that a judge counted succeeded."""
    if found is None:
        return Unscored("the judge was not asked")
    if found.unscored:
        return Unscored(found.unscored)
    tasks = found.counts.get("tasks", 0)
    if not tasks:
        return Unscored("the judge counted no task")
    return Scored(float(found.counts.get("tasks_succeeded", 0) == tasks))


def _apply_judgment(reader: CountSource, row: ConversationResult) -> ConversationResult:
    found = judged_counts(reader, row)
    others = tuple(each for each in row.measures if each.measure != RUBRIC)
    own = () if found is None else (found,)
    if row.episode is None:
        return msgspec.structs.replace(row, measures=others)
    rules = "" if row.score is None else row.score.rules
    score = Score(rules, reader.judge, judged_success(found), ())
    return msgspec.structs.replace(row, score=score, measures=(*others, *own))
