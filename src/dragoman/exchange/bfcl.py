"""Makes a run of BFCL's own result files, to be shown, compared and scored by any rules."""

import platform
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.benchmarks.bfcl.entries.single import SINGLE_TURN, UNANSWERED, Entry
from dragoman.benchmarks.bfcl.pulled import pulled_suite
from dragoman.benchmarks.bfcl.reply_forms import Answered, Reading, reading_of, reply_of_result
from dragoman.benchmarks.bfcl.result_files import Line, ResultFile, read_lines
from dragoman.benchmarks.bfcl.single.suite import SingleTurnSuite
from dragoman.benchmarks.bfcl.suite import GROUPS
from dragoman.core.conditions import PLAIN
from dragoman.core.episodes import Ending, Episode, Event, Move
from dragoman.core.errors import DataError
from dragoman.core.keys import content_key
from dragoman.core.protocols import Suite
from dragoman.core.rules import BFCL_RULES
from dragoman.core.scores import NO_JUDGE
from dragoman.core.speech import Called, say
from dragoman.core.tasks import Task
from dragoman.core.version import VERSION
from dragoman.runs.jobs import Manifest
from dragoman.store.run import NewRun, StoredCell, StoredEpisode, create_run
from dragoman.wiring.config import RunConfig
from dragoman.wiring.environment import data_folder

_VERSION = "imported-bfcl-1"


FAULT = "Error during inference:"
"""How upstream's program begins what it stores where a model could not be reached."""


class FileReading(msgspec.Struct, frozen=True):
    """In how many of a category's replies calls could be read."""

    category: str
    replies: int
    read: int

    @property
    def is_mostly_unreadable(self) -> bool:
        """Whether most replies hold no calls that were read, though calls are asked for."""
        asks = self.category not in UNANSWERED
        return asks and 2 * self.read < self.replies


class ModelReading(msgspec.Struct, frozen=True):
    """The form in which a model's replies were read, and how many speak for which form."""

    model: str
    form: str
    spoken_for: Mapping[str, int]
    files: tuple[FileReading, ...]


class Imported(msgspec.Struct, frozen=True):
    """What came in and how it was read, and the categories that did not come in."""

    conversations: int
    infrastructure_errors: int
    left_out: tuple[str, ...]
    models: tuple[ModelReading, ...]


class _Played(msgspec.Struct, frozen=True):
    agent: str
    task: Task
    line: Line
    episode: Episode


def import_bfcl(
    files: Sequence[ResultFile], folder: Path, created: float, form: str | None = None
) -> Imported:
    """Make a run of result files; answers are matched to entries by id.

    Args:
        files: The files, of one model or several.
        folder: The run's folder, new or empty.
        created: When this is done, in seconds since the epoch.
        form: The form of models' texts (see `TEXT_FORMS`); told from the texts where it is None.

    Raises:
        DataError: Where a file is damaged, has an entry twice or one that does not exist, or where
            BFCL's data are not pulled.
        StoreError: Where the run cannot be written.
        UsageError: Where there is no such form.
    """
    known = [file for file in files if file.category in SINGLE_TURN]
    left_out = tuple(sorted({file.category for file in files if file.category not in SINGLE_TURN}))
    if not known:
        raise DataError(f"{files[0].path}: results of {', '.join(left_out)} cannot be imported")
    suite = pulled_suite(_group({file.category for file in known}), data_folder())
    if not isinstance(suite, SingleTurnSuite):
        raise DataError(f"{suite.name}: results of several turns cannot be imported")
    played: list[_Played] = []
    models = []
    entries = {entry.task.id: entry for entry in suite.entries}
    for model in dict.fromkeys(file.model for file in known):
        lines = _lines([file for file in known if file.model == model], entries)
        asked = [Answered(entries[name].question, line.result) for name, line in lines.items()]
        reading = reading_of(asked, model, form)
        found = [_played(model, entries[name], line, reading.form) for name, line in lines.items()]
        models.append(_model_reading(model, reading, found))
        played += found
    cells = [_cell(entry, suite) for entry in played]
    tasks = {entry.task.id: entry.task for entry in played}
    new = NewRun(msgspec.json.encode(_manifest(suite, played, created)), tuple(cells), tasks)
    pairs = zip(cells, played, strict=True)
    conversations = (StoredEpisode(cell.key, 0, entry.episode) for cell, entry in pairs)
    create_run(folder, new, conversations).close()
    faults = sum(entry.episode.is_fault for entry in played)
    return Imported(len(played), faults, left_out, tuple(models))


def _group(categories: set[str]) -> str:
    """Return the smallest suite that has these categories."""
    if len(categories) == 1:
        return min(categories)
    fitting = [name for name, names in GROUPS.items() if categories <= set(names)]
    if not fitting:
        raise DataError(f"{', '.join(sorted(categories))}: import these one by one")
    return min(fitting, key=lambda name: len(GROUPS[name]))


def _played(model: str, entry: Entry, line: Line, form: str) -> _Played:
    """Return the conversation as the benchmark plays it, with the reply that was stored."""
    task = entry.task
    words = [message for turn in task.turns for message in turn.messages]
    spoken: list[Event] = [Move("user", say(text), scripted=True) for text in words]
    fault = _fault(line.result)
    if not fault:
        reply = reply_of_result(Answered(entry.question, line.result), form)
        spoken.append(Move("agent", reply, call_form=form))
    episode = Episode(
        (*task.history, *spoken),
        Ending("infrastructure_error", fault) if fault else Ending("turns_done"),
        steps=len(spoken),
        errors=0,
        usage=(line.usage,),
        seconds=line.usage.seconds,
        source=line.source,
    )
    return _Played(model, task, line, episode)


def _fault(result: object) -> str:
    """Return what kept a model from answering; "" where it answered."""
    return result[:500] if isinstance(result, str) and result.startswith(FAULT) else ""


def _model_reading(model: str, reading: Reading, played: Sequence[_Played]) -> ModelReading:
    counts: dict[str, list[bool]] = {}
    for entry in played:
        if not entry.episode.is_fault:
            category = entry.task.suite.partition(":")[2]
            last = entry.episode.events[-1]
            is_read = isinstance(last, Move) and isinstance(last.reply, Called)
            counts.setdefault(category, []).append(is_read)
    files = tuple(FileReading(name, len(read), sum(read)) for name, read in counts.items())
    return ModelReading(model, reading.form, reading.spoken_for, files)


def _lines(files: Sequence[ResultFile], entries: Mapping[str, Entry]) -> dict[str, Line]:
    """Return a model's lines by entry."""
    lines: dict[str, Line] = {}
    for file in files:
        found = read_lines(file)
        _require_whole(file, found, entries)
        for line in found:
            if line.id not in entries or line.id in lines:
                what = "twice" if line.id in lines else "no entry of BFCL"
                raise DataError(f"{file.path}: {line.id!r:.80}: {what}")
            lines[line.id] = line
    return lines


def _require_whole(file: ResultFile, lines: Sequence[Line], entries: Mapping[str, Entry]) -> None:
    """Refuse lines without ids unless there is one for each of a category's entries."""
    size = sum(entry.question.category == file.category for entry in entries.values())
    if any(line.is_placed for line in lines) and len(lines) != size:
        raise DataError(
            f"{file.path}: lines without ids, {len(lines)} for {size} entries: it cannot be told which "
            "is which"
        )


def _cell(played: _Played, suite: Suite) -> StoredCell:
    task = played.task
    key = content_key(
        _VERSION, task.suite, task.digest, played.agent, played.line.source, suite.provenance.digest
    )
    return StoredCell(key, task.suite, PLAIN, played.agent, task.id, 0)


def _manifest(suite: Suite, played: Sequence[_Played], created: float) -> Manifest:
    ids = tuple(dict.fromkeys(entry.task.id for entry in played))
    config = RunConfig(
        suite=suite.name,
        agents=tuple(dict.fromkeys(entry.agent for entry in played)),
        rules=BFCL_RULES.name,
        tasks=() if len(ids) == len(suite.tasks) else ids,
    )
    return Manifest(
        VERSION,
        platform.python_version(),
        created,
        config,
        NO_JUDGE,
        "",
        suite.provenance,
        imported={},
    )
