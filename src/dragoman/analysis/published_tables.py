"""Consistency checks of published result tables, and comparison of two of them."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import product
from typing import Literal, TypeVar

import msgspec

from dragoman.analysis.pass_hat_feasibility import (
    ClaimedRates,
    exact,
    fewest_ungraded,
    fitting_ratio,
    nearest_figures,
    possible_counts,
)

Kind = Literal[
    "infeasible",
    "duplicate",
    "missing trials",
    "rho",
    "mixed routes",
    "incomplete",
    "unchecked",
]


class PrintedCell(msgspec.Struct, frozen=True):
    """One row of a table of results.

    Values that the table does not state are empty or None.

    Attributes:
        place: Place of the row in its table, such as "row 12".
        suite: The suite or domain.
        condition: The condition or scenario.
        language: The language, if the condition does not name it.
        agent: The agent's model, independent of the service that ran it.
        trials: Trials per task.
        figures: pass^k by k.
        rho: rho^q by q.
        tasks: Number of tasks that the figures are means of.
        left_out: Number of excluded tasks that the table states.
        simulations: Number of conversations that the table states.
        route: Service that ran the agent's model, as the table names it.
        user: The simulated user's model, as the table names it.
        source: The run or file that the row was computed from.
    """

    place: str
    suite: str
    condition: str
    language: str
    agent: str
    trials: int
    figures: dict[int, float]
    rho: dict[int, float] = {}
    tasks: int | None = None
    left_out: int | None = None
    simulations: int | None = None
    route: str = ""
    user: str = ""
    source: str = ""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """The values that identify the cell."""
        return (self.suite, self.condition, self.language, self.agent)

    @property
    def name(self) -> str:
        """The key for people."""
        return ", ".join(part for part in self.key if part)


class RowFinding(msgspec.Struct, frozen=True):
    """A finding about rows that a reader should know.

    Attributes:
        kind: Its class.
        rows: The places of the rows it is about.
        cells: Their names, in the same order.
        what: The finding, in words.
    """

    kind: Kind
    rows: tuple[str, ...]
    cells: tuple[str, ...]
    what: str


def finding(kind: Kind, cells: list[PrintedCell], what: str) -> RowFinding:
    """Make a finding about rows."""
    return RowFinding(
        kind, tuple(cell.place for cell in cells), tuple(cell.name for cell in cells), what
    )


class FigureDifference(msgspec.Struct, frozen=True):
    """One figure that two tables give differently; None if one of them does not give it."""

    cell: str
    row_a: str
    row_b: str
    figure: str
    a: float | None
    b: float | None


class TableComparison(msgspec.Struct, frozen=True):
    """Agreement of two tables of the same cells.

    Attributes:
        cells: Cells that both have.
        figures: Number of compared figures: those that either table gives for such a cell.
        differences: Figures that differ by more than the tolerance.
        only_a: Names of the cells that only the first table has.
        only_b: Names of the cells that only the second table has.
    """

    cells: int
    figures: int
    differences: tuple[FigureDifference, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]


def compare_tables(
    a: Sequence[PrintedCell], b: Sequence[PrintedCell], tolerance: float
) -> TableComparison:
    """Compare every figure of the cells that both tables have; of a cell given twice, the first."""
    in_a, in_b = _by_key(a), _by_key(b)
    pairs = [(cell, in_b[key]) for key, cell in in_a.items() if key in in_b]
    figures = [difference for pair in pairs for difference in _figures(*pair)]
    return TableComparison(
        cells=len(pairs),
        figures=len(figures),
        differences=tuple(entry for entry in figures if not _agrees(entry, tolerance)),
        only_a=tuple(cell.name for key, cell in in_a.items() if key not in in_b),
        only_b=tuple(cell.name for key, cell in in_b.items() if key not in in_a),
    )


def _by_key(cells: Sequence[PrintedCell]) -> dict[tuple[str, str, str, str], PrintedCell]:
    cells_by_key: dict[tuple[str, str, str, str], PrintedCell] = {}
    for cell in cells:
        cells_by_key.setdefault(cell.key, cell)
    return cells_by_key


def _figures(a: PrintedCell, b: PrintedCell) -> list[FigureDifference]:
    of_a, of_b = _name_figures(a), _name_figures(b)
    names = dict.fromkeys((*of_a, *of_b))
    return [
        FigureDifference(a.name, a.place, b.place, name, of_a.get(name), of_b.get(name))
        for name in names
    ]


def _name_figures(cell: PrintedCell) -> dict[str, float]:
    figures = {f"pass^{k}": value for k, value in sorted(cell.figures.items())}
    return figures | {f"rho^{q}": value for q, value in sorted(cell.rho.items())}


def _agrees(entry: FigureDifference, tolerance: float) -> bool:
    if entry.a is None or entry.b is None:
        return False
    return abs(exact(entry.a) - exact(entry.b)) <= exact(tolerance)


Check = Callable[[Sequence[PrintedCell], float], Iterator[RowFinding]]
Key = TypeVar("Key", bound=Hashable)


def validate(cells: Sequence[PrintedCell], tolerance: float) -> tuple[RowFinding, ...]:
    """Return all findings about a table.

    Args:
        cells: Its rows.
        tolerance: Largest distance between a printed figure and the true one.
    """
    return tuple(entry for check in CHECKS for entry in check(cells, tolerance))


def claim_of(cell: PrintedCell, tolerance: float) -> ClaimedRates | None:
    """Return what a row claims.

    The result is None if the row does not state its number of tasks, or has no figure.
    """
    if not cell.tasks or not cell.figures:
        return None
    return ClaimedRates(cell.figures, cell.tasks, cell.trials, tolerance)


def check_feasibility(cells: Sequence[PrintedCell], tolerance: float) -> Iterator[RowFinding]:
    """Yield rows whose figures no numbers of solved tasks give, and those that cannot be told."""
    for cell in cells:
        claim = claim_of(cell, tolerance)
        if claim is None:
            why = "no figure" if not cell.figures else "the number of tasks is not known"
            yield finding("unchecked", [cell], f"feasibility: {why}")
            continue
        counts = possible_counts(claim)
        if not counts.is_decided:
            yield finding("unchecked", [cell], "feasibility: too many readings to try them all")
        elif counts.solved is None:
            yield finding("infeasible", [cell], _impossible(claim))


def check_duplicates(cells: Sequence[PrintedCell], _tolerance: float) -> Iterator[RowFinding]:
    """Yield cells given twice, sources used twice, and cells with all figures alike.

    All figures alike says something only of one agent on one suite, and of more than one figure
    strictly between 0 and 1.
    """
    for _, rows in _groups(cells, lambda cell: cell.key):
        if len(rows) > 1:
            yield finding("duplicate", rows, f"the cell is given {len(rows)} times")
    for source, rows in _groups([cell for cell in cells if cell.source], lambda cell: cell.source):
        if len({cell.key for cell in rows}) > 1:
            yield finding("duplicate", rows, f"one source for {len(rows)} cells: {source}")
    telling = [cell for cell in cells if sum(0 < v < 1 for v in cell.figures.values()) > 1]
    for _, rows in _groups(telling, _figures_of_agent):
        if len({cell.key for cell in rows}) > 1:
            shown = _format_figures(rows[0].figures)
            yield finding("duplicate", rows, f"all figures are alike: {shown}")


def check_numbers(cells: Sequence[PrintedCell], _tolerance: float) -> Iterator[RowFinding]:
    """Yield rows that say themselves that trials or tasks are missing."""
    for cell in cells:
        if cell.left_out:
            yield finding("missing trials", [cell], f"excluded tasks: {cell.left_out}")
        if cell.tasks is None or cell.simulations is None:
            continue
        planned = cell.tasks * cell.trials
        if cell.simulations != planned:
            what = (
                f"{cell.simulations} conversations where {cell.tasks} tasks x {cell.trials} "
                f"trials are {planned}"
            )
            yield finding("missing trials", [cell], what)


def check_rho(cells: Sequence[PrintedCell], tolerance: float) -> Iterator[RowFinding]:
    """Yield rows whose rho follows neither from their printed figures nor from unrounded ones."""
    for cell in cells:
        for q, value in cell.rho.items():
            why = _rho_objection(cell, q, value, tolerance)
            if why:
                yield finding("rho", [cell], f"rho^{q} {value:g}: {why}")


def check_routes(cells: Sequence[PrintedCell], _tolerance: float) -> Iterator[RowFinding]:
    """Yield agents that several routes served, or whose simulated users differ."""
    for agent, rows in _groups(cells, lambda cell: cell.agent):
        for label, read in _ROUTES:
            named = [cell for cell in rows if read(cell)]
            routes = dict(_groups(named, read))
            if len(routes) > 1:
                shown = "; ".join(f"{name} {_extent(of)}" for name, of in routes.items())
                yield finding("mixed routes", named, f"{agent}: {len(routes)} {label}: {shown}")


def check_completeness(cells: Sequence[PrintedCell], _tolerance: float) -> Iterator[RowFinding]:
    """Yield conditions that lack cells, or agents and suites that other conditions have."""
    conditions = dict(_groups(cells, lambda cell: cell.condition))
    for condition, rows in conditions.items():
        there = {(cell.suite, cell.language, cell.agent) for cell in rows}
        columns = [dict.fromkeys(column) for column in zip(*sorted(there), strict=True)]
        lacking = [", ".join(filter(None, cell)) for cell in product(*columns) if cell not in there]
        if lacking:
            what = f"{condition or 'the table'}: cells absent: {len(lacking)} ({_few(lacking)})"
            yield finding("incomplete", rows, what)
    for label, read in _AXES:
        known = sorted({read(cell) for cell in cells})
        for condition, rows in conditions.items():
            absent = [name for name in known if name not in {read(cell) for cell in rows}]
            if absent:
                what = (
                    f"{condition}: no {label} {_few(absent)}, which other conditions have:"
                    " means over conditions are not of the same cells"
                )
                yield finding("incomplete", rows, what)


CHECKS: tuple[Check, ...] = (
    check_feasibility,
    check_duplicates,
    check_numbers,
    check_rho,
    check_routes,
    check_completeness,
)

_ROUTES: tuple[tuple[str, Callable[[PrintedCell], str]], ...] = (
    ("routes", lambda cell: cell.route),
    ("simulated users", lambda cell: cell.user),
)
_AXES: tuple[tuple[str, Callable[[PrintedCell], str]], ...] = (
    ("agent", lambda cell: cell.agent),
    ("suite", lambda cell: cell.suite),
)
_FEW = 5


def _groups(
    cells: Iterable[PrintedCell], key: Callable[[PrintedCell], Key]
) -> list[tuple[Key, list[PrintedCell]]]:
    groups: dict[Key, list[PrintedCell]] = {}
    for cell in cells:
        groups.setdefault(key(cell), []).append(cell)
    return list(groups.items())


def _figures_of_agent(cell: PrintedCell) -> tuple[str, str, tuple[tuple[int, float], ...]]:
    return cell.suite, cell.agent, tuple(sorted(cell.figures.items()))


def _impossible(claim: ClaimedRates) -> str:
    parts = [
        (
            f"{_format_figures(claim.figures)} cannot be, of {claim.tasks} tasks x "
            f"{claim.trials} trials"
        )
    ]
    nearest = nearest_figures(claim)
    if nearest is not None:
        parts.append(f"the nearest that can is {_format_figures(nearest)}")
    lacking = fewest_ungraded(claim)
    if lacking:
        parts.append(f"it could be if {lacking} of the tasks lacked grades")
    return "; ".join(parts)


def _rho_objection(cell: PrintedCell, q: int, value: float, tolerance: float) -> str:
    first, last = cell.figures.get(1), cell.figures.get(q)
    if first is None or last is None:
        return f"pass^1 or pass^{q} is not given"
    if first == 0:
        return "not defined where pass^1 is 0"
    ratio = exact(last) / exact(first)
    claim = claim_of(cell, tolerance)
    if abs(ratio - exact(value)) <= exact(tolerance):
        return ""
    if claim is not None and fitting_ratio(claim, value, q):
        return ""
    return f"pass^{q} / pass^1 is {float(ratio):.3f}"


def _extent(rows: Sequence[PrintedCell]) -> str:
    conditions = dict.fromkeys(cell.condition for cell in rows if cell.condition)
    return f"x {len(rows)} ({', '.join(conditions)})" if conditions else f"x {len(rows)}"


def _format_figures(figures: dict[int, float]) -> str:
    return ", ".join(f"pass^{k} {figures[k]:.3f}" for k in sorted(figures))


def _few(names: Sequence[str]) -> str:
    more = len(names) - _FEW
    return "; ".join(names[:_FEW]) + (f" and {more} more" if more > 0 else "")
