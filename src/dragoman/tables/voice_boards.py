"""The grid of voices of stored runs: one board over one or several, by one scoring."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from dragoman.analysis.cells import Outcome
from dragoman.analysis.voice.board import VoiceBoard, voice_board
from dragoman.analysis.voice.ways import TaskId, is_spoken
from dragoman.core.aggregates import NO_LEADERBOARD, Leaderboard, spoken_part
from dragoman.core.conditions import TEXT
from dragoman.core.errors import UsageError
from dragoman.core.measures import Declared
from dragoman.runs.jobs import Manifest, read_manifest
from dragoman.store.run import RunStore, open_run
from dragoman.tables.leaderboard import leaderboard_of
from dragoman.tables.outcomes import chosen_scoring, outcomes


class VoiceResults(msgspec.Struct, frozen=True):
    """A board with what it was made of: labels and values."""

    board: VoiceBoard
    facts: tuple[tuple[str, str], ...]


class _Run(msgspec.Struct, frozen=True):
    """One run, read."""

    folder: Path
    scoring: tuple[str, str]
    manifest: Manifest
    outcomes: tuple[Outcome, ...]
    digests: dict[TaskId, str]
    declared: dict[str, Declared]


def voice_results(folders: Sequence[Path], rules: str | None, judge: str | None) -> VoiceResults:
    """Return the board of all runs together.

    Raises:
        UsageError: Where nobody spoke in them, a conversation is in two of them, or they were not
            scored alike.
        StoreError: Where a run cannot be read.
    """
    runs = [_read(folder, rules, judge) for folder in folders]
    scoring = _one_scoring(runs)
    _require_distinct(runs)
    rows = [row for run in runs for row in run.outcomes]
    if not is_spoken(rows):
        raise UsageError(
            f"{', '.join(str(run.folder) for run in runs)}: nobody spoke: play with --voice"
        )
    digests = {place: digest for run in runs for place, digest in run.digests.items()}
    declared = {name: entry for run in runs for name, entry in run.declared.items()}
    board = spoken_leaderboard(row.suite for row in rows)
    return VoiceResults(
        voice_board(rows, digests, declared, scoring, board), tuple(_facts(runs, scoring))
    )


def spoken_leaderboard(suites: Iterable[str]) -> Leaderboard:
    """Return how aggregates of suites are made that are spoken; of several benchmarks there are none."""
    names = {suite.partition(":")[0] for suite in suites}
    found = leaderboard_of(names.pop()) if len(names) == 1 else None
    return NO_LEADERBOARD if found is None else spoken_part(found)


def stored_board(store: RunStore, rules: str, judge: str) -> VoiceBoard | None:
    """Return the board of one run by one scoring; None where nobody spoke in it."""
    if not any(cell.condition.voice != TEXT for cell in store.cells()):
        return None
    rows = tuple(outcomes(store, rules, judge, heads_only=True))
    board = spoken_leaderboard(row.suite for row in rows)
    return voice_board(rows, _digests(store), store.declared(), (rules, judge), board)


def _read(folder: Path, rules: str | None, judge: str | None) -> _Run:
    with open_run(folder, write=False) as store:
        scoring = chosen_scoring(store, rules, judge)
        return _Run(
            folder,
            scoring,
            read_manifest(store),
            tuple(outcomes(store, *scoring, heads_only=True)),
            _digests(store),
            store.declared(),
        )


def _digests(store: RunStore) -> dict[TaskId, str]:
    return {(task.suite, task.id): task.digest for task in store.tasks().values()}


def _one_scoring(runs: Sequence[_Run]) -> tuple[str, str]:
    found = dict.fromkeys(run.scoring for run in runs)
    if len(found) > 1:
        named = " and ".join(f"rules {rules} with judge {judge}" for rules, judge in found)
        raise UsageError(f"the runs were scored by {named}: choose --rules and --judge")
    return runs[0].scoring


def _require_distinct(runs: Sequence[_Run]) -> None:
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


def _facts(runs: Sequence[_Run], scoring: tuple[str, str]) -> Iterator[tuple[str, str]]:
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
