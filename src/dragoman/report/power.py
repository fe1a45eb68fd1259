"""What tasks and trials can show, in words: alike in a dry run and in a report."""

from collections.abc import Iterator, Sequence

from dragoman.analysis.comparison import Comparison
from dragoman.analysis.power import (
    FEWEST_TASKS,
    SMALL,
    Detectable,
    detectable,
    variance_of_compared,
)
from dragoman.report import wording
from dragoman.report.view import RunView


def power_line(found: Detectable) -> str:
    """Return the smallest drop that can be shown, and what a small one would need."""
    tasks = wording.counted(found.tasks, "task")
    plan = f"{found.suite}, {tasks} of {wording.counted(found.trials, 'trial')}"
    if found.drop is None:
        why = (
            f"fewer than {FEWEST_TASKS} tasks cannot reach 5 %"
            if found.tasks < FEWEST_TASKS
            else "not even one of 100 points"
        )
        shown = f"no drop of pass^1 is found in 80 % of runs: {why}"
    else:
        shown = (
            f"a drop of pass^1 is found in 80 % of runs from {100 * found.drop:.1f} points on "
            "(paired by task, two-sided 5 %)"
        )
    needed = f"{100 * SMALL:.0f} points need {found.tasks_for_small:,} tasks of as many trials"
    return f"{plan}: {shown}; {needed}; {_basis(found)}"


def _basis(found: Detectable) -> str:
    variance = found.variance
    match variance.basis:
        case "stored":
            one = ", of one trial: more are counted as no gain" if variance.trials == 1 else ""
            return f"variances as stored of {wording.counted(variance.of, 'pair')} of a task{one}"
        case "stored within tasks":
            return "variances as stored within tasks, and assumed between them"
        case _:
            return "variances are assumed (docs/metrics.md)"


def run_power(
    runs: Sequence[RunView], comparisons: Sequence[Comparison]
) -> Iterator[tuple[str, Detectable]]:
    """Yield of each run and suite what its tasks and trials can show, by its own variances."""
    for run in runs:
        for suite in dict.fromkeys(cell.suite for cell in run.cells):
            cells = [cell for cell in run.cells if cell.suite == suite]
            couples = (
                each
                for each in comparisons
                if each.a.suite == suite and each.a.run == each.b.run == run.name
            )
            rows = (row for row in run.outcomes if row.suite == suite)
            tasks = max(cell.planned_tasks for cell in cells)
            trials = max(cell.result.trials for cell in cells)
            yield run.name, detectable(suite, tasks, trials, variance_of_compared(couples, rows))
