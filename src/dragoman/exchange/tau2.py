"""Runs of tau2-bench come in, to be shown, compared and scored again; runs of ours go out.

An imported simulation keeps its record whole, and a run the rest of its file: an export starts from
them, so that what we do not know survives. Only verdicts of another scoring take the place of theirs.
"""

import platform
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from dragoman.benchmarks.tau2.export import RunFacts, encode_head, encode_simulation
from dragoman.benchmarks.tau2.results import (
    ResultFile,
    Simulation,
    decode_head,
    decode_simulation,
)
from dragoman.benchmarks.tau2.suite import DomainSuite
from dragoman.benchmarks.tau2.upstream import tau2_source
from dragoman.benchmarks.tau2.verdicts import encode_reward, unscored
from dragoman.core.conditions import PLAIN
from dragoman.core.errors import DataError, StoreError, UsageError
from dragoman.core.keys import content_key
from dragoman.core.protocols import Provenance
from dragoman.core.rules import TAU2_RULES
from dragoman.core.scores import IMPORTED, METRIC_VERSION, NO_JUDGE, Score, Scored
from dragoman.core.tasks import Task
from dragoman.core.version import VERSION
from dragoman.exchange.result_files import INDEX, RawResults, read_results
from dragoman.runs.jobs import Manifest, read_manifest
from dragoman.runs.plan import conversation_seed
from dragoman.store.run import NewRun, RunStore, StoredCell, StoredEpisode, create_run
from dragoman.wiring.config import RunConfig
from dragoman.wiring.suites import load_suite

_VERSION = "imported-cell-1"
_PREFIX = "tau2:"

Cells = Mapping[str, StoredCell]


class Exported(msgspec.Struct, frozen=True):
    """A run in the format of result files; `simulations` yields each with its id, once."""

    head: Mapping[str, msgspec.Raw]
    simulations: Iterator[tuple[str, msgspec.Raw]]


class ImportedFile(msgspec.Struct, frozen=True):
    """What came in of a file, and what to know before its figures.

    `rematched` counts conversations whose recorded checks are those of another task than the one they
    name: they stand under that other task. `mismatched` counts those where no one task has the checks.
    """

    suite: str
    conversations: int
    is_known: bool
    rematched: int
    mismatched: int


def import_results(path: Path, folder: Path, created: float) -> ImportedFile:
    """Make a run of a result file, with the file's own verdicts.

    Args:
        path: The file, or the folder of the form with a file per simulation.
        folder: The run's folder, new or empty.
        created: When this is done, in seconds since the epoch.

    Raises:
        DataError: Where the file is missing, damaged or contradicts itself.
        StoreError: Where the run cannot be written.
    """
    raw = read_results(path)
    file = decode_head(raw.head, str(path))
    # Everything is decoded before anything is written: a run is imported whole or not at all.
    cells, found = _plan(raw, file)
    new = NewRun(msgspec.json.encode(_manifest(raw, file, created)), tuple(cells), dict(file.tasks))
    create_run(folder, new, _entries(raw, file, cells)).close()
    return found


def _plan(raw: RawResults, file: ResultFile) -> tuple[list[StoredCell], ImportedFile]:
    places: dict[tuple[str, int], str] = {}
    cells = []
    rematched = mismatched = 0
    for number, record in enumerate(raw.simulations, 1):
        played = decode_simulation(record, number, file)
        rematched += played.is_rematched
        mismatched += played.has_other_checks
        task, place = played.task, (played.task.id, played.trial)
        if place in places:
            raise DataError(
                f"{file.where}: simulations {places[place]} and {played.id} are both "
                f"task {task.id}, trial {played.trial}"
            )
        places[place] = played.id
        key = content_key(_VERSION, file.suite, task.digest, *place, played.episode.source)
        condition, agent = PLAIN, file.info.agent_info.name
        cells.append(StoredCell(key, file.suite, condition, agent, *place))
    found = ImportedFile(file.suite, len(cells), file.info.is_known, rematched, mismatched)
    return cells, found


def _entries(raw: RawResults, file: ResultFile, cells: list[StoredCell]) -> Iterator[StoredEpisode]:
    for number, (record, cell) in enumerate(zip(raw.simulations, cells, strict=True), 1):
        played = decode_simulation(record, number, file)
        yield StoredEpisode(cell.key, 0, played.episode, played.score)


def _manifest(raw: RawResults, file: ResultFile, created: float) -> Manifest:
    info, source = file.info, tau2_source()
    config = RunConfig(
        suite=file.suite,
        agents=(info.agent_info.name,),
        user=info.user_info.name,
        rules=TAU2_RULES.name,
        trials=info.num_trials,
        seed=info.seed or 0,
        max_steps=info.max_steps,
        max_errors=info.max_errors,
    )
    origin = f"tau2-bench {info.git_commit}".strip()
    digest = content_key(*(task.digest for task in file.tasks.values()))
    return Manifest(
        VERSION,
        platform.python_version(),
        created,
        config,
        NO_JUDGE,
        "",
        Provenance(origin, source.licence, source.notice, digest),
        imported=dict(raw.head),
    )


def export_results(store: RunStore, scoring: tuple[str, str], agent: str | None = None) -> Exported:
    """Return a run as a result file, with the verdicts of a scoring (its rules and judge).

    Raises:
        UsageError: Where the run is none of tau2-bench, or of several agents and none is chosen.
    """
    cells = _chosen(store, agent)
    manifest = read_manifest(store)
    if manifest.imported is msgspec.UNSET:
        facts = _facts(manifest, next(iter(cells.values())))
        return Exported(encode_head(facts, _played(store, cells)), _own(store, cells, scoring))
    if scoring == (IMPORTED, IMPORTED):
        return Exported(manifest.imported, ((_id(it), it) for _, it in _originals(store)))
    head = dict(manifest.imported)
    if INDEX in head:
        head[INDEX] = _reindexed(head[INDEX], store, scoring)
    return Exported(head, _rescored(store, cells, scoring))


def _chosen(store: RunStore, agent: str | None) -> dict[str, StoredCell]:
    """Return by key the cells of the one agent and condition that a file can hold."""
    cells = {cell.key: cell for cell in store.cells() if agent in {None, cell.agent}}
    if not cells:
        raise UsageError(f"{store.folder}: no conversation of agent {agent!r}")
    if not all(cell.suite.startswith(_PREFIX) for cell in cells.values()):
        raise UsageError(f"{store.folder}: only runs on tau2 suites have this format")
    agents = {cell.agent for cell in cells.values()}
    if len(agents) > 1:
        names = ", ".join(sorted(agents))
        raise UsageError(f"{store.folder}: several agents played this: choose --agent of {names}")
    if len({cell.condition for cell in cells.values()}) > 1:
        raise UsageError(f"{store.folder}: several conditions: the format has room for one")
    return cells


def _played(store: RunStore, cells: Cells) -> list[Task]:
    tasks = store.tasks()
    return [tasks[name] for name in dict.fromkeys(cell.task for cell in cells.values())]


def _facts(manifest: Manifest, cell: StoredCell) -> RunFacts:
    config, suite = manifest.config, _suite_at_hand(manifest.config.suite)
    return RunFacts(
        suite=cell.suite,
        agent=cell.agent,
        user=config.user or f"partner of {cell.agent}",
        software=f"dragoman {manifest.dragoman}",
        started=manifest.created,
        trials=config.trials,
        limits=config.limits,
        seed=config.seed,
        policy=None if suite is None else suite.policy_text,
        tools=None if suite is None else suite.toolsets["agent"],
    )


def _suite_at_hand(name: str) -> DomainSuite | None:
    """Return a suite, or None where its data are not pulled: a run is exported without them."""
    try:
        suite = load_suite(name)
    except DataError:
        return None
    return suite if isinstance(suite, DomainSuite) else None


def _own(
    store: RunStore, cells: Cells, scoring: tuple[str, str]
) -> Iterator[tuple[str, msgspec.Raw]]:
    tasks, scores = store.tasks(), store.scores(*scoring, METRIC_VERSION)
    for key, _, episode in store.episodes():
        if key in cells:
            cell = cells[key]
            score = scores.get(key, unscored("not scored yet"))
            played = Simulation(key, tasks[cell.task], cell.trial, episode, score)
            yield key, encode_simulation(played, conversation_seed(key))


def _originals(store: RunStore) -> Iterator[tuple[str, msgspec.Raw]]:
    """Yield by cell the records that an imported run was read from."""
    for key, _, episode in store.episodes():
        if episode.source is msgspec.UNSET:
            raise StoreError(f"{store.folder}: an imported conversation lost its record")
        yield key, episode.source


def _rescored(
    store: RunStore, cells: Cells, scoring: tuple[str, str]
) -> Iterator[tuple[str, msgspec.Raw]]:
    tasks, scores = store.tasks(), store.scores(*scoring, METRIC_VERSION)
    for key, source in _originals(store):
        fields = msgspec.json.decode(source, type=dict[str, msgspec.Raw])
        reward = encode_reward(scores.get(key), tasks[cells[key].task].criteria)
        fields["reward_info"] = msgspec.Raw(msgspec.json.encode(reward))
        yield _id(source), msgspec.Raw(msgspec.json.encode(fields))


def _reindexed(index: msgspec.Raw, store: RunStore, scoring: tuple[str, str]) -> msgspec.Raw:
    """Return a file's index of simulations with the rewards of another scoring."""
    scores = store.scores(*scoring, METRIC_VERSION)
    rewards = {_id(source): _value(scores.get(key)) for key, source in _originals(store)}
    entries = msgspec.json.decode(index, type=list[dict[str, msgspec.Raw]])
    for entry in entries:
        name = msgspec.json.decode(entry["id"], type=str)
        entry["reward"] = msgspec.Raw(msgspec.json.encode(rewards.get(name)))
    return msgspec.Raw(msgspec.json.encode(entries))


def _value(score: Score | None) -> float | None:
    return score.reward.value if score is not None and isinstance(score.reward, Scored) else None


class _Named(msgspec.Struct):
    id: str


def _id(record: msgspec.Raw) -> str:
    return msgspec.json.decode(record, type=_Named).id
