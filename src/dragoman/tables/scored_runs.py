"""Stored runs that are read together: scored alike, none with a conversation of another."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from dragoman.analysis.cells import Outcome
from dragoman.analysis.voice.ways import TaskId
from dragoman.core.errors import UsageError
from dragoman.core.measures import DeclaredMetrics
from dragoman.runs.jobs import Manifest, read_manifest
from dragoman.store.run_store import RunStore, open_run
from dragoman.tables.outcomes import chosen_scoring, outcomes


class ScoredRun(msgspec.Struct, frozen=True):
    """One run, read by one scoring (rules and judge)."""

    folder: Path
    scoring: tuple[str, str]
    manifest: Manifest
    outcomes: tuple[Outcome, ...]
    digests: dict[TaskId, str]
    declared: dict[str, DeclaredMetrics]


def scored_runs(
    folders: Sequence[Path], rules: str | None, judge: str | None
) -> tuple[ScoredRun, ...]:
    """Return runs to be read together.

    Raises:
        UsageError: Where a conversation is in two of them, or they were not scored alike.
        StoreError: Where one cannot be read.
    """
    runs = tuple(_read(folder, rules, judge) for folder in folders)
    _require_one_scoring(runs)
    _require_distinct(runs)
    return runs


def task_digests(runs: Sequence[ScoredRun]) -> dict[TaskId, str]:
    """Return the digests of all tasks."""
    return {place: digest for run in runs for place, digest in run.digests.items()}


def stored_digests(store: RunStore) -> dict[TaskId, str]:
    """Return the digests of a run's tasks."""
    return {(task.suite, task.id): task.digest for task in store.tasks().values()}


def run_facts(runs: Sequence[ScoredRun]) -> tuple[tuple[str, str], ...]:
    """Return what figures of runs are made of: labels and values."""
    return tuple(_facts(runs, runs[0].scoring))


def _read(folder: Path, rules: str | None, judge: str | None) -> ScoredRun:
    with open_run(folder, write=False) as store:
        scoring = chosen_scoring(store, rules, judge)
        return ScoredRun(
            folder,
            scoring,
            read_manifest(store),
            tuple(outcomes(store, *scoring, heads_only=True)),
            stored_digests(store),
            store.declared(),
        )


def _require_one_scoring(runs: Sequence[ScoredRun]) -> None:
    found = dict.fromkeys(run.scoring for run in runs)
    if len(found) > 1:
        named = " and ".join(f"rules {rules} with judge {judge}" for rules, judge in found)
        raise UsageError(f"the runs were scored by {named}: choose --rules and --judge")


def _require_distinct(runs: Sequence[ScoredRun]) -> None:
    seen: dict[tuple[object, ...], Path] = {}
    for run in runs:
        places = {
            (row.suite, row.condition, row.agent, row.task, row.trial) for row in run.outcomes
        }
        for place in places:
            if place in seen:
                raise UsageError(
                    f"{run.folder}: {place[2]} played {place[3]} under the same condition as in "
                    f"{seen[place]}: name one of them"
                )
            seen[place] = run.folder


def _facts(runs: Sequence[ScoredRun], scoring: tuple[str, str]) -> Iterator[tuple[str, str]]:
    manifests = [run.manifest for run in runs]
    yield "runs", _listed(str(run.folder) for run in runs)
    yield "suites", _listed(entry.config.suite for entry in manifests)
    yield "rules", scoring[0]
    yield "judge", scoring[1]
    measures = (each for run in runs for row in run.outcomes for each in row.measures)
    yield "measures", _listed(f"{each.measure} {each.version}" for each in measures)
    clarified = _listed(judge for entry in manifests for judge in entry.clarified.values())
    if clarified:
        yield "clarifications", clarified
    heard = (
        str(voice.get("recognizer", "")) for entry in manifests for voice in entry.voices.values()
    )
    yield "recognizers", _listed(heard)
    yield (
        "data",
        _listed(f"{entry.provenance.source} ({entry.provenance.digest})" for entry in manifests),
    )
    yield "dragoman", _listed(entry.dragoman for entry in manifests)


def _listed(values: Iterator[str]) -> str:
    return ", ".join(dict.fromkeys(value for value in values if value))
