"""The answer of a run as one record, from which every surface writes its first screen.

Each condition of an agent is compared with the agent's baseline: the condition with the fewest
values set. The record holds figures, labels and conversations, and no markup.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from dragoman.analysis.cell_summary import (
    CellSummary,
    PlaceInRun,
    ledger_cost,
    merge_ledgers,
)
from dragoman.analysis.comparison import SIGNIFICANCE
from dragoman.analysis.drops import Drop
from dragoman.analysis.intervals import Interval
from dragoman.analysis.pass_hat import Figure
from dragoman.core.conditions import Condition
from dragoman.core.costs import FREE, Cost
from dragoman.report import formatting
from dragoman.report.labels import UNKNOWN_STAGES, Stage

OVERVIEW_VERSION = "1"
"""The version of the record, for indexes that keep one."""


class Failures(msgspec.Struct, frozen=True):
    """The conversations behind a number.

    Attributes:
        name: The common property; no two lists of a run have the same name.
        count: The number of conversations.
        places: The conversations; a surface that stores the record may keep the first ones only.
    """

    name: str
    count: int
    places: tuple[PlaceInRun, ...]


class StagePart(msgspec.Struct, frozen=True):
    """The part of a drop at one failure stage; the parts of a drop add up to it.

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
    """The share of values of one kind that were misrecognized.

    Attributes:
        name: The kind.
        count: The number of misrecognized values.
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
        tasks: The number of compared tasks.
        trials: The most trials of a task under the condition.
        left_out: Tasks that could not be compared, by reason.
        parts: The drop by stage, the largest part first.
        failures: All conversations that failed under the condition.
        values: Kinds of misrecognized values, the most frequent first.
        word_error_rate: Word error rate of the recognizer; None where nobody spoke.
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
        """The corrected p, or the statement that the drop is not significant."""
        many = f"correction for {formatting.format_count(self.comparisons, 'comparison')}"
        if self.is_distinguishable:
            return f"p {formatting.p_value(self.p)} after {many}"
        return f"not significant after {many}"

    @property
    def main_part(self) -> StagePart | None:
        """The stage with the largest part of the drop; None where no stage is known."""
        known = [part for part in self.parts if part.stage not in UNKNOWN_STAGES and part.value > 0]
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
    """The totals of a run: conversations by status, time and cost.

    Attributes:
        planned: Conversations of the plan.
        played: Conversations that were played.
        unscored: Conversations without a verdict.
        infrastructure: Conversations that infrastructure errors ended.
        code_errors: Conversations in which code raised.
        invalid_users: Conversations whose simulated user failed a check.
        seconds: The sum of the durations of all conversations; None where nobody added them up.
        cost: The total cost; None where it is not known.
        cost_note: Why a cost is not known; "" where it is.
        exclusions: The number of conversations without a verdict by reason.
        calls: Replies of models.
        replayed: Replies that came from the local cache, of `calls`.
    """

    planned: int = 0
    played: int = 0
    unscored: int = 0
    infrastructure: int = 0
    code_errors: int = 0
    invalid_users: int = 0
    seconds: float | None = None
    cost: Cost | None = None
    cost_note: str = ""
    exclusions: dict[str, int] = {}
    calls: int = 0
    replayed: int = 0


class RunOverview(msgspec.Struct, frozen=True):
    """The answer of a run.

    Attributes:
        headline: The answer in one sentence.
        detail: Its interval, its basis and the main failure stage.
        subject: The row of the headline; None where no condition was compared.
        baseline: The baseline in words; "" where agents have different ones.
        rows: Drops that are distinguishable from the baseline, the user's agents first.
        folded: Drops that are not.
        failing: Agents that fail at the baseline.
        conditions: The conditions of the matrix in words.
        matrix: pass^1 by agent and condition.
        examples: Failures to look at first.
        not_played: Cells without conversations and comparisons without tasks.
        totals: The totals of the run.
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
        """The number of comparisons with the baseline that were corrected together."""
        return max((row.comparisons for row in (*self.rows, *self.folded)), default=0)


def remaining_drops(found: RunOverview, drops: Iterable[Drop]) -> tuple[Drop, ...]:
    """Return drops that a first screen does not show.

    Drops of agents that fail at the baseline are excluded: they have no meaning.
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
        invalid_users=sum(cell.invalid or 0 for cell in cells),
        seconds=sum(cell.seconds for cell in cells),
        cost=ledger_cost(ledger) if ledger else FREE,
        cost_note=formatting.describe_unknown_costs(ledger),
        exclusions=_sum_counts(cell.unscored for cell in cells),
        calls=sum(line.usage.calls for line in ledger),
        replayed=sum(line.usage.replayed for line in ledger),
    )


def _sum_counts(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return dict(total.most_common())


def basis(row: DropRow) -> str:
    """Return over how many tasks and trials a row is."""
    tasks = formatting.format_count(row.tasks, "task")
    return f"{tasks} x {formatting.format_count(row.trials, 'trial')}"


def points_of(value: float) -> str:
    """Return a share of trials in points of a hundred, with one decimal."""
    return f"{100 * value + 0.0:.1f}".replace("-0.0", "0.0")
