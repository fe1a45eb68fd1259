"""The builder of a run's answer: rows, headline, matrix and failures to look at first."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from dragoman.analysis.cell_summary import ConversationResult, PlaceInRun
from dragoman.analysis.drops import CountedShare, Drop, DropPart
from dragoman.analysis.intervals import Interval
from dragoman.core.conditions import Condition
from dragoman.core.scores import failure_causes
from dragoman.report import formatting, labels
from dragoman.report.labels import Stage
from dragoman.report.overview import (
    BaselineFailure,
    CellPoint,
    DropRow,
    Example,
    Failures,
    MatrixCell,
    MatrixRow,
    NotPlayed,
    RunOverview,
    RunTotals,
    StagePart,
    ValueShare,
    basis,
    points_of,
)

MAX_EXAMPLES = 6
"""The number of failures to look at first, over all rows."""

MAX_EXAMPLES_OF_ROW = 3
"""The number of failures to look at first of one row."""

_MOST_SHARING = 3
"""Agents that are named in a headline if they share the highest value."""


def build_overview(
    points: Sequence[CellPoint],
    drops: Sequence[Drop],
    outcomes: Iterable[ConversationResult],
    not_played: Mapping[str, str],
    totals: RunTotals,
) -> RunOverview:
    """Return the answer of a run.

    Args:
        points: The cells, in their order.
        drops: Each cell against the baseline of its agent.
        outcomes: The conversations, for the reasons of failures.
        not_played: By name, the conditions that could not be played, and why.
        totals: The totals of the run.
    """
    names = labels.agent_labels(point.agent for point in points)
    failing = tuple(_failing(points, names))
    bad = {(each.suite, each.agent) for each in failing}
    has_languages = labels.has_languages(point.condition for point in points)
    rows = [
        _row(drop, names, has_languages=has_languages)
        for drop in drops
        if drop.comparison.gaps and (drop.comparison.a.suite, drop.comparison.a.agent) not in bad
    ]
    ordered = sorted(rows, key=lambda row: (row.is_diagnostic, -row.drop))
    clear = tuple(row for row in ordered if row.is_distinguishable)
    folded = tuple(row for row in ordered if not row.is_distinguishable)
    subject = _subject(clear, folded)
    conditions, matrix = _matrix(points, names)
    bases = {row.baseline for row in ordered}
    return RunOverview(
        headline=_headline(subject, points, failing, names),
        detail="" if subject is None else _detail(subject),
        subject=subject,
        baseline=bases.pop() if len(bases) == 1 else "",
        rows=clear,
        folded=folded,
        failing=failing,
        conditions=conditions,
        matrix=matrix,
        examples=tuple(_examples(clear or folded, outcomes)),
        not_played=(
            *(NotPlayed(name, why) for name, why in not_played.items()),
            *_not_compared(drops, names),
        ),
        totals=totals,
    )


def _row(drop: Drop, names: Mapping[str, str], *, has_languages: bool) -> DropRow:
    found = drop.comparison
    a, b, gap = found.a, found.b, found.gaps[0]
    low, high = -gap.interval.high, -gap.interval.low
    between = f"{b.suite}, {b.agent}, {b.condition.label} against {a.condition.label}"

    def failures(name: str, places: Sequence[PlaceInRun]) -> Failures:
        return Failures(f"{between}: {name}", len(places), tuple(places))

    def part(each: DropPart) -> StagePart:
        stage = labels.stage_of(each.stage)
        return StagePart(stage, each.value, each.interval, failures(each.stage, each.behind))

    def value(each: CountedShare) -> ValueShare:
        of = failures(f"{each.name} misrecognized", each.behind)
        return ValueShare(each.name, each.count, each.of, each.interval, of)

    errors = drop.word_errors.other
    return DropRow(
        suite=b.suite,
        agent=b.agent,
        label=names[b.agent],
        is_diagnostic=labels.is_diagnostic(b.agent),
        condition=b.condition.label,
        chips=labels.condition_chips(b.condition, a.condition),
        phrase=labels.condition_phrase(b.condition, a.condition, has_languages=has_languages),
        baseline=labels.condition_label(a.condition),
        against=a.condition.label,
        before=gap.a,
        after=gap.b,
        drop=0.0 - gap.difference,
        interval=Interval(low + 0.0, high + 0.0),
        p=found.adjusted_p,
        comparisons=found.corrected_for,
        tasks=len(found.pairs),
        trials=max(len(pair.b) for pair in found.pairs),
        left_out=found.left_out,
        parts=tuple(sorted(map(part, drop.parts), key=lambda each: -each.value)),
        failures=failures("failed", drop.failed),
        values=tuple(map(value, drop.values)),
        word_error_rate=None if errors is None else errors.value,
        is_attributed=drop.is_looked_for,
        is_assumed=found.assumed,
    )


def _failing(points: Sequence[CellPoint], names: Mapping[str, str]) -> Iterator[BaselineFailure]:
    """Yield the agents of which no task passes at the baseline."""
    groups: dict[tuple[str, str], list[CellPoint]] = {}
    for point in points:
        groups.setdefault((point.suite, point.agent), []).append(point)
    for (suite, agent), group in groups.items():
        base = min(group, key=lambda point: len(point.condition.axes))
        if base.figure.value == 0 and base.figure.tasks:
            where = labels.condition_label(base.condition)
            yield BaselineFailure(suite, agent, names[agent], where, base.figure.tasks)


def _subject(clear: Sequence[DropRow], folded: Sequence[DropRow]) -> DropRow | None:
    """Return the row of the headline: the largest distinguishable drop, or the largest of all."""
    losses = [row for row in clear if row.drop > 0]
    for group in (losses, clear, folded):
        if group:
            return group[0]
    return None


def _headline(
    subject: DropRow | None,
    points: Sequence[CellPoint],
    failing: Sequence[BaselineFailure],
    names: Mapping[str, str],
) -> str:
    if subject is None:
        return _headline_without_drops(points, failing, names)
    amount = points_of(abs(subject.drop))
    if not subject.is_distinguishable and subject.is_suggestive:
        return (
            f"{subject.label} may lose {amount} points of pass^1 {subject.phrase}: "
            f"{subject.correction}"
        )
    if not subject.is_distinguishable:
        many = formatting.format_count(subject.comparisons, "comparison")
        return f"No condition is distinguishable from the baseline after correction for {many}"
    if subject.drop <= 0:
        return f"{subject.label} gains {amount} points of pass^1 {subject.phrase}"
    most = " most" if subject.comparisons > 1 else ""
    return f"{subject.label} loses{most} {subject.phrase}: {amount} points of pass^1"


def _headline_without_drops(
    points: Sequence[CellPoint], failing: Sequence[BaselineFailure], names: Mapping[str, str]
) -> str:
    known = [point for point in points if point.figure.value is not None]
    if not known:
        return "No conversation has a score yet"
    if failing and all(point.figure.value == 0 for point in known):
        first = failing[0]
        return f"{first.label} fails at the baseline: {first.sentence.partition(': ')[2]}"
    # Diagnostic agents are yardsticks: they make the headline only if no other agent took part.
    own = [point for point in known if not labels.is_diagnostic(point.agent)] or known
    if len({point.suite for point in own}) > 1:
        return _headline_of_suites(own, names)
    highest = max(point.figure.value or 0.0 for point in own)
    best = [point for point in own if point.figure.value == highest]
    value = points_of(highest)
    if len(best) > 1:
        return f"{_sharing(best, names)} share the highest pass^1: {value}"
    many = "has the highest pass^1:" if len(own) > 1 else "reaches a pass^1 of"
    where = labels.condition_label(best[0].condition)
    return f"{names[best[0].agent]} {many} {value} in {where}"


def _headline_of_suites(points: Sequence[CellPoint], names: Mapping[str, str]) -> str:
    """Return the range over suites: figures of different suites do not rank agents."""
    suites = len({point.suite for point in points})
    agents = list(dict.fromkeys(names[point.agent] for point in points))
    who = agents[0] if len(agents) == 1 else formatting.format_count(len(agents), "agent")
    ordered = sorted(points, key=lambda point: point.figure.value or 0.0)
    low, high = (points_of(each.figure.value or 0.0) for each in (ordered[0], ordered[-1]))
    return f"{who} on {suites} suites: pass^1 from {low} to {high}"


def _sharing(best: Sequence[CellPoint], names: Mapping[str, str]) -> str:
    """Return the names of agents that share a value, or the number of their cells."""
    agents = list(dict.fromkeys(names[point.agent] for point in best))
    if len(agents) < len(best) or len(agents) > _MOST_SHARING:
        return formatting.format_count(len(best), "cell")
    return f"{', '.join(agents[:-1])} and {agents[-1]}"


def _detail(row: DropRow) -> str:
    """Return the interval, the basis and the stages of the headline's drop."""
    interval = f"{points_of(row.interval.low)} to {points_of(row.interval.high)}"
    about = [f"95% CI {interval}", f"n = {basis(row)}"]
    if not row.is_distinguishable and not row.is_suggestive:
        about.insert(0, f"{row.label} {row.phrase}: drop {points_of(row.drop)}")
    main = row.main_part
    if main is None:
        return f"{', '.join(about)}."
    others = sorted((part for part in row.parts if part is not main), key=lambda part: -part.value)
    rest = [(part.stage, points_of(part.value)) for part in others]
    stages = [
        f"{labels.STAGE_LOSSES[main.stage]} {points_of(main.value)} points",
        *(f"{stage} {points}" for stage, points in rest if points != "0.0"),
    ]
    return f"{', '.join(about)}. {', '.join(stages)}."


def _matrix(
    points: Sequence[CellPoint], names: Mapping[str, str]
) -> tuple[tuple[str, ...], tuple[MatrixRow, ...]]:
    found = dict.fromkeys(point.condition for point in points)
    conditions = sorted(found, key=lambda condition: len(condition.axes))
    cells: dict[tuple[str, str], dict[Condition, CellPoint]] = {}
    for point in points:
        cells.setdefault((point.suite, point.agent), {})[point.condition] = point
    rows = [
        MatrixRow(
            suite,
            agent,
            names[agent],
            labels.is_diagnostic(agent),
            tuple(_matrix_cell(of_agent.get(condition)) for condition in conditions),
        )
        for (suite, agent), of_agent in cells.items()
    ]
    rows.sort(key=lambda row: row.is_diagnostic)
    return tuple(map(labels.condition_label, conditions)), tuple(rows)


def _matrix_cell(point: CellPoint | None) -> MatrixCell | None:
    if point is None:
        return None
    return MatrixCell(
        point.condition.label,
        labels.condition_label(point.condition),
        point.figure,
        point.left_out,
        point.unscored,
        point.missing,
        point.is_assumed,
    )


def _not_compared(drops: Sequence[Drop], names: Mapping[str, str]) -> Iterator[NotPlayed]:
    for drop in drops:
        found = drop.comparison
        if not found.gaps:
            chips = ", ".join(labels.condition_chips(found.b.condition, found.a.condition))
            reasons = (f"{count:,} {reason}" for reason, count in found.left_out.items())
            why = f"no task in common with the baseline ({', '.join(reasons)})"
            yield NotPlayed(f"{names[found.b.agent]}, {chips}", why)


def _examples(rows: Sequence[DropRow], outcomes: Iterable[ConversationResult]) -> Iterator[Example]:
    """Yield failures to look at first, of the main stage of each row, one trial of a task."""
    chosen: list[tuple[DropRow, Stage, PlaceInRun]] = []
    seen: set[tuple[str, str]] = set()
    for row in rows:
        main = row.main_part
        parts = [part for part in row.parts if main is None or part.stage == main.stage]
        found = {
            place.task: (row, part.stage, place)
            for part in parts
            for place in reversed(part.failures.places)
            if (row.suite, place.task) not in seen
        }
        first = [found[task] for task in sorted(found)[:MAX_EXAMPLES_OF_ROW]]
        seen.update((row.suite, place.task) for _, _, place in first)
        chosen += first
    wanted = {(row.suite, place) for row, _, place in chosen[:MAX_EXAMPLES]}
    rows_of = {key: row for row in outcomes if (key := (row.suite, _place(row))) in wanted}
    for row, stage, place in chosen[:MAX_EXAMPLES]:
        outcome = rows_of.get((row.suite, place))
        why = "" if outcome is None else _reason(outcome, stage)
        yield Example(place, row.suite, row.label, row.chips, stage, why)


def _place(row: ConversationResult) -> PlaceInRun:
    return PlaceInRun(row.agent, row.condition.label, row.task, row.trial, row.key)


def _reason(outcome: ConversationResult, stage: Stage) -> str:
    """Return the reason of a failure: misrecognized values, otherwise failed criteria."""
    if stage in {"channel", "recognizer"}:
        lost = (
            entry.why
            for measure in outcome.measures
            if measure.measure == "hearing"
            for entry in measure.evidence
            if entry.why
        )
        if first := next(lost, ""):
            return formatting.truncate_text(first, 160)
    found = failure_causes(outcome.episode, outcome.score)
    causes = " and ".join(labels.FAILED_COMPONENTS.get(cause, cause) for cause in found)
    return formatting.truncate_text(causes, 160)
