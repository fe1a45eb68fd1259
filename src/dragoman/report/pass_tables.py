"""Tables of pass^1 to pass^k for papers: agents and conditions as rows or as columns.

Each figure belongs to one cell of the runs. Nothing is averaged over conditions: axes that are not
columns of a table are keys of its rows.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal, get_args

import msgspec

from dragoman.analysis.cell_summary import CellSummary
from dragoman.analysis.grouping import AGENT
from dragoman.core.conditions import Condition, axis_names, axis_values, condition_of
from dragoman.core.errors import UsageError
from dragoman.report import formatting, labels
from dragoman.report.text_tables import NOTHING, Estimate, PaperTable

SUITE = "suite"
"""Stands among keys for what is played."""

RUN = "run"
"""Stands among keys for the folder of a cell, if several runs have the same cell."""

TRIALS = "n"
"""The heading of the number of tasks and trials."""

FIGURE = "figure"
"""The heading of what a number is, such as pass^1."""

RowKind = Literal["cell", "agent", "condition"]
"""The subject of a row: an agent under a condition, an agent, or a condition."""

ROW_KINDS: tuple[RowKind, ...] = get_args(RowKind)

MOST_FIGURES = 6
"""Largest number of figures that fit next to each other on a page.

With more, each k gets a row, unless the kind of rows was chosen.
"""

Place = tuple[str, ...]
"""The keys of a row, or the headings of a group of columns."""

Rows = Mapping[Place, Mapping[Place, "TableCell"]]
"""The cells of each row by the group of columns."""


class TableLayout(msgspec.Struct, frozen=True):
    """The arrangement of a table.

    Attributes:
        by: The axes of the columns, the outermost first.
        rows: The subject of a row; None for an agent under a condition, without the axes of the
            columns.
        powers: The k of pass^k; none for all that were played.
        is_bold: Whether the highest figure of the agents under a condition is set off.
    """

    by: tuple[str, ...] = ()
    rows: RowKind | None = None
    powers: tuple[int, ...] = ()
    is_bold: bool = False


class TableCell(msgspec.Struct, frozen=True):
    """A cell of a table, and the name of its run; "" where the runs are taken together."""

    summary: CellSummary
    run: str = ""

    def value(self, key: str) -> str:
        """Return what the cell has under a key: a suite, an agent, a run or an axis."""
        if key == RUN:
            return self.run
        if key in {SUITE, AGENT}:
            return self.summary.suite if key == SUITE else self.summary.agent
        return self.summary.condition.shown(key)

    def values(self, keys: Iterable[str]) -> Place:
        """Return what the cell has under several keys."""
        return tuple(map(self.value, keys))


def pass_table(cells: Sequence[TableCell], layout: TableLayout) -> PaperTable:
    """Return the table of pass^k.

    Args:
        cells: The cells of the runs.
        layout: The arrangement of rows and columns.

    Raises:
        UsageError: For an axis or a k that the cells do not have, or two cells in one place.
    """
    powers = _powers(cells, layout.powers)
    keys, columns = _axes(cells, layout)
    places: dict[Place, dict[Place, TableCell]] = {}
    groups: dict[Place, None] = {}
    for cell in cells:
        group = cell.values(columns)
        groups[group] = None
        row = places.setdefault(cell.values(keys), {})
        if group in row:
            raise UsageError(
                f"{_named(cell)} is in the table twice: name it apart with --by, or name one run"
            )
        row[group] = cell
    rows = dict(sorted(places.items(), key=order_of(places)))
    ordered = [group for group, _ in sorted(groups.items(), key=order_of(groups))]
    caption = _caption(cells, powers, columns)
    if layout.rows is None and len(groups) * len(powers) > MOST_FIGURES:
        table = _powers_below(rows, ordered, powers, (caption, keys, columns))
    else:
        table = _powers_beside(rows, ordered, powers, (caption, keys, columns))
    notes = (table.note, *_dash_notes(rows, ordered, powers))
    table = msgspec.structs.replace(table, note=". ".join(filter(None, notes)))
    return _with_best(table, rows, ordered, powers) if layout.is_bold else table


NOT_PLAYED_NOTE = "-: not played in these runs"


def _dash_notes(rows: Rows, groups: Sequence[Place], powers: Sequence[int]) -> Iterator[str]:
    """Yield the reasons of cells without a figure or bounds."""
    if any(group not in found for found in rows.values() for group in groups):
        yield NOT_PLAYED_NOTE
    cells = [cell for found in rows.values() for cell in found.values()]
    lacking = [k for k in powers if any(k > cell.summary.result.trials for cell in cells)]
    if lacking:
        yield f"-: fewer trials than {_list_words([f'pass^{k}' for k in lacking])} needs"


def distinguishing_axes(
    conditions: Sequence[Condition], first: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the axes that tell conditions apart, without those that follow from others.

    If a language has only one scenario, or a channel only one recognizer, the second axis is
    omitted: then the language, or the channel, identifies the condition.

    Args:
        conditions: The conditions.
        first: Axes that tell conditions apart already; they are not in the result.
    """
    kept = [axis for axis in first if axis in axis_names(conditions)]
    known_before = len(kept)
    for axis in axis_names(conditions):
        seen: dict[tuple[str, ...], str] = {}
        for condition in conditions:
            known = tuple(map(condition.shown, kept))
            if seen.setdefault(known, condition.shown(axis)) != condition.shown(axis):
                kept.append(axis)
                break
    return tuple(kept[known_before:])


def value_name(axis: str, value: str) -> str:
    """Return a value of an axis as a table has it, such as a language by its name."""
    return labels.axis_value(value, axis).replace("\N{NO-BREAK SPACE}", " ")


def value_names(keys: Iterable[str], place: Iterable[str]) -> Place:
    """Return what a table shows of values under their keys."""
    return tuple(map(value_name, keys, place))


def known_axes(cells: Sequence[TableCell]) -> tuple[str, ...]:
    """Return the axes that a table of these cells can have as columns."""
    return (AGENT, SUITE, RUN, *axis_names(cell.summary.condition for cell in cells))


def _axes(cells: Sequence[TableCell], layout: TableLayout) -> tuple[Place, Place]:
    """Return the axes of the rows, and those of the columns.

    Raises:
        UsageError: For an axis that the runs do not have.
    """
    known = known_axes(cells)
    for axis in layout.by:
        if axis not in known:
            raise UsageError(f"--by {axis}: no such axis: choose of {', '.join(known)}")
    conditions = tuple(dict.fromkeys(cell.summary.condition for cell in cells))
    further = distinguishing_axes(conditions, layout.by)
    several = (key for key in (RUN, SUITE) if len({cell.value(key) for cell in cells}) > 1)
    every = (*several, AGENT, *further)
    columns = dict.fromkeys(layout.by)
    if layout.rows == "agent":
        columns |= dict.fromkeys(further)
    elif layout.rows == "condition":
        columns = dict.fromkeys((AGENT, *layout.by))
    keys = tuple(key for key in every if key not in columns)
    return keys or (SUITE,), tuple(columns)


def _powers(cells: Sequence[TableCell], wanted: Sequence[int]) -> tuple[int, ...]:
    """Return the powers that the table has.

    Raises:
        UsageError: For one that no cell has.
    """
    most = max((cell.summary.result.trials for cell in cells), default=1)
    for k in wanted:
        if not 1 <= k <= most:
            there = f"pass^1 to pass^{most}" if most > 1 else "one trial per task: pass^1 alone"
            raise UsageError(f"--k {k}: the runs have {there}")
    return tuple(dict.fromkeys(wanted)) or tuple(range(1, most + 1))


def _powers_beside(
    rows: Rows, groups: Sequence[Place], powers: Sequence[int], named: tuple[str, Place, Place]
) -> PaperTable:
    """Return a table with the powers next to each other.

    The number of tasks is a column only if it is not the same for all cells.
    """
    caption, keys, axes = named
    counted = {_count(cell, powers): cell for row in rows.values() for cell in row.values()}
    has_counts = len(counted) > 1
    figures = [f"pass^{k}" for k in powers] + [TRIALS] * has_counts
    columns = tuple((*value_names(axes, group), figure) for group in groups for figure in figures)
    filled = tuple(
        (
            *value_names(keys, place),
            *(
                value
                for group in groups
                for value in _figures(found.get(group), powers, has_counts=has_counts)
            ),
        )
        for place, found in rows.items()
    )
    note = "" if has_counts else f"{TRIALS} = {_count_words(next(iter(counted.values())), powers)}"
    return PaperTable(caption, keys, columns, filled, note, level_names=(*axes, FIGURE))


def _powers_below(
    rows: Rows, groups: Sequence[Place], powers: Sequence[int], named: tuple[str, Place, Place]
) -> PaperTable:
    """Return a table with a row for each power, and a column for each group."""
    caption, keys, axes = named
    every = [cell for found in rows.values() for cell in found.values()]
    has_counts = len({_count(cell, (k,)) for cell in every for k in powers}) > 1
    filled = []
    for place, found in rows.items():
        for k in powers:
            figures = (_power(found.get(group), k) for group in groups)
            row: tuple[str | Estimate, ...] = (
                *value_names(keys, place),
                f"pass^{k}",
                *figures,
                *([_counts(found, (k,))] if has_counts else []),
            )
            filled.append(row)
    names = tuple(value_names(axes, group) for group in groups)
    counts = ((*[""] * (len(axes) - 1), TRIALS),) if has_counts else ()
    columns = (*names, *counts) if any(groups) else (("pass^k",), *counts)
    note = "" if has_counts else f"{TRIALS} = {_count_words(every[0], powers)}"
    levels = axes or ("metric",)
    return PaperTable(caption, (*keys, FIGURE), columns, tuple(filled), note, level_names=levels)


def _figures(
    cell: TableCell | None, powers: Sequence[int], *, has_counts: bool
) -> Iterator[str | Estimate]:
    """Yield the figures of a cell, and its number of tasks and trials."""
    yield from (_power(cell, k) for k in powers)
    if has_counts:
        yield NOTHING if cell is None else _count(cell, powers)


def _power(cell: TableCell | None, k: int) -> Estimate:
    found = () if cell is None else cell.summary.result.figures
    figure = next((figure for figure in found if figure.k == k), None)
    if cell is None or figure is None:
        return Estimate()
    stored = stored_values(cell, k)
    return Estimate(figure.value, figure.interval, figure.tasks, figure.bounds, stored=stored)


def stored_values(cell: TableCell, k: int = 1) -> dict[str, str | int]:
    """Return what identifies a figure of a cell, and what it is over, by column of `cells.csv`."""
    found = cell.summary
    return {
        "planned": found.planned_tasks,
        "trials": found.result.trials,
        "suite": found.suite,
        "condition": found.condition.label,
        **axis_values(found.condition),
        "agent": found.agent,
        **({RUN: cell.run} if cell.run else {}),
        "rules": found.rules,
        "judge": found.judge,
        "k": k,
    }


def _counts(found: Mapping[Place, TableCell], powers: Sequence[int]) -> str:
    """Return the tasks and trials of a row's cells, each number once."""
    return ", ".join(dict.fromkeys(_count(cell, powers) for cell in found.values()))


def _count(cell: TableCell, powers: Sequence[int]) -> str:
    """Return how many tasks entered, and how many trials each has."""
    result = cell.summary.result
    tasks = f"{result.tasks:,}"
    said = tasks if result.trials == 1 else f"{tasks} \N{MULTIPLICATION SIGN} {result.trials}"
    return ", ".join((said, *_fewer_tasks(cell, powers)))


def _count_words(cell: TableCell, powers: Sequence[int]) -> str:
    """Return the same in words."""
    result = cell.summary.result
    said = formatting.format_count(result.tasks, "task")
    if result.trials > 1:
        said += f" \N{MULTIPLICATION SIGN} {result.trials} trials"
    return ", ".join((said, *_fewer_tasks(cell, powers)))


def _fewer_tasks(cell: TableCell, powers: Sequence[int]) -> Iterator[str]:
    """Yield the number of tasks of each power that has fewer, as not all have so many trials."""
    result = cell.summary.result
    for figure in result.figures:
        if figure.k in powers and figure.tasks != result.tasks:
            yield f"{figure.tasks:,} for pass^{figure.k}"


def order_of(places: Iterable[Place]) -> Callable[[tuple[Place, object]], tuple[int, ...]]:
    """Return what sorts entries by their places, each key in the order of its first appearance."""
    ranks = [
        {value: rank for rank, value in enumerate(dict.fromkeys(column))}
        for column in zip(*places, strict=True)
    ]
    return lambda row: tuple(rank[key] for rank, key in zip(ranks, row[0], strict=True))


def _named(cell: TableCell) -> str:
    found = cell.summary
    return f"{found.agent} on {found.suite}, {found.condition.label}"


def _caption(cells: Sequence[TableCell], powers: Sequence[int], columns: Sequence[str]) -> str:
    shown = _list_words([f"pass^{k}" for k in powers])
    suites = _list_words(list(dict.fromkeys(cell.summary.suite for cell in cells)))
    across = f" by {_list_words(columns)}" if columns else ""
    where = shared_conditions(cell.summary.condition for cell in cells)
    return f"{shown}{across} on {suites}{where}, with 95 % confidence intervals over tasks."


def shared_conditions(conditions: Iterable[Condition]) -> str:
    """Return what conditions share and English text lacks, in brackets; "" if it is nothing."""
    first, *others = dict.fromkeys(conditions)
    axes = {
        axis: value
        for axis, value in first.axes
        if all(condition.axis(axis) == value for condition in others)
    }
    chips = labels.condition_chips(condition_of(axes))
    return f" ({', '.join(chips)})".replace("\N{NO-BREAK SPACE}", " ") if chips else ""


def _list_words(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


BOUNDS_NOTE = "x to y: the figure with tasks without a result counted as failed, and as passed"

# The highest figures

BEST_NOTE = "Bold: the highest of the agents under a condition; differences need not be significant"


def _with_best(
    table: PaperTable, rows: Rows, groups: Sequence[Place], powers: Sequence[int]
) -> PaperTable:
    """Return the table with the highest figure of the agents under each condition set off."""
    rivals: dict[tuple[object, ...], list[tuple[float, tuple[int, int]]]] = {}
    is_below = table.keys[-1:] == (FIGURE,)
    width = (len(table.columns) - is_below) // len(groups)
    for number, found in enumerate(rows.values()):
        for at, group in enumerate(groups):
            for rank, k in enumerate(powers):
                value = _power(found.get(group), k).value
                if value is None:
                    continue
                cell = found[group]
                place = (
                    (number * len(powers) + rank, len(table.keys) + at)
                    if is_below
                    else (number, len(table.keys) + at * width + rank)
                )
                contest = (cell.summary.suite, cell.summary.condition, k)
                rivals.setdefault(contest, []).append((value, place))
    best = frozenset(
        place
        for entries in rivals.values()
        for value, place in entries
        if value == max(each for each, _ in entries) > min(each for each, _ in entries)
    )
    note = ". ".join(filter(None, (table.note, BEST_NOTE if best else "")))
    return msgspec.structs.replace(table, best=best, note=note)
