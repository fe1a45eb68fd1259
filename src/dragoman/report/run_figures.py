"""All figures of runs, in the order of a report's sections."""

from collections.abc import Iterator, Sequence

import msgspec

from dragoman.analysis.comparison import Comparison
from dragoman.analysis.measure_metrics import MeasureRow, measure_rows
from dragoman.report.catalog import sections
from dragoman.report.figure_spec import FigureSpec, file_name, with_unique_names
from dragoman.report.judged_errors import judged_error_figures
from dragoman.report.language_figures import language_consistency_figures, language_figures
from dragoman.report.summary_figures import GridCell, grid_cells, summary_figures
from dragoman.report.view_model import RunView, cell_outcomes


def run_figures(
    runs: Sequence[RunView], comparisons: Sequence[Comparison]
) -> tuple[FigureSpec, ...]:
    """Return the figures of what runs contain, and only of that.

    Args:
        runs: The runs.
        comparisons: Their cells that differ in one thing, set against each other.
    """
    cells = grid_cells((run.name, run.cells) for run in runs)
    return with_unique_names(
        (
            *summary_figures(cells, comparisons),
            *language_figures(cells, comparisons),
            *_errors(runs, cells),
            *_language_consistency(runs, cells),
            *(each for run in runs for each in _of_run(run, is_one=len(runs) == 1)),
        )
    )


def _errors(runs: Sequence[RunView], cells: Sequence[GridCell]) -> Iterator[FigureSpec]:
    pairs = [(run, cell) for run in runs for cell in run.cells]
    return judged_error_figures(
        cells, {each.number: cell_outcomes(*pairs[each.number]) for each in cells}
    )


def _language_consistency(
    runs: Sequence[RunView], cells: Sequence[GridCell]
) -> Iterator[FigureSpec]:
    pairs = [(run, cell) for run in runs for cell in run.cells]
    rows = {
        each.number: cell_outcomes(*pairs[each.number]) for each in cells if not each.is_english
    }
    measures: dict[int, tuple[MeasureRow, ...]] = {
        number: measure_rows(found, [pairs[number][1]], pairs[number][0].declared)
        for number, found in rows.items()
    }
    return language_consistency_figures(cells, measures, rows)


def _of_run(run: RunView, *, is_one: bool) -> Iterator[FigureSpec]:
    """Yield the figures of one run's sections; of several runs each has its run's name."""
    for section in sections():
        part = run.parts.get(section.key)
        for each in () if part is None else section.figures(part):
            yield each if is_one else _with_run_name(each, run.name)


def _with_run_name(drawing: FigureSpec, run: str) -> FigureSpec:
    return msgspec.structs.replace(
        drawing, name=file_name(run, drawing.name), title=f"{drawing.title}, run {run}"
    )
