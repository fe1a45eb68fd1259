"""Measure runner: scores stored conversations again, in this process or on workers.

For each conversation, the runner builds the scoring context (task, condition, policy), runs the
measures that are missing, undecided, or all of them, and stores the results. An exception in a
measure becomes an unscored result.
"""

import asyncio
import functools
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import Literal

import msgspec

from dragoman.composition.conditions.languages import scored_conditions, scoring_condition
from dragoman.composition.setup import Setup, scoring_setup
from dragoman.conditions.resolved_condition import ResolvedCondition
from dragoman.config.agent_specs import display_names
from dragoman.config.environment import redact_environment
from dragoman.config.run_config import RunConfig
from dragoman.core.capabilities import ExpectsValues, ProvidesRiskProfile
from dragoman.core.conditions import ENGLISH, NONE, PLAIN, Condition
from dragoman.core.content_keys import content_key, named_key
from dragoman.core.episodes import Episode
from dragoman.core.errors import RunHalted, StoreError, UsageError, error_with_location
from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.measures import (
    REWARD,
    DeclaredMetrics,
    Measure,
    MeasureResult,
    MeasureSetting,
    ScoringContext,
    metric_name,
    result_mismatch,
    unscored_measure,
)
from dragoman.core.protocols import EnvironmentFactory
from dragoman.core.rules import RULES
from dragoman.core.scores import NO_JUDGE
from dragoman.core.tasks import RiskProfile, Task
from dragoman.core.texts.decoding import escape_surrogates
from dragoman.distributed.worker_pool import (
    KilledWorkersError,
    OpenPool,
    TaskFn,
    WorkerBrokeError,
    WorkerSpec,
    module_path,
)
from dragoman.models.prices import NO_PRICES
from dragoman.registry.measures import MeasureContext, resolve_measures
from dragoman.runs.manifest import Manifest, read_manifest
from dragoman.runs.process_limits import infrequent_gc
from dragoman.scoring.measures.catalog import BUNDLED_MEASURES, MeasureSetup
from dragoman.scoring.reward import Scorer
from dragoman.simulation.participant_errors import stops_run
from dragoman.simulation.phrasebooks import shipped_phrasebook
from dragoman.store.background_writer import BackgroundWriter
from dragoman.store.conversation_writes import StoredMeasure
from dragoman.store.run_plan import StoredCell
from dragoman.store.run_store import RunStore

MeasureFn = Callable[[StoredCell, Episode, Sequence[int]], Awaitable[Sequence[MeasureResult]]]
"""A function that runs measures on a conversation.

The numbers are the places of the measures in the list of requested ones.
"""


class MeasuringContext(msgspec.Struct, frozen=True):
    """The circumstances of a run that measures need.

    Attributes:
        rules: The rule set of the run.
        settings: Measure settings by condition label; plain English text may be absent.
        conditions: All conditions of the run.
        is_imported: Whether another program played the run.
    """

    rules: str
    settings: dict[str, MeasureSetting]
    conditions: tuple[Condition, ...]
    is_imported: bool = False

    def setting(self, condition: Condition) -> MeasureSetting:
        """Return the measure settings of a condition."""
        return self.settings.get(condition.label, MeasureSetting())


def reward_scoring(setup: Setup) -> MeasureSetup:
    """Return the setup that computes rewards."""
    scorer = Scorer(
        setup.suite.factory(setup.rules),
        setup.rules,
        setup.judge,
        setup.users,
        setup.check,
        environments=functools.cache(setup.suite.factory),
    )
    suite = setup.suite
    return MeasureSetup(
        scorer,
        setup.rules,
        suite.risk_profile if isinstance(suite, ProvidesRiskProfile) else RiskProfile(),
    )


def local_measurer(
    setup: Setup, played: MeasuringContext, measures: Sequence[Measure]
) -> MeasureFn:
    """Return the function that runs measures in this process."""
    cases = _ScoringContexts(setup, played)

    async def take(
        cell: StoredCell, episode: Episode, places: Sequence[int]
    ) -> Sequence[MeasureResult]:
        return [await _run_measure(measures[at], cases, cell, episode) for at in places]

    return take


class _ScoringContexts:
    """Scoring contexts of conversations: everything except their events."""

    def __init__(self, setup: Setup, played: MeasuringContext) -> None:
        self._played = played
        self._tasks: Mapping[str, Task] = {task.id: task for task in setup.tasks}
        self._resolved_conditions: Mapping[Condition, ResolvedCondition] = {
            condition: setup.resolve_condition(
                _scored_as(condition, setup) if played.is_imported else condition
            )
            for condition in played.conditions
        }
        self._named = display_names(setup.config.agents)
        self._suite = setup.suite
        self._expects = setup.suite if isinstance(setup.suite, ExpectsValues) else None
        self._factory: EnvironmentFactory = setup.suite.factory(RULES.find(played.rules))

    def case(self, cell: StoredCell, episode: Episode) -> ScoringContext:
        task = self._tasks[cell.task]
        condition = self._resolved_conditions[cell.condition]
        resolved_condition = condition.of(task)
        return ScoringContext(
            resolved_condition.judged(task),
            episode,
            self._factory,
            resolved_condition.wording(task),
            self._played.setting(cell.condition),
            named_key(cell.key, cell.agent) if cell.agent in self._named else cell.key,
            condition.phrases if cell.condition.is_localized else self._english,
            () if self._expects is None else self._expects.expected_values(task),
            lambda: resolved_condition.policy(self._suite.policy(task, self._factory(task))),
            None if cell.condition.persona == NONE else resolved_condition.user_behavior.habits,
        )

    @functools.cached_property
    def _english(self) -> Phrasebook | None:
        """The phrases for reading the user's words if nothing is localized."""
        return shipped_phrasebook(ENGLISH)


def _scored_as(condition: Condition, setup: Setup) -> Condition:
    """Return the condition for scoring an imported conversation.

    It is reduced to what the suite supports.
    """
    found = scoring_condition(condition)
    return found if found.label in setup.localizations else PLAIN


async def _run_measure(
    measure: Measure, cases: _ScoringContexts, cell: StoredCell, episode: Episode
) -> MeasureResult:
    """Run one measure; if it fails, the conversation is unscored, with the error as reason."""
    try:
        found = await measure.measure(cases.case(cell, episode))
        why = result_mismatch(measure, found)
    except RunHalted:
        raise
    except BaseException as error:
        if stops_run(error):
            raise
        # A failing third-party measure must not stop the others.
        return unscored_measure(
            measure,
            f"scoring broke: {redact_environment(escape_surrogates(error_with_location(error)))}",
        )
    return unscored_measure(measure, escape_surrogates(why)) if why else found


OPENER = f"{__name__}:open_measurer"

EACH_AT_ONCE = 16
"""Number of conversations that a worker receives before its answers."""


class MeasuringPool(msgspec.Struct, frozen=True):
    """The workers that run measures.

    Attributes:
        open_pool: Function that opens the worker pool.
        count: Number of workers.
        names: Names of the measures, by which workers find them.
        tasks: Tasks of a run that was played elsewhere; None for the suite's own.
    """

    open_pool: OpenPool
    count: int
    names: tuple[str, ...]
    tasks: tuple[Task, ...] | None = None

    @property
    def at_once(self) -> int:
        """Number of conversations in flight."""
        return self.count * EACH_AT_ONCE


class MeasuringSpec(msgspec.Struct, frozen=True):
    """Everything that another process needs to run measures, as data.

    Attributes:
        same: Hash of data, translations and measures, which must be the same in the worker.
    """

    config: RunConfig
    played: MeasuringContext
    names: tuple[str, ...]
    same: str
    tasks: tuple[Task, ...] | None = None


class MeasureTask(msgspec.Struct, frozen=True):
    """A conversation and the places of the measures to run on it."""

    cell: StoredCell
    episode: Episode
    places: tuple[int, ...]


_encode = msgspec.json.Encoder().encode
_asked = msgspec.json.Decoder(MeasureTask).decode
_found = msgspec.json.Decoder(list[MeasureResult]).decode


@asynccontextmanager
async def pool_measurer(
    spread: MeasuringPool, setup: Setup, played: MeasuringContext, measures: Sequence[Measure]
) -> AsyncIterator[MeasureFn]:
    """Return a function that runs measures on a worker pool."""
    config = msgspec.structs.replace(setup.config, max_cost="", workers=1, ray="")
    same = _identity(setup, measures)
    given = MeasuringSpec(config, played, spread.names, same, spread.tasks)
    async with spread.open_pool(WorkerSpec(OPENER, _encode(given), module_path())) as do:

        async def take(
            cell: StoredCell, episode: Episode, places: Sequence[int]
        ) -> Sequence[MeasureResult]:
            try:
                return _found(await do(_encode(MeasureTask(cell, episode, tuple(places)))))
            except (KilledWorkersError, WorkerBrokeError) as error:
                return [
                    unscored_measure(
                        measures[at], f"scoring broke: {redact_environment(str(error))}"
                    )
                    for at in places
                ]

        yield take


@asynccontextmanager
async def open_measurer(given: bytes) -> AsyncIterator[TaskFn]:
    """Return the function that runs measures on one conversation, in a worker.

    Raises:
        UsageError: If data or measures differ from those of the run's own process.
    """
    work = msgspec.json.decode(given, type=MeasuringSpec)
    conditions = work.played.conditions
    if work.played.is_imported:
        conditions = scored_conditions(conditions)
    setup = scoring_setup(work.config, NO_PRICES, conditions)
    if work.tasks is not None:
        setup = msgspec.structs.replace(setup, tasks=work.tasks)
    artifact_costs = MeasureContext(reward_scoring(setup), (work.config.judge,), setup.connections)
    measures = resolve_measures(work.names, artifact_costs)
    if _identity(setup, measures) != work.same:
        raise UsageError(f"data, translations or measures of {work.config.suite} differ there")
    take = local_measurer(setup, work.played, measures)

    async def do(item: bytes) -> bytes:
        asked = _asked(item)
        return _encode(await take(asked.cell, asked.episode, asked.places))

    try:
        with infrequent_gc():
            yield do
    finally:
        await setup.close()


def _identity(setup: Setup, measures: Sequence[Measure]) -> str:
    return content_key(
        setup.suite.provenance.digest,
        {label: entry.record.digest for label, entry in setup.localizations.items()},
        [(each.name, each.version, each.judge, each.rules) for each in measures],
    )


Choice = Literal["missing", "open", "all"]
"""The conversations to measure.

`missing`: those that were not measured. `open`: also those that a judge left undecided. `all`: all.
"""

_Row = tuple[str, int, Episode]


def measure_settings(manifest: Manifest) -> dict[str, MeasureSetting]:
    """Return, by condition label, the settings that measures need.

    Plain English text is absent.
    """
    labels = dict.fromkeys((*manifest.localization_records, *manifest.voices, *manifest.clarified))
    return {label: _setting(label, manifest) for label in labels}


def _setting(label: str, manifest: Manifest) -> MeasureSetting:
    localization, voice = manifest.localization_records.get(label), manifest.voices.get(label)
    return MeasureSetting(
        language=ENGLISH if voice is None else str(voice.get("language", ENGLISH)),
        label=ENGLISH if localization is None else localization.detector or ENGLISH,
        relatives=() if localization is None else localization.relatives,
        is_localized=localization is not None,
        is_spoken=voice is not None,
        is_clarified=label in manifest.clarified,
    )


class MeasuringPlan(msgspec.Struct, frozen=True):
    """A request to run measures.

    Attributes:
        setup: Setup for the measures: rules, judges, data.
        measures: The measures.
        choice: The conversations.
        spread: The worker pool; None for this process.
    """

    setup: Setup
    measures: Sequence[Measure]
    choice: Choice = "open"
    spread: MeasuringPool | None = None

    @property
    def asks(self) -> bool:
        """Whether models are asked, so that measuring spends its time waiting."""
        return self.setup.scoring_costs or any(
            each.judge != NO_JUDGE for each in self.measures if each.name != REWARD
        )

    @property
    def at_once(self) -> int:
        """Number of conversations that are measured at a time."""
        if self.spread is not None:
            return self.spread.at_once
        return self.setup.at_once if self.asks else 1

    def opened(self, played: MeasuringContext) -> AbstractAsyncContextManager[MeasureFn]:
        """Return a context manager whose function measures a run's conversations."""
        if self.spread is None:
            return nullcontext(local_measurer(self.setup, played, self.measures))
        if self.asks:
            raise UsageError(
                "--workers and --ray are for what is computed, and judges that are models are "
                "waited "
                "for: leave them out, one process asks as many as the run's --concurrency at a time"
            )
        return pool_measurer(self.spread, self.setup, played, self.measures)


async def rescore(
    setup: Setup, store: RunStore, on_done: Callable[[], None], choice: Choice = "open"
) -> int:
    """Compute only the rewards of stored conversations, under the setup's rules and judge."""
    reward = BUNDLED_MEASURES[REWARD].make(reward_scoring(setup))
    return await measure_locally(setup, store, (reward,), on_done, choice)


async def measure_locally(
    setup: Setup,
    store: RunStore,
    measures: Sequence[Measure],
    on_done: Callable[[], None],
    choice: Choice = "open",
) -> int:
    """Run measures on stored conversations in this process, as `run_measures` does."""
    return await run_measures(MeasuringPlan(setup, measures, choice), store, on_done)


async def run_measures(asked: MeasuringPlan, store: RunStore, on_done: Callable[[], None]) -> int:
    """Run measures on stored conversations, and store the results; `on_done` is called after each.

    Returns: Number of measured conversations.

    Raises:
        UsageError: If measures that ask models are to be spread over workers.
    """
    setup, measures = asked.setup, asked.measures
    _require_same_tasks(setup, store)
    played = _measuring_context(store)
    cells = {cell.key: cell for cell in store.cells()}
    wanted = _pending_measures_by_cell(asked, store, cells.values(), played)
    store.declare(
        DeclaredMetrics(each.name, each.version, each.figures) for each in measures if each.figures
    )
    if not wanted:
        return 0
    todo = store.episodes(leaving_out=cells.keys() - wanted.keys())
    counts = [0]

    async def work(take: MeasureFn, rows: Iterator[_Row], writer: BackgroundWriter) -> None:
        for key, attempt, episode in rows:
            for found in await take(cells[key], episode, wanted[key]):
                await writer.put(StoredMeasure(key, attempt, found))
            counts[0] += 1
            on_done()

    with infrequent_gc():
        async with (
            asked.opened(played) as take,
            BackgroundWriter(store) as writer,
            asyncio.TaskGroup() as group,
        ):
            for _ in range(asked.at_once):
                group.create_task(work(take, todo, writer))
    return counts[0]


def _measuring_context(store: RunStore) -> MeasuringContext:
    manifest = read_manifest(store)
    is_imported = manifest.imported is not msgspec.UNSET
    return MeasuringContext(
        manifest.config.rules, measure_settings(manifest), store.conditions(), is_imported
    )


def _require_same_tasks(setup: Setup, store: RunStore) -> None:
    tasks = {task.id: task for task in setup.tasks}
    for name, task in store.tasks().items():
        if name not in tasks or tasks[name].digest != task.digest:
            raise StoreError(f"{store.folder}: task {name} has changed since this run was played")


def _pending_measures_by_cell(
    asked: MeasuringPlan, store: RunStore, cells: Collection[StoredCell], played: MeasuringContext
) -> dict[str, list[int]]:
    """Return, by cell, the places of the measures that are to be run."""
    wanted: dict[str, list[int]] = {}
    known = {} if asked.choice == "all" else store.measured()
    for place, measure in enumerate(asked.measures):
        closed = _find_settled_cells(store, known, measure, asked.choice)
        for cell in cells:
            if cell.key not in closed and measure.applies(played.setting(cell.condition)):
                wanted.setdefault(cell.key, []).append(place)
    return wanted


def _find_settled_cells(
    store: RunStore,
    measured: Mapping[str, Sequence[MeasureResult]],
    measure: Measure,
    choice: Choice,
) -> set[str]:
    """Return the cells on which a measure is not to be run."""
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
