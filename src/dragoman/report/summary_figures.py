"""Figures of every run: pass^1 of each cell, pass^k over k, and gaps between cells."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

import msgspec

from dragoman.analysis.cell_summary import CellSummary
from dragoman.analysis.comparison import CellName, Comparison
from dragoman.core.conditions import ENGLISH, IN_ENGLISH, axis_names
from dragoman.report.figure_spec import Datum, FigureSpec, Section, distinct_names, file_name
from dragoman.report.labels import condition_label

_OF_LANGUAGE = frozenset({"language", "scenario", "partition"})


class GridCell(msgspec.Struct, frozen=True):
    """A cell with its number, as a report numbers the cells of all its runs.

    `player` is its agent, and its values on the axes, but those of language, on which cells differ.
    """

    number: int
    run: str
    cell: CellSummary
    player: str

    @property
    def suite(self) -> str:
        """The suite."""
        return self.cell.suite

    @property
    def language(self) -> str:
        """The language that something is in."""
        return self.cell.condition.axis("language")

    @property
    def scenario(self) -> str:
        """The language of the scenario's data."""
        return self.cell.condition.axis("scenario")

    @property
    def is_english(self) -> bool:
        """Whether everything is English."""
        return self.scenario == IN_ENGLISH


def grid_cells(runs: Iterable[tuple[str, Sequence[CellSummary]]]) -> tuple[GridCell, ...]:
    """Return the cells of runs, numbered through."""
    pairs = [(run, cell) for run, cells in runs for cell in cells]
    places = [(cell.suite, cell.condition, cell.agent) for _, cell in pairs]
    axes = [
        axis
        for axis in axis_names(cell.condition for _, cell in pairs)
        if axis not in _OF_LANGUAGE and len({cell.condition.shown(axis) for _, cell in pairs}) > 1
    ]
    named = partial(_player, axes=axes, has_runs=len(set(places)) < len(places))
    return tuple(
        GridCell(number, run, cell, named(run, cell)) for number, (run, cell) in enumerate(pairs)
    )


def setting(cells: Sequence[GridCell], cell: GridCell) -> str:
    """Return language and scenario; the language alone where cells have one scenario."""
    if cell.is_english:
        return ENGLISH
    scenarios = {each.scenario for each in cells if not each.is_english}
    return cell.language if len(scenarios) == 1 else f"{cell.language}, {cell.scenario}"


def _player(run: str, cell: CellSummary, *, axes: Sequence[str], has_runs: bool) -> str:
    values = (cell.condition.shown(axis) for axis in axes)
    return ", ".join((cell.agent, *values, *([run] if has_runs else [])))


_SUMMARY: Section = "summary"
_MOST_GAPS = 30
_INTERVALS = "Whiskers are 95 % intervals over tasks."


def summary_figures(
    cells: Sequence[GridCell], comparisons: Sequence[Comparison]
) -> Iterator[FigureSpec]:
    """Yield the figures of all cells."""
    for suite in distinct_names(cell.suite for cell in cells):
        own = [cell for cell in cells if cell.suite == suite]
        yield _first(own, suite)
        if any(len(cell.cell.result.figures) > 1 for cell in own):
            yield _powers(own, suite)
        if any(cell.cell.stated for cell in own):
            yield _persona_figure(own, suite)
    if any(each.gaps for each in comparisons):
        yield _gaps(comparisons)


def _first(cells: Sequence[GridCell], suite: str) -> FigureSpec:
    return FigureSpec(
        file_name("pass-1", suite),
        _SUMMARY,
        "bars",
        f"pass^1, {suite}",
        f"The share of trials that succeed, over tasks with nothing undecided. {_INTERVALS}",
        tuple(
            Datum(
                condition_label(cell.cell.condition),
                *(first.value, first.interval, first.tasks, _agent(cells, cell)),
                note="" if first.value is not None else "no task is decided",
                cell=cell.number,
            )
            for cell in cells
            for first in cell.cell.result.figures[:1]
        ),
    )


def _persona_figure(cells: Sequence[GridCell], suite: str) -> FigureSpec:
    return FigureSpec(
        file_name("pass-1-by-persona", suite),
        _SUMMARY,
        "bars",
        f"pass^1 by the persona of each task, {suite}",
        "Tasks by the persona that they state of their user: the tasks of one persona are other "
        "tasks "
        f"than those of another. {_INTERVALS}",
        tuple(
            Datum(
                figure.persona,
                *(figure.value, figure.interval, figure.tasks),
                f"{_agent(cells, cell)}, {condition_label(cell.cell.condition)}",
                note="" if figure.value is not None else "no task is decided",
                cell=cell.number,
            )
            for persona in distinct_names(
                each.persona for cell in cells for each in cell.cell.stated
            )
            for cell in cells
            for figure in cell.cell.stated
            if figure.persona == persona
        ),
    )


def _agent(cells: Sequence[GridCell], cell: GridCell) -> str:
    """Return the agent, with its run where it played in several."""
    places = [(each.cell.condition, each.cell.agent) for each in cells]
    return cell.cell.agent if len(set(places)) == len(places) else f"{cell.cell.agent}, {cell.run}"


def _powers(cells: Sequence[GridCell], suite: str) -> FigureSpec:
    return FigureSpec(
        file_name("pass-k", suite),
        _SUMMARY,
        "lines",
        f"pass^k over k, {suite}",
        f"The share of tasks that succeed in k of k trials. {_INTERVALS}",
        tuple(
            Datum(
                *(f"k = {figure.k}", figure.value, figure.interval, figure.tasks),
                f"{_agent(cells, cell)}, {condition_label(cell.cell.condition)}",
                cell=cell.number,
            )
            for cell in cells
            for figure in cell.cell.result.figures
        ),
        axis="pass^k",
    )


def _gaps(comparisons: Sequence[Comparison]) -> FigureSpec:
    tested = [each for each in comparisons if each.gaps]
    clearest = sorted(tested, key=lambda each: 2.0 if each.p is None else each.p)[:_MOST_GAPS]
    shown = sorted(clearest, key=lambda each: each.gaps[0].difference)
    left = len(tested) - len(shown)
    further = f" The {len(shown)} with the smallest p of {len(tested)} comparisons." if left else ""
    return FigureSpec(
        "gaps",
        _SUMMARY,
        "bars",
        "Gaps between cells that differ in one thing",
        "Difference of pass^1 over the tasks that both cells finished, in points. "
        f"{_INTERVALS}{further}",
        tuple(
            Datum(
                _cell_pair(each),
                *(each.gaps[0].difference, each.gaps[0].interval, len(each.pairs)),
                note=f"p {each.p:.3g}, by Holm {each.adjusted_p:.3g}"
                if each.p is not None and each.adjusted_p is not None
                else "",
            )
            for each in shown
        ),
        "points",
        "difference of pass^1",
    )


def _cell_pair(each: Comparison) -> str:
    a, b = (_distinguishing_name(side, each) for side in (each.a, each.b))
    shared = each.a.agent if each.a.agent == each.b.agent else condition_label(each.a.condition)
    return f"{b} against {a}, {shared}, {each.a.suite}"


def _distinguishing_name(side: CellName, each: Comparison) -> str:
    names = []
    if each.a.agent != each.b.agent:
        names.append(side.agent)
    if each.a.condition != each.b.condition:
        names.append(condition_label(side.condition))
    if each.a.run != each.b.run:
        names.append(side.run)
    return ", ".join(names) or side.agent
