"""The view model of a conversation's page, made from records alone, without a server."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import median
from typing import get_args

import msgspec

from dragoman.analysis.cell_summary import ConversationResult, LedgerLine, ledger, ledger_cost
from dragoman.analysis.failure_attribution import ATTRIBUTION
from dragoman.analysis.measure_metrics import newest
from dragoman.core.conditions import TEXT, axis_values
from dragoman.core.costs import Cost, PriceOf
from dragoman.core.episodes import Episode
from dragoman.core.measures import MeasureResult
from dragoman.core.scores import METRIC_VERSION, ComponentScore, Evidence, OutcomeStatus, Score
from dragoman.core.tasks import Task
from dragoman.core.tools import Role
from dragoman.core.usage import Usage
from dragoman.report.labels import (
    condition_chips,
    figure_label,
    measure_label,
    source_meaning,
    stage_name,
)
from dragoman.report.view_model import (
    FailureCause,
    InferredProfile,
    UserStatus,
    conversation_causes,
    conversation_status,
    user_status,
)
from dragoman.store.run_plan import StoredCell
from dragoman.store.run_store import StoredConversation
from dragoman.viewer.transcript import (
    LinkedEvidence,
    Turn,
    judge_of,
    later_inferences,
    link_evidence,
    notes_by_place,
    readable_json,
    turn_numbers,
    turns_of,
)
from dragoman.viewer.word_diff import MAX_SHOWN, Mark, mark_legend


class ComponentView(msgspec.Struct, frozen=True):
    """One component of the reward, with its evidence and the turns that it concerns."""

    part: ComponentScore
    evidence: tuple[LinkedEvidence, ...]


class Finding(msgspec.Struct, frozen=True):
    """One finding of a measure, with its turn; None for the whole conversation."""

    turn: int | None
    subject: str
    why: str


class MeasureView(msgspec.Struct, frozen=True):
    """The counts of one measure, or why it is unscored; `zeros` are counts that came to nothing."""

    name: str
    version: str
    judge: str
    unscored: str
    counts: tuple[str, ...]
    zeros: tuple[str, ...]
    found: tuple[Finding, ...]


class FailureSourceView(msgspec.Struct, frozen=True):
    """The failure source of a conversation, and its meaning."""

    failure_source: str
    meaning: str

    @property
    def name(self) -> str:
        """The display name of the failure source."""
        return stage_name(self.failure_source)


class SideLatency(msgspec.Struct, frozen=True):
    """The measured reply times of one side, in seconds."""

    side: Role
    replies: int
    median: float
    slowest: float
    turn: int


class ConversationView(msgspec.Struct, frozen=True):
    """One conversation.

    Attributes:
        cell: Its place in the grid.
        axes: Its condition by axis.
        status: The outcome status.
        user: Whether its simulated user passed its checks.
        causes: Why it did not succeed.
        lost: The failure source, if it was attributed.
        episode: The events; None if it was not played.
        turns: The turns.
        instruction_updates: Profiles of the user that were inferred after the last turn.
        score: The newest score.
        other_scores: The scores under other rules or judges.
        components: The score's components.
        simulator: The checks of the simulated user.
        measures: The results of measures.
        ledger: The usage, by purpose and model, with its cost.
        task: The task; None if the run does not have it any more.
        legend: The marks of words that occur, with their meanings.
    """

    cell: StoredCell
    axes: dict[str, str]
    status: OutcomeStatus
    user: UserStatus
    causes: tuple[FailureCause, ...]
    lost: FailureSourceView | None = None
    episode: Episode | None = None
    turns: tuple[Turn, ...] = ()
    instruction_updates: tuple[InferredProfile, ...] = ()
    score: Score | None = None
    other_scores: tuple[Score, ...] = ()
    components: tuple[ComponentView, ...] = ()
    simulator: tuple[Evidence, ...] = ()
    measures: tuple[MeasureView, ...] = ()
    ledger: tuple[LedgerLine, ...] = ()
    task: Task | None = None
    legend: Sequence[tuple[Mark, str]] = ()

    @property
    def latencies(self) -> tuple[SideLatency, ...]:
        """The reply times by side; sides without measured times are omitted."""
        return tuple(_latencies(self.turns))

    @property
    def judged(self) -> tuple[ComponentView, ...]:
        """The components that had something to judge."""
        return tuple(entry for entry in self.components if entry.part.verdict is not None)

    @property
    def unasked(self) -> tuple[str, ...]:
        """The components that had nothing to judge."""
        return tuple(
            entry.part.component for entry in self.components if entry.part.verdict is None
        )

    @property
    def planned(self) -> tuple[str, ...]:
        """The calls of the task's plan."""
        criteria = None if self.task is None else self.task.criteria
        actions = () if criteria is None or criteria.actions is None else criteria.actions
        return tuple(
            f"{action.by} {action.name} {readable_json(action.arguments)}" for action in actions
        )

    @property
    def cost(self) -> Cost | None:
        """The cost; None where that is not known."""
        return ledger_cost(self.ledger)

    @property
    def chips(self) -> tuple[str, ...]:
        """Its condition in words, by axis; empty for English text."""
        return condition_chips(self.cell.condition)

    @property
    def is_spoken(self) -> bool:
        """Whether anybody speaks aloud."""
        return self.cell.condition.voice != TEXT

    @property
    def has_sound(self) -> bool:
        """Whether there is anything to listen to."""
        return any(turn.sounds for turn in self.turns)


def conversation_view(
    stored: StoredConversation,
    task: Task | None,
    price_of: PriceOf,
    *,
    scoring: tuple[str, str] | None = None,
    most: int = MAX_SHOWN,
) -> ConversationView:
    """Return a conversation as its page shows it.

    Args:
        stored: The conversation.
        task: Its task.
        price_of: The prices of models.
        scoring: The rules and judge to read it by; None for the newest score.
        most: Longest shown part of each text, in characters.
    """
    cell = stored.cell
    score, others = _choose_score(stored.scores, scoring)
    measures = newest(stored.measures)
    row = _outcome(stored, score, measures)
    view = ConversationView(
        cell,
        axis_values(cell.condition),
        conversation_status(row),
        user_status(row),
        conversation_causes(row),
        lost=_failure_source_view(measures),
        score=score,
        other_scores=others,
        simulator=() if score is None else score.simulator,
        task=task,
    )
    if stored.episode is None:
        return view
    return _add_played_content(view, (stored.episode, measures), price_of, most)


def _add_played_content(
    view: ConversationView,
    played: tuple[Episode, Sequence[MeasureResult]],
    price_of: PriceOf,
    most: int,
) -> ConversationView:
    episode, measures = played
    turns = turns_of(
        episode,
        view.cell.condition.language,
        is_spoken=view.is_spoken,
        notes=notes_by_place(measures),
        most=most,
    )
    numbers = turn_numbers(turns)
    components = () if view.score is None else view.score.components
    return msgspec.structs.replace(
        view,
        episode=episode,
        turns=turns,
        instruction_updates=later_inferences(episode),
        components=tuple(
            ComponentView(part, link_evidence(part, episode.events, numbers)) for part in components
        ),
        measures=tuple(
            _measure(entry, numbers.get) for entry in measures if entry.measure != ATTRIBUTION
        ),
        ledger=ledger(_usage(episode, view.score, measures), price_of),
        legend=mark_legend(mark for turn in turns if turn.texts for mark in turn.texts.marks),
    )


def _choose_score(
    scores: Iterable[Score], scoring: tuple[str, str] | None
) -> tuple[Score | None, tuple[Score, ...]]:
    """Return the score to read by, and the others; the oldest come first."""
    known = [score for score in scores if score.metric == METRIC_VERSION]
    fitting = [score for score in known if scoring in {None, (score.rules, score.judge)}]
    if not fitting:
        return None, tuple(known)
    return fitting[-1], tuple(score for score in known if score is not fitting[-1])


def _outcome(
    stored: StoredConversation, score: Score | None, measures: tuple[MeasureResult, ...]
) -> ConversationResult:
    cell = stored.cell
    return ConversationResult(
        cell.suite,
        cell.condition,
        cell.agent,
        cell.task,
        cell.trial,
        stored.episode,
        score,
        measures=measures,
    )


def _failure_source_view(measures: Iterable[MeasureResult]) -> FailureSourceView | None:
    for entry in measures:
        if entry.measure == ATTRIBUTION and entry.evidence:
            source, stored = entry.evidence[0].subject, entry.evidence[0].why
            return FailureSourceView(source, source_meaning(source, stored))
    return None


def _measure(entry: MeasureResult, number_of: Callable[[int], int | None]) -> MeasureView:
    found = (
        Finding(None if each.position is None else number_of(each.position), each.subject, each.why)
        for each in entry.evidence
        if each.why
    )
    return MeasureView(
        measure_label(entry.measure),
        entry.version,
        judge_of(entry),
        entry.unscored,
        tuple(
            f"{figure_label(entry.measure, name)} {count:g}"
            for name, count in entry.counts.items()
            if count
        ),
        tuple(name for name, count in entry.counts.items() if not count),
        tuple(found),
    )


def _latencies(turns: Sequence[Turn]) -> Iterator[SideLatency]:
    for side in get_args(Role):
        known = [
            (turn.seconds, turn.number)
            for turn in turns
            if turn.by == side and turn.seconds is not None
        ]
        if known:
            seconds, number = max(known)
            middle = median(each for each, _ in known)
            yield SideLatency(side, len(known), middle, seconds, number)


def _usage(
    episode: Episode, score: Score | None, measures: Iterable[MeasureResult]
) -> Iterator[Usage]:
    yield from episode.usage
    yield from () if score is None else score.judges_usage
    yield from (entry.usage for entry in measures if entry.usage is not None)
