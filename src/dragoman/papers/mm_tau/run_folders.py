"""Run folders of MM-tau-p2's code: imported as runs without verdicts, and exported from runs.

A run folder has a folder for each task with three lists of messages; there is one run folder for
each agent, spoken condition and trial. The code writes each list as a Python literal and reads it
with `eval`. Here a literal is read by `ast.literal_eval`, after a look at its characters: outside
of strings it may have brackets, commas, colons, None, True, False and numbers alone, so that no
name, no operator and no call reaches the parser.
"""

import ast
import platform
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from shlex import quote

import msgspec

from dragoman.benchmarks.kit.turn_protocols import GREETING
from dragoman.config.run_config import RunConfig
from dragoman.core.conditions import (
    CLARIFY,
    MIXED,
    NONE,
    PLAIN,
    TEXT,
    Condition,
    condition_from,
    condition_text,
)
from dragoman.core.content_keys import content_key
from dragoman.core.episodes import Episode, Event, Message, Termination
from dragoman.core.errors import DataError, UsageError
from dragoman.core.protocols import Provenance
from dragoman.core.replies import TextReply, Utterance
from dragoman.core.rules import DEFAULT_RULES
from dragoman.core.scores import NO_JUDGE
from dragoman.core.tasks import Scenario, Task
from dragoman.core.texts.decoding import TranslatedErrors
from dragoman.core.tools import Role, ToolResult
from dragoman.core.version import VERSION
from dragoman.formats.run_folders import ImportedFolder, WrittenFolder
from dragoman.registry.suites import load_suite
from dragoman.runs.manifest import Manifest
from dragoman.store.atomic_files import atomic_write
from dragoman.store.conversation_writes import StoredEpisode
from dragoman.store.run_plan import NewRun, StoredCell
from dragoman.store.run_store import RunStore, create_run

TEXT_FILE = "ground.txt"
INTENDED_FILE = "implementation_llm.txt"
HEARD_FILE = "implementation_actual.txt"
FILES = (TEXT_FILE, INTENDED_FILE, HEARD_FILE)

NOTE = "dragoman.log"
"""The name of our file next to the tasks that says how the tasks were played.

The code of the benchmark skips names that end in `.log`.
"""

ASSISTANT, USER, TOOL = "assistant", "user", "tool"

MAX_BYTES = 4 * 1024 * 1024
"""Of one file."""
MAX_MESSAGES = 2_000
MAX_TASKS = 10_000
_MOST_NESTED = 3
"""A list of dicts, and one level more for what a message may have besides."""

_STRING = re.compile(r"\'(?:[^\'\\\n]|\\.)*\'|\"(?:[^\"\\\n]|\\.)*\"", re.DOTALL)
_PLAIN = re.compile(r"(?:[\[\]{},:\s]|\b(?:None|True|False|\d{1,18}(?:\.\d{1,18})?)\b)*", re.ASCII)
_SUBSCRIPT = re.compile(r"[\]}\w]\s*\[", re.ASCII)


class FolderMessage(msgspec.Struct, frozen=True):
    """One message; `content` is None where the agent called tools and said nothing."""

    role: str
    content: str | None = None


class FolderNote(msgspec.Struct, frozen=True):
    """The note of a folder of ours about itself.

    Attributes:
        suite: The suite that was played.
        agent: The agent that played.
        condition: The condition by voice, as runs store it.
        text: The condition of the text that belongs to it.
        trial: The trial.
        tasks: The tasks by the names of their folders.
    """

    suite: str
    agent: str
    condition: str
    text: str
    trial: int
    tasks: dict[str, str]


class FolderTask(msgspec.Struct, frozen=True):
    """One task of a folder with its text conversation and its voice conversation.

    The voice conversation is given as it was intended and as it was heard.
    """

    name: str
    text: tuple[FolderMessage, ...]
    intended: tuple[FolderMessage, ...]
    heard: tuple[FolderMessage, ...]


def is_run_folder(path: Path) -> bool:
    """Return whether a path is a folder in which a task has one of the three files."""
    if not path.is_dir():
        return False
    return any((each / name).is_file() for each in _task_folders(path)[:50] for name in FILES)


def read_tasks(path: Path) -> tuple[FolderTask, ...]:
    """Read the tasks of a folder, in the order of their names.

    Raises:
        DataError: If a file is missing, too large or not a list of messages, or the intended words
            have another number of messages than the heard words.
    """
    folders = _task_folders(path)
    if len(folders) > MAX_TASKS:
        raise DataError(f"{path}: more than {MAX_TASKS:,} tasks")
    return tuple(map(_read_task, folders))


def read_note(path: Path) -> FolderNote | None:
    """Return the note of a folder; None for a folder that the source's code wrote.

    Raises:
        DataError: If the note is damaged.
    """
    file = path / NOTE
    if not file.is_file():
        return None
    with TranslatedErrors(DataError, f"{file}: cannot be read"):
        return msgspec.json.decode(_content(file), type=FolderNote)


def messages_literal(messages: Sequence[FolderMessage]) -> bytes:
    """Return messages as the code reads them: one Python literal."""
    return repr([{"role": each.role, "content": each.content} for each in messages]).encode()


def _task_folders(path: Path) -> list[Path]:
    """Return the folders that the code looks into."""
    with TranslatedErrors(DataError, f"{path}: cannot be read"):
        return sorted(
            each for each in path.iterdir() if each.is_dir() and not each.name.endswith(".log")
        )


def _read_task(folder: Path) -> FolderTask:
    text, intended, heard = (_messages(folder / name) for name in FILES)
    if [each.role for each in intended] != [each.role for each in heard]:
        raise DataError(
            f"{folder}: {INTENDED_FILE} has {len(intended)} messages and {HEARD_FILE} "
            f"{len(heard)}, or "
            "others speak in them: they must be the same conversation"
        )
    return FolderTask(folder.name, text, intended, heard)


def _content(path: Path) -> bytes:
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise DataError(f"{path}: larger than {MAX_BYTES:,} bytes")
    return content


def _messages(path: Path) -> tuple[FolderMessage, ...]:
    if not path.is_file():
        raise DataError(
            f"{path}: missing: the source's code would set the next task's conversation in its "
            "place"
        )
    with TranslatedErrors(DataError, f"{path}: cannot be read"):
        content = _content(path)
    return read_messages(content, str(path))


def read_messages(content: bytes, where: str) -> tuple[FolderMessage, ...]:
    """Read one file's list of messages.

    Args:
        content: The file.
        where: Its name, for errors.

    Raises:
        DataError: If it is not a list of messages.
    """
    what = f"{where}: no list of messages"
    with TranslatedErrors(DataError, what):
        found = msgspec.convert(_literal(content.decode(), what), list[FolderMessage])
    if len(found) > MAX_MESSAGES:
        raise DataError(f"{where}: more than {MAX_MESSAGES:,} messages")
    odd = next((each for each in found if each.role not in {ASSISTANT, USER, TOOL}), None)
    if odd is not None:
        raise DataError(
            f"{where}: a message of {odd.role[:40]!r}: roles are user, assistant and tool"
        )
    return tuple(found)


def _literal(text: str, what: str) -> object:
    """Read a literal of lists, dicts, texts and numbers.

    Raises:
        DataError: If it is something else.
    """
    bare = _STRING.sub("None", text)
    is_plain = _PLAIN.fullmatch(bare) and not _SUBSCRIPT.search(bare)
    if not is_plain or _depth(bare) > _MOST_NESTED:
        raise DataError(f"{what} (a Python literal of lists, dicts and texts is wanted)")
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise DataError(f"{what} ({type(error).__name__})") from error


def _depth(bare: str) -> int:
    deepest = depth = 0
    for sign in bare:
        depth += (sign in "[{") - (sign in "]}")
        deepest = max(deepest, depth)
    return deepest


SPOKEN = "spoken"
"""The voice of conversations of which a folder does not say how they were spoken."""

_VERSION = "mm-tau-p2-folder-1"
_AGENT = "their-agent"


class ImportedFolders(msgspec.Struct, frozen=True):
    """Counts of an import: its conversations (text and voice), and unknown tasks."""

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
        created: The time of the import, in seconds since the epoch.
        suite: The suite that was played; None for the one that the folder's note names.

    Raises:
        DataError: If a file is missing or damaged.
        StoreError: If the run cannot be written.
        UsageError: If neither the argument nor the folder's note names the suite.
    """
    note, found = read_note(path), read_tasks(path)
    if not found:
        raise DataError(f"{path}: no task in it")
    name = suite or ("" if note is None else note.suite)
    if not name:
        raise UsageError(
            f"{path}: a run folder of MM-tau-p2 does not say what was played: --suite "
            "tau2:telecom, "
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
    """Origin of conversations: the suite, the folder's note, and the tasks by folder."""

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


_MOST_NAME = 60


_Spoken = tuple[str, Condition, int]
"""Agent, spoken condition and trial."""


def write_run_folders(
    store: RunStore, out: Path, agent: str | None = None
) -> tuple[WrittenFolder, ...]:
    """Write the spoken conversations of a run, each together with the same in text.

    Only words are written, without tool calls and results: the code would score a tool's message
    like the message before it. A task that lacks its text or its voice is excluded, because the
    code would put another task's conversation in its place.

    Args:
        store: The run.
        out: The folder that gets a folder for each agent, spoken condition and trial.
        agent: Only this agent's; None for all.

    Raises:
        UsageError: If nobody spoke, or nothing was played in text.
        StoreError: If a file cannot be written.
    """
    cells = {cell.key: cell for cell in store.cells() if agent in {None, cell.agent}}
    by_place: dict[tuple[str, Condition, int, str], Episode] = {}
    for key, _, episode in store.episodes():
        if key in cells:
            cell = cells[key]
            by_place[cell.agent, cell.condition, cell.trial, cell.task] = episode
    places: dict[_Spoken, dict[str, StoredCell]] = {}
    for cell in cells.values():
        if cell.condition.voice != TEXT:
            place = (cell.agent, cell.condition, cell.trial)
            places.setdefault(place, {})[cell.task] = cell
    if not places:
        raise UsageError(
            f"{store.folder}: nobody spoke: play it with --voice text,telephone, or "
            "text,simulated:10"
        )
    texts = {place: _text_of(place[1], by_place, place) for place in places}
    if not any(texts.values()):
        raise UsageError(
            f"{store.folder}: the same was not played in text: --voice text,... plays both"
        )
    return tuple(
        _write_tasks(out / _name(number, place), place, found, (texts[place], by_place))
        for number, (place, found) in enumerate(places.items())
        if texts[place] is not None
    )


def _text_of(
    condition: Condition, played: Mapping[tuple[str, Condition, int, str], Episode], place: _Spoken
) -> Condition | None:
    """Return the condition that is the same in text; None where there is none."""
    typed = condition.with_axes(voice=TEXT, recognizer=MIXED)
    conditions = {each for agent, each, _, _ in played if agent == place[0]}
    wanted = (typed.with_axes(**{CLARIFY: NONE}), typed)
    return next((each for each in wanted if each in conditions), None)


def _write_tasks(
    folder: Path,
    place: _Spoken,
    cells: Mapping[str, StoredCell],
    found: tuple[Condition | None, Mapping[tuple[str, Condition, int, str], Episode]],
) -> WrittenFolder:
    agent, condition, trial = place
    text, played = found
    names: dict[str, str] = {}
    for number, task in enumerate(cells):
        voice = played.get((agent, condition, trial, task))
        typed = None if text is None else _find_text_episode(played, agent, text, trial, task)
        if voice is None or typed is None:
            continue
        name = _safe(f"{number:04d}-{task}")
        names[name] = task
        for file, messages in (
            (TEXT_FILE, _episode_messages(typed, heard=False)),
            (INTENDED_FILE, _episode_messages(voice, heard=False)),
            (HEARD_FILE, _episode_messages(voice, heard=True)),
        ):
            atomic_write(folder / name / file, messages_literal(tuple(messages)))
    suite = next(iter(cells.values())).suite
    labels = (condition_text(condition), condition_text(text or Condition()))
    note = FolderNote(suite, agent, *labels, trial, names)
    atomic_write(folder / NOTE, msgspec.json.format(msgspec.json.encode(note)))
    return WrittenFolder(folder, len(names), len(cells) - len(names))


def _find_text_episode(
    played: Mapping[tuple[str, Condition, int, str], Episode],
    agent: str,
    text: Condition,
    trial: int,
    task: str,
) -> Episode | None:
    """Return the conversation in text, of the same trial where that was played."""
    return played.get((agent, text, trial, task)) or played.get((agent, text, 0, task))


def _episode_messages(episode: Episode, *, heard: bool) -> Iterator[FolderMessage]:
    """Yield what was said: as it was meant, or as it reached the listener."""
    for event in episode.events:
        if isinstance(event, Message) and isinstance(event.reply, TextReply):
            words = event.reply.utterance
            role = ASSISTANT if event.by == "agent" else USER
            received = words.intended if words.received is None else words.received
            yield FolderMessage(role, received if heard else words.intended)


def _name(number: int, place: _Spoken) -> str:
    agent, condition, trial = place
    return _safe(f"{number:02d}-{agent}-{condition.label}-trial-{trial}")


def _safe(text: str) -> str:
    """Return a text as a name of a folder: letters, digits, hyphens and underscores."""
    kept = "".join(sign if sign.isalnum() and sign.isascii() else "-" for sign in text)
    return "-".join(filter(None, kept.split("-")))[:_MOST_NAME]


class _MmTauFolders:
    """The run folders of the code that goes with MM-tau-p2."""

    name = "mm-tau-p2"
    about = "a run folder of MM-tau-p2"

    def recognizes(self, path: Path) -> bool:
        """Return whether there is a folder of a task with the code's three files."""
        return is_run_folder(path)

    def read(self, path: Path, folder: Path, created: float, suite: str | None) -> ImportedFolder:
        """Make a run of a run folder, as `import_run_folder` does."""
        found = import_run_folder(path, folder, created, suite)
        unknown = (
            f"{found.unknown} of {found.tasks} folders have no name of a task of {found.suite}: "
            "these can be shown and judged, not scored by their gold"
        )
        judge = f"dragoman score {quote(str(folder))} --rubric mm_tau_p2@2 --judge PROVIDER/MODEL"
        return ImportedFolder(
            msgspec.to_builtins(found),
            f"{found.conversations} conversations imported, in text and by voice",
            (*((unknown,) if found.unknown else ()), f"no verdicts yet: {judge}"),
        )

    def write(self, store: RunStore, out: Path, agent: str | None) -> tuple[WrittenFolder, ...]:
        """Write the spoken conversations of a run, as `write_run_folders` does."""
        return write_run_folders(store, out, agent)


MM_TAU_FOLDERS = _MmTauFolders()
