"""A summary of a voice grid: text, every recognizer and native audio, with paired contrasts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from dragoman.analysis.aggregate_scores import AggregateScore, aggregate_scores
from dragoman.analysis.cell_summary import (
    CellSummary,
    ConversationResult,
    cell_pass_hat,
    cell_rewards,
    summarize,
)
from dragoman.analysis.comparison import CellOutcomes, Comparison, compare
from dragoman.analysis.input_modes import (
    ALL_TASKS,
    InputMode,
    MeasureCount,
    PlayedInputMode,
    Share,
    TaskId,
    measure_counts,
    played_input_modes,
    question_shares,
)
from dragoman.analysis.intervals import Interval
from dragoman.analysis.measure_metrics import MeasureRow, measure_rows
from dragoman.core.conditions import ITSELF, NONE, TEXT
from dragoman.core.leaderboard import NO_LEADERBOARD, Leaderboard
from dragoman.core.measures import REWARD, DeclaredMetrics
from dragoman.core.replies import ORACLE_ENGINE

_ANY = Interval(-1.0, 1.0)


class Contrast(msgspec.Struct, frozen=True):
    """A difference of accuracies (-1 to 1) over the same tasks.

    Attributes:
        value: The difference; None if no task was finished in both, or a category is missing.
        interval: 95 % interval over tasks.
        tasks: Number of tasks that were finished in both.
        left_out: Number of excluded tasks of either, by reason; empty for aggregates.
    """

    value: float | None
    interval: Interval | None
    tasks: int
    left_out: dict[str, int] = {}


NO_TASKS = Contrast(None, None, 0)
"""Contrast if no task was finished in both."""


def mode_contrasts(
    a: PlayedInputMode, b: PlayedInputMode, summary: Leaderboard
) -> dict[str, Contrast]:
    """Return how much better B is than A, by category, by aggregate, and over all tasks."""
    cell_pairs: dict[str, tuple[CellOutcomes, CellOutcomes]] = {
        name: (cell, b.categories[name])
        for name, cell in a.categories.items()
        if name in b.categories
    }
    cell_pairs[ALL_TASKS] = a.pooled, b.pooled
    found = dict(
        zip(cell_pairs, map(_contrast, compare(cell_pairs.values(), has_means=False)), strict=True)
    )
    return found | _aggregates(found, summary)


def _contrast(entry: Comparison) -> Contrast:
    if not entry.gaps:
        return Contrast(None, None, 0, entry.left_out)
    first = entry.gaps[0]
    return Contrast(first.difference, first.interval, first.tasks, entry.left_out)


def _aggregates(found: Mapping[str, Contrast], summary: Leaderboard) -> dict[str, Contrast]:
    scores = {
        name: AggregateScore(name, each.value, each.interval, each.tasks, size, _ANY)
        for name, size in summary.sizes.items()
        if (each := found.get(name)) is not None
    }
    made = aggregate_scores(summary.aggregates, scores, summary.sizes)
    return {
        name: Contrast(each.value, each.interval, each.tasks)
        for name, each in made.items()
        if each.tasks
    }


def largest_contrasts(figures: Sequence[float | None]) -> tuple[int, int] | None:
    """Return the positions of the lowest and the highest figure.

    None if fewer than two figures are known.
    """
    known = [place for place, value in enumerate(figures) if value is not None]
    if len(known) < 2:  # noqa: PLR2004 - a spread has two ends
        return None
    ordered = sorted(known, key=lambda place: (figures[place] or 0.0, place))
    return ordered[0], ordered[-1]


NOT_RECOGNIZERS = frozenset({ITSELF, ORACLE_ENGINE, NONE})
"""Values of the recognizer axis that are not recognizers."""


class InputModeMetrics(msgspec.Struct, frozen=True):
    """Metrics of one agent in one input mode.

    Attributes:
        agent: The agent.
        setting: Values on the axes other than the voice axes, as `axis=value`.
        input_mode: The input mode.
        scores: Scores by category, by aggregate, and over all tasks.
        to_text: Difference to the score of its text; empty for the text itself, and without a text.
        text: The judge of questions in the conversations of that text.
        won_back: Difference to the score of the same mode without clarifications; empty if there is
            none.
        questions: Shares of conversations in which questions were judged, allowed and rejected.
        measure_counts: Counts of measures.
        measures: Figures of measures over all conversations.
        cell: Conversations, faults and unscored conversations, over all tasks.
        seconds: Mean wall-clock time of a conversation; None if none was played.
    """

    agent: str
    setting: tuple[str, ...]
    input_mode: InputMode = msgspec.field(name="way")
    scores: dict[str, AggregateScore] = msgspec.field(name="standings")
    to_text: dict[str, Contrast]
    text: str | None
    won_back: dict[str, Contrast]
    questions: tuple[Share, ...]
    measure_counts: tuple[MeasureCount, ...] = msgspec.field(name="tallies")
    measures: tuple[MeasureRow, ...]
    cell: CellSummary
    seconds: float | None


class Sensitivity(msgspec.Struct, frozen=True):
    """Sensitivity of an agent to the recognizer: the ones with the most different scores.

    Attributes:
        agent: The agent.
        setting: As in `InputModeMetrics`.
        voice: The channel of all these conversations.
        clarify: The judge of questions.
        recognizers: All compared recognizers.
        spreads: Spreads by category, by aggregate, and over all tasks.
    """

    agent: str
    setting: tuple[str, ...]
    voice: str
    clarify: str
    recognizers: tuple[str, ...]
    spreads: dict[str, "Spread"]


class Spread(msgspec.Struct, frozen=True):
    """The recognizers with the lowest and the highest accuracy, and their difference."""

    lowest: str
    highest: str
    apart: Contrast


class VoiceSummary(msgspec.Struct, frozen=True):
    """Summary of text, of every recognizer, and of agents that receive audio.

    Attributes:
        rules: The rule set of the scores.
        judge: Their judge.
        names: Categories, then aggregates, then all tasks: the order of tables.
        input_modes: Metrics by agent, text first.
        sensitivity: Sensitivity by agent and channel, for channels with several recognizers.
    """

    rules: str
    judge: str
    names: tuple[str, ...]
    input_modes: tuple[InputModeMetrics, ...] = msgspec.field(name="ways")
    sensitivity: tuple[Sensitivity, ...]


def summarize_voice(
    outcomes: Iterable[ConversationResult],
    digests: Mapping[TaskId, str],
    declared: Mapping[str, DeclaredMetrics],
    scoring: tuple[str, str],
    summary: Leaderboard = NO_LEADERBOARD,
) -> VoiceSummary:
    """Return the figures of conversations that were scored by the same rules and judge.

    Args:
        outcomes: Conversations, including missing ones.
        digests: Digests of their tasks.
        declared: The figures that measures declare.
        scoring: Rules and judge.
        summary: Weights and sizes of the aggregates over spoken conversations.
    """
    played = played_input_modes(outcomes, digests, summary.sizes)
    scores = [_scores(each, summary) for each in played]
    return VoiceSummary(
        *scoring,
        _names(scores, summary),
        tuple(
            _figures(each, found, played, declared, scoring, summary)
            for each, found in zip(played, scores, strict=True)
        ),
        tuple(_sensitivity(played, scores, summary)),
    )


def _names(scores: Iterable[Mapping[str, AggregateScore]], summary: Leaderboard) -> tuple[str, ...]:
    found = dict.fromkeys(name for each in scores for name in each)
    made = {entry.name for entry in summary.aggregates}
    listed = [name for name in summary.sizes if name in found]
    others = [name for name in found if name not in {*listed, *made, ALL_TASKS}]
    aggregates = [entry.name for entry in summary.aggregates if entry.name in found]
    return (*listed, *others, *aggregates, ALL_TASKS)


def _scores(played: PlayedInputMode, summary: Leaderboard) -> dict[str, AggregateScore]:
    categories = {name: _aggregate_score(name, cell) for name, cell in played.categories.items()}
    made = aggregate_scores(summary.aggregates, categories, summary.sizes)
    begun = {name: each for name, each in made.items() if each.tasks}
    return {**categories, **begun, ALL_TASKS: _aggregate_score(ALL_TASKS, played.pooled)}


def _aggregate_score(name: str, cell: CellOutcomes) -> AggregateScore:
    rewards = cell_rewards(cell.outcomes)
    first = cell_pass_hat(rewards).figures[0]
    return AggregateScore(
        name, first.value, first.interval, first.tasks, len(rewards), first.bounds
    )


def _figures(  # noqa: PLR0913, PLR0917 - one row, and the grid around it
    played: PlayedInputMode,
    scores: dict[str, AggregateScore],
    every: Sequence[PlayedInputMode],
    declared: Mapping[str, DeclaredMetrics],
    scoring: tuple[str, str],
    summary: Leaderboard,
) -> InputModeMetrics:
    rows = played.pooled.outcomes
    (cell,) = summarize(rows, *scoring)
    text, unanswered = _text(played, every), _find_without_clarification(played, every)
    measures = measure_rows(rows, [cell], declared)
    return InputModeMetrics(
        played.agent,
        played.setting,
        played.input_mode,
        scores,
        {} if text is None else mode_contrasts(text, played, summary),
        None if text is None else text.input_mode.clarify,
        {} if unanswered is None else mode_contrasts(unanswered, played, summary),
        question_shares(rows),
        measure_counts(rows),
        tuple(row for row in measures if row.measure != REWARD),
        cell,
        _mean_seconds(rows),
    )


def _text(played: PlayedInputMode, every: Sequence[PlayedInputMode]) -> PlayedInputMode | None:
    """Return the agent's text mode without clarifications.

    If the agent has none, return the text mode with the same judge.
    """
    if played.input_mode.is_text:
        return None
    wanted = (InputMode(TEXT, NONE, clarify) for clarify in (NONE, played.input_mode.clarify))
    return next(
        (found for input_mode in wanted if (found := _find(every, played, input_mode))), None
    )


def _find_without_clarification(
    played: PlayedInputMode, every: Sequence[PlayedInputMode]
) -> PlayedInputMode | None:
    """Return the same without clarifications; None for what has none itself."""
    if played.input_mode.clarify == NONE:
        return None
    return _find(every, played, msgspec.structs.replace(played.input_mode, clarify=NONE))


def _find(
    every: Sequence[PlayedInputMode], like: PlayedInputMode, input_mode: InputMode
) -> PlayedInputMode | None:
    return next(
        (each for each in every if each.player == like.player and each.input_mode == input_mode),
        None,
    )


def _mean_seconds(rows: Iterable[ConversationResult]) -> float | None:
    taken = [
        row.episode.seconds for row in rows if row.episode is not None and not row.episode.is_fault
    ]
    return sum(taken) / len(taken) if taken else None


Heard = Sequence[tuple[PlayedInputMode, Mapping[str, AggregateScore]]]
"""Input modes with several recognizers, each with its scores."""


def _sensitivity(
    played: Sequence[PlayedInputMode],
    scores: Sequence[Mapping[str, AggregateScore]],
    summary: Leaderboard,
) -> Iterator[Sensitivity]:
    groups: dict[
        tuple[str, tuple[str, ...], str, str],
        list[tuple[PlayedInputMode, Mapping[str, AggregateScore]]],
    ]
    groups = {}
    for each, found in zip(played, scores, strict=True):
        # Simulated errors do not come from a recognizer: their rate was requested, and nothing
        # listened.
        if each.input_mode.recognizer not in NOT_RECOGNIZERS and not each.input_mode.is_simulated:
            place = (each.agent, each.setting, each.input_mode.voice, each.input_mode.clarify)
            groups.setdefault(place, []).append((each, found))
    for place, heard in groups.items():
        if len(heard) > 1:
            names = tuple(each.input_mode.recognizer for each, _ in heard)
            yield Sensitivity(*place, names, _spreads(heard, summary))


def _spreads(heard: Heard, summary: Leaderboard) -> dict[str, Spread]:
    known: dict[tuple[int, int], dict[str, Contrast]] = {}
    spreads = {}
    for name in dict.fromkeys(name for _, found in heard for name in found):
        ends = largest_contrasts(
            [found[name].value if name in found else None for _, found in heard]
        )
        if ends is None:
            continue
        low, high = (heard[place][0] for place in ends)
        if ends not in known:
            known[ends] = mode_contrasts(low, high, summary)
        apart = known[ends].get(name, NO_TASKS)
        spreads[name] = Spread(low.input_mode.recognizer, high.input_mode.recognizer, apart)
    return spreads
