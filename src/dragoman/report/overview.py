"""The answer of a run as one record, from which every surface writes its first screen.

Each condition of an agent is compared with the agent's baseline: the condition with the fewest
values set. The record holds figures, labels and conversations, and no markup.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from dragoman.analysis.cell_summary import (
    CellSummary,
    ConversationResult,
    PlaceInRun,
    ledger_cost,
    merge_ledgers,
)
from dragoman.analysis.drops import CountedShare, Drop, DropPart
from dragoman.analysis.intervals import Interval
from dragoman.analysis.pass_hat import Figure
from dragoman.core.conditions import Condition
from dragoman.core.costs import FREE, Cost
from dragoman.core.scores import failure_causes
from dragoman.report import formatting, labels
from dragoman.report.labels import Stage

OVERVIEW_VERSION = "1"
"""The version of the record, for indexes that keep one."""

SIGNIFICANCE = 0.05
"""The corrected p-value below which a drop is distinguishable from the baseline."""

MAX_EXAMPLES = 6
"""How many failures to look at first are named, in all rows together."""

MAX_EXAMPLES_OF_ROW = 3
"""How many of them are of one row."""


class Failures(msgspec.Struct, frozen=True):
    """The conversations behind a number.

    Attributes:
        name: What they have in common; no two lists of a run have one name.
        count: How many they are.
        places: The conversations; a surface that stores the record may keep the first ones only.
    """

    name: str
    count: int
    places: tuple[PlaceInRun, ...]


class StagePart(msgspec.Struct, frozen=True):
    """The part of a drop at one stage of loss; the parts of a drop add up to it.

    Attributes:
        stage: The stage.
        value: Its part as a share of trials; negative for a gain.
        interval: 95 %, paired over tasks.
        failures: The conversations that failed there.
    """

    stage: Stage
    value: float
    interval: Interval
    failures: Failures


class ValueShare(msgspec.Struct, frozen=True):
    """How often one kind of values was misrecognized.

    Attributes:
        name: The kind.
        count: How many were misrecognized.
        of: Of how many; None where nobody counted them.
        interval: 95 % of the share, over tasks.
        conversations: The conversations with such a value.
    """

    name: str
    count: float
    of: float | None
    interval: Interval | None
    conversations: Failures

    @property
    def value(self) -> float | None:
        """The share; None where nobody counted the whole."""
        return self.count / self.of if self.of else None


class DropRow(msgspec.Struct, frozen=True):
    """The drop of pass^1 from the baseline to one condition of one agent.

    Attributes:
        suite: The suite.
        agent: The agent by its whole name.
        label: The agent's short name.
        is_diagnostic: Whether the agent ships with Dragoman.
        condition: The condition's stored label.
        chips: The values by which it differs from the baseline, in words.
        phrase: The same as part of a sentence.
        baseline: The baseline in words.
        against: The baseline's stored label.
        before: pass^1 at the baseline, over the compared tasks.
        after: pass^1 under the condition, over the same tasks.
        drop: The difference; negative for a gain.
        interval: 95 % of the drop, paired over tasks.
        p: Of the sign-flip test, corrected by Holm.
        comparisons: For how many comparisons p is corrected.
        tasks: How many tasks were compared.
        trials: The most trials of a task under the condition.
        left_out: Tasks that could not be compared, by reason.
        parts: The drop by stage, the largest part first.
        failures: All conversations that failed under the condition.
        values: Kinds of misrecognized values, the most frequent first.
        word_error_rate: Of the recognizer; None where nobody spoke.
        is_attributed: Whether the stage of every failure was looked for.
        is_assumed: Whether verdicts that were assumed take part.
    """

    suite: str
    agent: str
    label: str
    is_diagnostic: bool
    condition: str
    chips: tuple[str, ...]
    phrase: str
    baseline: str
    against: str
    before: float
    after: float
    drop: float
    interval: Interval
    p: float | None
    comparisons: int
    tasks: int
    trials: int
    left_out: dict[str, int]
    parts: tuple[StagePart, ...]
    failures: Failures
    values: tuple[ValueShare, ...]
    word_error_rate: float | None
    is_attributed: bool
    is_assumed: bool

    @property
    def is_distinguishable(self) -> bool:
        """Whether the condition is distinguishable from the baseline after correction."""
        return self.p is not None and self.p < SIGNIFICANCE

    @property
    def is_suggestive(self) -> bool:
        """Whether it is a drop whose own interval excludes zero, before any correction."""
        return self.interval.low > 0

    @property
    def correction(self) -> str:
        """What p is corrected for, or that the drop is not significant."""
        many = f"correction for {formatting.format_count(self.comparisons, 'comparison')}"
        if self.is_distinguishable:
            return f"p {formatting.p_value(self.p)} after {many}"
        return f"not significant after {many}"

    @property
    def main_part(self) -> StagePart | None:
        """The stage with the largest part of the drop; None where no stage is known."""
        known = [part for part in self.parts if part.stage != "not known" and part.value > 0]
        return max(known, key=lambda part: part.value, default=None)


class BaselineFailure(msgspec.Struct, frozen=True):
    """An agent that passes no task at its baseline, so that no drop can be measured."""

    suite: str
    agent: str
    label: str
    baseline: str
    tasks: int

    @property
    def sentence(self) -> str:
        """The fact in words."""
        return f"baseline fails: 0 of {formatting.format_count(self.tasks, 'task')} in " + (
            self.baseline
        )


class CellPoint(msgspec.Struct, frozen=True):
    """The figure of one cell and what is missing in it.

    Attributes:
        suite: The suite.
        condition: The condition.
        agent: The agent.
        figure: pass^1 with its interval.
        left_out: Tasks that did not enter it.
        unscored: Conversations without a verdict.
        infrastructure: Conversations that infrastructure errors ended.
        code_errors: Conversations in which code raised.
        missing: Conversations that were not played.
        planned: Conversations of the plan.
        is_assumed: Whether verdicts that were assumed take part.
    """

    suite: str
    condition: Condition
    agent: str
    figure: Figure
    left_out: int
    unscored: int
    infrastructure: int
    code_errors: int
    missing: int
    planned: int
    is_assumed: bool = False


class MatrixCell(msgspec.Struct, frozen=True):
    """One cell of the matrix; `figure` is pass^1."""

    condition: str
    label: str
    figure: Figure
    left_out: int
    unscored: int
    missing: int
    is_assumed: bool


class MatrixRow(msgspec.Struct, frozen=True):
    """An agent's cells by condition; None where the grid has no such cell."""

    suite: str
    agent: str
    label: str
    is_diagnostic: bool
    cells: tuple[MatrixCell | None, ...]


class Example(msgspec.Struct, frozen=True):
    """A failure to look at first: where it is, at which stage it failed, and why."""

    place: PlaceInRun
    suite: str
    label: str
    chips: tuple[str, ...]
    stage: Stage
    why: str


class NotPlayed(msgspec.Struct, frozen=True):
    """A condition that was not played or not compared, and why."""

    name: str
    why: str


class RunTotals(msgspec.Struct, frozen=True):
    """What a run took, and how many conversations say nothing.

    Attributes:
        planned: Conversations of the plan.
        played: Conversations that were played.
        unscored: Conversations without a verdict.
        infrastructure: Conversations that infrastructure errors ended.
        code_errors: Conversations in which code raised.
        seconds: How long all conversations took together; None where nobody added them up.
        cost: What all of it costs; None where it is not known.
        cost_note: Why a cost is not known; "" where it is.
    """

    planned: int = 0
    played: int = 0
    unscored: int = 0
    infrastructure: int = 0
    code_errors: int = 0
    seconds: float | None = None
    cost: Cost | None = None
    cost_note: str = ""


class RunOverview(msgspec.Struct, frozen=True):
    """The answer of a run.

    Attributes:
        headline: The answer in one sentence.
        detail: Its interval, its basis and the main stage of loss.
        subject: The row of the headline; None where no condition was compared.
        baseline: The baseline in words; "" where agents have different ones.
        rows: Drops that are distinguishable from the baseline, the user's agents first.
        folded: Drops that are not.
        failing: Agents that fail at the baseline.
        conditions: The conditions of the matrix in words.
        matrix: pass^1 by agent and condition.
        examples: Failures to look at first.
        not_played: Cells without conversations and comparisons without tasks.
        totals: What the run took.
    """

    headline: str
    detail: str
    subject: DropRow | None
    baseline: str
    rows: tuple[DropRow, ...]
    folded: tuple[DropRow, ...]
    failing: tuple[BaselineFailure, ...]
    conditions: tuple[str, ...]
    matrix: tuple[MatrixRow, ...]
    examples: tuple[Example, ...]
    not_played: tuple[NotPlayed, ...]
    totals: RunTotals

    @property
    def comparisons(self) -> int:
        """How many comparisons with the baseline were corrected together."""
        return max((row.comparisons for row in (*self.rows, *self.folded)), default=0)


def remaining_drops(found: RunOverview, drops: Iterable[Drop]) -> tuple[Drop, ...]:
    """Return drops that a first screen does not show.

    Those of agents that fail at the baseline say nothing and are left out as well.
    """
    rows = (*found.rows, *found.folded)
    shown = {(row.suite, row.agent, row.against, row.condition) for row in rows}
    failing = {(each.suite, each.agent) for each in found.failing}
    return tuple(
        drop
        for drop in drops
        if _place_of(drop) not in shown
        and (drop.comparison.a.suite, drop.comparison.a.agent) not in failing
    )


def _place_of(drop: Drop) -> tuple[str, str, str, str]:
    a, b = drop.comparison.a, drop.comparison.b
    return b.suite, b.agent, a.condition.label, b.condition.label


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
        totals: What the run took.
    """
    names = labels.agent_labels(point.agent for point in points)
    failing = tuple(_failing(points, names))
    bad = {(each.suite, each.agent) for each in failing}
    tested = sum(drop.comparison.adjusted_p is not None for drop in drops)
    rows = [
        _row(drop, names, tested)
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


def cell_point(cell: CellSummary) -> CellPoint:
    """Return the figure of a summarized cell and what is missing in it."""
    return CellPoint(
        suite=cell.suite,
        condition=cell.condition,
        agent=cell.agent,
        figure=cell.result.figures[0],
        left_out=cell.result.left_out,
        unscored=sum(cell.unscored.values()),
        infrastructure=cell.infrastructure_errors,
        code_errors=cell.code_errors,
        missing=cell.missing,
        planned=cell.episodes + cell.missing,
        is_assumed=cell.assumed,
    )


def run_totals(cells: Sequence[CellSummary]) -> RunTotals:
    """Return what the cells of a run took together."""
    ledger = merge_ledgers(line for cell in cells for line in cell.ledger)
    return RunTotals(
        planned=sum(cell.episodes + cell.missing for cell in cells),
        played=sum(cell.episodes for cell in cells),
        unscored=sum(sum(cell.unscored.values()) for cell in cells),
        infrastructure=sum(cell.infrastructure_errors for cell in cells),
        code_errors=sum(cell.code_errors for cell in cells),
        seconds=sum(cell.seconds for cell in cells),
        cost=ledger_cost(ledger) if ledger else FREE,
        cost_note=formatting.describe_unknown_costs(ledger),
    )


def _row(drop: Drop, names: Mapping[str, str], tested: int) -> DropRow:
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
        phrase=labels.condition_phrase(b.condition, a.condition),
        baseline=labels.condition_label(a.condition),
        against=a.condition.label,
        before=gap.a,
        after=gap.b,
        drop=0.0 - gap.difference,
        interval=Interval(low + 0.0, high + 0.0),
        p=found.adjusted_p,
        comparisons=tested,
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
    best = max(
        known,
        key=lambda point: (not labels.is_diagnostic(point.agent), point.figure.value or 0.0),
    )
    many = "has the highest pass^1" if len(known) > 1 else "has a pass^1"
    where = labels.condition_label(best.condition)
    return f"{names[best.agent]} {many}: {points_of(best.figure.value or 0.0)} in {where}"


def _detail(row: DropRow) -> str:
    """Return the interval, the basis and the main stage of the headline's drop."""
    interval = f"{points_of(row.interval.low)} to {points_of(row.interval.high)}"
    about = [f"95% CI {interval}", f"n = {basis(row)}"]
    if not row.is_distinguishable and not row.is_suggestive:
        about.insert(0, f"{row.label} {row.phrase}: drop {points_of(row.drop)}")
    main = row.main_part
    if main is None:
        return f"{', '.join(about)}."
    return f"{', '.join(about)}. {labels.STAGE_LOSSES[main.stage]} {points_of(main.value)} points."


def basis(row: DropRow) -> str:
    """Return over how many tasks and trials a row is."""
    tasks = formatting.format_count(row.tasks, "task")
    return f"{tasks} x {formatting.format_count(row.trials, 'trial')}"


def points_of(value: float) -> str:
    """Return a share of trials in points of a hundred, with one decimal."""
    return f"{100 * value + 0.0:.1f}".replace("-0.0", "0.0")


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
    """Return why a conversation failed: the misrecognized values, or else the failed criteria."""
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
