"""The figures that every run has: pass^1 of each cell, pass^k over k, and gaps between cells."""

from collections.abc import Iterator, Sequence

from dragoman.analysis.comparison import CellName, Comparison
from dragoman.report.figures.making.grid import GridCell
from dragoman.report.figures.records import Datum, Drawing, Section, distinct, file_name

_SUMMARY: Section = "summary"
_MOST_GAPS = 30
_INTERVALS = "Whiskers are 95 % intervals over tasks."


def summary_drawings(
    cells: Sequence[GridCell], comparisons: Sequence[Comparison]
) -> Iterator[Drawing]:
    """Yield the figures of all cells."""
    for suite in distinct(cell.suite for cell in cells):
        own = [cell for cell in cells if cell.suite == suite]
        yield _first(own, suite)
        if any(len(cell.cell.result.figures) > 1 for cell in own):
            yield _powers(own, suite)
        if any(cell.cell.stated for cell in own):
            yield _stated(own, suite)
    if any(each.gaps for each in comparisons):
        yield _gaps(comparisons)


def _first(cells: Sequence[GridCell], suite: str) -> Drawing:
    return Drawing(
        file_name("pass-1", suite),
        _SUMMARY,
        "bars",
        f"pass^1, {suite}",
        f"The share of trials that succeed, over tasks with nothing undecided. {_INTERVALS}",
        tuple(
            Datum(
                cell.cell.condition.label,
                *(first.value, first.interval, first.tasks, _agent(cells, cell)),
                note="" if first.value is not None else "no task is decided",
                cell=cell.number,
            )
            for cell in cells
            for first in cell.cell.result.figures[:1]
        ),
    )


def _stated(cells: Sequence[GridCell], suite: str) -> Drawing:
    return Drawing(
        file_name("pass-1-by-persona", suite),
        _SUMMARY,
        "bars",
        f"pass^1 by the persona of each task, {suite}",
        "Tasks by the persona that they state of their user: the tasks of one persona are other tasks "
        f"than those of another. {_INTERVALS}",
        tuple(
            Datum(
                figure.persona,
                *(figure.value, figure.interval, figure.tasks),
                f"{_agent(cells, cell)}, {cell.cell.condition.label}",
                note="" if figure.value is not None else "no task is decided",
                cell=cell.number,
            )
            for persona in distinct(each.persona for cell in cells for each in cell.cell.stated)
            for cell in cells
            for figure in cell.cell.stated
            if figure.persona == persona
        ),
    )


def _agent(cells: Sequence[GridCell], cell: GridCell) -> str:
    """Return the agent, with its run where it played in several."""
    places = [(each.cell.condition, each.cell.agent) for each in cells]
    return cell.cell.agent if len(set(places)) == len(places) else f"{cell.cell.agent}, {cell.run}"


def _powers(cells: Sequence[GridCell], suite: str) -> Drawing:
    return Drawing(
        file_name("pass-k", suite),
        _SUMMARY,
        "lines",
        f"pass^k over k, {suite}",
        f"The share of tasks that succeed in k of k trials. {_INTERVALS}",
        tuple(
            Datum(
                *(f"k = {figure.k}", figure.value, figure.interval, figure.tasks),
                f"{_agent(cells, cell)}, {cell.cell.condition.label}",
                cell=cell.number,
            )
            for cell in cells
            for figure in cell.cell.result.figures
        ),
        axis="pass^k",
    )


def _gaps(comparisons: Sequence[Comparison]) -> Drawing:
    tested = [each for each in comparisons if each.gaps]
    clearest = sorted(tested, key=lambda each: 2.0 if each.p is None else each.p)[:_MOST_GAPS]
    shown = [each for each in tested if each in clearest]
    left = len(tested) - len(shown)
    further = f" The {len(shown)} with the smallest p of {len(tested)} comparisons." if left else ""
    return Drawing(
        "gaps",
        _SUMMARY,
        "bars",
        "Gaps between cells that differ in one thing",
        f"Difference of pass^1 over the tasks that both cells finished, in points. {_INTERVALS}{further}",
        tuple(
            Datum(
                _couple(each),
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


def _couple(each: Comparison) -> str:
    a, b = (_named(side, each) for side in (each.a, each.b))
    shared = each.a.agent if each.a.agent == each.b.agent else each.a.condition.label
    return f"{b} against {a}, {shared}, {each.a.suite}"


def _named(side: CellName, each: Comparison) -> str:
    names = []
    if each.a.agent != each.b.agent:
        names.append(side.agent)
    if each.a.condition != each.b.condition:
        names.append(side.condition.label)
    if each.a.run != each.b.run:
        names.append(side.run)
    return ", ".join(names) or side.agent
