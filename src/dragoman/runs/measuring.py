"""Takes measures of a run's stored conversations: those that are missing, open, or all anew."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal

from dragoman.conditions.layers import Realisation
from dragoman.core.conditions import ENGLISH, NONE, Condition
from dragoman.core.episodes import Episode
from dragoman.core.errors import RunHalted, StoreError, placed
from dragoman.core.facets import ExpectsValues, HasStakes
from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.measures import (
    REWARD,
    Declared,
    Measure,
    Measured,
    PlayedCase,
    Setting,
    metric_name,
    misfit,
    unmeasured,
)
from dragoman.core.protocols import WorldFactory
from dragoman.core.rules import RULES
from dragoman.core.scores import NO_JUDGE
from dragoman.core.tasks import Stakes, Task
from dragoman.core.texts.carried import carried
from dragoman.runs.collector import rare_collection
from dragoman.runs.jobs import Manifest, read_manifest
from dragoman.scoring.measures.catalogue import BUNDLED, Scoring
from dragoman.scoring.reward import Scorer
from dragoman.simulation.phrases import shipped_phrasebook
from dragoman.store.run import RunStore, StoredCell, StoredMeasure
from dragoman.store.writer import Writer
from dragoman.wiring.environment import kept_out
from dragoman.wiring.setup import Setup

Choice = Literal["missing", "open", "all"]
"""Which conversations are measured: those that were not, also those that a judge left open, or all."""

_Row = tuple[str, int, Episode]


def scoring_of(setup: Setup) -> Scoring:
    """Return what rewards are made with."""
    scorer = Scorer(
        setup.suite.factory(setup.rules), setup.rules, setup.judge, setup.users, setup.check
    )
    suite = setup.suite
    return Scoring(scorer, setup.rules, suite.stakes if isinstance(suite, HasStakes) else Stakes())


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
    """Take measures of stored conversations, under the setup's rules and judges, and store them.

    Returns:
        How many conversations were measured.
    """
    cases = _Cases(setup, store)
    wanted = _wanted(store, cases, measures, choice)
    store.declare(
        Declared(each.name, each.version, each.figures) for each in measures if each.figures
    )
    done = {cell.key for cell in store.cells()} - wanted.keys()
    todo = store.episodes(leaving_out=done)
    counts = [0]

    async def work(rows: Iterator[_Row], writer: Writer) -> None:
        for key, attempt, episode in rows:
            for measure in wanted[key]:
                measured = await _measured(measure, cases, key, episode)
                await writer.put(StoredMeasure(key, attempt, measured))
            counts[0] += 1
            on_done()

    asks = setup.scoring_costs or any(
        each.judge != NO_JUDGE for each in measures if each.name != REWARD
    )
    with rare_collection():
        async with Writer(store) as writer, asyncio.TaskGroup() as group:
            for _ in range(setup.config.at_once if asks else 1):
                group.create_task(work(todo, writer))
    return counts[0]


class _Cases:
    """What is known of a run's conversations beside what happened in them."""

    def __init__(self, setup: Setup, store: RunStore) -> None:
        manifest = read_manifest(store)
        self.places: Mapping[str, StoredCell] = {cell.key: cell for cell in store.cells()}
        self._tasks: Mapping[str, Task] = {task.id: task for task in setup.tasks}
        _require_same_tasks(self._tasks, store)
        self._realised: Mapping[Condition, Realisation] = {
            condition: setup.realised(condition)
            for condition in dict.fromkeys(cell.condition for cell in self.places.values())
        }
        self._settings = settings(manifest)
        self._suite = setup.suite
        self._expects = setup.suite if isinstance(setup.suite, ExpectsValues) else None
        self._factory: WorldFactory = setup.suite.factory(RULES.find(manifest.config.rules))

    def setting(self, key: str) -> Setting:
        return self._settings.get(self.places[key].condition.label, Setting())

    def case(self, key: str, episode: Episode) -> PlayedCase:
        cell = self.places[key]
        task = self._tasks[cell.task]
        realisation = self._realised[cell.condition].of(task)
        return PlayedCase(
            realisation.judged(task),
            episode,
            self._factory,
            realisation.wording(task),
            self.setting(key),
            key,
            self._phrases(cell.condition),
            () if self._expects is None else self._expects.expected_values(task),
            lambda: realisation.policy(self._suite.policy(task, self._factory(task))),
            None if cell.condition.persona == NONE else realisation.manner.habits,
        )

    def _phrases(self, condition: Condition) -> Phrasebook | None:
        """Return the phrases that the user's words are read with."""
        return self._realised[condition].phrases if condition.is_localized else self._english

    @cached_property
    def _english(self) -> Phrasebook | None:
        return shipped_phrasebook(ENGLISH)


def _require_same_tasks(tasks: Mapping[str, Task], store: RunStore) -> None:
    for name, task in store.tasks().items():
        if name not in tasks or tasks[name].digest != task.digest:
            raise StoreError(f"{store.folder}: task {name} has changed since this run was played")


def _wanted(
    store: RunStore, cases: _Cases, measures: Sequence[Measure], choice: Choice
) -> dict[str, list[Measure]]:
    """Return by cell what is to be taken of it."""
    wanted: dict[str, list[Measure]] = {}
    measured = {} if choice == "all" else store.measured()
    for measure in measures:
        closed = _closed(store, measured, measure, choice)
        for key in cases.places:
            if key not in closed and measure.applies(cases.setting(key)):
                wanted.setdefault(key, []).append(measure)
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


async def _measured(measure: Measure, cases: _Cases, key: str, episode: Episode) -> Measured:
    """Take one measure; one that breaks leaves the conversation unscored, with what broke."""
    try:
        found = await measure.measure(cases.case(key, episode))
        why = misfit(measure, found)
    except RunHalted:
        raise
    except Exception as error:  # noqa: BLE001 - a measure of somebody else must not stop the others
        return unmeasured(measure, f"scoring broke: {kept_out(carried(placed(error)))}")
    return unmeasured(measure, carried(why)) if why else found
