"""What planned tasks and trials can show, from runs that are stored or from what is assumed."""

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from dragoman.analysis.cells import Outcome
from dragoman.analysis.power import ASSUMED, Detectable, TaskVariance, detectable, variance_of
from dragoman.runs.plan import Cell
from dragoman.store.run_store import open_run
from dragoman.tables.outcomes import chosen_scoring, outcomes


def planned_power(cells: Iterable[Cell], like: Sequence[Path]) -> tuple[Detectable, ...]:
    """Return the smallest drop that a plan can show, suite by suite.

    Args:
        cells: The plan.
        like: Recorded runs; the first that has conversations of a suite says how much its tasks vary.

    Raises:
        StoreError: Where a run cannot be read.
    """
    suites: dict[str, tuple[set[str], set[int]]] = {}
    for cell in cells:
        tasks, trials = suites.setdefault(cell.task.suite, (set(), set()))
        tasks.add(cell.task.id)
        trials.add(cell.trial)
    recorded = [_recorded(folder, suites.keys()) for folder in like]
    return tuple(
        detectable(
            suite,
            len(tasks),
            len(trials),
            next((found[suite] for found in recorded if suite in found), ASSUMED),
        )
        for suite, (tasks, trials) in suites.items()
    )


def _recorded(folder: Path, suites: Collection[str]) -> dict[str, TaskVariance]:
    """Return how much the tasks of these suites vary in a run, of those that it has."""
    found: dict[str, list[Outcome]] = {}
    with open_run(folder, write=False) as store:
        for row in outcomes(store, *chosen_scoring(store, None, None), heads_only=True):
            if row.suite in suites:
                found.setdefault(row.suite, []).append(row)
    return {suite: variance_of(rows) for suite, rows in found.items()}
