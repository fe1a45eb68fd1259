"""Metrics of stored conversations by MM-tau-p2's own code: sums of a judge's counts."""

from collections.abc import Mapping, Sequence
from statistics import fmean

import msgspec

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.comparison import CellOutcomes
from dragoman.analysis.intervals import Interval
from dragoman.analysis.mm_tau.count_sources import RUBRIC, CountSource, judged_counts
from dragoman.analysis.mm_tau.definitions import (
    AGENT_MESSAGES,
    CODE_RATIOS,
    NO_AGENT_IN_TEXT,
    NO_TASK,
    NOT_IN_CODE,
    SUCCESS,
    CountedRatio,
    accuracy_of_messages,
)
from dragoman.analysis.mm_tau.metrics import (
    Kind,
    Metric,
    Pair,
    Sums,
    metric,
    relative_change,
    task_sums,
)

CELL_METRICS = (
    *("CFA", "ARGA", "MRS", "TE", "TO", "UES", "ERR", "RTC", "CP", "CR", "SP", "IAS", "SR"),
)
"""The metrics of a cell by the code, with the one that it does not compute."""

NEEDS_A_JUDGE = "the source's code counts by a judge: --rubric mm_tau_p2@2 --judge PROVIDER/MODEL"
NEEDS_MESSAGES = f"{RUBRIC}@1 does not ask for its counts: --rubric mm_tau_p2@2"
NOT_SPOKEN = "nobody speaks in text"
NO_TWIN = "there is no text of the same agent and users to set it against"
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

    Where a task was played several times, voice is set beside text by the mean over its trials.

    Args:
        reader: Who counted.
        cell: The conversations.
        text: The same in text; None where there is none.
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
            found[name] = Metric(why=NOT_SPOKEN if is_text else NO_TWIN)
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
        return Sums(task_sums(pairs), nothing="there is no message", unscored=unscored)
    ratio = CODE_RATIOS[name]
    # What stands above may be of a conversation that has nothing below: such tasks enter too.
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
    """Voice beside text, task by task, as one reader has both."""

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
