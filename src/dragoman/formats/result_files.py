"""Import and export of result files of other programs, such as tau2-bench.

An imported run can be shown, compared and scored under any rules. The export of an imported run
starts from the original file, so that unknown fields survive. Only verdicts of another scoring
replace those of the file.
"""

import platform
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from dragoman.composition.conditions.languages import imported_localizations
from dragoman.config.environment import data_folder
from dragoman.config.run_config import RunConfig
from dragoman.core.capabilities import ReadsResults, WritesResults
from dragoman.core.errors import DataError, StoreError, UsageError
from dragoman.core.result_files import (
    ImportedRun,
    PlayedConversation,
    ResultFileFacts,
    ResultFormat,
)
from dragoman.core.rules import RULES
from dragoman.core.scores import IMPORTED, METRIC_VERSION, NO_JUDGE, Score, Scored
from dragoman.core.tasks import Task
from dragoman.core.tools import Toolset
from dragoman.core.version import VERSION
from dragoman.registry.suites import benchmarks, load_suite
from dragoman.runs.manifest import Manifest, read_manifest, spec_keys
from dragoman.runs.plan import conversation_seed
from dragoman.store.conversation_writes import StoredEpisode
from dragoman.store.run_plan import NewRun, StoredCell
from dragoman.store.run_store import RunStore, create_run


def import_run(path: Path, folder: Path, created: float, form: str | None = None) -> ImportedRun:
    """Convert result files to a run, with their own verdicts if they have any.

    Args:
        path: A file or a folder.
        folder: The run's folder, new or empty.
        created: Time of the import, in seconds since the epoch.
        form: The form of replies, if a benchmark's files may have several; None to detect it from
            the replies.

    Raises:
        DataError: If a file is missing, damaged or contradictory, or data are not pulled.
        StoreError: If the run cannot be written.
        UsageError: If the form does not exist.
    """
    read = reader_of(path).read_results(path, data_folder(), form)
    cells = tuple(
        StoredCell(each.key, each.suite, each.condition, each.agent, each.task, each.trial)
        for each in read.cells
    )
    new = NewRun(msgspec.json.encode(_manifest(read, created)), cells, dict(read.tasks))
    conversations = (
        StoredEpisode(cell.key, 0, episode, score)
        for cell, (episode, score) in zip(cells, read.conversations(), strict=True)
    )
    create_run(folder, new, conversations).close()
    return read


def reader_of(path: Path) -> ReadsResults:
    """Return the reader of result files.

    If no file name matches, the first reader that accepts one.
    """
    readers = [each for each in benchmarks() if isinstance(each, ReadsResults)]
    return next((each for each in readers if each.has_results(path)), readers[0])


def _manifest(read: ImportedRun, created: float) -> Manifest:
    config = RunConfig(
        suite=read.suite,
        agents=read.agents,
        rules=read.rules,
        tasks=read.chosen,
        trials=read.trials,
        seed=read.seed,
        max_steps=read.limits.steps,
        max_errors=read.limits.errors,
    )
    if read.user:
        config = msgspec.structs.replace(config, user=read.user)
    return Manifest(
        VERSION,
        platform.python_version(),
        created,
        config,
        NO_JUDGE,
        "",
        read.provenance,
        imported=dict(read.head),
        localization_records=imported_localizations(
            tuple(dict.fromkeys(each.condition for each in read.cells))
        ),
    )


Cells = Mapping[str, StoredCell]


class Exported(msgspec.Struct, frozen=True):
    """A run in the format of result files.

    `simulations` yields each simulation with its id, once.
    """

    head: Mapping[str, msgspec.Raw]
    simulations: Iterator[tuple[str, msgspec.Raw]]


def result_formats() -> dict[str, ResultFormat]:
    """Return the formats of result files that runs can be exported to, by name."""
    formats = [each.result_format() for each in benchmarks() if isinstance(each, WritesResults)]
    return {each.name: each for each in formats}


def export_results(
    store: RunStore, scoring: tuple[str, str], form: ResultFormat, agent: str | None = None
) -> Exported:
    """Return a run as a result file, with the verdicts of a scoring (its rules and judge).

    Raises:
        UsageError: If the run is not of the format's benchmark, or has several agents and none is
            chosen.
    """
    manifest = read_manifest(store)
    cells = _choose_agent_cells(store, form, agent)
    if not cells and (agent is not None or manifest.imported is msgspec.UNSET):
        raise UsageError(f"{store.folder}: no conversation of agent {agent!r}")
    if manifest.imported is msgspec.UNSET:
        if len({cell.condition for cell in cells.values()}) > 1:
            raise UsageError(f"{store.folder}: several conditions: the format has room for one")
        facts = _facts(manifest, next(iter(cells.values())))
        return Exported(form.head(facts, _tasks(store, cells)), _own(store, cells, scoring, form))
    if scoring == (IMPORTED, IMPORTED):
        return Exported(manifest.imported, ((form.id_of(it), it) for _, it in _originals(store)))
    scores = store.scores(*scoring, METRIC_VERSION)
    rewards = {form.id_of(it): _value(scores.get(key)) for key, it in _originals(store)}
    head = form.reindexed(manifest.imported, rewards)
    return Exported(head, _rescore_originals(store, cells, scores, form))


def _choose_agent_cells(
    store: RunStore, form: ResultFormat, agent: str | None
) -> dict[str, StoredCell]:
    """Return, by key, the cells of the single agent that a file can hold."""
    cells = {cell.key: cell for cell in store.cells() if agent in {None, cell.agent}}
    if not all(cell.suite.startswith(f"{form.name}:") for cell in cells.values()):
        raise UsageError(f"{store.folder}: only runs on {form.name} suites have this format")
    agents = {cell.agent for cell in cells.values()}
    if len(agents) > 1:
        names = ", ".join(sorted(agents))
        raise UsageError(f"{store.folder}: several agents played this: choose --agent of {names}")
    return cells


def _tasks(store: RunStore, cells: Cells) -> list[Task]:
    tasks = store.tasks()
    return [tasks[name] for name in dict.fromkeys(cell.task for cell in cells.values())]


def _facts(manifest: Manifest, cell: StoredCell) -> ResultFileFacts:
    config = manifest.config
    policy, tools = _load_policy_and_tools(config)
    return ResultFileFacts(
        suite=cell.suite,
        agent=cell.agent,
        user=config.user or f"partner of {cell.agent}",
        software=f"dragoman {manifest.dragoman}",
        started=manifest.created,
        trials=config.trials,
        limits=config.limits,
        seed=config.seed,
        policy=policy,
        tools=tools,
    )


def _load_policy_and_tools(config: RunConfig) -> tuple[str | None, Toolset | None]:
    """Return the policy and the tools of agents.

    Both are None if the suite's data are not available locally; files are then written without
    them.
    """
    try:
        suite = load_suite(config.suite)
    except DataError:
        return None, None
    task = suite.tasks[0]
    environment = suite.factory(RULES.find(config.rules))(task)
    return suite.policy(task, environment), environment.tools("agent")


def _own(
    store: RunStore, cells: Cells, scoring: tuple[str, str], form: ResultFormat
) -> Iterator[tuple[str, msgspec.Raw]]:
    tasks, scores = store.tasks(), store.scores(*scoring, METRIC_VERSION)
    spec_key = spec_keys(read_manifest(store))
    for key, _, episode in store.episodes():
        if key in cells:
            cell = cells[key]
            played = PlayedConversation(key, tasks[cell.task], cell.trial, episode, scores.get(key))
            yield key, form.conversation(played, conversation_seed(spec_key(cell)))


def _originals(store: RunStore) -> Iterator[tuple[str, msgspec.Raw]]:
    """Yield the original records of an imported run, by cell."""
    for key, _, episode in store.episodes():
        if episode.source is msgspec.UNSET:
            raise StoreError(f"{store.folder}: an imported conversation lost its record")
        yield key, episode.source


def _rescore_originals(
    store: RunStore, cells: Cells, scores: Mapping[str, Score], form: ResultFormat
) -> Iterator[tuple[str, msgspec.Raw]]:
    tasks = store.tasks()
    for key, source in _originals(store):
        task = tasks[cells[key].task]
        yield form.id_of(source), form.rescored(source, task, scores.get(key))


def _value(score: Score | None) -> float | None:
    return score.reward.value if score is not None and isinstance(score.reward, Scored) else None
