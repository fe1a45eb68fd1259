"""The leaderboard of stored runs: categories, aggregates, prompt formats and the voice grid."""

import re
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.analysis.aggregate_scores import AggregateScore, aggregate_scores
from dragoman.analysis.cell_summary import CellSummary, ConversationResult
from dragoman.analysis.input_modes import is_spoken
from dragoman.analysis.intervals import Interval
from dragoman.analysis.voice_summary import VoiceSummary, summarize_voice
from dragoman.core.capabilities import HasLeaderboard
from dragoman.core.conditions import TEXT
from dragoman.core.errors import UsageError
from dragoman.core.leaderboard import NO_LEADERBOARD, Leaderboard
from dragoman.core.leaderboard import spoken_leaderboard as spoken_part
from dragoman.core.scores import METRIC_VERSION, Score, Scored
from dragoman.dataframes.results import (
    chosen_scoring,
    outcomes,
    run_facts,
    scored_runs,
    stored_digests,
    summary,
    task_digests,
)
from dragoman.registry.suites import BUNDLED, find_benchmark
from dragoman.store.run_store import RunStore, open_run

_FORMAT = re.compile(r"[^:]*:([^:]*):")


class FormatSpread(msgspec.Struct, frozen=True):
    """Effect of the prompt format: accuracy by format, and its spread in percent points.

    Only conversations with a score count; `largest` is the largest difference, `deviation` the
    sample's standard deviation and `variance` its square.
    """

    accuracy: dict[str, float]
    largest: float
    deviation: float
    variance: float


class LeaderboardEntry(msgspec.Struct, frozen=True):
    """One agent's standings: categories, then aggregates.

    `unreadable` names the categories in most of whose replies no calls could be read. `benchmark`
    is the name of what was played.
    """

    agent: str
    rules: str
    categories: tuple[AggregateScore, ...]
    aggregates: tuple[AggregateScore, ...]
    formats: FormatSpread | None = None
    unreadable: tuple[str, ...] = ()
    benchmark: str = ""


def leaderboard_entries(
    folders: Sequence[Path], rules: str | None, judge: str | None
) -> tuple[LeaderboardEntry, ...]:
    """Return the leaderboard with one entry per agent over all runs.

    Raises:
        UsageError: If an agent played a category twice, or the runs have no leaderboard, belong to
            several benchmarks or were scored by different rules.
    """
    cells: dict[str, dict[str, CellSummary]] = {}
    ranked: dict[str, Leaderboard] = {}
    spreads: dict[str, FormatSpread] = {}
    names = set()
    for folder in folders:
        with open_run(folder, write=False) as store:
            scoring = chosen_scoring(store, rules, judge)
            names.add(scoring[0])
            for cell in summary(store, *scoring):
                name, _, category = cell.suite.partition(":")
                leaderboard = leaderboard_of(name)
                if leaderboard is not None:
                    ranked[name] = leaderboard
                    _add(cells.setdefault(cell.agent, {}), cell, category)
            spreads.update(_spreads(store, scoring))
    if len(names) > 1:
        raise UsageError(f"the runs were scored by {' and '.join(sorted(names))}: choose --rules")
    if len(ranked) != 1:
        known = ", ".join(name for name in BUNDLED if leaderboard_of(name) is not None)
        raise UsageError(
            f"a leaderboard needs runs on one benchmark that has its own ({known}): for others "
            "choose one with --style (dragoman list styles)"
        )
    ((benchmark, leaderboard),) = ranked.items()
    return tuple(
        msgspec.structs.replace(
            _entry(agent, min(names), rows, leaderboard, spreads.get(agent)), benchmark=benchmark
        )
        for agent, rows in cells.items()
    )


def runs_without_leaderboard(folders: Sequence[Path]) -> tuple[Path, ...]:
    """Return the runs without a conversation of a benchmark that has a leaderboard."""
    return tuple(folder for folder in folders if not _has_leaderboard(folder))


def _has_leaderboard(folder: Path) -> bool:
    with open_run(folder, write=False) as store:
        names = {cell.suite.partition(":")[0] for cell in store.cells()}
    return any(leaderboard_of(name) is not None for name in names)


def leaderboard_of(benchmark: str) -> Leaderboard | None:
    """Return a benchmark's leaderboard by its name; None if it has none."""
    found = find_benchmark(benchmark)
    if found is not None and isinstance(found, HasLeaderboard):
        return found.leaderboard()
    return None


def _add(rows: dict[str, CellSummary], cell: CellSummary, name: str) -> None:
    if name in rows:
        raise UsageError(
            f"{cell.agent} played {name} twice: name one run of it and one condition, or see "
            "all of them in columns with `dragoman table RUN... --by run`"
        )
    rows[name] = cell


def _entry(
    agent: str,
    rules: str,
    rows: Mapping[str, CellSummary],
    leaderboard: Leaderboard,
    formats: FormatSpread | None,
) -> LeaderboardEntry:
    categories, aggregates = leaderboard_scores(rows, leaderboard)
    unreadable = tuple(name for name, cell in rows.items() if cell.is_mostly_unreadable)
    return LeaderboardEntry(agent, rules, categories, aggregates, formats, unreadable)


def leaderboard_scores(
    rows: Mapping[str, CellSummary], leaderboard: Leaderboard
) -> tuple[tuple[AggregateScore, ...], tuple[AggregateScore, ...]]:
    """Return the categories of one agent in a leaderboard's order, and its aggregates.

    Args:
        rows: The cells of an agent under one condition, by category.
        leaderboard: That of their benchmark.
    """
    categories = {
        name: _category(name, cell, leaderboard.sizes[name])
        for name, cell in rows.items()
        if name in leaderboard.sizes
    }
    ordered = tuple(categories[name] for name in leaderboard.sizes if name in categories)
    found = aggregate_scores(leaderboard.aggregates, categories, leaderboard.sizes)
    return ordered, tuple(found.values())


def _category(name: str, cell: CellSummary, size: int) -> AggregateScore:
    figure, known = cell.result.figures[0], cell.planned_tasks / size
    bounds = Interval(figure.bounds.low * known, figure.bounds.high * known + 1 - known)
    return AggregateScore(name, figure.value, figure.interval, cell.result.tasks, size, bounds)


def _spreads(store: RunStore, scoring: tuple[str, str]) -> Iterator[tuple[str, FormatSpread]]:
    scores = store.scores(*scoring, METRIC_VERSION)
    rows: dict[str, list[tuple[str, Score]]] = {}
    for cell in store.cells():
        if cell.key in scores and _asks_in_formats(cell.suite):
            rows.setdefault(cell.agent, []).append((cell.task, scores[cell.key]))
    for agent, entries in rows.items():
        spread = _spread(entries)
        if spread is not None:
            yield agent, spread


def _asks_in_formats(suite: str) -> bool:
    name, _, category = suite.partition(":")
    leaderboard = leaderboard_of(name)
    return leaderboard is not None and category == leaderboard.formats != ""


def _spread(entries: Iterable[tuple[str, Score]]) -> FormatSpread | None:
    values: dict[str, list[float]] = {}
    for task, score in entries:
        found = _FORMAT.match(task)
        if found and isinstance(score.reward, Scored):
            values.setdefault(found.group(1), []).append(score.reward.value)
    accuracy = {name: statistics.fmean(column) for name, column in values.items()}
    if len(accuracy) < 2:  # noqa: PLR2004 - one format has no spread
        return None
    percent = [100 * value for value in accuracy.values()]
    deviation = statistics.stdev(percent)
    return FormatSpread(accuracy, max(percent) - min(percent), deviation, deviation**2)


class VoiceResults(msgspec.Struct, frozen=True):
    """A board with what it was made of: labels and values."""

    summary: VoiceSummary
    facts: tuple[tuple[str, str], ...]


def summarize_voice_runs(
    folders: Sequence[Path], rules: str | None, judge: str | None
) -> VoiceResults:
    """Return the voice summary of all runs together.

    Raises:
        UsageError: If nobody spoke in them, a conversation is in two of them, or they were not
            scored by the same rules and judge.
        StoreError: If a run cannot be read.
    """
    runs = scored_runs(folders, rules, judge)
    rows = [row for run in runs for row in run.outcomes]
    if not is_spoken(rows):
        raise UsageError(
            f"{', '.join(str(run.folder) for run in runs)}: nobody spoke: play with --voice"
        )
    declared = {name: entry for run in runs for name, entry in run.declared.items()}
    leaderboard = shared_leaderboard(row.suite for row in rows)
    scoring = runs[0].scoring
    return VoiceResults(
        summarize_voice(rows, task_digests(runs), declared, scoring, leaderboard), run_facts(runs)
    )


def shared_leaderboard(suites: Iterable[str]) -> Leaderboard:
    """Return the method for aggregates of spoken suites.

    Suites of several benchmarks do not have aggregates.
    """
    names = {suite.partition(":")[0] for suite in suites}
    found = leaderboard_of(names.pop()) if len(names) == 1 else None
    return NO_LEADERBOARD if found is None else spoken_part(found)


def run_voice_summary(
    store: RunStore, rules: str, judge: str, read: Sequence[ConversationResult] = ()
) -> VoiceSummary | None:
    """Return the board of one run by one scoring; None if nobody spoke in it.

    Args:
        store: The run.
        rules: The rules of the scoring.
        judge: Its judge.
        read: The run's conversations by this scoring, where they were read already.
    """
    if not any(cell.condition.voice != TEXT for cell in store.cells()):
        return None
    rows = tuple(read) or tuple(outcomes(store, rules, judge, heads_only=True))
    leaderboard = shared_leaderboard(row.suite for row in rows)
    return summarize_voice(
        rows, stored_digests(store), store.declared(), (rules, judge), leaderboard
    )
