"""Run folders of MM-tau-p2's code become runs: text and voice of each task, without verdicts."""

import platform
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from dragoman.benchmarks.kit.turn_protocols import GREETING
from dragoman.config.run_config import RunConfig
from dragoman.core.conditions import PLAIN, Condition, condition_from
from dragoman.core.content_keys import content_key
from dragoman.core.episodes import Episode, Event, Message, Termination
from dragoman.core.errors import DataError, UsageError
from dragoman.core.protocols import Provenance
from dragoman.core.replies import TextReply, Utterance
from dragoman.core.rules import DEFAULT_RULES
from dragoman.core.scores import NO_JUDGE
from dragoman.core.tasks import Scenario, Task
from dragoman.core.tools import Role, ToolResult
from dragoman.core.version import VERSION
from dragoman.exchange.mm_tau_folders.layout import (
    ASSISTANT,
    TOOL,
    FolderMessage,
    FolderNote,
    FolderTask,
    read_note,
    read_tasks,
)
from dragoman.registry.suites import load_suite
from dragoman.runs.jobs import Manifest
from dragoman.store.conversation_writes import StoredEpisode
from dragoman.store.run_store import NewRun, StoredCell, create_run

SPOKEN = "spoken"
"""The voice of conversations of which a folder does not say how they were spoken."""

_VERSION = "mm-tau-p2-folder-1"
_AGENT = "their-agent"


class ImportedFolders(msgspec.Struct, frozen=True):
    """What came in: conversations in text and by voice, and tasks that are not the suite's."""

    suite: str
    conversations: int
    tasks: int
    unknown: int


def import_run_folder(
    path: Path, folder: Path, created: float, suite: str | None = None
) -> ImportedFolders:
    """Make a run of a run folder.

    Args:
        path: The folder with a folder for each task.
        folder: The run's folder, new or empty.
        created: When this is done, in seconds since the epoch.
        suite: What was played; None for what a folder of ours says.

    Raises:
        DataError: Where a file is missing or damaged.
        StoreError: Where the run cannot be written.
        UsageError: Where nobody says what was played.
    """
    note, found = read_note(path), read_tasks(path)
    if not found:
        raise DataError(f"{path}: no task in it")
    name = suite or ("" if note is None else note.suite)
    if not name:
        raise UsageError(
            f"{path}: a run folder of MM-tau-p2 does not say what was played: --suite tau2:telecom, "
            "or another"
        )
    known = {task.id: task for task in load_suite(name).tasks}
    origin = _Origin(name, note, {each.name: _task(name, each.name, note, known) for each in found})
    pairs = [pair for each in found for pair in origin.conversations(each)]
    cells = tuple(cell for cell, _ in pairs)
    tasks = {task.id: task for task in origin.tasks.values()}
    if len(tasks) < len(found):
        raise DataError(f"{path}: two of its folders are the same task")
    new = NewRun(msgspec.json.encode(_manifest(origin, created)), cells, tasks)
    create_run(
        folder, new, [StoredEpisode(cell.key, 0, episode) for cell, episode in pairs]
    ).close()
    return ImportedFolders(name, len(cells), len(found), sum(task not in known for task in tasks))


class _Origin(msgspec.Struct, frozen=True):
    """Where conversations are from: suite, what the folder says of itself, and tasks by folder."""

    suite: str
    note: FolderNote | None
    tasks: dict[str, Task]

    @property
    def agent(self) -> str:
        """Who played."""
        return _AGENT if self.note is None else self.note.agent

    def conversations(self, found: FolderTask) -> Iterator[tuple[StoredCell, Episode]]:
        """Yield a task's conversation in text, and the one by voice."""
        text, voice = self._conditions()
        yield self._cell(found.name, text), _episode(found.text, found.text)
        yield self._cell(found.name, voice), _episode(found.intended, found.heard)

    def _conditions(self) -> tuple[Condition, Condition]:
        if self.note is None:
            return PLAIN, PLAIN.with_axes(voice=SPOKEN)
        return condition_from(self.note.text), condition_from(self.note.condition)

    def _cell(self, name: str, condition: Condition) -> StoredCell:
        task = self.tasks[name]
        trial = 0 if self.note is None else self.note.trial
        key = content_key(_VERSION, self.suite, task.digest, task.id, condition.label, trial)
        return StoredCell(key, self.suite, condition, self.agent, task.id, trial)


def _task(suite: str, name: str, note: FolderNote | None, known: dict[str, Task]) -> Task:
    """Return the task of a folder: the suite's of that id, or one of which nothing is known."""
    task = name if note is None else note.tasks.get(name, name)
    return known.get(task) or Task(task, suite, content_key(_VERSION, suite, task), Scenario(""))


def _episode(intended: Sequence[FolderMessage], heard: Sequence[FolderMessage]) -> Episode:
    is_spoken = intended is not heard
    events = tuple(
        event
        for number, (meant, arrived) in enumerate(zip(intended, heard, strict=True))
        if (event := _event(number, meant, arrived.content if is_spoken else None)) is not None
    )
    return Episode(events, Termination("user_stop"), len(events), 0)


def _event(number: int, meant: FolderMessage, heard: str | None) -> Event | None:
    """Return a message as an event; None for one without words, which called tools."""
    if meant.content is None:
        return None
    if meant.role == TOOL:
        return ToolResult(f"message-{number}", "", meant.content)
    by: Role = "agent" if meant.role == ASSISTANT else "user"
    # The harness of tau2-bench says it, and no agent.
    is_greeting = number == 0 and (by, meant.content) == ("agent", GREETING)
    words = Utterance(meant.content)
    if heard is not None:
        words = Utterance(meant.content, spoken=meant.content, heard=heard)
    return Message(by, TextReply(words), scripted=is_greeting)


def _manifest(origin: _Origin, created: float) -> Manifest:
    digest = content_key(*(task.digest for task in origin.tasks.values()))
    config = RunConfig(
        suite=origin.suite,
        agents=(origin.agent,),
        rules=DEFAULT_RULES.name,
        tasks=tuple(task.id for task in origin.tasks.values()),
    )
    return Manifest(
        VERSION,
        platform.python_version(),
        created,
        config,
        NO_JUDGE,
        "",
        Provenance("a run folder of MM-tau-p2's code", "", "", digest),
        imported={},
        is_explicit=True,
    )
