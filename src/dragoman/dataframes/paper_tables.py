"""Tables of stored runs for papers: pass^1 to pass^k by agent and condition, or by category.

Each figure belongs to a cell of the runs and has its interval, so a table shows the same figures as
`show`, the report and the leaderboard. Nothing is averaged over conditions: axes that are not
columns of a table are keys of its rows.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.analysis.aggregate_scores import AggregateScore
from dragoman.analysis.cell_summary import CellSummary, summarize
from dragoman.analysis.grouping import AGENT
from dragoman.analysis.pass_hat import Figure
from dragoman.conditions.language.languages import SHIPPED, find_language
from dragoman.core.conditions import JOIN, SIMULATED, TEXT, Condition, axis_names
from dragoman.core.errors import UsageError
from dragoman.core.leaderboard import Leaderboard
from dragoman.dataframes.leaderboard import leaderboard_of, leaderboard_scores, shared_leaderboard
from dragoman.dataframes.results import ScoredRun, scored_runs
from dragoman.report import formatting
from dragoman.report.text_tables import NOTHING, Estimate, PaperTable

SUITE = "suite"
"""Stands among keys for what is played."""

TRIALS = "n"
"""The heading of the number of tasks and trials."""

_FIELDS = (SUITE, AGENT)


class PaperTables(msgspec.Struct, frozen=True):
    """The tables of runs, with the cells that they are made of.

    `not_played` gives by label why conditions of the runs' grids are not played.
    """

    tables: tuple[PaperTable, ...]
    cells: tuple[CellSummary, ...]
    scoring: tuple[str, str]
    not_played: dict[str, str]


def paper_tables(
    folders: Sequence[Path],
    rules: str | None = None,
    judge: str | None = None,
    *,
    by: str | None = None,
    powers: Sequence[int] = (),
) -> PaperTables:
    """Return the tables of runs taken together.

    Args:
        folders: The runs.
        rules: The rule set that they were scored by; None for the newest scoring.
        judge: The judge; None for the judge of the newest scoring.
        by: The axis that makes columns; None for none. Runs on a benchmark with a leaderboard are
            shown by its categories where it is None.
        powers: The k of pass^k; none for all that were played.

    Raises:
        UsageError: For an axis or a k that the runs do not have, runs that were not scored alike,
            or a conversation that is in two of them.
        StoreError: If a run cannot be read.
    """
    runs = scored_runs(folders, rules, judge)
    scoring = runs[0].scoring
    cells = summarize((row for run in runs for row in run.outcomes), *scoring)
    if all(cell.result.tasks == 0 for cell in cells):
        raise UsageError("no task has a decided score: dragoman score RUN")
    leaderboard = _leaderboard(cells) if by is None else None
    if leaderboard is None:
        table = pass_table(cells, by, _powers(cells, powers))
    elif powers and tuple(powers) != (1,):
        raise UsageError("--k: by category there is pass^1 alone: name an axis with --by")
    else:
        table = category_table(cells, leaderboard)
    noted = msgspec.structs.replace(table, note=". ".join(_notes(table.note, cells, scoring)))
    return PaperTables((noted,), cells, scoring, _not_played(runs))


def _not_played(runs: Iterable[ScoredRun]) -> dict[str, str]:
    return {label: why for run in runs for label, why in run.manifest.not_applicable.items()}


def _powers(cells: Sequence[CellSummary], wanted: Sequence[int]) -> tuple[int, ...]:
    """Return the powers that the table has.

    Raises:
        UsageError: For one that no cell has.
    """
    most = max((cell.result.trials for cell in cells), default=1)
    for k in wanted:
        if not 1 <= k <= most:
            raise UsageError(f"--k {k}: the runs have pass^1 to pass^{most}")
    return tuple(dict.fromkeys(wanted)) or tuple(range(1, most + 1))


def distinguishing_axes(conditions: Sequence[Condition]) -> tuple[str, ...]:
    """Return the axes that tell conditions apart, without those that follow from others.

    If a language has only one scenario, or a channel only one recognizer, the second axis is
    omitted: then the language, or the channel, identifies the condition.
    """
    kept: list[str] = []
    for axis in axis_names(conditions):
        seen: dict[tuple[str, ...], str] = {}
        for condition in conditions:
            known = tuple(map(condition.shown, kept))
            if seen.setdefault(known, condition.shown(axis)) != condition.shown(axis):
                kept.append(axis)
                break
    return tuple(kept)


def value_name(axis: str, value: str) -> str:
    """Return a value of an axis as a table has it: languages by their names."""
    if axis == "voice" and value.startswith(SIMULATED):
        return f"simulated errors, {value.removeprefix(SIMULATED)} %"
    if axis != "language":
        return value
    names = (find_language(code).name if code in SHIPPED else code for code in value.split(JOIN))
    return JOIN.join(names)


def _keys(cells: Sequence[CellSummary], by: str | None) -> tuple[str, ...]:
    """Return the keys that name the cell of a figure, except for the axis of the columns.

    Raises:
        UsageError: For an axis that the runs do not have.
    """
    conditions = tuple(dict.fromkeys(cell.condition for cell in cells))
    known = (AGENT, SUITE, *axis_names(conditions))
    if by is not None and by not in known:
        raise UsageError(f"--by {by}: no such axis: choose of {', '.join(known)}")
    suites = len({cell.suite for cell in cells}) > 1
    keys = (*((SUITE,) if suites else ()), AGENT, *distinguishing_axes(conditions))
    return tuple(key for key in keys if key != by)


def _value(cell: CellSummary, key: str) -> str:
    if key in _FIELDS:
        return cell.suite if key == SUITE else cell.agent
    return value_name(key, cell.condition.shown(key))


def pass_table(cells: Sequence[CellSummary], by: str | None, powers: Sequence[int]) -> PaperTable:
    """Return the table of pass^k: a row for each agent and condition, or columns by an axis.

    Args:
        cells: The cells of the runs.
        by: The axis of the columns; None for none.
        powers: The k of pass^k.

    Raises:
        UsageError: For an axis that the cells do not have.
    """
    keys = _keys(cells, by)
    places: dict[tuple[str, ...], dict[str, CellSummary]] = {}
    groups = dict.fromkeys("" if by is None else _value(cell, by) for cell in cells)
    for cell in cells:
        row = places.setdefault(tuple(_value(cell, key) for key in keys), {})
        group = "" if by is None else _value(cell, by)
        if group in row:
            raise UsageError(
                f"{_place(cell)} is in the table twice: name it apart with --by, or name one run"
            )
        row[group] = cell
    rows = dict(sorted(places.items(), key=_order(places)))
    caption = _caption(cells, powers, by)
    if len(groups) * len(powers) > _MOST_FIGURES:
        return _powers_below(rows, tuple(groups), powers, (caption, keys))
    counts = {_count(cell) for cell in cells}
    has_counts = by is None or len(counts) > 1
    figures = [f"pass^{k}" for k in powers] + [TRIALS] * has_counts
    columns = [(*((group,) if by else ()), figure) for group in groups for figure in figures]
    filled = tuple(
        (
            *place,
            *(
                value
                for group in groups
                for value in _figures(found.get(group), powers, has_counts=has_counts)
            ),
        )
        for place, found in rows.items()
    )
    note = "" if has_counts else f"{TRIALS} = {counts.pop()}"
    return PaperTable(caption, keys, tuple(columns), filled, note)


_MOST_FIGURES = 6
"""Largest number of figures that fit next to each other on a page.

With more, each k gets a row.
"""


def _powers_below(
    rows: Mapping[tuple[str, ...], Mapping[str, CellSummary]],
    groups: Sequence[str],
    powers: Sequence[int],
    named: tuple[str, tuple[str, ...]],
) -> PaperTable:
    """Return a table with a row for each power, and a column for each value of the axis."""
    caption, keys = named
    filled = tuple(
        _row(
            (*place, f"pass^{k}"),
            (_power(found.get(group), k) for group in groups),
            _counts(found),
        )
        for place, found in rows.items()
        for k in powers
    )
    columns = (*((group,) for group in groups), (TRIALS,))
    return PaperTable(caption, (*keys, "figure"), columns, filled)


def _row(
    keys: Sequence[str], figures: Iterable[Estimate], count: str
) -> tuple[str | Estimate, ...]:
    """Return a row: what it is of, its figures, and how many tasks they are over."""
    return (*keys, *figures, count)


def _power(cell: CellSummary | None, k: int) -> Estimate:
    found = () if cell is None else cell.result.figures
    return next((_estimate(figure) for figure in found if figure.k == k), Estimate())


def _counts(found: Mapping[str, CellSummary]) -> str:
    """Return the tasks and trials of a row's cells, each number once."""
    return ", ".join(dict.fromkeys(map(_count, found.values())))


def _order(
    places: Iterable[tuple[str, ...]],
) -> Callable[[tuple[tuple[str, ...], object]], tuple[int, ...]]:
    """Return what sorts rows by their keys, each in the order of its first appearance."""
    ranks = [
        {value: rank for rank, value in enumerate(dict.fromkeys(column))}
        for column in zip(*places, strict=True)
    ]
    return lambda row: tuple(rank[key] for rank, key in zip(ranks, row[0], strict=True))


def _place(cell: CellSummary) -> str:
    return f"{cell.agent} on {cell.suite}, {cell.condition.label}"


def _figures(
    cell: CellSummary | None, powers: Sequence[int], *, has_counts: bool
) -> Iterator[str | Estimate]:
    """Yield the figures of a cell, and its number of tasks and trials."""
    yield from (_power(cell, k) for k in powers)
    if has_counts:
        yield NOTHING if cell is None else _count(cell)


def _estimate(figure: Figure) -> Estimate:
    return Estimate(figure.value, figure.interval, figure.tasks)


def _count(cell: CellSummary) -> str:
    """Return how many tasks entered, and how many trials each has."""
    tasks = f"{cell.result.tasks:,}"
    trials = cell.result.trials
    return tasks if trials == 1 else f"{tasks} \u00d7 {trials}"


def _caption(cells: Sequence[CellSummary], powers: Sequence[int], by: str | None) -> str:
    named = [f"pass^{k}" for k in powers]
    shown = named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
    suites = ", ".join(dict.fromkeys(cell.suite for cell in cells))
    across = "" if by is None else f" by {by}"
    return f"{shown}{across} on {suites}, with 95 % confidence intervals over tasks."


# By category


def _leaderboard(cells: Sequence[CellSummary]) -> Leaderboard | None:
    """Return the leaderboard of the benchmark that all cells are of; None if it has none."""
    names = {cell.suite.partition(":")[0] for cell in cells}
    leaderboard = leaderboard_of(names.pop()) if len(names) == 1 else None
    if leaderboard is None or not all(
        cell.suite.partition(":")[2] in leaderboard.sizes for cell in cells
    ):
        return None
    if any(cell.condition.voice != TEXT for cell in cells):
        return shared_leaderboard(cell.suite for cell in cells)
    return leaderboard


def category_table(cells: Sequence[CellSummary], leaderboard: Leaderboard) -> PaperTable:
    """Return the table of pass^1 by category and aggregate, a column for each agent and condition.

    Args:
        cells: The cells of the runs; a category stands behind the colon of their suites' names.
        leaderboard: That of their benchmark.
    """
    axes = distinguishing_axes(tuple(dict.fromkeys(cell.condition for cell in cells)))
    players: dict[tuple[str, ...], dict[str, CellSummary]] = {}
    for cell in cells:
        player = (cell.agent, *(value_name(axis, cell.condition.shown(axis)) for axis in axes))
        players.setdefault(player, {})[cell.suite.partition(":")[2]] = cell
    players = dict(sorted(players.items(), key=_order(players)))
    scores = [_scores(rows, leaderboard) for rows in players.values()]
    names = [
        name
        for name in (*leaderboard.sizes, *(entry.name for entry in leaderboard.aggregates))
        if any(name in found for found in scores)
    ]
    sizes = {name: _size(name, scores) for name in names}
    rows = tuple(
        _row((name,), (_score_estimate(found.get(name)) for found in scores), sizes[name])
        for name in names
    )
    columns = (*players, ("", *[""] * len(axes)))
    columns = tuple((*column[:-1], column[-1] or TRIALS) for column in columns)
    suite = ", ".join(dict.fromkeys(cell.suite.partition(":")[0] for cell in cells))
    caption = f"pass^1 on {suite} by category, with 95 % confidence intervals over tasks."
    return PaperTable(caption, ("category",), columns, rows, "; ".join(_lacking(names, scores)))


def _scores(rows: dict[str, CellSummary], leaderboard: Leaderboard) -> dict[str, AggregateScore]:
    """Return the categories that were played and the aggregates that have a task, by name."""
    categories, aggregates = leaderboard_scores(rows, leaderboard)
    return {each.name: each for each in (*categories, *aggregates) if each.tasks}


def _score_estimate(score: AggregateScore | None) -> Estimate:
    return Estimate() if score is None else Estimate(score.value, score.interval, score.tasks)


def _size(name: str, scores: Sequence[dict[str, AggregateScore]]) -> str:
    """Return how many tasks a row is over: one number, or the fewest and the most."""
    counts = sorted({found[name].tasks for found in scores if name in found})
    return f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"


def _lacking(names: Sequence[str], scores: Sequence[dict[str, AggregateScore]]) -> Iterator[str]:
    """Yield the aggregates without a figure, and the missing categories of each."""
    for name in names:
        missing = dict.fromkeys(
            part for found in scores if name in found for part in found[name].missing
        )
        if missing:
            yield f"{name} has no figure without {', '.join(missing)}"


# Of all tables


def _notes(own: str, cells: Sequence[CellSummary], scoring: tuple[str, str]) -> Iterator[str]:
    """Yield the notes below a table: counts, excluded results, and the scoring."""
    if own:
        yield own
    left: dict[str, Callable[[CellSummary], int]] = {
        "tasks excluded without a verdict": lambda cell: cell.result.left_out,
        "conversations not run": lambda cell: cell.missing,
        "ended by infrastructure": lambda cell: cell.infrastructure_errors,
        "ended by an error in code": lambda cell: cell.code_errors,
    }
    counts = {what: sum(map(count, cells)) for what, count in left.items()}
    if any(counts.values()):
        yield ", ".join(f"{what}: {count:,}" for what, count in counts.items() if count)
    yield from (formatting.unreadable(cell) for cell in cells if cell.is_mostly_unreadable)
    if any(cell.assumed for cell in cells):
        yield f"A figure {formatting.ASSUMED_NOTE}"
    yield f"Rules {scoring[0]}, judge {scoring[1]}"
