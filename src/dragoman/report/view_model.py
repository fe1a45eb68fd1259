"""The view model of a report: runs, failure causes, inferred profiles, commands to reproduce."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from shlex import quote
from typing import Literal

import msgspec

from dragoman.analysis.cell_summary import CellSummary, ConversationResult
from dragoman.analysis.comparison import CellOutcomes, Comparison, comparable, group_cells
from dragoman.analysis.drops import Drop
from dragoman.analysis.faithful_pairs import faithful_pairs
from dragoman.analysis.families import compare_in_families
from dragoman.analysis.measure_metrics import MeasureRow, measure_rows
from dragoman.conditions.persona.profile_inference import PURPOSE
from dragoman.core.conditions import TEXT
from dragoman.core.episodes import Episode, Event, Message
from dragoman.core.measures import REWARD, DeclaredMetrics
from dragoman.core.personas import UserContext
from dragoman.core.protocols import Provenance
from dragoman.core.replies import TextReply
from dragoman.core.scores import OutcomeStatus, failure_causes, outcome_status
from dragoman.core.tasks import Task
from dragoman.core.tools import Role, ToolResult
from dragoman.core.usage import Usage, total_usage
from dragoman.report import formatting
from dragoman.report.overview import RunOverview
from dragoman.report.text_tables import PaperTable
from dragoman.scoring.measures.turn_timing import TurnTiming, time_turns

_GRID = "grid.toml"


class ReproductionStep(msgspec.Struct, frozen=True):
    """One step: its purpose, and its command or file content."""

    why: str
    text: str


class RunInvocation(msgspec.Struct, frozen=True):
    """The configuration that a run was started with.

    Attributes:
        run: Its name.
        grid: Its configuration as TOML; empty for an imported run.
        version: The version of Dragoman.
        rules: The rule set of the figures.
        judge: Their judge, where it is not the one that the run was started with.
        measures: The further measures.
    """

    run: str
    grid: str
    version: str
    rules: str
    judge: str = ""
    measures: tuple[str, ...] = ()


def reproduction_steps(played: RunInvocation) -> Iterator[ReproductionStep]:
    """Yield the steps that play, score and show a run again."""
    run = quote(played.run)
    if played.grid:
        yield ReproductionStep(
            f"The grid, as {_GRID}; played with Dragoman {played.version}.", played.grid
        )
        yield ReproductionStep(
            "Play it. Diagnostic agents and scripts give the same results; models "
            "sample again unless replies are cached.",
            f"dragoman run {_GRID} --out {run}",
        )
    else:
        yield ReproductionStep(
            "The run is imported: import its original file.",
            f"dragoman import FILE --out {run}",
        )
    judge = f" --judge {quote(played.judge)}" if played.judge else ""
    measures = "".join(f" --measure {quote(each)}" for each in played.measures)
    counted = f"\ndragoman score {run}{measures}" if measures else ""
    yield ReproductionStep(
        "Score the stored conversations again, and recompute the further measures.",
        f"dragoman score {run} --rules {quote(played.rules)}{judge}{counted}",
    )
    yield ReproductionStep(
        "This page, its figures as files, and its data as tables.",
        f"dragoman report {run}\ndragoman plots {run} --out figures\n"
        f"dragoman export {run} --to parquet --out tables",
    )


class InferredProfile(msgspec.Struct, frozen=True):
    """One answer about a user.

    Attributes:
        at: Before which event it was given.
        after: After which message of the user, in words.
        model: The model that was asked.
        fields: The inferred values, by name; `N/A` where the conversation shows nothing.
        failure: Why the answer cannot be used; empty where it can.
        answer: The answer, as far as it is kept.
    """

    at: int
    after: str
    model: str
    fields: tuple[tuple[str, str], ...]
    failure: str
    answer: str


def inferred_profiles(episode: Episode) -> tuple[InferredProfile, ...]:
    """Return every answer about the user of a conversation, in their order."""
    return tuple(_inferred_profile(entry, episode.events) for entry in episode.contexts)


def inference_cost(episode: Episode) -> str:
    """Return the usage of profile inference, by model; empty without inference."""
    asked = total_usage(usage for usage in episode.usage if usage.purpose == PURPOSE)
    return "; ".join(map(_usage_words, asked))


def _inferred_profile(entry: UserContext, events: tuple[Event, ...]) -> InferredProfile:
    said = sum(
        isinstance(event, Message) and event.by == "user" and isinstance(event.reply, TextReply)
        for event in events[: entry.at]
    )
    after = f"after {formatting.format_count(said, 'message')} of the user"
    fields = tuple(_fields(entry.about))
    return InferredProfile(entry.at, after, entry.model, fields, entry.failure, entry.answer)


def _fields(about: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for name, value in about.items():
        text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        yield name.replace("_", " "), text


def _usage_words(usage: Usage) -> str:
    tokens = (
        f"{formatting.tokens(usage.input_tokens)} in, {formatting.tokens(usage.output_tokens)} out"
    )
    calls = f"{formatting.calls(usage)} {'call' if usage.calls == 1 else 'calls'}"
    return f"{usage.model}, {calls}, tokens {tokens}"


UserStatus = Literal["valid", "invalid", "unchecked"]
"""Whether a conversation's simulated user passed its checks; one that played a script has none."""


ConversationReader = Callable[[Sequence[bool]], Iterator[ConversationResult]]
"""Yields the outcomes of a run in their order; those that are marked have their events."""


class RunView(msgspec.Struct, frozen=True):
    """One run as a report shows it.

    `facts` are labels and values (rules, judge, seed, versions). `tasks` is keyed by `suite/task
    id` and may lack tasks that no outcome needs. `audio` is the address of its folder of audio as
    the report's page reaches it; empty where there is none. `declared` holds the figures that
    measures declare, by metric. `warnings` are the caveats of its figures. `parts` holds what the
    sections of the catalog show of it, by their keys. `steps` play it again, and `drops` are the
    drops between its conditions. `outcomes` have no events where `reader` reads the conversations
    that are marked, in the order of the outcomes. `overview` is the answer of the run, for the
    first screen. `table` is its table for papers; None without a decided task.
    """

    name: str
    facts: tuple[tuple[str, str], ...]
    cells: tuple[CellSummary, ...]
    outcomes: tuple[ConversationResult, ...]
    tasks: dict[str, Task]
    provenance: tuple[Provenance, ...]
    audio: str = ""
    warnings: tuple[str, ...] = ()
    declared: dict[str, DeclaredMetrics] = {}
    parts: dict[str, object] = {}
    steps: tuple[ReproductionStep, ...] = ()
    drops: tuple[Drop, ...] = ()
    reader: ConversationReader | None = None
    overview: RunOverview | None = None
    table: PaperTable | None = None

    def read_conversations(
        self, wanted: Sequence[bool] | None = None
    ) -> Iterator[ConversationResult]:
        """Yield the outcomes in their order, each read when it is its turn.

        Args:
            wanted: A flag for each that needs its events; None for all.
        """
        marked = [True] * len(self.outcomes) if wanted is None else wanted
        return iter(self.outcomes) if self.reader is None else self.reader(marked)


class FailureCause(msgspec.Struct, frozen=True):
    """One reason why a conversation is not a success."""

    status: OutcomeStatus
    text: str


def cell_outcomes(run: RunView, cell: CellSummary) -> tuple[ConversationResult, ...]:
    """Return the outcomes that a cell summarizes."""
    key = (cell.suite, cell.condition, cell.agent)
    return tuple(row for row in run.outcomes if (row.suite, row.condition, row.agent) == key)


def run_measure_rows(run: RunView) -> tuple[MeasureRow, ...]:
    """Return the figures of a run's measures, those of the reward aside."""
    rows = measure_rows(run.outcomes, run.cells, run.declared)
    return tuple(row for row in rows if row.measure != REWARD)


def turn_timings(outcome: ConversationResult) -> tuple[TurnTiming, ...]:
    """Return the timed turns of a conversation; empty without speech."""
    if outcome.episode is None or outcome.condition.voice == TEXT:
        return ()
    return time_turns(outcome.episode, outcome.condition.language)


def compare_cells(runs: Sequence[RunView]) -> tuple[Comparison, ...]:
    """Compare all pairs of cells, of all runs, that differ in one thing alone.

    Only cells with the same rules and judge are compared, and no pairs that differ in a persona
    which users did not keep to.
    """
    groups: dict[tuple[str, str], list[CellOutcomes]] = {}
    for run in runs:
        digests = {task.id: task.digest for task in run.tasks.values()}
        scorings = {(cell.suite, cell.condition, cell.agent): cell for cell in run.cells}
        for cell in group_cells(run.name, run.outcomes, digests):
            row = scorings[cell.name.suite, cell.name.condition, cell.name.agent]
            groups.setdefault((row.rules, row.judge), []).append(cell)
    return tuple(
        found
        for cells in groups.values()
        for found in compare_in_families(
            faithful_pairs(tuple(comparable(cells))), cells, faithful_pairs
        )
    )


def conversation_status(outcome: ConversationResult) -> OutcomeStatus:
    """Return the status of an outcome."""
    return outcome_status(outcome.episode, outcome.score)


def user_status(outcome: ConversationResult) -> UserStatus:
    """Return the status of an outcome's simulated user."""
    if outcome.score is None or not outcome.score.simulator:
        return "unchecked"
    return "invalid" if outcome.score.invalid else "valid"


def conversation_causes(outcome: ConversationResult) -> tuple[FailureCause, ...]:
    """Return the causes of a failure; empty for a success."""
    state = conversation_status(outcome)
    return tuple(
        FailureCause(state, text) for text in failure_causes(outcome.episode, outcome.score)
    )


def count_causes(outcomes: Iterable[ConversationResult]) -> tuple[tuple[FailureCause, int], ...]:
    """Count causes, the most frequent first; an outcome counts once in each of its causes."""
    counts: dict[FailureCause, int] = {}
    for outcome in outcomes:
        for cause in conversation_causes(outcome):
            counts[cause] = counts.get(cause, 0) + 1
    return tuple(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0].text)))


def tool_errors(episode: Episode) -> Iterator[Role]:
    """Yield for each tool result that was an error the side that made the call."""
    for event in episode.events:
        if isinstance(event, ToolResult) and event.error:
            yield event.by
