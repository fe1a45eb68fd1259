"""What is wrong with a table of results, as far as the table alone can tell.

Every check takes all rows and the tolerance, and yields findings; `CHECKS` is the list of them.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import product
from typing import TypeVar

from dragoman.analysis.feasibility import (
    ClaimedRates,
    exact,
    fewest_ungraded,
    fitting_ratio,
    nearest_figures,
    possible_counts,
)
from dragoman.analysis.printed import PrintedCell, RowFinding, finding

Check = Callable[[Sequence[PrintedCell], float], Iterator[RowFinding]]
Key = TypeVar("Key", bound=Hashable)


def validate(cells: Sequence[PrintedCell], tolerance: float) -> tuple[RowFinding, ...]:
    """Return all findings about a table.

    Args:
        cells: Its rows.
        tolerance: How far a printed figure may lie from the true one.
    """
    return tuple(entry for check in CHECKS for entry in check(cells, tolerance))


def claim_of(cell: PrintedCell, tolerance: float) -> ClaimedRates | None:
    """Return what a row claims; None where it does not say of how many tasks, or has no figure."""
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
            shown = _shown(rows[0].figures)
            yield finding("duplicate", rows, f"all figures are alike: {shown}")


def check_numbers(cells: Sequence[PrintedCell], _tolerance: float) -> Iterator[RowFinding]:
    """Yield rows that say themselves that trials or tasks are missing."""
    for cell in cells:
        if cell.left_out:
            yield finding("missing trials", [cell], f"tasks left out: {cell.left_out}")
        if cell.tasks is None or cell.simulations is None:
            continue
        planned = cell.tasks * cell.trials
        if cell.simulations != planned:
            what = f"{cell.simulations} conversations where {cell.tasks} tasks x {cell.trials} trials are {planned}"
            yield finding("missing trials", [cell], what)


def check_rho(cells: Sequence[PrintedCell], tolerance: float) -> Iterator[RowFinding]:
    """Yield rows whose rho follows neither from their figures as printed nor from unrounded ones."""
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
    parts = [f"{_shown(claim.figures)} cannot be, of {claim.tasks} tasks x {claim.trials} trials"]
    nearest = nearest_figures(claim)
    if nearest is not None:
        parts.append(f"the nearest that can is {_shown(nearest)}")
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


def _shown(figures: dict[int, float]) -> str:
    return ", ".join(f"pass^{k} {figures[k]:.3f}" for k in sorted(figures))


def _few(names: Sequence[str]) -> str:
    more = len(names) - _FEW
    return "; ".join(names[:_FEW]) + (f" and {more} more" if more > 0 else "")
