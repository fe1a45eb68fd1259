"""Takes measures of a run's stored conversations: those that are missing, open, or all anew."""

import asyncio
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Literal

import msgspec

from dragoman.core.conditions import ENGLISH
from dragoman.core.episodes import Episode
from dragoman.core.errors import StoreError, UsageError
from dragoman.core.measures import REWARD, Declared, Measure, Measured, Setting, metric_name
from dragoman.core.scores import NO_JUDGE
from dragoman.runs.collector import rare_collection
from dragoman.runs.jobs import Manifest, read_manifest
from dragoman.runs.spreading.measures import MeasuringCrew, taken_by
from dragoman.runs.taking import PlayedUnder, Take, scoring_of, taken_here
from dragoman.scoring.measures.catalogue import BUNDLED
from dragoman.store.entries import StoredMeasure
from dragoman.store.run import RunStore, StoredCell
from dragoman.store.writer import Writer
from dragoman.wiring.setup import Setup

Choice = Literal["missing", "open", "all"]
"""Which conversations are measured: those that were not, also those that a judge left open, or all."""

_Row = tuple[str, int, Episode]


def settings(manifest: Manifest) -> dict[str, Setting]:
    """Return by label what measures need to know of a run's conditions; plain English text is absent."""
    labels = dict.fromkeys((*manifest.realised, *manifest.voices, *manifest.clarified))
    return {label: _setting(label, manifest) for label in labels}


def _setting(label: str, manifest: Manifest) -> Setting:
    realised, voice = manifest.realised.get(label), manifest.voices.get(label)
    return Setting(
        language=ENGLISH if voice is None else str(voice.get("language", ENGLISH)),
        label=ENGLISH if realised is None else realised.detector or ENGLISH,
        relatives=() if realised is None else realised.relatives,
        is_localized=realised is not None,
        is_spoken=voice is not None,
        is_clarified=label in manifest.clarified,
    )


class MeasuresWanted(msgspec.Struct, frozen=True):
    """What is to be measured.

    Attributes:
        setup: What measures are taken with: rules, judges, data.
        measures: Which.
        choice: Of which conversations.
        spread: By whom; None for this process.
    """

    setup: Setup
    measures: Sequence[Measure]
    choice: Choice = "open"
    spread: MeasuringCrew | None = None

    @property
    def asks(self) -> bool:
        """Whether models are asked, so that time is spent with waiting."""
        return self.setup.scoring_costs or any(
            each.judge != NO_JUDGE for each in self.measures if each.name != REWARD
        )

    @property
    def at_once(self) -> int:
        """How many conversations are measured at a time."""
        if self.spread is not None:
            return self.spread.at_once
        return self.setup.at_once if self.asks else 1

    def opened(self, played: PlayedUnder) -> AbstractAsyncContextManager[Take]:
        """Return what takes the measures of a run's conversations, until left."""
        if self.spread is None:
            return nullcontext(taken_here(self.setup, played, self.measures))
        if self.asks:
            raise UsageError(
                "--workers and --ray are for what is computed, and judges that are models are waited "
                "for: leave them out, one process asks as many as the run's --concurrency at a time"
            )
        return taken_by(self.spread, self.setup, played, self.measures)


async def rescore(
    setup: Setup, store: RunStore, on_done: Callable[[], None], choice: Choice = "open"
) -> int:
    """Score stored conversations under the setup's rules and judge: the reward alone."""
    reward = BUNDLED[REWARD].make(scoring_of(setup))
    return await take_measures(setup, store, (reward,), on_done, choice)


async def take_measures(
    setup: Setup,
    store: RunStore,
    measures: Sequence[Measure],
    on_done: Callable[[], None],
    choice: Choice = "open",
) -> int:
    """Take measures of stored conversations in this process, as `measured` does."""
    return await measured(MeasuresWanted(setup, measures, choice), store, on_done)


async def measured(asked: MeasuresWanted, store: RunStore, on_done: Callable[[], None]) -> int:
    """Take measures of stored conversations, and store them; `on_done` is called after each.

    Returns:
        How many conversations were measured.

    Raises:
        UsageError: Where measures that ask models are to be spread.
    """
    setup, measures = asked.setup, asked.measures
    _require_same_tasks(setup, store)
    played = _played_under(store)
    cells = {cell.key: cell for cell in store.cells()}
    wanted = _wanted(asked, store, cells.values(), played)
    store.declare(
        Declared(each.name, each.version, each.figures) for each in measures if each.figures
    )
    if not wanted:
        return 0
    todo = store.episodes(leaving_out=cells.keys() - wanted.keys())
    counts = [0]

    async def work(take: Take, rows: Iterator[_Row], writer: Writer) -> None:
        for key, attempt, episode in rows:
            for found in await take(cells[key], episode, wanted[key]):
                await writer.put(StoredMeasure(key, attempt, found))
            counts[0] += 1
            on_done()

    with rare_collection():
        async with (
            asked.opened(played) as take,
            Writer(store) as writer,
            asyncio.TaskGroup() as group,
        ):
            for _ in range(asked.at_once):
                group.create_task(work(take, todo, writer))
    return counts[0]


def _played_under(store: RunStore) -> PlayedUnder:
    manifest = read_manifest(store)
    is_imported = manifest.imported is not msgspec.UNSET
    return PlayedUnder(manifest.config.rules, settings(manifest), store.conditions(), is_imported)


def _require_same_tasks(setup: Setup, store: RunStore) -> None:
    tasks = {task.id: task for task in setup.tasks}
    for name, task in store.tasks().items():
        if name not in tasks or tasks[name].digest != task.digest:
            raise StoreError(f"{store.folder}: task {name} has changed since this run was played")


def _wanted(
    asked: MeasuresWanted, store: RunStore, cells: Collection[StoredCell], played: PlayedUnder
) -> dict[str, list[int]]:
    """Return by cell the places of the measures that are to be taken of it."""
    wanted: dict[str, list[int]] = {}
    known = {} if asked.choice == "all" else store.measured()
    for place, measure in enumerate(asked.measures):
        closed = _closed(store, known, measure, asked.choice)
        for cell in cells:
            if cell.key not in closed and measure.applies(played.setting(cell.condition)):
                wanted.setdefault(cell.key, []).append(place)
    return wanted


def _closed(
    store: RunStore,
    measured: Mapping[str, Sequence[Measured]],
    measure: Measure,
    choice: Choice,
) -> set[str]:
    """Return the cells of which a measure is not to be taken."""
    if choice == "all":
        return set()
    metric = metric_name(measure.name, measure.version)
    if measure.name == REWARD:
        known = store.scores(measure.rules, measure.judge, metric)
        return {key for key, score in known.items() if choice == "missing" or not score.is_open}
    wanted = (metric, measure.judge, measure.rules)
    return {
        key
        for key, entries in measured.items()
        for entry in entries
        if (entry.metric, entry.judge, entry.rules) == wanted
        and (choice == "missing" or not entry.is_open)
    }
