"""Figures of a run's cells, kept with the index that a viewer reads."""

from collections.abc import Mapping, Sequence

import msgspec

from dragoman.analysis.cell_summary import cell_pass_hat
from dragoman.analysis.intervals import INTERVAL_METHOD
from dragoman.analysis.pass_hat import Figure, PassHat
from dragoman.core.conditions import condition_from
from dragoman.core.scores import Scored, Unscored, Verdict
from dragoman.store.run_index import RewardRow, RunIndex, filter_fields, rewards
from dragoman.store.run_store import LastRows
from dragoman.viewer.run_index import FilterFields

_FIGURES_NAME = f"figures {INTERVAL_METHOD}"
_NO_REWARD = Unscored("no reward")

_Place = tuple[str, str, str]
"""Suite, condition as runs store it, agent."""


class CellFigures(msgspec.Struct, frozen=True):
    """pass^k of a cell; `assumed` says whether verdicts that were assumed take part."""

    suite: str
    condition: str
    agent: str
    result: PassHat
    assumed: bool

    @property
    def first(self) -> Figure:
        """The figure for pass^1."""
        return self.result.figures[0]


class StoredFigures(msgspec.Struct, frozen=True):
    """The figures of the part of a run that was read."""

    read: LastRows
    cells: tuple[CellFigures, ...]

    @property
    def by_place(self) -> dict[tuple[str, str, str], CellFigures]:
        """The figures by suite, condition's label and agent."""
        return {(cell.suite, cell.condition, cell.agent): cell for cell in self.cells}


def stored_figures(index: RunIndex) -> StoredFigures | None:
    """Return the newest stored figures; None before the first."""
    found = index.state(_FIGURES_NAME)
    return None if found is None else msgspec.json.decode(found, type=StoredFigures)


def make_figures(index: RunIndex) -> None:
    """Compute the figures of the conversations that are read, and store them with the index."""
    read = index.read()
    if read is None:
        return
    named = {
        number: msgspec.json.decode(content, type=FilterFields)
        for number, content in filter_fields(index).items()
    }
    made = StoredFigures(read, tuple(_figures(named, rewards(index))))
    with index.changing():
        index.put_state(_FIGURES_NAME, msgspec.json.encode(made))


def _figures(named: Mapping[int, FilterFields], rows: Sequence[RewardRow]) -> list[CellFigures]:
    cells: dict[_Place, dict[str, list[Verdict | None]]] = {}
    assumed: set[_Place] = set()
    places = {
        number: (entry.suite, entry.stored_condition, entry.agent)
        for number, entry in named.items()
    }
    for row in rows:
        place = places[row.filter_fields]
        cells.setdefault(place, {}).setdefault(row.task, []).append(_verdict(row))
        if named[row.filter_fields].assumed:
            assumed.add(place)
    return [_cell(place, tasks, assumed=place in assumed) for place, tasks in cells.items()]


def _cell(
    place: _Place, tasks: Mapping[str, Sequence[Verdict | None]], *, assumed: bool
) -> CellFigures:
    suite, stored, agent = place
    condition = condition_from(stored)
    result = cell_pass_hat(tasks)
    return CellFigures(suite, condition.label, agent, result, assumed)


def _verdict(row: RewardRow) -> Verdict | None:
    if row.attempt is None:
        return None
    if row.reward is None:
        return _NO_REWARD
    return Scored(row.reward, ("a part",) if row.undecided else ())
