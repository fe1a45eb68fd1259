"""Metrics of measures per cell of the grid: totals, rates, quantiles and trends of counts."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from dragoman.analysis.cell_summary import CellSummary, ConversationResult
from dragoman.analysis.correlation import correlation
from dragoman.analysis.intervals import Interval, joined_interval, quantile_interval, ratio_interval
from dragoman.core.conditions import Condition
from dragoman.core.measures import (
    REWARD,
    REWARD_VERSION,
    SIMULATOR,
    SIMULATOR_METRICS,
    Averaging,
    CountedItem,
    DeclaredMetrics,
    MeasureResult,
    MetricDefinition,
    MetricFormat,
    Quantile,
    Rate,
    Total,
    Trend,
    simulator_result,
)

Form = MetricFormat | Literal["total", "correlation"]
"""Format of a value: as for a rate, as a sum, or as Pearson's r."""

Place = tuple[str, Condition, str]
"""Suite, condition and agent."""


class MeasureRow(msgspec.Struct, frozen=True):
    """One figure of one measure in one cell of the grid: the row that every output shows.

    Attributes:
        suite: The cell's suite.
        condition: The cell's condition.
        agent: The cell's agent.
        measure: The measure.
        version: Its version.
        rules: The rule set, if the figure depends on it.
        judge: The judge.
        part: The side of the figure, if the sides are counted separately.
        figure: The figure's name.
        form: Format of the value.
        averaging: The unit of averaging.
        value: The value; None if nothing was counted; the smallest possible value if something is
            undecided.
        interval: 95 % interval over tasks; None without an interval.
        n: Size of the denominator: counted units, conversations, tasks, or positions.
        conversations: Number of conversations in the figure.
        unscored: Number of conversations that could not be measured, or (of pass^k) of excluded
            tasks.
        reasons: Number of conversations by reason for `unscored`; the most frequent first.
        most: The largest possible value if something is undecided; `interval` covers both bounds.
    """

    suite: str
    condition: Condition
    agent: str
    measure: str
    version: str
    rules: str
    judge: str
    part: str
    figure: str
    form: Form
    averaging: Averaging
    value: float | None
    interval: Interval | None
    n: int | float
    conversations: int
    unscored: int
    reasons: dict[str, int] = {}
    most: float | None = None


class _TaskMeasurement(msgspec.Struct, frozen=True):
    """One conversation's result with its task, which intervals draw."""

    task: str
    measured: MeasureResult


def measure_rows(
    outcomes: Iterable[ConversationResult],
    cells: Iterable[CellSummary],
    declared: Mapping[str, DeclaredMetrics],
    *,
    every_version: bool = False,
) -> tuple[MeasureRow, ...]:
    """Return every figure of every measure, cell by cell in the order of the plan.

    Args:
        outcomes: Results of the planned conversations, with the counts of measures.
        cells: The figures of the same conversations' rewards.
        declared: The metrics that measures declare, by measure; counts of other measures are
            summed.
        every_version: Whether results of older versions of measures are included.
    """
    taken: dict[Place, list[_TaskMeasurement]] = {}
    for row in outcomes:
        of_place = taken.setdefault((row.suite, row.condition, row.agent), [])
        simulator = None if row.score is None else simulator_result(row.score)
        found = (
            *(() if simulator is None else (simulator,)),
            *(row.measures if every_version else newest(row.measures)),
        )
        of_place += (_TaskMeasurement(row.task, each) for each in found)
    return tuple(
        row
        for cell in cells
        for row in (
            *_reward_rows(cell),
            *_place_rows(taken.get((cell.suite, cell.condition, cell.agent), ()), cell, declared),
        )
    )


def newest(measures: Sequence[MeasureResult]) -> tuple[MeasureResult, ...]:
    """Return the counts of the newest version of each measure, separately for each judge.

    The input has the oldest results first.
    """
    if len(measures) <= 1:
        return tuple(measures)
    versions = {(entry.measure, entry.judge): entry.version for entry in measures}
    return tuple(
        entry for entry in measures if versions[entry.measure, entry.judge] == entry.version
    )


def _reward_rows(cell: CellSummary) -> Iterator[MeasureRow]:
    for figure in cell.result.figures:
        yield MeasureRow(
            *(cell.suite, cell.condition, cell.agent),
            *(REWARD, REWARD_VERSION, cell.rules, cell.judge, ""),
            f"pass^{figure.k}",
            "share",
            "tasks",
            figure.value,
            figure.interval,
            figure.tasks,
            cell.episodes,
            cell.planned_tasks - figure.tasks,
            cell.unscored,
        )


def _place_rows(
    taken: Sequence[_TaskMeasurement], cell: CellSummary, declared: Mapping[str, DeclaredMetrics]
) -> Iterator[MeasureRow]:
    groups: dict[tuple[str, str, str, str], list[_TaskMeasurement]] = {}
    for entry in taken:
        one = entry.measured
        groups.setdefault((one.measure, one.version, one.rules, one.judge), []).append(entry)
    for key, group in groups.items():
        scored = [entry for entry in group if not entry.measured.unscored]
        reasons = counted_reasons(entry.measured.unscored for entry in group)
        for figure in _figures(group, declared):
            value, interval, n = _figure(figure, scored)
            most, interval = _upper_bound(figure, scored, interval)
            yield MeasureRow(
                *(cell.suite, cell.condition, cell.agent),
                *key,
                figure.part,
                figure.name,
                _form(figure),
                figure.averaging if isinstance(figure, Rate) else "micro",
                value,
                interval,
                n,
                len(scored),
                len(group) - len(scored),
                reasons,
                most,
            )


def counted_reasons(reported: Iterable[str]) -> dict[str, int]:
    """Return how often each reason was told, the commonest first; "" is none."""
    counts = Counter(filter(None, reported))
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))


def _figures(
    group: Sequence[_TaskMeasurement], declared: Mapping[str, DeclaredMetrics]
) -> Sequence[MetricDefinition]:
    first = group[0].measured
    if first.measure == SIMULATOR:
        return SIMULATOR_METRICS
    if first.metric in declared:
        return declared[first.metric].figures
    names = dict.fromkeys(name for entry in group for name in entry.measured.counts)
    return tuple(Total(name, (name,)) for name in names)


def _form(figure: MetricDefinition) -> Form:
    match figure:
        case Total():
            return "total"
        case Trend():
            return "correlation"
        case _:
            return figure.reads


def _figure(
    figure: MetricDefinition, taken: Sequence[_TaskMeasurement]
) -> tuple[float | None, Interval | None, int | float]:
    """Return value, interval and how much was counted."""
    match figure:
        case Total(counts=names):
            total = sum(_sum(entry.measured.counts, names) for entry in taken)
            return (float(total) if taken else None), None, len(taken)
        case Trend():
            return _trend(figure, taken)
        case Quantile():
            return _quantile(figure, taken)
        case Rate(averaging="macro"):
            return _rate(figure, taken, _own_rate)
        case _:
            return _rate(figure, taken, _own_sums)


def _upper_bound(
    figure: MetricDefinition, taken: Sequence[_TaskMeasurement], interval: Interval | None
) -> tuple[float | None, Interval | None]:
    """Return the upper bound of a rate, and its interval with both bounds.

    This applies where something is undecided; otherwise the bound is None and the interval is
    unchanged.
    """
    if not isinstance(figure, Rate) or not any(
        _sum(entry.measured.counts, figure.undecided) for entry in taken
    ):
        return None, interval
    names = (*figure.numerator, *figure.undecided)
    upper = msgspec.structs.replace(figure, numerator=names, undecided=())
    most, above, _ = _figure(upper, taken)
    return most, joined_interval(interval, above)


_Pair = tuple[float, float]
"""Contribution of one conversation to the numerator and the denominator."""


def _own_sums(figure: Rate, counts: Mapping[str, int | float]) -> _Pair:
    return _sum(counts, figure.numerator), _sum(counts, figure.denominator)


def _own_rate(figure: Rate, counts: Mapping[str, int | float]) -> _Pair:
    above, below = _own_sums(figure, counts)
    return (above / below, 1.0) if below else (0.0, 0.0)


def _rate(
    figure: Rate,
    taken: Sequence[_TaskMeasurement],
    pair_of: Callable[[Rate, Mapping[str, int | float]], _Pair],
) -> tuple[float | None, Interval | None, int | float]:
    tasks: dict[str, _Pair] = {}
    for entry in taken:
        above, below = pair_of(figure, entry.measured.counts)
        known = tasks.get(entry.task, (0, 0))
        tasks[entry.task] = (known[0] + above, known[1] + below)
    counted = [pair for pair in tasks.values() if pair[1]]
    if not counted:
        return None, None, 0
    n = sum(below for _, below in counted)
    value = sum(above for above, _ in counted) / n
    return value, ratio_interval(counted, is_share=figure.reads == "share"), n


def _quantile(
    figure: Quantile, taken: Sequence[_TaskMeasurement]
) -> tuple[float | None, Interval | None, int | float]:
    tasks: dict[str, list[float]] = {}
    for entry in taken:
        for counted in entry.measured.evidence:
            if figure.count in counted.counts:
                tasks.setdefault(entry.task, []).append(counted.counts[figure.count])
    if not tasks:
        return None, None, 0
    values = [value for of_task in tasks.values() for value in of_task]
    interval = quantile_interval(tuple(tasks.values()), figure.share)
    return figure.of(values), interval, len(values)


def _trend(
    figure: Trend, taken: Sequence[_TaskMeasurement]
) -> tuple[float | None, Interval | None, int | float]:
    """Correlate position and rate, each position weighing the same."""
    at: dict[int, list[CountedItem]] = {}
    for entry in taken:
        for counted in entry.measured.evidence:
            if counted.position is not None and _sum(counted.counts, figure.denominator):
                at.setdefault(counted.position, []).append(counted)
    rates = [
        sum(_sum(entry.counts, figure.numerator) for entry in at[position])
        / sum(_sum(entry.counts, figure.denominator) for entry in at[position])
        for position in sorted(at)
    ]
    found = correlation(sorted(at), rates)
    return found.r, None, found.n


def _sum(counts: Mapping[str, int | float], names: Iterable[str]) -> float:
    return sum(counts.get(name, 0) for name in names)
