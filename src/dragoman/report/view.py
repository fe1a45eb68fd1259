"""What a report is made of: runs as they are shown, and what is said of each outcome."""

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from dragoman.analysis.api_calls.board import ApiBoard
from dragoman.analysis.cells import CellSummary, Outcome
from dragoman.analysis.comparison import CellOutcomes, Comparison, comparable, compare, group_cells
from dragoman.analysis.losses.records import Loss
from dragoman.analysis.measure_figures import MeasureRow, measure_rows
from dragoman.analysis.voice.board import VoiceBoard
from dragoman.core.conditions import TEXT
from dragoman.core.measures import REWARD, Declared
from dragoman.core.protocols import Provenance
from dragoman.core.scores import Standing, causes_of, standing_of
from dragoman.core.tasks import Task
from dragoman.core.tools import Role, ToolResult
from dragoman.report.mm_tau.page import MmTauPage
from dragoman.report.reproducing import Reproducing
from dragoman.scoring.measures.turn_timing import TurnTiming, time_turns

UserStanding = Literal["valid", "invalid", "unchecked"]
"""Whether a conversation's simulated user passed its checks; one that played a script has none."""


class RunView(msgspec.Struct, frozen=True):
    """One run as a report shows it.

    `facts` are labels and values (rules, judge, seed, versions). `tasks` is keyed by
    `suite/task id` and may lack tasks that no outcome needs. `audio` is the address of its folder of
    audio as the report's page reaches it; empty where there is none. `declared` holds the
    figures that measures declare, by metric. `warnings` say what its figures
    cannot say. `voices` sets them against text; None where nobody spoke. `personas` holds what came of who
    the users were and what agents were told of them, `apis` the calls of web APIs; None where there were none.
    `steps` say how it is played again, `losses` what is lost between its conditions.
    """

    name: str
    facts: tuple[tuple[str, str], ...]
    cells: tuple[CellSummary, ...]
    outcomes: tuple[Outcome, ...]
    tasks: dict[str, Task]
    provenance: tuple[Provenance, ...]
    audio: str = ""
    warnings: tuple[str, ...] = ()
    declared: dict[str, Declared] = {}
    voices: VoiceBoard | None = None
    personas: MmTauPage | None = None
    apis: ApiBoard | None = None
    steps: tuple[Reproducing, ...] = ()
    losses: tuple[Loss, ...] = ()


class Cause(msgspec.Struct, frozen=True):
    """One reason why a conversation is not a success."""

    standing: Standing
    text: str


def cell_outcomes(run: RunView, cell: CellSummary) -> tuple[Outcome, ...]:
    """Return the outcomes that a cell summarizes."""
    key = (cell.suite, cell.condition, cell.agent)
    return tuple(row for row in run.outcomes if (row.suite, row.condition, row.agent) == key)


def measured(run: RunView) -> tuple[MeasureRow, ...]:
    """Return the figures of a run's measures, those of the reward aside."""
    rows = measure_rows(run.outcomes, run.cells, run.declared)
    return tuple(row for row in rows if row.measure != REWARD)


def clocked(outcome: Outcome) -> tuple[TurnTiming, ...]:
    """Return the turns of a conversation by the clock; none where nobody speaks."""
    if outcome.episode is None or outcome.condition.voice == TEXT:
        return ()
    return time_turns(outcome.episode, outcome.condition.language)


def compared(runs: Sequence[RunView]) -> tuple[Comparison, ...]:
    """Compare every two cells, of all runs, that differ in one thing alone.

    Only cells that were scored alike are compared.
    """
    groups: dict[tuple[str, str], list[CellOutcomes]] = {}
    for run in runs:
        digests = {task.id: task.digest for task in run.tasks.values()}
        scorings = {(cell.suite, cell.condition, cell.agent): cell for cell in run.cells}
        for cell in group_cells(run.name, run.outcomes, digests):
            row = scorings[cell.name.suite, cell.name.condition, cell.name.agent]
            groups.setdefault((row.rules, row.judge), []).append(cell)
    return compare(couple for cells in groups.values() for couple in comparable(cells))


def standing(outcome: Outcome) -> Standing:
    """Return where an outcome stands."""
    return standing_of(outcome.episode, outcome.score)


def user_standing(outcome: Outcome) -> UserStanding:
    """Return where an outcome's simulated user stands."""
    if outcome.score is None or not outcome.score.simulator:
        return "unchecked"
    return "invalid" if outcome.score.invalid else "valid"


def causes(outcome: Outcome) -> tuple[Cause, ...]:
    """Return why an outcome is not a success: nothing for a success, one or more otherwise."""
    state = standing(outcome)
    return tuple(Cause(state, text) for text in causes_of(outcome.episode, outcome.score))


def count_causes(outcomes: Iterable[Outcome]) -> tuple[tuple[Cause, int], ...]:
    """Count causes, the most frequent first; an outcome counts once in each of its causes."""
    counts: dict[Cause, int] = {}
    for outcome in outcomes:
        for cause in causes(outcome):
            counts[cause] = counts.get(cause, 0) + 1
    return tuple(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0].text)))


def count_tool_errors(outcomes: Iterable[Outcome]) -> dict[Role, int]:
    """Count the tool results that were errors, by the side that made the call."""
    counts: dict[Role, int] = {"agent": 0, "user": 0}
    for outcome in outcomes:
        for event in outcome.episode.events if outcome.episode else ():
            if isinstance(event, ToolResult) and event.error:
                counts[event.by] += 1
    return counts
