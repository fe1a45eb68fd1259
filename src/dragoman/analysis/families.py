"""Families of comparisons: comparisons of cells whose p-values are corrected together.

Each comparison of two cells belongs to one family, which follows from the runs alone. So it has the
same corrected p on every surface, whatever else that surface shows.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations

import msgspec

from dragoman.analysis.comparison import (
    CellName,
    CellOutcomes,
    CellPair,
    Comparison,
    Family,
    comparable,
    compare,
    p_values,
)
from dragoman.analysis.significance import holm
from dragoman.core.conditions import Condition, axis_of, condition_of, differ_in_one_thing

PairFilter = Callable[[Sequence[CellPair]], Sequence[CellPair]]
"""Removes pairs whose comparison says nothing about the condition that differs."""


def all_pairs(cell_pairs: Sequence[CellPair]) -> Sequence[CellPair]:
    """Return all pairs."""
    return cell_pairs


def pairs_with_baseline(cells: Sequence[CellOutcomes]) -> tuple[CellPair, ...]:
    """Return each cell with the baseline of its agent and suite, whatever differs between them.

    The baseline is the cell with the fewest values set, the first of several.
    """
    groups: dict[tuple[str, str], list[CellOutcomes]] = {}
    for cell in cells:
        groups.setdefault((cell.name.suite, cell.name.agent), []).append(cell)
    bases = (
        min(group, key=lambda cell: len(cell.name.condition.axes)) for group in groups.values()
    )
    return tuple(
        (base, cell)
        for base, group in zip(bases, groups.values(), strict=True)
        for cell in group
        if cell is not base
    )


def baseline_pairs(cells: Sequence[CellOutcomes]) -> tuple[CellPair, ...]:
    """Return the pairs of a baseline and another cell that differ in one thing.

    Both cells of a pair have the same agent and suite.

    Cells that differ on one layer only (language, voice, persona, ...) are a group. The baseline of
    a group is the cell with nothing set on that layer, or the first cell if the group has no such
    cell.
    """
    groups: dict[tuple[object, ...], list[CellOutcomes]] = {}
    layers = _layers(cells)
    for cell in cells:
        name = cell.name
        for layer in layers:
            place = (name.suite, name.agent, layer, _without(name.condition, layer))
            groups.setdefault(place, []).append(cell)
    return tuple(pair for group in groups.values() for pair in _with_base(group))


def _with_base(group: Sequence[CellOutcomes]) -> Iterator[CellPair]:
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


def matched_pairs(a: Sequence[CellOutcomes], b: Sequence[CellOutcomes]) -> tuple[CellPair, ...]:
    """Return the pairs of cells of two runs, with the same suite and condition.

    Their agents are the same, unless each run has a single agent. In runs of one condition each,
    such as imported runs, the pairs differ in one thing of their condition.
    """
    agents = [{cell.name.agent for cell in cells} for cells in (a, b)]
    by_agent = any(len(names) > 1 for names in agents)
    return pairs_of_one_condition(a, b, by_agent=by_agent) or _across_conditions(a, b)


def pairs_of_one_condition(
    a: Sequence[CellOutcomes], b: Sequence[CellOutcomes], *, by_agent: bool
) -> tuple[CellPair, ...]:
    """Return the pairs of cells with the same suite and condition.

    Args:
        a: Cells of the first sides.
        b: Cells of the second sides.
        by_agent: Whether both have the same agent, too.
    """

    def place(cell: CellOutcomes) -> tuple[str, Condition, str]:
        return (cell.name.suite, cell.name.condition, cell.name.agent if by_agent else "")

    rivals = {place(cell): cell for cell in b}
    return tuple((cell, rivals[place(cell)]) for cell in a if place(cell) in rivals)


def _across_conditions(
    a: Sequence[CellOutcomes], b: Sequence[CellOutcomes]
) -> tuple[CellPair, ...]:
    return tuple(
        (one, other)
        for one in a
        for other in b
        if (one.name.suite, one.name.agent) == (other.name.suite, other.name.agent)
        and differ_in_one_thing(one.name.condition, other.name.condition)
    )


# Correction within families

_Key = frozenset[CellName]


def _key(pair: CellPair) -> _Key:
    return frozenset(cell.name for cell in pair)


def compare_in_families(
    cell_pairs: Iterable[CellPair],
    cells: Sequence[CellOutcomes],
    chosen: PairFilter = all_pairs,
    *,
    has_means: bool = True,
) -> tuple[Comparison, ...]:
    """Compare pairs of cells (A, B), and correct each p-value within its family.

    Args:
        cell_pairs: The pairs.
        cells: All cells of the runs that the pairs come from.
        chosen: The filter of the pairs, which is applied to each family as well.
        has_means: Whether the comparisons have the means per conversation.
    """
    cell_pairs = tuple(cell_pairs)
    found = compare(cell_pairs, has_means=has_means)
    tested = {_key(pair): entry.p for pair, entry in zip(cell_pairs, found, strict=True)}
    corrected: dict[_Key, _Corrected] = {}
    for family, members in _families(cells):
        if tested.keys() <= corrected.keys():
            break
        if any(_key(pair) in tested for pair in members):
            corrected |= _corrected(family, chosen(members), tested)
    rest = [pair for pair in cell_pairs if _key(pair) not in corrected]
    corrected |= _corrected("other", rest, tested)
    return tuple(
        msgspec.structs.replace(entry, **msgspec.structs.asdict(corrected[_key(pair)]))
        for pair, entry in zip(cell_pairs, found, strict=True)
    )


class _Corrected(msgspec.Struct, frozen=True):
    """The corrected p of a comparison, its family and the family's size."""

    adjusted_p: float | None
    family: Family
    corrected_for: int


def _corrected(
    family: Family, members: Sequence[CellPair], tested: dict[_Key, float | None]
) -> dict[_Key, _Corrected]:
    """Return the corrected p of each member of a family; `tested` has those that are known."""
    others = [pair for pair in members if _key(pair) not in tested]
    known = {**tested, **dict(zip(map(_key, others), p_values(others), strict=True))}
    keys = list(dict.fromkeys(map(_key, members)))
    raw = [p for key in keys if (p := known[key]) is not None]
    adjusted = iter(holm(raw))
    return {
        key: _Corrected(None if known[key] is None else next(adjusted), family, len(raw))
        for key in keys
    }


def _families(cells: Sequence[CellOutcomes]) -> Iterator[tuple[Family, Sequence[CellPair]]]:
    """Yield the families of runs, each pair once; a family is made when it is its turn."""
    runs: dict[str, list[CellOutcomes]] = {}
    for cell in cells:
        runs.setdefault(cell.name.run, []).append(cell)
    for own in runs.values():
        yield from _families_of_run(own)
    for a, b in combinations(runs.values(), 2):
        yield "run", matched_pairs(a, b)


def _families_of_run(cells: Sequence[CellOutcomes]) -> Iterator[tuple[Family, Sequence[CellPair]]]:
    seen: set[_Key] = set()

    def unseen(pairs: Iterable[CellPair]) -> tuple[CellPair, ...]:
        found = tuple(pair for pair in pairs if _key(pair) not in seen)
        seen.update(map(_key, found))
        return found

    yield "baseline", unseen(pairs_with_baseline(cells))
    yield "layer", unseen(baseline_pairs(cells))
    others = unseen(comparable(cells))
    yield "condition", [pair for pair in others if pair[0].name.agent == pair[1].name.agent]
    yield "agent", [pair for pair in others if pair[0].name.agent != pair[1].name.agent]
