"""Run folders: start, resume and open a run with its configuration, plan and store.

The module also lists conversations whose simulated user failed, so that they can be played again.
"""

import platform
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TypeGuard

import msgspec

from dragoman.analysis.cell_summary import NO_PREFLIGHT
from dragoman.composition.concurrency import concurrency_limits
from dragoman.composition.external_access import external_access
from dragoman.composition.setup import Setup, build_setup
from dragoman.conditions.language.localization_record import LocalizationRecord
from dragoman.config.run_config import RunConfig, parse_shard, validated_config
from dragoman.core.conditions import CLARIFY, Condition
from dragoman.core.errors import StoreError
from dragoman.core.scores import METRIC_VERSION
from dragoman.core.usage import Usage
from dragoman.core.version import VERSION
from dragoman.registry.participants import ResolvedParticipant
from dragoman.runs.manifest import Manifest, read_manifest, stored_prices
from dragoman.runs.plan import (
    Cell,
    GridPlace,
    PlannedCells,
    cells_at,
    cells_of_shard,
    lazy_plan,
    not_applicable,
)
from dragoman.runs.trust import remember_own_run, require_trust
from dragoman.runs.worker_backend import backend_for
from dragoman.store.run_plan import NewRun, StoredCell
from dragoman.store.run_store import RunStore, create_run, open_run


def invalid_cells(store: RunStore) -> frozenset[str]:
    """Return the keys of cells whose simulated user failed, according to their newest scoring."""
    scores = store.newest_scores(METRIC_VERSION)
    return frozenset(key for key, score in scores.items() if score.invalid)


def count_valid(store: RunStore, rules: str, judge: str, cells: Collection[str]) -> int:
    """Return the number of cells whose simulated user did not fail.

    Conversations that infrastructure ended were not checked and do not count.
    """
    scores = store.scores(rules, judge, METRIC_VERSION)
    found = [scores[key] for key in cells if key in scores]
    return sum(bool(score.simulator) and not score.invalid for score in found)


MOST_COMPARED = 20_000
"""Largest plan whose cells are compared one by one when a run is resumed."""

OPTIONS_OF_WAITING = frozenset(
    {"timeout", "concurrency", "read_timeout", "patience", "rates", "batches", "hedge"}
)
"""Options that a run may be resumed with in other values.

The run's record stores them next to its configuration.
"""


class Job(msgspec.Struct, frozen=True):
    """A run that can be played further; the caller closes its store.

    `cells` are the cells that are played here: the plan, or one shard of it.
    """

    setup: Setup
    cells: Sequence[Cell]
    store: RunStore


def start_job(
    setup: Setup,
    folder: Path,
    created: float,
    places: Collection[GridPlace] | None = None,
    preflight: Mapping[str, tuple[Usage, ...]] = NO_PREFLIGHT,
) -> Job:
    """Create a run.

    Args:
        setup: Setup of the run.
        folder: The run's folder.
        created: Time of creation, in seconds since 1970.
        places: The planned conversations; None for the whole grid.
        preflight: Usage of a preflight, by cell key.

    Raises:
        StoreError: If the folder already holds a run or cannot be written.
    """
    backend_for(setup.config)
    cells = lazy_plan(setup) if places is None else cells_at(setup, places)
    manifest = Manifest(
        VERSION,
        platform.python_version(),
        created,
        setup.config,
        setup.judge_name,
        setup.prompts,
        setup.suite.provenance,
        not_applicable(setup),
        prices=dict(setup.prices.own),
        localization_records=localization_records(setup),
        voices=voice_records(setup),
        is_explicit=places is not None,
        clarified=clarification_records(setup),
        preflight=dict(preflight),
        waiting=concurrency_limits(setup.config),
    )
    new = NewRun(
        msgspec.json.encode(manifest),
        tuple(_to_stored_cell(cell) for cell in cells),
        {task.id: task for task in setup.tasks},
    )
    # This comes first, so that a run that is killed at once is still known as the user's own.
    conditions = dict.fromkeys(cell.condition for cell in cells)
    remember_own_run(new.manifest, external_access(setup.config, conditions=conditions))
    store = create_run(folder, new)
    _note_made_of(store, cells)
    return Job(setup, _played_here(setup, cells), store)


def resume_job(
    folder: Path,
    changes: Mapping[str, object] | None = None,
    given: Mapping[str, ResolvedParticipant] | None = None,
    *,
    trust: bool = False,
    vouched: Collection[str] = (),
) -> Job:
    """Open a run to play it further.

    Args:
        folder: The run's folder.
        changes: Changes to the run's configuration for this time: its budget, its prices, the reply
            cache, timeouts and concurrency.
        given: Participants that are used unchanged.
        trust: Whether to resume a run that somebody else made.
        vouched: Programs and addresses that the run may use in any case.

    Raises:
        UsageError: If somebody else made the run, and it would run or reach more.
        StoreError: If data or agents have changed, so that it would be another run.
    """
    store = open_run(folder, write=True)
    try:
        changed = changes or {}
        prices = None if "prices" in changed else stored_prices(store)
        manifest = _playable(store)
        stored = manifest.config
        reached = external_reach(store, manifest)
        now = [each for each in reached if each not in vouched]
        require_trust(store, reached, now, trust=trust)
        config = validated_config(msgspec.structs.replace(stored, **changed))
        conditions = listed_conditions(store, manifest)
        # Longer timeouts do not change the planned conversations, so their keys stay the same.
        setup = msgspec.structs.replace(
            build_setup(
                config,
                given,
                prices,
                conditions=conditions,
                left_out=manifest.not_applicable,
            ),
            planned_limits=stored.limits,
        )
        cells = cells_at(setup, _places(store)) if manifest.is_explicit else lazy_plan(setup)
        _require_same_plan(store, cells)
        _note_waiting(store, stored, config)
    except BaseException:
        store.close()
        raise
    return Job(setup, _played_here(setup, cells), store)


def _note_waiting(store: RunStore, stored: RunConfig, now: RunConfig) -> None:
    """Store the waiting options that differ from those at the start of the run."""
    changes = {
        name: getattr(now, name)
        for name in sorted(OPTIONS_OF_WAITING)
        if getattr(now, name) != getattr(stored, name)
    }
    if changes:
        store.note_resumed(msgspec.to_builtins(changes))


def _played_here(setup: Setup, cells: Sequence[Cell]) -> Sequence[Cell]:
    share = parse_shard(setup.config.shard)
    return cells if share.is_all else cells_of_shard(cells, share)


def _playable(store: RunStore) -> Manifest:
    manifest = read_manifest(store)
    if manifest.imported is not msgspec.UNSET:
        raise StoreError(
            f"{store.folder}: an imported run cannot be played on: start one of your own"
        )
    return manifest


def listed_conditions(store: RunStore, manifest: Manifest) -> tuple[Condition, ...] | None:
    """Return the conditions of a plan that is a list; None if they are those of the grid."""
    if not manifest.is_explicit:
        return None
    return store.conditions()


def external_reach(store: RunStore, manifest: Manifest) -> tuple[str, ...]:
    """Return descriptions of the external access of a stored run.

    These are the programs that it executes and the addresses that it reaches where it is played.
    """
    conditions = dict.fromkeys(store.conditions())
    return external_access(manifest.config, conditions=conditions)


def _places(store: RunStore) -> tuple[GridPlace, ...]:
    return tuple(
        GridPlace(cell.condition, cell.agent, cell.task, cell.trial) for cell in store.cells()
    )


def _require_same_plan(store: RunStore, cells: Sequence[Cell]) -> None:
    """Refuse a plan that differs from the run's.

    For a large plan only the fingerprints are compared.
    """
    plan_fingerprint = cells.plan_fingerprint if _is_large(cells) else ""
    kept = store.plan_fingerprint() if plan_fingerprint else ""
    is_same = kept == plan_fingerprint if kept else store.has_plan(map(_to_stored_cell, cells))
    if not is_same:
        raise StoreError(
            f"{store.folder}: data, prompts or agents have changed since this run was started: "
            "start a new one"
        )
    if not kept:
        _note_made_of(store, cells)


def _is_large(cells: Sequence[Cell]) -> TypeGuard[PlannedCells]:
    return isinstance(cells, PlannedCells) and len(cells) > MOST_COMPARED


def _note_made_of(store: RunStore, cells: Sequence[Cell]) -> None:
    if _is_large(cells):
        store.store_plan_fingerprint(cells.plan_fingerprint)


def localization_records(setup: Setup) -> dict[str, LocalizationRecord]:
    """Return, by condition label, the parts of conditions that are actually in another language."""
    return {label: entry.record for label, entry in setup.localizations.items()}


def voice_records(setup: Setup) -> dict[str, dict[str, object]]:
    """Return the voices, channels and recognizers of a run's conditions, by label."""
    voices = None if setup.voices is None else setup.voices.conditions
    return {label: voiced.record for label, voiced in (voices or {}).items()}


def clarification_records(setup: Setup) -> dict[str, str]:
    """Return, by condition label, who decides about the agent's questions."""
    layers = {entry.label: setup.clarifying.get(entry.axis(CLARIFY)) for entry in setup.conditions}
    return {label: str(layer.record["judge"]) for label, layer in layers.items() if layer}


def _to_stored_cell(cell: Cell) -> StoredCell:
    return StoredCell(
        cell.key, cell.task.suite, cell.condition, cell.agent.name, cell.task.id, cell.trial
    )
