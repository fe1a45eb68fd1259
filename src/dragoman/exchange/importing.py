"""Result files of other programs become runs, to be shown, compared and scored by any rules."""

import platform
from pathlib import Path

import msgspec

from dragoman.composition.conditions.languages import imported_localizations
from dragoman.config.environment import data_folder
from dragoman.config.run_config import RunConfig
from dragoman.core.capabilities import ReadsResults
from dragoman.core.result_files import ImportedRun
from dragoman.core.scores import NO_JUDGE
from dragoman.core.version import VERSION
from dragoman.registry.suites import benchmarks
from dragoman.runs.jobs import Manifest
from dragoman.store.conversation_writes import StoredEpisode
from dragoman.store.run_store import NewRun, StoredCell, create_run


def import_run(path: Path, folder: Path, created: float, form: str | None = None) -> ImportedRun:
    """Make a run of result files, with their own verdicts where they have any.

    Args:
        path: A file or a folder.
        folder: The run's folder, new or empty.
        created: When this is done, in seconds since the epoch.
        form: The form of replies, where a benchmark's files may have several; None to be told from
            the replies.

    Raises:
        DataError: Where a file is missing, damaged or contradicts itself, or data are not pulled.
        StoreError: Where the run cannot be written.
        UsageError: Where there is no such form.
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
    """Return whose result files there are; where no name tells, the first that reads any at all."""
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
        realised=imported_localizations(
            tuple(dict.fromkeys(each.condition for each in read.cells))
        ),
    )
