"""The cells of one or several runs as figures name them."""

from collections.abc import Iterable, Sequence
from functools import partial

import msgspec

from dragoman.analysis.cells import CellSummary
from dragoman.core.conditions import ENGLISH, IN_ENGLISH, axis_names

_OF_LANGUAGE = frozenset({"language", "scenario", "partition"})


class GridCell(msgspec.Struct, frozen=True):
    """A cell with its number, as a report numbers the cells of all its runs.

    `who` is its agent, and its values on the axes, but those of language, on which cells differ.
    """

    number: int
    run: str
    cell: CellSummary
    who: str

    @property
    def suite(self) -> str:
        """What was played."""
        return self.cell.suite

    @property
    def language(self) -> str:
        """The language that something is in."""
        return self.cell.condition.axis("language")

    @property
    def scenario(self) -> str:
        """What is in it."""
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
    named = partial(_who, axes=axes, has_runs=len(set(places)) < len(places))
    return tuple(
        GridCell(number, run, cell, named(run, cell)) for number, (run, cell) in enumerate(pairs)
    )


def setting(cells: Sequence[GridCell], cell: GridCell) -> str:
    """Return language and scenario; the language alone where cells have one scenario."""
    if cell.is_english:
        return ENGLISH
    scenarios = {each.scenario for each in cells if not each.is_english}
    return cell.language if len(scenarios) == 1 else f"{cell.language}, {cell.scenario}"


def _who(run: str, cell: CellSummary, *, axes: Sequence[str], has_runs: bool) -> str:
    values = (cell.condition.shown(axis) for axis in axes)
    return ", ".join((cell.agent, *values, *([run] if has_runs else [])))
