"""Starts, resumes and opens runs: configuration, plan and store together."""

import platform
from pathlib import Path

import msgspec

from dragoman.core.decoding import UNREADABLE
from dragoman.core.errors import StoreError
from dragoman.core.protocols import Provenance
from dragoman.core.version import VERSION
from dragoman.runs.plan import Cell, plan
from dragoman.store.run import NewRun, RunStore, StoredCell, create_run, open_run
from dragoman.wiring.config import RunConfig
from dragoman.wiring.setup import Setup, build_setup


class Manifest(msgspec.Struct, frozen=True):
    """What a run was started with, for people and for resuming."""

    dragoman: str
    python: str
    created: float
    config: RunConfig
    judge: str
    prompts: str
    provenance: Provenance


class Job(msgspec.Struct, frozen=True):
    """A run that can be played on: close its store when done."""

    setup: Setup
    cells: tuple[Cell, ...]
    store: RunStore


def start_job(setup: Setup, folder: Path, created: float) -> Job:
    """Create a run.

    Raises:
        StoreError: Where the folder holds a run already or cannot be written.
    """
    cells = plan(setup)
    manifest = Manifest(
        VERSION,
        platform.python_version(),
        created,
        setup.config,
        setup.judge_name,
        setup.prompts,
        setup.suite.provenance,
    )
    new = NewRun(
        msgspec.json.encode(manifest),
        tuple(_stored(cell) for cell in cells),
        {task.id: task for task in setup.tasks},
    )
    return Job(setup, cells, create_run(folder, new))


def resume_job(folder: Path) -> Job:
    """Open a run to play on.

    Raises:
        StoreError: Where data or agents have changed, so that it would be another run.
    """
    store = open_run(folder, write=True)
    try:
        setup = build_setup(read_manifest(store).config)
        cells = plan(setup)
        _require_same_plan(store, cells)
    except BaseException:
        store.close()
        raise
    return Job(setup, cells, store)


def _require_same_plan(store: RunStore, cells: tuple[Cell, ...]) -> None:
    if tuple(_stored(cell) for cell in cells) != store.cells():
        raise StoreError(
            f"{store.folder}: data, prompts or agents have changed since this run was started: "
            "start a new one"
        )


def read_manifest(store: RunStore) -> Manifest:
    """Return a run's manifest."""
    try:
        return msgspec.json.decode(store.manifest(), type=Manifest)
    except UNREADABLE as error:
        raise StoreError(f"{store.folder}: the run's manifest is damaged ({error})") from error


def _stored(cell: Cell) -> StoredCell:
    return StoredCell(
        cell.key, cell.task.suite, cell.condition.label, cell.agent.name, cell.task.id, cell.trial
    )
