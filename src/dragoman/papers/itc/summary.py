"""A summary of web API calls (International Tool Calling) by agent and label."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.intervals import Interval, ratio_interval
from dragoman.analysis.measure_metrics import counted_reasons
from dragoman.core.apis.metrics import (
    AXES,
    CALLS,
    DETECTORS,
    EXACT_RATE,
    FORMAT_RATE,
    INVOCATION,
    SELECTION,
    THOUGHTS,
    ApiAveraging,
    error_metrics,
    language_match_metric,
    scores,
)
from dragoman.core.errors import UsageError
from dragoman.core.measures import MeasureResult, Rate
from dragoman.dataframes.results import run_facts, scored_runs
from dragoman.store.run_store import open_run

Counts = Mapping[str, int | float]


class RateFigure(msgspec.Struct, frozen=True):
    """A rate over a group.

    Attributes:
        part: The subject of the figure; "" for the whole.
        name: Its name, which ends with the average if there are several.
        value: None where nothing was counted.
        interval: 95 %, over tasks; None where there is none.
        n: Number of counted items: the denominator, or conversations for a mean over them.
    """

    part: str
    name: str
    value: float | None
    interval: Interval | None
    n: float


def rates_over(
    rates: Sequence[Rate], tasks: Mapping[str, Sequence[Counts]]
) -> tuple[RateFigure, ...]:
    """Return rates over tasks, with the conversations of each task resampled together.

    A task with nothing to count is excluded.

    Args:
        rates: The rates.
        tasks: The counts of each task's conversations.
    """
    return tuple(_figure(rate, tasks.values()) for rate in rates)


def _figure(rate: Rate, tasks: Iterable[Sequence[Counts]]) -> RateFigure:
    pairs = [pair for of_task in tasks if (pair := _pair(rate, of_task))[1]]
    if not pairs:
        return RateFigure(rate.part, rate.name, None, None, 0)
    above, below = map(sum, zip(*pairs, strict=True))
    interval = ratio_interval(pairs, is_share=rate.reads == "share")
    return RateFigure(rate.part, rate.name, above / below, interval, below)


def _pair(rate: Rate, conversations: Sequence[Counts]) -> tuple[float, float]:
    """Return what a task adds to numerator and denominator."""
    above = below = 0.0
    for counts in conversations:
        over = sum(counts.get(name, 0) for name in rate.numerator)
        under = sum(counts.get(name, 0) for name in rate.denominator)
        if rate.averaging == "macro":
            over, under = (over / under, 1) if under else (0, 0)
        above, below = above + over, below + under
    return above, below


ALL = "all"
"""The axis of the groups that hold everything that an agent played under a condition."""

TaskLabels = Mapping[tuple[str, str], Mapping[str, str]]
"""Labels of tasks, by suite and task."""


class ApiGroup(msgspec.Struct, frozen=True):
    """The figures of one agent under one condition over tasks with one label.

    Attributes:
        suite: The suite that was played.
        agent: The agent that played.
        condition: The condition.
        axis: The axis by which tasks are grouped, or `ALL`.
        group: The label that they have in common.
        conversations: Number of planned conversations.
        unscored: Number of these that were not played or could not be counted.
        figures: The figures, by name and what they are of.
        reasons: Why conversations are unscored, the commonest first.
    """

    suite: str
    agent: str
    condition: str
    axis: str
    group: str
    conversations: int
    unscored: int
    figures: tuple[RateFigure, ...]
    reasons: dict[str, int] = {}

    def figure(self, name: str, part: str = "") -> RateFigure:
        """Return a figure.

        Raises:
            KeyError: If the figure does not exist.
        """
        for each in self.figures:
            if (each.name, each.part) == (name, part):
                return each
        raise KeyError(name)


class ApiSummary(msgspec.Struct, frozen=True):
    """All groups: of everything first, then axis by axis."""

    averaging: ApiAveraging
    groups: tuple[ApiGroup, ...]


def summarize_api_calls(
    outcomes: Iterable[ConversationResult], labels: TaskLabels, averaging: ApiAveraging
) -> ApiSummary:
    """Return the board of conversations.

    Args:
        outcomes: The results of the planned conversations.
        labels: The labels of their tasks.
        averaging: The way in which precision, recall and F1 are averaged.
    """
    rows = [row for row in outcomes if labels.get((row.suite, row.task))]
    groups: dict[tuple[str, str, str, str, str], list[ConversationResult]] = {}
    for axis in (ALL, *AXES):
        for row in rows:
            group = "" if axis == ALL else labels[row.suite, row.task].get(axis, "")
            if axis == ALL or group:
                key = (axis, group, row.suite, row.condition.label, row.agent)
                groups.setdefault(key, []).append(row)
    order = {axis: place for place, axis in enumerate((ALL, *AXES))}
    found = sorted(groups.items(), key=lambda entry: (order[entry[0][0]], entry[0][1]))
    rates = tuple(_rates(averaging))
    return ApiSummary(averaging, tuple(_group(key, of_key, rates) for key, of_key in found))


def _rates(averaging: ApiAveraging) -> Iterator[Rate]:
    yield from map(language_match_metric, DETECTORS)
    yield FORMAT_RATE
    for part in (SELECTION, INVOCATION):
        yield from scores(part, averaging)
        yield from error_metrics(part)
    yield EXACT_RATE


def _group(
    key: tuple[str, str, str, str, str], rows: Sequence[ConversationResult], rates: Sequence[Rate]
) -> ApiGroup:
    axis, group, suite, condition, agent = key
    tasks: dict[str, list[Counts]] = {}
    unscored: list[str] = []
    for row in rows:
        counts = _counts(row.measures)
        if counts is None:
            unscored.append(_why(row))
        else:
            tasks.setdefault(row.task, []).append(counts)
    figures = rates_over(rates, tasks)
    return ApiGroup(
        suite,
        agent,
        condition,
        axis,
        group,
        len(rows),
        len(unscored),
        figures,
        counted_reasons(unscored),
    )


def _why(row: ConversationResult) -> str:
    """Return why the calls of a conversation could not be counted."""
    if row.episode is None:
        return "not run"
    calls = {each.measure: each for each in row.measures}.get(CALLS)
    return "not measured" if calls is None else calls.unscored


def _counts(measures: Sequence[MeasureResult]) -> Counts | None:
    """Return what a conversation counts for; None where its calls could not be counted.

    Both measures count answers: those of `calls` are those asked for in the form.
    """
    newest = {each.measure: each for each in measures}
    calls = newest.get(CALLS)
    if calls is None or calls.unscored:
        return None
    thoughts = newest.get(THOUGHTS)
    return {**(thoughts.counts if thoughts else {}), **calls.counts}


class ApiResults(msgspec.Struct, frozen=True):
    """A board with what it was made of: labels and values."""

    summary: ApiSummary
    facts: tuple[tuple[str, str], ...]


def summarize_api_runs(
    folders: Sequence[Path], rules: str | None, judge: str | None, averaging: ApiAveraging
) -> ApiResults:
    """Return the board of all runs together.

    Raises:
        UsageError: If no run has counted calls of APIs, a conversation is in two runs, or the runs
            were not scored alike.
        StoreError: If a run cannot be read.
    """
    runs = scored_runs(folders, rules, judge)
    labels = {place: found for folder in folders for place, found in _labels(folder).items()}
    rows = [row for run in runs for row in run.outcomes]
    summary = summarize_api_calls(rows, labels, averaging)
    if not summary.groups:
        raise UsageError(
            "--style itc: none of the runs is on a suite of web APIs, such as itc:world"
        )
    if not any(each.measure == CALLS for row in rows for each in row.measures):
        shown = " ".join(map(str, folders))
        raise UsageError(f"no calls were counted: run `dragoman score {shown} --measure {CALLS}`")
    return ApiResults(summary, (*run_facts(runs), ("averaging", averaging)))


def _labels(folder: Path) -> TaskLabels:
    with open_run(folder, write=False) as store:
        return {(task.suite, task.id): task.labels for task in store.tasks().values()}
