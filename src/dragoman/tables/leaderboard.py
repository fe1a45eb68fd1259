"""The leaderboard of runs on a benchmark that has one: categories, aggregates and the spread over prompt formats."""

import re
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.analysis.aggregates import Standing, aggregated
from dragoman.analysis.cells import CellSummary
from dragoman.analysis.intervals import Interval
from dragoman.core.capabilities import HasLeaderboard
from dragoman.core.errors import UsageError
from dragoman.core.leaderboard import Leaderboard
from dragoman.core.scores import METRIC_VERSION, Score, Scored
from dragoman.registry.suites import find_benchmark
from dragoman.store.run_store import RunStore, open_run
from dragoman.tables.outcomes import chosen_scoring, summary

_FORMAT = re.compile(r"[^:]*:([^:]*):")


class FormatSpread(msgspec.Struct, frozen=True):
    """How much the prompt format matters: accuracy by format, and its spread in percent points.

    Only conversations with a score count; `largest` is the largest difference, `deviation` the
    sample's standard deviation and `variance` its square.
    """

    accuracy: dict[str, float]
    largest: float
    deviation: float
    variance: float


class Board(msgspec.Struct, frozen=True):
    """One agent's standings: categories, then aggregates.

    `unreadable` names the categories in most of whose replies no calls could be read.
    """

    agent: str
    rules: str
    categories: tuple[Standing, ...]
    aggregates: tuple[Standing, ...]
    formats: FormatSpread | None = None
    unreadable: tuple[str, ...] = ()


def boards(folders: Sequence[Path], rules: str | None, judge: str | None) -> tuple[Board, ...]:
    """Return a leaderboard with one board per agent over all runs.

    Raises:
        UsageError: Where a category was played twice by an agent, or the runs are none with a leaderboard,
            of several benchmarks or scored by different rules.
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
                board = leaderboard_of(name)
                if board is not None:
                    ranked[name] = board
                    _add(cells.setdefault(cell.agent, {}), cell, category)
            spreads.update(_spreads(store, scoring))
    if len(names) > 1:
        raise UsageError(f"the runs were scored by {' and '.join(sorted(names))}: choose --rules")
    if len(ranked) != 1:
        raise UsageError(
            "a leaderboard is made of runs on one benchmark that has one, such as bfcl"
        )
    (board,) = ranked.values()
    return tuple(
        _board(agent, min(names), rows, board, spreads.get(agent)) for agent, rows in cells.items()
    )


def leaderboard_of(benchmark: str) -> Leaderboard | None:
    """Return a benchmark's leaderboard by its name; None where it has none."""
    found = find_benchmark(benchmark)
    if found is not None and isinstance(found, HasLeaderboard):
        return found.leaderboard()
    return None


def _add(rows: dict[str, CellSummary], cell: CellSummary, name: str) -> None:
    if name in rows:
        raise UsageError(f"{cell.agent} played {name} twice: name one run of it, one condition")
    rows[name] = cell


def _board(
    agent: str,
    rules: str,
    rows: Mapping[str, CellSummary],
    board: Leaderboard,
    formats: FormatSpread | None,
) -> Board:
    categories = {
        name: _category(name, cell, board.sizes[name])
        for name, cell in rows.items()
        if name in board.sizes
    }
    ordered = tuple(categories[name] for name in board.sizes if name in categories)
    found = aggregated(board.aggregates, categories, board.sizes)
    unreadable = tuple(name for name, cell in rows.items() if cell.is_mostly_unreadable)
    return Board(agent, rules, ordered, tuple(found.values()), formats, unreadable)


def _category(name: str, cell: CellSummary, size: int) -> Standing:
    figure, known = cell.result.figures[0], cell.planned_tasks / size
    bounds = Interval(figure.bounds.low * known, figure.bounds.high * known + 1 - known)
    return Standing(name, figure.value, figure.interval, cell.result.tasks, size, bounds)


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
    board = leaderboard_of(name)
    return board is not None and category == board.formats != ""


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
