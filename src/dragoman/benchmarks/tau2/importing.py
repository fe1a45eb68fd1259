"""Result files of tau2-bench as runs, with the files' own verdicts.

A simulation keeps its record whole, and a run the rest of its file, so that what we do not know
survives an export.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from dragoman.benchmarks.tau2.result_files import RawResults, read_results
from dragoman.benchmarks.tau2.results import Tau2File, decode_head, decode_simulation
from dragoman.benchmarks.tau2.upstream import tau2_source
from dragoman.core.episodes import Episode
from dragoman.core.errors import DataError
from dragoman.core.keys import content_key
from dragoman.core.labelled import LabelledRecord, LabelledRecords
from dragoman.core.protocols import Limits, Provenance
from dragoman.core.result_files import ReadCell, ReadRun
from dragoman.core.rules import TAU2_RULES
from dragoman.core.scores import Score

_VERSION = "imported-cell-1"


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


def read_run(path: Path) -> ReadRun:
    """Read a result file, or the folder of the form with a file per simulation.

    Raises:
        DataError: Where the file is missing, damaged or contradicts itself.
    """
    raw = read_results(path)
    file = decode_head(raw.head, str(path))
    # Everything is decoded before anything is written: a run is imported whole or not at all.
    cells, found = _plan(raw, file)
    info, source = file.info, tau2_source()
    origin = f"tau2-bench {info.git_commit}".strip()
    digest = content_key(*(task.digest for task in file.tasks.values()))
    return ReadRun(
        suite=file.suite,
        agents=(info.agent_info.name,),
        rules=TAU2_RULES.name,
        provenance=Provenance(origin, source.licence, source.notice, digest),
        cells=cells,
        tasks=dict(file.tasks),
        conversations=lambda: _conversations(raw, file),
        report=found,
        notes=tuple(_notes(found)),
        user=info.user_info.name,
        trials=info.num_trials,
        seed=info.seed or 0,
        limits=Limits(info.max_steps, info.max_errors),
        head=raw.head,
    )


def read_labelled(path: Path) -> LabelledRecords:
    """Read the conversations of a file, each with its record; labels are left in the records.

    Raises:
        DataError: Where the file is missing, damaged or contradicts itself.
    """
    raw = read_results(path)
    file = decode_head(raw.head, str(path))
    played = (decode_simulation(each, at, file) for at, each in enumerate(raw.simulations, 1))
    records = tuple(LabelledRecord(each.id, each.task, each.episode) for each in played)
    return LabelledRecords(file.info.domain, records)


def _plan(raw: RawResults, file: Tau2File) -> tuple[list[ReadCell], ImportedFile]:
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
        cells.append(ReadCell(key, file.suite, file.info.agent_info.name, *place))
    found = ImportedFile(file.suite, len(cells), file.info.is_known, rematched, mismatched)
    return cells, found


def _conversations(raw: RawResults, file: Tau2File) -> Iterator[tuple[Episode, Score]]:
    for number, record in enumerate(raw.simulations, 1):
        played = decode_simulation(record, number, file)
        yield played.episode, played.score


def _notes(imported: ImportedFile) -> Iterator[str]:
    if not imported.is_known:
        yield f"{imported.suite} is no suite of ours: it can be shown and compared, not scored again"
    if imported.rematched:
        yield (
            f"the recorded checks of {imported.rematched} conversations are those of another task than "
            "the one they name: they stand under that task"
        )
    if imported.mismatched:
        yield (
            f"the recorded checks of {imported.mismatched} conversations are not those of their task: "
            "their tasks may have been other ones"
        )
