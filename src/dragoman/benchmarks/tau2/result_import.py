"""Import of tau2-bench's result files as runs, with the verdicts of the files."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from dragoman.benchmarks.tau2.result_decoding import (
    Simulation,
    Tau2File,
    compact_json,
    decode_head,
    decode_simulation,
    is_full_duplex,
)
from dragoman.benchmarks.tau2.result_files import (
    UNREADABLE_FIELD,
    RawResults,
    UnreadableSimulation,
    encode_unreadable,
    read_results,
)
from dragoman.benchmarks.tau2.task_matching import (
    Checks,
    RecordedChecks,
    match_tasks,
    recorded_checks,
    recorded_details,
)
from dragoman.benchmarks.tau2.upstream_data import tau2_source
from dragoman.core.conditions import PLAIN, Condition
from dragoman.core.content_keys import content_key
from dragoman.core.episodes import Episode, Message
from dragoman.core.errors import DataError
from dragoman.core.protocols import Limits, Provenance
from dragoman.core.result_files import ImportedCell, ImportedRun, LabelledConversation, LabelledFile
from dragoman.core.rules import TAU2_RULES
from dragoman.core.scores import Score

_VERSION = "imported-cell-1"


class ImportedFile(msgspec.Struct, frozen=True):
    """The part of a file that was imported, with notes on its figures.

    Attributes:
        suite: The suite.
        conversations: Number of imported conversations.
        is_known: Whether the suite is one of ours, so that they can be scored again.
        rematched: Conversations whose recorded checks are those of another task than the one they
            name; they are assigned to that other task.
        dealt: Conversations among these whose task nothing determines.
        mismatched: Conversations whose recorded checks are not those of their assigned task.
        conditions: The conditions that were played, by label, with the number of their
            conversations.
        full_duplex: Full-duplex conversations, which were not imported.
        unknown_languages: Texts in files in place of a language, shortened.
    """

    suite: str
    conversations: int
    is_known: bool
    rematched: int
    mismatched: int
    conditions: dict[str, int] = {}
    full_duplex: int = 0
    unknown_languages: tuple[str, ...] = ()
    dealt: int = 0


class _Placed(msgspec.Struct, frozen=True):
    """A simulation with its place in its file, the task that it played, and its trial."""

    number: int
    record: msgspec.Raw
    task: str
    trial: int


class _Read(msgspec.Struct, frozen=True):
    """The part of a decoded simulation that planning needs, without its conversation."""

    number: int
    record: msgspec.Raw
    id: str
    task: str
    trial: int
    has_trial: bool
    condition: Condition
    checks: Checks
    details: frozenset[str]
    unknown_language: str


class _Plan(msgspec.Struct, frozen=True):
    """The plan for the import of a file.

    It holds its simulations as read, the place of each simulation, and the report on the file.
    """

    read: tuple[_Read, ...]
    placed: tuple[_Placed, ...]
    found: ImportedFile


def read_run(path: Path) -> ImportedRun:
    """Read a result file, or the folder of the form with a file per simulation.

    Raises:
        DataError: If the file is missing, damaged or contradicts itself, or holds only full-duplex
            conversations.
    """
    raw = read_results(path)
    file = decode_head(raw.head, str(path))
    # Everything is decoded before anything is written: a run is imported whole or not at all.
    left_out = _full_duplex(raw, file)
    plan = _plan(raw, file, {each.at for each in left_out})
    info, source = file.info, tau2_source()
    origin = f"tau2-bench {info.git_commit or ''}".strip()
    digest = content_key(*(task.digest for task in file.tasks.values()))
    head = {**raw.head, UNREADABLE_FIELD: encode_unreadable(left_out)} if left_out else raw.head
    return ImportedRun(
        suite=file.suite,
        agents=(info.agent.name,),
        rules=TAU2_RULES.name,
        provenance=Provenance(origin, source.licence, source.notice, digest),
        cells=tuple(_cells(plan.read, plan.placed, file)),
        tasks=dict(file.tasks),
        conversations=lambda: _conversations(plan, file),
        report=plan.found,
        description=tuple(_describe_conditions(plan.found)),
        notes=tuple(_notes(plan.found)),
        user=info.user.name if info.user_info else "",
        trials=info.num_trials or 1,
        seed=info.seed or 0,
        limits=Limits(info.max_steps or Limits().steps, info.max_errors or Limits().errors),
        head=head,
    )


def read_labelled(path: Path) -> LabelledFile:
    """Read the conversations of a file, each with its record; labels are left in the records.

    Raises:
        DataError: If the file is missing, damaged or contradicts itself, or holds only full-duplex
            conversations.
    """
    raw = read_results(path)
    file = decode_head(raw.head, str(path))
    plan = _plan(raw, file, {each.at for each in _full_duplex(raw, file)})
    records = tuple(
        LabelledConversation(played.id, played.task, played.episode)
        for played in _decode_simulations(plan, file)
    )
    return LabelledFile(file.info.domain, records)


def _full_duplex(raw: RawResults, file: Tau2File) -> list[UnreadableSimulation]:
    """Return the simulations that cannot be read, for they are stored as ticks of audio."""
    found = [
        UnreadableSimulation(at, record)
        for at, record in enumerate(raw.simulations)
        if is_full_duplex(record)
    ]
    if found and len(found) == len(raw.simulations):
        raise DataError(
            f"{file.where}: all {len(found)} conversations are full-duplex voice (mode "
            "full_duplex), stored as ticks of audio: these cannot be read yet"
        )
    return found


def _plan(raw: RawResults, file: Tau2File, left_out: set[int]) -> _Plan:
    read = [
        _read(record, at + 1, file)
        for at, record in enumerate(raw.simulations)
        if at not in left_out
    ]
    trials = _trials(read)
    found = match_tasks(
        [
            _collect_recorded_checks(each, trial, file)
            for each, trial in zip(read, trials, strict=True)
        ],
        file.tasks,
    )
    placed = tuple(
        _Placed(each.number, each.record, task, trial)
        for each, task, trial in zip(read, found.tasks, trials, strict=True)
    )
    conditions = Counter(each.condition.label for each in read)
    report = ImportedFile(
        file.suite,
        len(placed),
        file.info.is_known,
        found.moved,
        found.unlike,
        dict(conditions),
        len(left_out),
        tuple(dict.fromkeys(each.unknown_language for each in read if each.unknown_language)),
        found.dealt,
    )
    return _Plan(tuple(read), placed, report)


def _read(record: msgspec.Raw, number: int, file: Tau2File) -> _Read:
    played = decode_simulation(record, number, file)
    return _Read(
        number,
        record,
        played.id,
        played.task.id,
        played.trial,
        played.has_trial,
        played.condition,
        recorded_checks(played.score),
        recorded_details(played.score),
        played.unknown_language,
    )


def _trials(read: Sequence[_Read]) -> list[int]:
    """Return each simulation's trial; where a record names none, the first that is free."""
    taken: dict[tuple[Condition, str], set[int]] = {}
    for each in read:
        of_task = taken.setdefault((each.condition, each.task), set())
        if each.has_trial:
            of_task.add(each.trial)
    trials = []
    for each in read:
        of_task = taken[each.condition, each.task]
        free = (trial for trial in range(len(of_task) + 1) if trial not in of_task)
        trials.append(each.trial if each.has_trial else next(free))
        of_task.add(trials[-1])
    return trials


def _collect_recorded_checks(read: _Read, trial: int, file: Tau2File) -> RecordedChecks:
    return RecordedChecks(
        read.task,
        (read.condition, trial),
        read.checks,
        read.details,
        lambda: _transcribe_replies(read, file),
    )


def _transcribe_replies(read: _Read, file: Tau2File) -> str:
    """Return what was said and called in a simulation, as text."""
    events = decode_simulation(read.record, read.number, file).episode.events
    return msgspec.json.encode(
        [move.reply for move in events if isinstance(move, Message)]
    ).decode()


def _cells(
    read: Sequence[_Read], placed: Sequence[_Placed], file: Tau2File
) -> Iterator[ImportedCell]:
    places: dict[tuple[Condition, str, int], str] = {}
    for each, at in zip(read, placed, strict=True):
        task, place = file.tasks[at.task], (each.condition, at.task, at.trial)
        if place in places:
            raise DataError(
                f"{file.where}: simulations {places[place]} and {each.id} are both "
                f"task {task.id}, trial {at.trial}"
            )
        places[place] = each.id
        source = compact_json(each.record)
        key = content_key(_VERSION, file.suite, task.digest, task.id, at.trial, source)
        yield ImportedCell(key, file.suite, file.info.agent.name, task.id, at.trial, each.condition)


def _conversations(plan: _Plan, file: Tau2File) -> Iterator[tuple[Episode, Score]]:
    for played in _decode_simulations(plan, file):
        yield played.episode, played.score


def _decode_simulations(plan: _Plan, file: Tau2File) -> Iterator[Simulation]:
    for each in plan.placed:
        yield decode_simulation(each.record, each.number, file, each.task)


def _describe_conditions(imported: ImportedFile) -> Iterator[str]:
    """Yield the conditions that files tell, where they tell any."""
    for label, count in imported.conditions.items():
        if len(imported.conditions) > 1 or label != PLAIN.label:
            yield f"played as {label}: {count} of {imported.conversations} conversations"


def _notes(imported: ImportedFile) -> Iterator[str]:
    if not imported.is_known:
        yield (
            f"{imported.suite} is not one of our suites: "
            "it can be shown and compared, not scored again"
        )
    if imported.full_duplex:
        yield (
            "full-duplex voice (mode full_duplex) is stored as ticks of audio, which cannot be "
            "read yet: "
            f"excluded from all figures, and kept for export, are {imported.full_duplex} of "
            f"{imported.full_duplex + imported.conversations} conversations"
        )
    for said in imported.unknown_languages:
        yield f"{said} names no language: conversations that say so stand as English"
    if imported.rematched:
        yield (
            f"the recorded checks of {imported.rematched} conversations are those of another task "
            "than "
            "the one they name: they stand under that task"
        )
    if imported.dealt:
        yield (
            f"{imported.dealt} of these have no recorded checks: they stand under the tasks that "
            "were "
            "left, and which of them is which cannot be told"
        )
    if imported.mismatched:
        yield (
            f"the recorded checks of {imported.mismatched} of {imported.conversations} "
            "conversations "
            "are not those of the task they name, and no task for each fits all of them: names are "
            "kept, and a new score would be by the wrong tasks"
        )
