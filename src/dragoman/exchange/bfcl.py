"""Makes a run of BFCL's own result files, to be shown, compared and scored by any rules."""

import platform
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.benchmarks.bfcl.entries.single import SINGLE_TURN, Entry
from dragoman.benchmarks.bfcl.pulled import pulled_suite
from dragoman.benchmarks.bfcl.result_files import (
    Line,
    ResultFile,
    call_form,
    has_dotted_names,
    kind_of,
    read_lines,
    reply_of_result,
)
from dragoman.benchmarks.bfcl.single.suite import SingleTurnSuite
from dragoman.benchmarks.bfcl.suite import GROUPS
from dragoman.core.conditions import PLAIN
from dragoman.core.episodes import Ending, Episode, Event, Move
from dragoman.core.errors import DataError
from dragoman.core.keys import content_key
from dragoman.core.protocols import Suite
from dragoman.core.rules import BFCL_RULES
from dragoman.core.scores import NO_JUDGE
from dragoman.core.speech import say
from dragoman.core.tasks import Task
from dragoman.core.version import VERSION
from dragoman.runs.jobs import Manifest
from dragoman.store.run import NewRun, StoredCell, StoredEpisode, create_run
from dragoman.wiring.config import RunConfig
from dragoman.wiring.environment import data_folder

_VERSION = "imported-bfcl-1"


class Imported(msgspec.Struct, frozen=True):
    """What came in, and the categories that did not."""

    conversations: int
    left_out: tuple[str, ...]


class _Played(msgspec.Struct, frozen=True):
    agent: str
    form: str
    task: Task
    line: Line


def import_bfcl(files: Sequence[ResultFile], folder: Path, created: float) -> Imported:
    """Make a run of result files; answers are matched to entries by id.

    Raises:
        DataError: Where a file is damaged, has an entry twice or one that does not exist, or where
            BFCL's data are not pulled.
        StoreError: Where the run cannot be written.
    """
    known = [file for file in files if file.category in SINGLE_TURN]
    left_out = tuple(sorted({file.category for file in files if file.category not in SINGLE_TURN}))
    if not known:
        raise DataError(f"{files[0].path}: results of {', '.join(left_out)} cannot be imported")
    suite = pulled_suite(_group({file.category for file in known}), data_folder())
    if not isinstance(suite, SingleTurnSuite):
        raise DataError(f"{suite.name}: results of several turns cannot be imported")
    played = list(_plays(known, {entry.task.id: entry for entry in suite.entries}))
    cells = [_cell(entry, suite) for entry in played]
    tasks = {entry.task.id: entry.task for entry in played}
    new = NewRun(msgspec.json.encode(_manifest(suite, played, created)), tuple(cells), tasks)
    with create_run(folder, new) as store:
        pairs = zip(cells, played, strict=True)
        store.put(StoredEpisode(cell.key, 0, _episode(entry)) for cell, entry in pairs)
    return Imported(len(played), left_out)


def _group(categories: set[str]) -> str:
    """Return the smallest suite that has these categories."""
    if len(categories) == 1:
        return min(categories)
    fitting = [name for name, names in GROUPS.items() if categories <= set(names)]
    if not fitting:
        raise DataError(f"{', '.join(sorted(categories))}: import these one by one")
    return min(fitting, key=lambda name: len(GROUPS[name]))


def _plays(files: Sequence[ResultFile], entries: Mapping[str, Entry]) -> Iterator[_Played]:
    for model in dict.fromkeys(file.model for file in files):
        lines = _lines([file for file in files if file.model == model], entries)
        results = [line.result for line in lines.values()]
        offered = ([function.name for function in entries[name].documents] for name in lines)
        dotted = has_dotted_names(zip(results, offered, strict=True))
        form = call_form(kind_of(results, model), dotted=dotted)
        for name, line in lines.items():
            yield _Played(model, form, entries[name].task, line)


def _lines(files: Sequence[ResultFile], entries: Mapping[str, Entry]) -> dict[str, Line]:
    """Return a model's lines by entry."""
    lines: dict[str, Line] = {}
    for file in files:
        for line in read_lines(file):
            if line.id not in entries or line.id in lines:
                what = "twice" if line.id in lines else "no entry of BFCL"
                raise DataError(f"{file.path}: {line.id!r:.80}: {what}")
            lines[line.id] = line
    return lines


def _cell(played: _Played, suite: Suite) -> StoredCell:
    task = played.task
    key = content_key(
        _VERSION, task.suite, task.digest, played.agent, played.line.source, suite.provenance.digest
    )
    return StoredCell(key, task.suite, PLAIN, played.agent, task.id, 0)


def _episode(played: _Played) -> Episode:
    """Return the conversation as the benchmark plays it, with the reply that was stored."""
    task, form = played.task, played.form
    words = [message for turn in task.turns for message in turn.messages]
    spoken: list[Event] = [Move("user", say(text), scripted=True) for text in words]
    reply = Move("agent", reply_of_result(played.line.result, form), call_form=form)
    events = (*task.history, *spoken, reply)
    line = played.line
    return Episode(
        events,
        Ending("turns_done"),
        steps=len(spoken) + 1,
        errors=0,
        usage=(line.usage,),
        seconds=line.usage.seconds,
        source=line.source,
    )


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
