"""What a run folder of MM-tau-p2's code holds: a folder for each task, and in it three lists of messages.

The code writes each list as a Python literal and reads it with `eval`. Here a literal is read by
`ast.literal_eval`, after a look at its signs: outside of strings it may have brackets, commas, colons, None,
True, False and numbers alone, so that no name, no operator and no call reaches the parser.
"""

import ast
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import TranslatedErrors

TEXT_FILE = "ground.txt"
INTENDED_FILE = "implementation_llm.txt"
HEARD_FILE = "implementation_actual.txt"
FILES = (TEXT_FILE, INTENDED_FILE, HEARD_FILE)

NOTE = "dragoman.log"
"""A file of ours beside the tasks: what they were played as. The code skips names that end in `.log`."""

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
    """What a folder of ours says of itself.

    Attributes:
        suite: What was played.
        agent: Who played.
        condition: The condition by voice, as runs store it.
        text: That of the text beside it.
        trial: Which trial.
        tasks: The tasks by the names of their folders.
    """

    suite: str
    agent: str
    condition: str
    text: str
    trial: int
    tasks: dict[str, str]


class FolderTask(msgspec.Struct, frozen=True):
    """One task of a folder: its conversation in text, and by voice as it was meant and as it was heard."""

    name: str
    text: tuple[FolderMessage, ...]
    intended: tuple[FolderMessage, ...]
    heard: tuple[FolderMessage, ...]


def is_run_folder(path: Path) -> bool:
    """Whether a path is a folder in which a task has one of the three files."""
    if not path.is_dir():
        return False
    return any((each / name).is_file() for each in _task_folders(path)[:50] for name in FILES)


def read_tasks(path: Path) -> tuple[FolderTask, ...]:
    """Read the tasks of a folder, in the order of their names.

    Raises:
        DataError: Where a file is missing, too large or no list of messages, or where what was meant has
            another number of messages than what was heard.
    """
    folders = _task_folders(path)
    if len(folders) > MAX_TASKS:
        raise DataError(f"{path}: more than {MAX_TASKS:,} tasks")
    return tuple(map(_task, folders))


def read_note(path: Path) -> FolderNote | None:
    """Return what a folder says of itself; None for one that the source's code wrote.

    Raises:
        DataError: Where that is damaged.
    """
    file = path / NOTE
    if not file.is_file():
        return None
    with TranslatedErrors(DataError, f"{file}: cannot be read"):
        return msgspec.json.decode(_content(file), type=FolderNote)


def written(messages: Sequence[FolderMessage]) -> bytes:
    """Return messages as the code reads them: one Python literal."""
    return repr([{"role": each.role, "content": each.content} for each in messages]).encode()


def _task_folders(path: Path) -> list[Path]:
    """Return the folders that the code looks into."""
    with TranslatedErrors(DataError, f"{path}: cannot be read"):
        return sorted(
            each for each in path.iterdir() if each.is_dir() and not each.name.endswith(".log")
        )


def _task(folder: Path) -> FolderTask:
    text, intended, heard = (_messages(folder / name) for name in FILES)
    if [each.role for each in intended] != [each.role for each in heard]:
        raise DataError(
            f"{folder}: {INTENDED_FILE} has {len(intended)} messages and {HEARD_FILE} {len(heard)}, or "
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
            f"{path}: missing: the source's code would set the next task's conversation in its place"
        )
    with TranslatedErrors(DataError, f"{path}: cannot be read"):
        content = _content(path)
    return messages_of(content, str(path))


def messages_of(content: bytes, where: str) -> tuple[FolderMessage, ...]:
    """Read one file's list of messages.

    Args:
        content: The file.
        where: Its name, for errors.

    Raises:
        DataError: Where it is no such list.
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
        DataError: Where it is something else.
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
