"""Tables of stored runs for papers: pass^1 to pass^k by agent and condition, or by category.

Each figure belongs to a cell of the runs and has its interval, so a table shows the same figures as
`show`, the report and the leaderboard.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from shlex import quote

import msgspec

from dragoman.analysis.cell_summary import CellSummary, ConversationResult, summarize
from dragoman.core.conditions import ENGLISH, IN_ENGLISH, axis_names
from dragoman.core.errors import UsageError
from dragoman.dataframes.category_tables import CATEGORY, category_table, cells_leaderboard
from dragoman.dataframes.results import ScoredRun, scored_runs
from dragoman.report import formatting, labels
from dragoman.report.pass_tables import BOUNDS_NOTE, RUN, TableCell, TableLayout, pass_table
from dragoman.report.text_tables import Estimate, PaperTable


class PaperTables(msgspec.Struct, frozen=True):
    """The tables of runs, with the cells that they are made of.

    `not_played` gives by label why conditions of the runs' grids are not played.
    """

    tables: tuple[PaperTable, ...]
    cells: tuple[TableCell, ...]
    scoring: tuple[str, str]
    not_played: dict[str, str]


class CellChoice(msgspec.Struct, frozen=True):
    """The cells of a table.

    Attributes:
        agents: Names of agents, whole or as tables of results show them; empty for all.
        conditions: Labels of conditions, such as `th:domain/text/none`; empty for all.
        axes: By axis, the values that a condition may have; an axis without values is free.
    """

    agents: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    axes: Mapping[str, tuple[str, ...]] = {}


ALL_CELLS = CellChoice()


def paper_tables(
    folders: Sequence[Path],
    rules: str | None = None,
    judge: str | None = None,
    *,
    layout: TableLayout | None = None,
    choice: CellChoice = ALL_CELLS,
) -> PaperTables:
    """Return the tables of runs taken together.

    Args:
        folders: The runs.
        rules: The rule set that they were scored by; None for the newest scoring.
        judge: The judge; None for the judge of the newest scoring.
        layout: The arrangement of rows and columns; None for the usual one. Runs on a benchmark
            with a leaderboard are shown by its categories if no axis makes columns.
        choice: The cells of the table.

    Raises:
        UsageError: For an axis, a value or a k that the runs do not have, runs that were not scored
            alike, or a conversation that is in two of them and not told apart by run.
        StoreError: If a run cannot be read.
    """
    layout = layout or TableLayout()
    repair = f"name one of them, or tell them apart with --by {RUN}"
    runs = scored_runs(folders, rules, judge, is_apart=RUN in layout.by, repair=repair)
    found = choose_cells(_cells(runs, layout), choice)
    cells = [cell.summary for cell in found]
    if all(cell.result.tasks == 0 for cell in cells):
        raise UsageError(f"no task has a decided score: {_repair(runs, cells)}")
    table = cells_table(found, layout, runs[0].scoring)
    return PaperTables((table,), found, runs[0].scoring, _not_played(runs))


def cells_table(
    cells: Sequence[TableCell], layout: TableLayout, scoring: tuple[str, str]
) -> PaperTable:
    """Return the table of cells with its notes: of pass^k, or by category.

    Raises:
        UsageError: For an axis or a k that the cells do not have.
    """
    summaries = [cell.summary for cell in cells]
    is_by_category = layout.by in {(), (RUN,), (CATEGORY,)}
    leaderboard = cells_leaderboard(summaries) if is_by_category else None
    if leaderboard is None:
        table = pass_table(cells, layout)
    elif layout.powers and layout.powers != (1,):
        raise UsageError("--k: by category there is pass^1 alone: name an axis with --by")
    else:
        is_wide = layout.rows == "agent" or layout.by == (CATEGORY,)
        table = category_table(cells, leaderboard, rows_are_agents=is_wide, is_bold=layout.is_bold)
    return msgspec.structs.replace(table, note=". ".join(_notes(table, summaries, scoring)))


def _cells(runs: Sequence[ScoredRun], layout: TableLayout) -> tuple[TableCell, ...]:
    """Return the cells of runs: of all together, or of each run."""
    scoring = runs[0].scoring
    if RUN not in layout.by:
        rows = (row for run in runs for row in run.outcomes)
        return tuple(map(TableCell, summarize(rows, *scoring)))
    return tuple(
        TableCell(cell, name)
        for name, rows in _named_runs(runs)
        for cell in summarize(rows, *scoring)
    )


def _named_runs(
    runs: Sequence[ScoredRun],
) -> Iterator[tuple[str, tuple[ConversationResult, ...]]]:
    """Yield each run with the name of its folder, or its path where two names are the same."""
    names = [run.folder.absolute().name for run in runs]
    if len(set(names)) < len(names):
        names = [str(run.folder) for run in runs]
    yield from zip(names, (run.outcomes for run in runs), strict=True)


def _repair(runs: Sequence[ScoredRun], cells: Sequence[CellSummary]) -> str:
    """Return the command that gives runs the scores that they lack."""
    folder = quote(str(runs[0].folder))
    if all(cell.episodes == 0 for cell in cells):
        return f"no conversation has ended: dragoman resume {folder}"
    return f"dragoman score {folder}"


def _not_played(runs: Iterable[ScoredRun]) -> dict[str, str]:
    return {label: why for run in runs for label, why in run.manifest.not_applicable.items()}


# The choice of cells


def choose_cells(cells: Sequence[TableCell], choice: CellChoice) -> tuple[TableCell, ...]:
    """Return the cells of a choice.

    Raises:
        UsageError: For an agent, a condition or a value that no cell has, or if no cell is left.
    """
    short = labels.agent_labels(cell.summary.agent for cell in cells)
    known_agents = {name for pair in short.items() for name in pair}
    _require("--agent", choice.agents, known_agents, short.values())
    conditions = dict.fromkeys(cell.summary.condition for cell in cells)
    known_labels = [condition.label for condition in conditions]
    _require("--condition", choice.conditions, known_labels, known_labels)
    known = axis_names(conditions)
    for axis, values in choice.axes.items():
        if axis not in known:
            raise UsageError(f"--{axis}: no such axis: choose of {', '.join(known)}")
        there = dict.fromkeys(condition.shown(axis) for condition in conditions)
        _require(f"--{axis}", values, there, there)
    kept = tuple(cell for cell in cells if _is_chosen(cell.summary, choice, short))
    if not kept:
        raise UsageError("no agent has a condition with all these values: leave one option out")
    return kept


def _require(
    option: str, wanted: Iterable[str], known: Iterable[str], named: Iterable[str]
) -> None:
    known = set(known)
    for value in wanted:
        if value not in known:
            choices = ", ".join(dict.fromkeys(named))
            raise UsageError(f"{option} {value}: the runs do not have it: choose of {choices}")


def _is_chosen(cell: CellSummary, choice: CellChoice, short: Mapping[str, str]) -> bool:
    if choice.agents and not {cell.agent, short[cell.agent]} & set(choice.agents):
        return False
    if choice.conditions and cell.condition.label not in choice.conditions:
        return False
    return all(
        not values
        or cell.condition.shown(axis) in values
        # As in a grid, English has the scenario `english` whatever the other languages have.
        or (
            axis == "scenario"
            and cell.condition.shown(axis) == IN_ENGLISH
            and ENGLISH in choice.axes.get("language", ())
        )
        for axis, values in choice.axes.items()
    )


# Of all tables


def _notes(
    table: PaperTable, cells: Sequence[CellSummary], scoring: tuple[str, str]
) -> Iterator[str]:
    """Yield the notes below a table: counts, excluded results, and the scoring."""
    if table.note:
        yield table.note
    estimates = (cell for row in table.rows for cell in row if isinstance(cell, Estimate))
    has_bounds = any(estimate.shown_bounds is not None for estimate in estimates)
    if has_bounds and BOUNDS_NOTE not in table.note:
        yield BOUNDS_NOTE
    left: dict[str, Callable[[CellSummary], int]] = {
        "tasks without a verdict": lambda cell: cell.result.left_out,
        "conversations not run": lambda cell: cell.missing,
        "ended by infrastructure": lambda cell: cell.infrastructure_errors,
        "ended by an error in code": lambda cell: cell.code_errors,
    }
    counts = {what: sum(map(count, cells)) for what, count in left.items()}
    if any(counts.values()):
        said = ", ".join(f"{what}: {count:,}" for what, count in counts.items() if count)
        yield f"{said[:1].upper()}{said[1:]}"
    yield from _unreadable([cell for cell in cells if cell.is_mostly_unreadable])
    if any(cell.assumed for cell in cells):
        yield f"A figure {formatting.ASSUMED_NOTE}"
    yield f"Rules {scoring[0]}, judge {scoring[1]}"


def _unreadable(cells: Sequence[CellSummary]) -> Iterator[str]:
    """Yield a warning for each agent about cells with mostly unreadable replies."""
    by_agent: dict[str, list[CellSummary]] = {}
    for cell in cells:
        by_agent.setdefault(cell.agent, []).append(cell)
    for agent, found in by_agent.items():
        if len(found) == 1:
            yield formatting.unreadable(found[0])
            continue
        replies = sum(cell.answered for cell in found)
        yield (
            f"{agent}: no calls could be parsed in {sum(cell.unreadable for cell in found):,} of "
            f"{replies:,} replies on {', '.join(dict.fromkeys(cell.suite for cell in found))}: the "
            "figures may reflect the parsing and not the agent"
        )
