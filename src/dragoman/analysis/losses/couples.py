"""Which cells are set against which: on each layer, the condition without it is the base of all others."""

from collections.abc import Iterator, Sequence

from dragoman.analysis.comparison import CellOutcomes
from dragoman.core.conditions import Condition, axis_of, condition_of, differ_in_one_thing

Couple = tuple[CellOutcomes, CellOutcomes]


def couples_of(cells: Sequence[CellOutcomes]) -> tuple[Couple, ...]:
    """Return the couples of base and other cell: one agent, one suite, and one thing that differs.

    Cells that differ on one layer (language, voice, persona, ...) alone are a group. Its base is the
    cell with nothing set on that layer, or the first where there is none.
    """
    groups: dict[tuple[object, ...], list[CellOutcomes]] = {}
    layers = _layers(cells)
    for cell in cells:
        name = cell.name
        for layer in layers:
            place = (name.suite, name.agent, layer, _without(name.condition, layer))
            groups.setdefault(place, []).append(cell)
    return tuple(couple for group in groups.values() for couple in _with_base(group))


def _with_base(group: Sequence[CellOutcomes]) -> Iterator[Couple]:
    base = min(group, key=lambda cell: len(cell.name.condition.axes))
    for cell in group:
        if cell is not base and differ_in_one_thing(base.name.condition, cell.name.condition):
            yield base, cell


def _layers(cells: Sequence[CellOutcomes]) -> tuple[str, ...]:
    axes = (axis for cell in cells for axis, _ in cell.name.condition.axes)
    return tuple(dict.fromkeys(axis_of(axis).layer for axis in axes))


def _without(condition: Condition, layer: str) -> Condition:
    """Return a condition with nothing set on a layer."""
    return condition_of(
        {axis: value for axis, value in condition.axes if axis_of(axis).layer != layer}
    )
