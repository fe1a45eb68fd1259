"""Agreement of judged counts with the counts of the log, conversation by conversation."""

from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

import msgspec

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.correlation import correlation
from dragoman.analysis.intervals import Interval, drawn_sums, ratio_interval
from dragoman.analysis.rater_agreement import cohen_kappa, percentile_interval
from dragoman.core.measures import MeasureResult
from dragoman.core.scores import Scored, Verdict, is_success
from dragoman.papers.mm_tau.count_sources import CountSource, judged_counts, judged_success
from dragoman.papers.mm_tau.metrics import ASKED, count_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_SUCCESS = "success"


class JudgeLogPair(msgspec.Struct, frozen=True):
    """One quantity that a judge counts and the log decides.

    Attributes:
        metrics: The metrics that are computed from it.
        what: The quantity in words.
        judged: Names of the judge's counts.
        measure: The measure that counts the same in the log; `success` for the reward.
        counted: The names of the log's counts.
    """

    metrics: str
    what: str
    judged: tuple[str, ...]
    measure: str
    counted: tuple[str, ...] = ()


LOGGED_MEASURES = (
    JudgeLogPair("pass^1, ARGA, MRS", "success", (), _SUCCESS),
    JudgeLogPair("ERR", "errors", ("errors",), "recovery", ("errors",)),
    JudgeLogPair("ERR, RTC", "recovered errors", ("recovered",), "recovery", ("recovered",)),
    JudgeLogPair("RTC", "recovery turns", ("recovery_turns",), "recovery", ("recovery turns",)),
    JudgeLogPair(
        "UES",
        "repetitions and corrections",
        ("repetitions", "corrections"),
        "effort",
        ("repetitions", "corrections"),
    ),
    JudgeLogPair(
        "CP",
        "clarifications requested",
        ("clarifications_requested",),
        "clarifications",
        ASKED,
    ),
    JudgeLogPair(
        "CP",
        "necessary clarifications",
        ("clarifications_necessary",),
        "clarifications",
        ("allowed",),
    ),
    JudgeLogPair(
        "SR", "confirmations required", ("confirmations_required",), "safety", ("irreversible",)
    ),
    JudgeLogPair(
        "SR", "confirmations requested", ("confirmations_requested",), "safety", ("asked for",)
    ),
)


class Agreed(msgspec.Struct, frozen=True):
    """One coefficient, with its 95 % interval by bootstrap over tasks.

    The value is None if the coefficient is not defined.
    """

    value: float | None = None
    interval: Interval | None = None


class JudgeLogAgreement(msgspec.Struct, frozen=True):
    """The agreement of a judge and the log on one quantity.

    It covers all conversations of an agent on a suite.

    Attributes:
        suite: The suite that was played.
        agent: The agent that played.
        reader: The judge.
        metrics: The metrics that are computed from it.
        what: The quantity that both count.
        n: Conversations that both counted.
        unjudged: Conversations that the log counted and the judge left Unscored, or was not asked
            about.
        uncounted: Conversations that the judge answered and the log does not decide.
        judged: The judge's mean.
        counted: The log's.
        equal: The share of conversations in which both say the same.
        kappa: Cohen's, of success.
        r: Pearson's, of counts.
    """

    suite: str
    agent: str
    reader: str
    metrics: str
    what: str
    n: int
    unjudged: int
    uncounted: int
    judged: float | None = None
    counted: float | None = None
    equal: Agreed = Agreed()
    kappa: Agreed | None = None
    r: Agreed | None = None


_Item = tuple[str, float, float]
"""A task, and what the judge and the log say of one of its conversations."""


def agreements(
    readers: Sequence[CountSource], rows: Iterable[ConversationResult]
) -> tuple[JudgeLogAgreement, ...]:
    """Return how far each judge agrees with the log, thing by thing.

    Args:
        readers: The judges.
        rows: Conversations as they are stored.
    """
    groups: dict[tuple[str, str], list[ConversationResult]] = {}
    for row in rows if readers else ():
        groups.setdefault((row.suite, row.agent), []).append(row)
    return tuple(
        _agreement(place, reader, agreement, found)
        for place, found in groups.items()
        for reader in readers
        for agreement in LOGGED_MEASURES
    )


def _agreement(
    place: tuple[str, str],
    reader: CountSource,
    agreement: JudgeLogPair,
    rows: Sequence[ConversationResult],
) -> JudgeLogAgreement:
    sides = [
        (
            row.task,
            _judged_value(agreement, judged_counts(reader, row)),
            _logged_value(agreement, row),
        )
        for row in rows
        if row.episode is not None
    ]
    items = [
        (task, judged, logged)
        for task, judged, logged in sides
        if judged is not None and logged is not None
    ]
    found = JudgeLogAgreement(
        *place,
        reader.name,
        agreement.metrics,
        agreement.what,
        len(items),
        sum(judged is None and logged is not None for _, judged, logged in sides),
        sum(judged is not None and logged is None for _, judged, logged in sides),
    )
    if not items:
        return found
    is_of_success = agreement.measure == _SUCCESS
    return msgspec.structs.replace(
        found,
        judged=fmean(judged for _, judged, _ in items),
        counted=fmean(logged for _, _, logged in items),
        equal=_equal(items),
        kappa=_kappa(items) if is_of_success else None,
        r=None if is_of_success else _r(items),
    )


def _judged_value(agreement: JudgeLogPair, found: MeasureResult | None) -> float | None:
    if agreement.measure == _SUCCESS:
        return _success_value(judged_success(found))
    if found is None or found.unscored:
        return None
    return sum(found.counts.get(name, 0) for name in agreement.judged)


def _logged_value(agreement: JudgeLogPair, row: ConversationResult) -> float | None:
    if agreement.measure == _SUCCESS:
        return _success_value(row.reward)
    return count_of(row, agreement.measure, agreement.counted)


def _success_value(verdict: Verdict | None) -> float | None:
    is_known = isinstance(verdict, Scored) and not verdict.undecided
    return float(is_success(verdict.value)) if is_known and isinstance(verdict, Scored) else None


def _equal(items: Sequence[_Item]) -> Agreed:
    tasks: dict[str, list[bool]] = {}
    for task, judged, logged in items:
        tasks.setdefault(task, []).append(judged == logged)
    pairs = [(float(sum(found)), float(len(found))) for found in tasks.values()]
    value = sum(above for above, _ in pairs) / len(items)
    return Agreed(value, ratio_interval(pairs, is_share=True))


def _kappa(items: Sequence[_Item]) -> Agreed:
    """Return Cohen's kappa of success; draws of tasks are tables of two by two, added up."""
    import numpy as np

    value = cohen_kappa([(judged, logged) for _, judged, logged in items])
    cells = _by_task(
        (task, (judged * logged, judged, logged, 1.0)) for task, judged, logged in items
    )
    both, judged, logged, n = drawn_sums(cells).T
    seen = (n - judged - logged + 2 * both) / n
    chance = (judged * logged + (n - judged) * (n - logged)) / n**2
    with np.errstate(divide="ignore", invalid="ignore"):
        drawn = (seen - chance) / (1 - chance)
    return Agreed(value, _ends(value, drawn))


def _r(items: Sequence[_Item]) -> Agreed:
    import numpy as np

    value = correlation([each[1] for each in items], [each[2] for each in items]).r
    cells = _by_task((task, (1.0, x, y, x * x, y * y, x * y)) for task, x, y in items)
    n, x, y, xx, yy, xy = drawn_sums(cells).T
    with np.errstate(divide="ignore", invalid="ignore"):
        drawn = (n * xy - x * y) / np.sqrt((n * xx - x * x) * (n * yy - y * y))
    return Agreed(value, _ends(value, drawn))


def _by_task(rows: Iterable[tuple[str, tuple[float, ...]]]) -> list[tuple[float, ...]]:
    """Return the sums of each task."""
    tasks: dict[str, list[tuple[float, ...]]] = {}
    for task, row in rows:
        tasks.setdefault(task, []).append(row)
    return [tuple(map(sum, zip(*found, strict=True))) for found in tasks.values()]


def _ends(value: float | None, drawn: "NDArray[np.float64]") -> Interval | None:
    """Return the interval of a coefficient's draws; None where none of them changes it."""
    import numpy as np

    known = [float(each) for each in drawn if np.isfinite(each)]
    if value is None or not known or min(known) == max(known):
        return None
    return percentile_interval(known)
