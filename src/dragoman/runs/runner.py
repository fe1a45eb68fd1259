"""Synchronous entry points that start, play and score a whole run; they own the event loop."""

import asyncio
import threading
import time
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from dragoman.analysis.cell_summary import NO_PREFLIGHT
from dragoman.composition.conditions.languages import config_of_scoring, scored_conditions
from dragoman.composition.external_access import SCORING, external_access
from dragoman.composition.setup import Setup, scoring_setup
from dragoman.config.event_loop import run_event_loop
from dragoman.config.run_config import validated_config
from dragoman.core.capabilities import OwnMeasures
from dragoman.core.errors import StoreError, UsageError
from dragoman.core.measures import REWARD, Measure
from dragoman.core.progress import long_step
from dragoman.core.scores import METRIC_VERSION
from dragoman.core.usage import Usage
from dragoman.registry.measures import MeasureContext, resolve_measures
from dragoman.runs.executor import OnDone, Pending, execute, pending_cells
from dragoman.runs.in_flight import InFlightRegistry
from dragoman.runs.jobs import (
    OPTIONS_OF_WAITING,
    Job,
    external_reach,
    listed_conditions,
    localization_records,
    start_job,
)
from dragoman.runs.manifest import Manifest, read_manifest, stored_prices
from dragoman.runs.measure_runner import (
    Choice,
    MeasuringPlan,
    MeasuringPool,
    measure_locally,
    measure_settings,
    reward_scoring,
    run_measures,
)
from dragoman.runs.plan import GridPlace
from dragoman.runs.trust import require_trust
from dragoman.runs.worker_backend import worker_pool_for
from dragoman.scoring.measures.catalog import due_measures
from dragoman.store.run_store import RunStore, open_run


class PlayedRun(msgspec.Struct, frozen=True):
    """Folder of a played run, and the rules and judge of its results.

    `unmeasured` holds, by name, the reasons why measures of the run's summary could not be run.
    """

    folder: Path
    rules: str
    judge: str
    unmeasured: dict[str, str] = {}


def start(
    setup: Setup,
    folder: Path | None,
    places: Collection[GridPlace] | None = None,
    preflight: Mapping[str, tuple[Usage, ...]] = NO_PREFLIGHT,
) -> Job:
    """Create a run of a whole grid or of these places, in a folder or in a new one under `runs/`.

    `preflight` is the usage of the preflight, by cell key.

    Raises:
        UsageError: If a measure that runs after playing cannot be made.
    """
    resolve_measures(setup.config.measures, _artifact_costs(setup))
    folder = folder or new_folder(setup.suite.name)
    return start_job(setup, folder, time.time(), places, preflight)


def play(
    job: Job, on_done: OnDone, again: Collection[str] = (), watch: InFlightRegistry | None = None
) -> PlayedRun:
    """Play the rest of a job, and the cells in `again` once more, and close its store.

    Another thread can read `watch` meanwhile to see the party that each conversation waits for.
    """
    with job.store:
        return play_pending(job, pending_cells(job.cells, job.store, again), on_done, watch)


def play_pending(
    job: Job, waiting: Sequence[Pending], on_done: OnDone, watch: InFlightRegistry | None = None
) -> PlayedRun:
    """Play pending cells of a job, as `play` does, and close its store."""
    with job.store:
        unmeasured: dict[str, str] = {}
        run_blocking(_play(job, waiting, on_done, unmeasured, watch))
    return PlayedRun(job.store.folder, job.setup.rules.name, job.setup.judge_name, unmeasured)


async def _play(
    job: Job,
    waiting: Sequence[Pending],
    on_done: OnDone,
    unmeasured: dict[str, str],
    watch: InFlightRegistry | None,
) -> None:
    try:
        await execute(job.setup, waiting, job.store, on_done, watch)
        # If a run is stopped while a judge is at work, conversations remain without a score.
        scoring = (job.setup.rules.name, job.setup.judge_name, METRIC_VERSION)
        names = _due(job.setup, read_manifest(job.store))
        if names != (REWARD,) or job.store.has_unscored(*scoring):
            measures, missing = _available(names, _artifact_costs(job.setup))
            unmeasured |= missing
            with long_step("taking measures"):
                await measure_locally(
                    job.setup, job.store, measures, lambda: None, choice="missing"
                )
    finally:
        await job.setup.close()


def _due(setup: Setup, manifest: Manifest) -> tuple[str, ...]:
    """Return the measures of a run's summary.

    They follow from its conditions, its suite, and its configuration.
    """
    own = setup.suite.measures if isinstance(setup.suite, OwnMeasures) else ()
    return tuple(
        dict.fromkeys((*due_measures(measure_settings(manifest)), *own, *setup.config.measures))
    )


def _artifact_costs(setup: Setup) -> MeasureContext:
    return MeasureContext(reward_scoring(setup), (setup.config.judge,), setup.connections)


def _available(
    names: Sequence[str], artifact_costs: MeasureContext
) -> tuple[list[Measure], dict[str, str]]:
    """Return the measures that can be made, and the reasons why others cannot, by name."""
    measures: list[Measure] = []
    missing: dict[str, str] = {}
    for name in names:
        try:
            measures += resolve_measures([name], artifact_costs)
        except UsageError as error:
            missing[name] = str(error)
    return measures, missing


async def _score(asked: MeasuringPlan, store: RunStore, on_done: Callable[[], None]) -> None:
    try:
        await run_measures(asked, store, on_done)
    finally:
        await asked.setup.close()


class MeasureRequest(msgspec.Struct, frozen=True):
    """A request to measure a run's stored conversations.

    Attributes:
        changes: Changes to the run's configuration: rules, judges, and the number of workers if it
            is more than this process.
        measures: The measures by name; none for the reward and the other measures of the run's
            summary.
        anew: Whether to measure again what was measured; judges are then asked again, without the
            reply cache.
        trust: Whether a run that somebody else made may ask the judges that it names.
        judges: Judges of rubrics; none for the judge of the configuration.
        repeat: Number of times that each judge is asked.
    """

    changes: Mapping[str, object] = {}
    measures: Sequence[str] = ()
    anew: bool = False
    trust: bool = False
    judges: Sequence[str] = ()
    repeat: int = 1


def score(folder: Path, asked: MeasureRequest, on_done: Callable[[], None]) -> PlayedRun:
    """Run measures on a run's stored conversations; `on_done` is called after each."""
    with open_run(folder, write=True) as store:
        manifest = read_manifest(store)
        fields = [field for field in SCORING if field not in asked.changes]
        judged_by = external_access(manifest.config, fields)
        require_trust(store, external_reach(store, manifest), judged_by, trust=asked.trust)
        # The workers that played a run may not exist when it is measured.
        alone = msgspec.structs.replace(manifest.config, workers=1, ray="")
        config = msgspec.structs.replace(alone, **asked.changes)
        if not OPTIONS_OF_WAITING.isdisjoint(asked.changes):
            config = validated_config(config)
        if asked.anew:
            config = msgspec.structs.replace(config, cache=False)
        conditions = listed_conditions(store, manifest)
        is_imported = manifest.imported is not msgspec.UNSET
        if is_imported:
            conditions = scored_conditions(store.conditions())
            config = config_of_scoring(config, conditions)
        setup = scoring_setup(config, stored_prices(store), conditions)
        if is_imported and setup.check is None:
            # The run may have been played on another version of the tasks: the tasks in its file
            # count.
            setup = msgspec.structs.replace(setup, tasks=tuple(store.tasks().values()))
        elif setup.suite.provenance.digest != manifest.provenance.digest:
            raise StoreError(
                f"{folder}: the data of {setup.suite.name} have changed since this run was played: "
                "it can only be scored with the data it was played on"
            )
        if not is_imported:
            _require_same_languages(setup, manifest, folder)
        artifact_costs, missing = _artifact_costs(setup), dict[str, str]()
        if asked.judges:
            judges, repeat = tuple(dict.fromkeys(asked.judges)), asked.repeat
            artifact_costs = msgspec.structs.replace(
                artifact_costs, judges=judges, repeat=repeat, settles=True
            )
        if asked.measures:
            names = tuple(asked.measures)
            measures: Sequence[Measure] = resolve_measures(names, artifact_costs)
            _require_panel(measures, asked)
        else:
            due_now = _due(setup, manifest)
            measures, missing = _available(due_now, artifact_costs)
            names = tuple(name for name in due_now if name not in missing)
        choice: Choice = "all" if asked.anew else "open"
        measuring = MeasuringPlan(setup, measures, choice, _spread(setup, names, store))
        run_blocking(_score(measuring, store, on_done))
        scoring = (setup.rules.name, setup.judge_name)
        if all(measure.name != REWARD for measure in measures):
            scoring = next(reversed(store.scorings()), scoring)
    return PlayedRun(folder, *scoring, missing)


def _spread(setup: Setup, names: tuple[str, ...], store: RunStore) -> MeasuringPool | None:
    """Return the worker pool for measures; None for this process."""
    if setup.config.workers < 1:
        raise UsageError(f"--workers {setup.config.workers}: at least 1")
    open_pool = worker_pool_for(setup.config)
    if open_pool is None:
        return None
    is_imported = read_manifest(store).imported is not msgspec.UNSET
    return MeasuringPool(
        open_pool, setup.config.workers, names, setup.tasks if is_imported else None
    )


def _require_panel(measures: Sequence[Measure], asked: MeasureRequest) -> None:
    """Refuse several judges or repetitions for a measure that one judge takes once."""
    names = [measure.name for measure in measures]
    alone = next((name for name in names if names.count(name) == 1), None)
    if alone is not None and max(asked.repeat, len(asked.judges)) > 1:
        raise UsageError(
            f"measure {alone!r}: only rubrics are judged by several judges or several times"
        )


def _require_same_languages(setup: Setup, manifest: Manifest, folder: Path) -> None:
    """Refuse to score with labels other than those that the sides saw."""
    for label, now in localization_records(setup).items():
        if (
            label in manifest.localization_records
            and manifest.localization_records[label].digest != now.digest
        ):
            raise StoreError(
                f"{folder}: what {label} looks like has changed since this run was played: "
                "it can only be scored with the artifacts it was played on"
            )


def new_folder(suite: str) -> Path:
    """Return a folder under `runs/` that does not exist yet, named by suite and time."""
    stamp = datetime.fromtimestamp(time.time()).astimezone().strftime("%Y%m%d-%H%M%S")
    base = Path("runs") / f"{suite.replace(':', '-').replace('/', '-')}-{stamp}"
    for number in range(1, 1_000):
        folder = base if number == 1 else base.with_name(f"{base.name}-{number}")
        if not folder.exists():
            return folder
    raise UsageError(f"{base}: a thousand runs started in this second: choose --out")


def run_blocking(work: Coroutine[Any, Any, object]) -> None:
    """Run a coroutine to its end, even inside a running event loop (a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        _run_in_loop(work)
        return
    failures: list[BaseException] = []

    def target() -> None:
        try:
            _run_in_loop(work)
        except BaseException as error:  # noqa: BLE001 - handed to the caller's thread
            failures.append(error)

    thread = threading.Thread(target=target)
    thread.start()
    thread.join()
    if failures:
        raise failures[0]


def _run_in_loop(work: Coroutine[Any, Any, object]) -> None:
    try:
        run_event_loop(work)
    except BaseExceptionGroup as group:
        # The workers fail together: only the first failure is reported.
        raise group.exceptions[0] from group
