"""Sources of the counts behind MM-tau-p2's metrics: the log, a judge, and the authors' own code."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean

import msgspec

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.comparison import CellOutcomes
from dragoman.analysis.intervals import Interval
from dragoman.analysis.measure_metrics import newest
from dragoman.core.measures import MeasureResult
from dragoman.core.scores import NO_JUDGE, Score, Scored, Unscored, Verdict
from dragoman.papers.mm_tau.definitions import (
    AGENT_MESSAGES,
    CODE_RATIOS,
    NO_AGENT_IN_TEXT,
    NO_TASK,
    NOT_IN_CODE,
    RECOVERIES,
    SCORED_MESSAGES,
    SUCCESS,
    USER_MESSAGES,
    CountedRatio,
    accuracy_of_messages,
)
from dragoman.papers.mm_tau.metrics import (
    COUNTED,
    NO_ERROR,
    NO_QUESTION,
    NOT_IRREVERSIBLE,
    NOT_RECOVERED,
    CountRatio,
    Kind,
    Metric,
    Pair,
    Sums,
    metric,
    relative_change,
    task_sums,
)

RUBRIC = "mm_tau_p2"
"""The measure that judges take by the rubric that ships, whatever its version."""

BY_MESSAGE = "2"
"""The version of it that asks about each message."""

_ASKED_BY = ":"
"""Stands in a judge's name behind how it is asked."""


class CountSource(msgspec.Struct, frozen=True):
    """A source of counts about conversations.

    Attributes:
        version: The version of the rubric; empty for the log.
        judge: The judge that answered it; empty for the log.
    """

    version: str = ""
    judge: str = ""

    @property
    def name(self) -> str:
        """The source in words, with the rubric's version if it is not the plain one."""
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
"""The metrics that a judge counts; the others always come from the log."""


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


CELL_METRICS = (
    *("CFA", "ARGA", "MRS", "TE", "TO", "UES", "ERR", "RTC", "CP", "CR", "SP", "IAS", "SR"),
)
"""The metrics of a cell by the code, with the one that it does not compute."""

NEEDS_A_JUDGE = "the source's code counts by a judge: --rubric mm_tau_p2@2 --judge PROVIDER/MODEL"
NEEDS_MESSAGES = f"{RUBRIC}@1 does not ask for its counts: --rubric mm_tau_p2@2"
NOT_SPOKEN = "nobody speaks in text"
NO_NEAR_DUPLICATE = "no text conversation of the same agent and users to compare with"
_NO_PAIR = "no task was judged in text and by voice"
_NOT_ASKED = "the judge was not asked"

_SHARES = frozenset({"CFA", "TE", "CP", "CR", "SP", "SR", "ARGA", SUCCESS})
_OF_TEXT = frozenset({"TO", "MRS"})


def code_metrics(
    reader: CountSource,
    cell: CellOutcomes,
    text: CellOutcomes | None,
    *,
    is_text: bool,
) -> dict[str, Metric]:
    """Return the metrics of one cell by the source's code; each that has no value says why.

    If a task was played several times, voice is compared with text by the mean over its trials.

    Args:
        reader: The source of the counts.
        cell: The conversations.
        text: The same conversations in text; None if there are none.
        is_text: Whether the cell itself is text.
    """
    names = (SUCCESS, *CELL_METRICS)
    if not reader.is_by_message:
        why = NEEDS_MESSAGES if reader.judge else NEEDS_A_JUDGE
        return {name: Metric(why=NOT_IN_CODE if name == "IAS" else why) for name in names}
    voice = _counts(reader, cell.outcomes)
    beside = _VoiceTextComparison(reader, cell, text)
    found: dict[str, Metric] = {"IAS": Metric(why=NOT_IN_CODE)}
    for name in names:
        if name in _OF_TEXT and (is_text or text is None):
            found[name] = Metric(why=NOT_SPOKEN if is_text else NO_NEAR_DUPLICATE)
        elif name == "TO":
            found[name] = metric(beside.overhead())
        elif name == "MRS":
            found[name] = beside.robustness()
        elif name != "IAS":
            sums = _sums(name, voice, cell)
            below = sum(each for _, each in sums.tasks.values())
            found[name] = msgspec.structs.replace(metric(sums), n=below)
    return {name: found[name] for name in names}


_Known = Sequence[tuple[str, Mapping[str, float]]]
"""Tasks with the counts of one of their conversations."""


def _counts(reader: CountSource, rows: Sequence[ConversationResult]) -> _Known:
    """Return the counts of conversations that the judge answered."""
    found = ((row.task, judged_counts(reader, row)) for row in rows)
    return [(task, each.counts) for task, each in found if each is not None and not each.unscored]


def _sums(name: str, counted: _Known, cell: CellOutcomes) -> Sums:
    played = sum(row.episode is not None for row in cell.outcomes)
    unscored = played - len(counted)
    if not counted:
        return Sums(why=_NOT_ASKED, unscored=unscored)
    if name == "CFA":
        values = ((task, accuracy_of_messages(counts)) for task, counts in counted)
        pairs = [(task, value, 1.0) for task, value in values if value is not None]
        return Sums(task_sums(pairs), nothing="it has no message", unscored=unscored)
    ratio = CODE_RATIOS[name]
    # The numerator may be of a conversation without a denominator: such tasks enter too.
    kind: Kind = "share" if name in _SHARES else "paired"
    return Sums(
        task_sums(
            (task, counts.get(ratio.above, 0), counts.get(ratio.below, 0))
            for task, counts in counted
        ),
        kind,
        nothing=NO_TASK if name == SUCCESS else f"0/0 (no {ratio.below})",
        unscored=unscored,
    )


class _VoiceTextComparison:
    """A comparison of voice with text, task by task, by one reader."""

    def __init__(self, reader: CountSource, voice: CellOutcomes, text: CellOutcomes | None) -> None:
        self._voice = _means(_counts(reader, voice.outcomes))
        self._text = {} if text is None else _means(_counts(reader, text.outcomes))
        digests = {} if text is None else text.digests
        self._shared = [
            task
            for task in self._text
            if task in self._voice and digests.get(task) == voice.digests.get(task)
        ]

    def overhead(self) -> Sums:
        """Return TO: messages of the agent by voice to those in text, less 1."""
        pairs: dict[str, Pair] = {
            task: (self._voice[task][AGENT_MESSAGES], self._text[task][AGENT_MESSAGES])
            for task in self._shared
        }
        nothing = NO_AGENT_IN_TEXT if pairs else _NO_PAIR
        return Sums(pairs, "paired", CODE_RATIOS["TO"].less, nothing=nothing)

    def robustness(self) -> Metric:
        """Return MRS: the share of tasks that succeeded by voice, to that in text."""
        if not self._shared:
            return Metric(why=_NO_PAIR)
        of, to = (self._success(side) for side in (self._voice, self._text))
        change = relative_change(of, to)
        if change.value is None:
            passed = sum(above for above, _ in to.tasks.values())
            why = NO_TASK if passed else "no task succeeded in text: the source's code prints n/0"
            return msgspec.structs.replace(change, why=why)
        ends = change.interval
        return msgspec.structs.replace(
            change,
            value=1 + change.value,
            interval=None if ends is None else Interval(1 + ends.low, 1 + ends.high),
        )

    def _success(self, side: Mapping[str, Mapping[str, float]]) -> Sums:
        ratio: CountedRatio = CODE_RATIOS[SUCCESS]
        return Sums(
            {task: (side[task][ratio.above], side[task][ratio.below]) for task in self._shared}
        )


def _means(counted: _Known) -> dict[str, dict[str, float]]:
    """Return the counts of a task's mean conversation."""
    rows: dict[str, list[Mapping[str, float]]] = {}
    for task, counts in counted:
        rows.setdefault(task, []).append(counts)
    names = (AGENT_MESSAGES, CODE_RATIOS[SUCCESS].above, CODE_RATIOS[SUCCESS].below)
    return {
        task: {name: fmean(each.get(name, 0) for each in found) for name in names}
        for task, found in rows.items()
    }
