"""Stored conversations as items of a crew's work: what is measured of each."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import msgspec

from dragoman.core.episodes import Episode
from dragoman.core.errors import UsageError
from dragoman.core.keys import content_key
from dragoman.core.measures import Measure, Measured, unmeasured
from dragoman.core.tasks import Task
from dragoman.models.spending.prices import NO_PRICES
from dragoman.runs.collector import rare_collection
from dragoman.runs.taking import PlayedUnder, Take, scoring_of, taken_here
from dragoman.spreading.crew import (
    Do,
    KilledWorkersError,
    OpenCrew,
    Work,
    WorkerBrokeError,
    module_path,
)
from dragoman.store.run import StoredCell
from dragoman.wiring.conditions.elsewhere import scored_conditions
from dragoman.wiring.environment import kept_out
from dragoman.wiring.grid.config import RunConfig
from dragoman.wiring.measures import Makings, measures_named
from dragoman.wiring.setup import Setup, scoring_setup

OPENER = f"{__name__}:taken_there"

EACH_AT_ONCE = 16
"""How many conversations a worker is given ahead of its answers."""


class MeasuringCrew(msgspec.Struct, frozen=True):
    """By whom measures are taken.

    Attributes:
        open_crew: Opens the workers.
        count: How many they are.
        names: The measures, by which workers find them.
        tasks: Those of a run that was played elsewhere; None for the suite's own.
    """

    open_crew: OpenCrew
    count: int
    names: tuple[str, ...]
    tasks: tuple[Task, ...] | None = None

    @property
    def at_once(self) -> int:
        """How many conversations are under way."""
        return self.count * EACH_AT_ONCE


class MeasuringWork(msgspec.Struct, frozen=True):
    """All that another process needs to take measures, as data.

    Attributes:
        same: The hash of what has to be the same there: data, translations, measures.
    """

    config: RunConfig
    played: PlayedUnder
    names: tuple[str, ...]
    same: str
    tasks: tuple[Task, ...] | None = None


class MeasureOrder(msgspec.Struct, frozen=True):
    """A conversation of which measures are taken: those at these places."""

    cell: StoredCell
    episode: Episode
    places: tuple[int, ...]


_encode = msgspec.json.Encoder().encode
_asked = msgspec.json.Decoder(MeasureOrder).decode
_found = msgspec.json.Decoder(list[Measured]).decode


@asynccontextmanager
async def taken_by(
    spread: MeasuringCrew, setup: Setup, played: PlayedUnder, measures: Sequence[Measure]
) -> AsyncIterator[Take]:
    """Return what has measures taken by a crew."""
    config = msgspec.structs.replace(setup.config, max_cost="", workers=1, ray="")
    same = _identity(setup, measures)
    given = MeasuringWork(config, played, spread.names, same, spread.tasks)
    async with spread.open_crew(Work(OPENER, _encode(given), module_path())) as do:

        async def take(
            cell: StoredCell, episode: Episode, places: Sequence[int]
        ) -> Sequence[Measured]:
            try:
                return _found(await do(_encode(MeasureOrder(cell, episode, tuple(places)))))
            except (KilledWorkersError, WorkerBrokeError) as error:
                return [
                    unmeasured(measures[at], f"scoring broke: {kept_out(str(error))}")
                    for at in places
                ]

        yield take


@asynccontextmanager
async def taken_there(given: bytes) -> AsyncIterator[Do]:
    """Return what takes measures of one conversation, in a worker.

    Raises:
        UsageError: Where data or measures differ from those of the run's own process.
    """
    work = msgspec.json.decode(given, type=MeasuringWork)
    conditions = work.played.conditions
    if work.played.is_imported:
        conditions = scored_conditions(conditions)
    setup = scoring_setup(work.config, NO_PRICES, conditions)
    if work.tasks is not None:
        setup = msgspec.structs.replace(setup, tasks=work.tasks)
    makings = Makings(scoring_of(setup), (work.config.judge,), setup.connections)
    measures = measures_named(work.names, makings)
    if _identity(setup, measures) != work.same:
        raise UsageError(f"data, translations or measures of {work.config.suite} differ there")
    take = taken_here(setup, work.played, measures)

    async def do(item: bytes) -> bytes:
        asked = _asked(item)
        return _encode(await take(asked.cell, asked.episode, asked.places))

    try:
        with rare_collection():
            yield do
    finally:
        await setup.close()


def _identity(setup: Setup, measures: Sequence[Measure]) -> str:
    return content_key(
        setup.suite.provenance.digest,
        {label: entry.realised.digest for label, entry in setup.localizations.items()},
        [(each.name, each.version, each.judge, each.rules) for each in measures],
    )
