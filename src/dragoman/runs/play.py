"""Plays and scores whole runs from ordinary code: the one door to the event loop."""

import asyncio
import threading
import time
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from dragoman.core.errors import StoreError, UsageError
from dragoman.core.scores import METRIC_VERSION
from dragoman.runs.execute import OnDone, Pending, execute, pending_cells
from dragoman.runs.jobs import (
    Job,
    Manifest,
    read_manifest,
    realised,
    start_job,
    stored_prices,
)
from dragoman.runs.measuring import rescore
from dragoman.runs.trust import require_trust
from dragoman.store.run import RunStore, open_run
from dragoman.wiring.reach import SCORING, reached_by
from dragoman.wiring.setup import Setup, scoring_setup


class Played(msgspec.Struct, frozen=True):
    """Where a run's results lie, and the rules and judge to read them by."""

    folder: Path
    rules: str
    judge: str


def start(setup: Setup, folder: Path | None) -> Job:
    """Create a run in a folder, or in a new one under `runs/`."""
    return start_job(setup, folder or new_folder(setup.suite.name), time.time())


def play(job: Job, on_done: OnDone, again: Collection[str] = ()) -> Played:
    """Play what a job has left, and once more the cells in `again`, and close its store."""
    with job.store:
        waiting = pending_cells(job.cells, job.store, again)
        blocking(_play(job, waiting, on_done))
    return Played(job.store.folder, job.setup.rules.name, job.setup.judge_name)


async def _play(job: Job, waiting: Sequence[Pending], on_done: OnDone) -> None:
    try:
        await execute(job.setup, waiting, job.store, on_done)
        # A run stopped while a judge was at work has conversations without a score.
        scoring = (job.setup.rules.name, job.setup.judge_name, METRIC_VERSION)
        if job.store.has_unscored(*scoring):
            await rescore(job.setup, job.store, lambda: None, choice="missing")
    finally:
        await job.setup.close()


async def _score(setup: Setup, store: RunStore, on_done: Callable[[], None], *, anew: bool) -> None:
    try:
        await rescore(setup, store, on_done, choice="all" if anew else "open")
    finally:
        await setup.close()


def score(
    folder: Path,
    changes: Mapping[str, object],
    on_done: Callable[[], None],
    *,
    anew: bool = False,
    trust: bool = False,
) -> Played:
    """Score a run's stored conversations with the rules and judge in `changes`.

    `anew` scores again what has a score; a judge is then really asked, and not its memory. `trust`
    lets a run that somebody else made ask the judges that it names.
    """
    with open_run(folder, write=True) as store:
        manifest = read_manifest(store)
        fields = [field for field in SCORING if field not in changes]
        require_trust(store, reached_by(manifest.config, fields), trust=trust)
        config = msgspec.structs.replace(manifest.config, **changes)
        if anew:
            config = msgspec.structs.replace(config, cache=False)
        setup = scoring_setup(config, stored_prices(store))
        if manifest.imported is not msgspec.UNSET and setup.check is None:
            # Played on tasks of another version, perhaps: the file's own are those that count.
            setup = msgspec.structs.replace(setup, tasks=tuple(store.tasks().values()))
        elif setup.suite.provenance.digest != manifest.provenance.digest:
            raise StoreError(
                f"{folder}: the data of {setup.suite.name} have changed since this run was played: "
                "it can only be scored with the data it was played on"
            )
        _require_same_languages(setup, manifest, folder)
        blocking(_score(setup, store, on_done, anew=anew))
    return Played(folder, setup.rules.name, setup.judge_name)


def _require_same_languages(setup: Setup, manifest: Manifest, folder: Path) -> None:
    """Refuse to score by other labels than those that the sides saw."""
    for label, now in realised(setup).items():
        if label in manifest.realised and manifest.realised[label].digest != now.digest:
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


def blocking(work: Coroutine[Any, Any, object]) -> None:
    """Run a coroutine to its end, also from inside a running event loop (a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        _run(work)
        return
    failures: list[BaseException] = []

    def target() -> None:
        try:
            _run(work)
        except BaseException as error:  # noqa: BLE001 - handed to the caller's thread
            failures.append(error)

    thread = threading.Thread(target=target)
    thread.start()
    thread.join()
    if failures:
        raise failures[0]


def _run(work: Coroutine[Any, Any, object]) -> None:
    try:
        asyncio.run(work)
    except BaseExceptionGroup as group:
        # Workers share one fate: the first failure is the one to tell.
        raise group.exceptions[0] from group
