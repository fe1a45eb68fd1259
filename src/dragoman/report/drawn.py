"""All figures of runs, in the order of a report's sections."""

from collections.abc import Iterator, Sequence

import msgspec

from dragoman.analysis.comparison import Comparison
from dragoman.analysis.measure_figures import MeasureRow, measure_rows
from dragoman.report.figures.making.calls import api_drawings
from dragoman.report.figures.making.grid import GridCell, grid_cells
from dragoman.report.figures.making.judged_errors import error_drawings
from dragoman.report.figures.making.languages import language_drawings
from dragoman.report.figures.making.spoken import voice_drawings
from dragoman.report.figures.making.spoken_language import kept_drawings
from dragoman.report.figures.making.summary import summary_drawings
from dragoman.report.figures.records import Drawing, file_name, uniquely_named
from dragoman.report.view import RunView, cell_outcomes


def drawings(runs: Sequence[RunView], comparisons: Sequence[Comparison]) -> tuple[Drawing, ...]:
    """Return the figures of what runs contain, and only of that.

    Args:
        runs: The runs.
        comparisons: Their cells that differ in one thing, set against each other.
    """
    cells = grid_cells((run.name, run.cells) for run in runs)
    return uniquely_named(
        (
            *summary_drawings(cells, comparisons),
            *language_drawings(cells, comparisons),
            *_errors(runs, cells),
            *_kept(runs, cells),
            *(each for run in runs for each in _of_run(run, is_one=len(runs) == 1)),
        )
    )


def _errors(runs: Sequence[RunView], cells: Sequence[GridCell]) -> Iterator[Drawing]:
    pairs = [(run, cell) for run in runs for cell in run.cells]
    return error_drawings(
        cells, {each.number: cell_outcomes(*pairs[each.number]) for each in cells}
    )


def _kept(runs: Sequence[RunView], cells: Sequence[GridCell]) -> Iterator[Drawing]:
    pairs = [(run, cell) for run in runs for cell in run.cells]
    rows = {
        each.number: cell_outcomes(*pairs[each.number]) for each in cells if not each.is_english
    }
    measures: dict[int, tuple[MeasureRow, ...]] = {
        number: measure_rows(found, [pairs[number][1]], pairs[number][0].declared)
        for number, found in rows.items()
    }
    return kept_drawings(cells, measures, rows)


def _of_run(run: RunView, *, is_one: bool) -> Iterator[Drawing]:
    """Yield the figures that are of one run's board; of several runs each says whose it is."""
    for made in (
        voice_drawings(run.voices) if run.voices is not None else (),
        run.personas.drawings if run.personas is not None else (),
        api_drawings(run.apis) if run.apis is not None else (),
    ):
        for each in made:
            yield each if is_one else _named(each, run.name)


def _named(drawing: Drawing, run: str) -> Drawing:
    return msgspec.structs.replace(
        drawing, name=file_name(run, drawing.name), title=f"{drawing.title}, run {run}"
    )
