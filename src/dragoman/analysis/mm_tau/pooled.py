"""pass^1 by modality and exposure over all personas that every one of them was played with, task by task."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

import msgspec

from dragoman.analysis.comparison import CellOutcomes
from dragoman.analysis.intervals import Interval, clustered_interval
from dragoman.analysis.mm_tau.metrics import success
from dragoman.analysis.mm_tau.readers import Reader
from dragoman.analysis.mm_tau.sums import Sums
from dragoman.analysis.stated_personas import persona_shown
from dragoman.analysis.voice.ways import Way, way_of
from dragoman.core.conditions import EXPOSURE, MIXED, NONE, TEXT, UNEXPOSED, Condition


class PooledSuccess(msgspec.Struct, frozen=True):
    """pass^1 of one agent by one way under one exposure.

    Attributes:
        suite: What was played.
        agent: Who played.
        setting: The condition that is shared by all, as its label.
        way: How the agent got what users said.
        exposure: What the agent was told of them.
        reader: Who counted.
        personas: Those over which a task's mean is taken: all that every way and exposure has. Those that
            tasks state themselves are all there, each with its tasks.
        value: The mean over tasks; None where no task is decided with each of these personas.
        interval: 95 % over tasks.
        tasks: How many tasks entered.
        unscored: Conversations with these personas that were played and not decided.
    """

    suite: str
    agent: str
    setting: str
    way: Way
    exposure: str
    reader: str
    personas: tuple[str, ...]
    value: float | None
    interval: Interval | None
    tasks: int
    unscored: int


_Cells = Mapping[str, CellOutcomes]
"""The cells of one way and exposure, by persona."""


def pooled_success(read: Mapping[Reader, Sequence[CellOutcomes]]) -> tuple[PooledSuccess, ...]:
    """Return pass^1 by way and exposure, over personas, for each reader."""
    return tuple(
        _pooled(reader, place, condition, cells, personas)
        for reader, of_reader in read.items()
        for place, groups in _groups(of_reader).items()
        if (personas := _shared(groups.values()))
        for condition, cells in groups.items()
    )


_Place = tuple[str, str, Condition]


def _groups(
    cells: Sequence[CellOutcomes],
) -> dict[_Place, dict[Condition, dict[str, CellOutcomes]]]:
    groups: dict[_Place, dict[Condition, dict[str, CellOutcomes]]] = {}
    for cell in cells:
        name = cell.name
        anybody = name.condition.with_axes(persona=NONE)
        shared = anybody.with_axes(voice=TEXT, recognizer=MIXED, **{EXPOSURE: UNEXPOSED})
        of_place = groups.setdefault((name.suite, name.agent, shared), {})
        of_place.setdefault(anybody, {})[name.condition.persona] = cell
    return groups


def _shared(groups: Iterable[_Cells]) -> tuple[str, ...]:
    found = list(groups)
    return tuple(name for name in found[0] if all(name in each for each in found))


def _pooled(
    reader: Reader,
    place: _Place,
    condition: Condition,
    cells: _Cells,
    personas: Sequence[str],
) -> PooledSuccess:
    suite, agent, shared = place
    sums: list[Sums] = [success(cells[name].outcomes) for name in personas]
    tasks = [task for task in sums[0].tasks if all(task in each.tasks for each in sums)]
    values = [fmean(each.tasks[task][0] for each in sums) for task in tasks]
    return PooledSuccess(
        suite,
        agent,
        shared.label,
        way_of(condition),
        condition.axis(EXPOSURE),
        reader.name,
        tuple(dict.fromkeys(who for name in personas for who in _users(cells[name]))),
        fmean(values) if values else None,
        clustered_interval(values) if values else None,
        len(tasks),
        sum(each.unscored for each in sums),
    )


def _users(cell: CellOutcomes) -> list[str]:
    """Return who the users of a cell were: its persona, or those that its tasks state."""
    condition = cell.name.condition
    return sorted({persona_shown(condition, row.task) for row in cell.outcomes})
