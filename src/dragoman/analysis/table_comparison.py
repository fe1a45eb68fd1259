"""Two tables of the same cells: which printed figures differ."""

from collections.abc import Sequence

import msgspec

from dragoman.analysis.feasibility import exact
from dragoman.analysis.printed import PrintedCell


class FigureDifference(msgspec.Struct, frozen=True):
    """One figure that two tables give differently; None where one of them does not give it."""

    cell: str
    row_a: str
    row_b: str
    figure: str
    a: float | None
    b: float | None


class TableComparison(msgspec.Struct, frozen=True):
    """How two tables of the same cells agree.

    Attributes:
        cells: Cells that both have.
        figures: Figures that were compared: those that either gives for such a cell.
        differences: Those that lie further apart than the tolerance.
        only_a: Names of the cells that only the first has.
        only_b: Names of the cells that only the second has.
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
    of_a, of_b = _named(a), _named(b)
    names = dict.fromkeys((*of_a, *of_b))
    return [
        FigureDifference(a.name, a.place, b.place, name, of_a.get(name), of_b.get(name))
        for name in names
    ]


def _named(cell: PrintedCell) -> dict[str, float]:
    figures = {f"pass^{k}": value for k, value in sorted(cell.figures.items())}
    return figures | {f"rho^{q}": value for q, value in sorted(cell.rho.items())}


def _agrees(entry: FigureDifference, tolerance: float) -> bool:
    if entry.a is None or entry.b is None:
        return False
    return abs(exact(entry.a) - exact(entry.b)) <= exact(tolerance)
