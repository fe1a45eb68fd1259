"""Translations bundled with a suite: its declarations, artifacts and English source texts.

Declarations are a TOML file in the folder of the suite's data.
"""

import re
from collections.abc import Iterable
from importlib.resources.abc import Traversable
from pathlib import Path

import msgspec

from dragoman.core.conditions import ENGLISH
from dragoman.core.errors import DataError
from dragoman.core.language.translated_domains import NO_DECLARATIONS, DomainDeclarations, Release
from dragoman.core.tasks import Task
from dragoman.core.texts.decoding import DECODING_ERRORS


def decode_declarations(content: bytes, where: str) -> DomainDeclarations:
    """Return the declarations of a TOML file.

    Raises:
        DataError: If the file is damaged, or declares something that nothing reads.
    """
    try:
        return msgspec.toml.decode(content, type=DomainDeclarations)
    except DECODING_ERRORS as error:
        raise DataError(f"{where}: {error}") from error


DECLARED, ARTIFACTS = "translations.toml", "translations"
TASKS, TOOL_RETURNS = "tasks.json", "tool_returns.json"
_WORD = re.compile(r"\w+")


class BundledArtifacts:
    """Artifacts that come with a suite: nothing is pulled, and they are as they were installed."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self._folder = folder

    def folder(self, data: Path) -> Path:  # noqa: ARG002 - they are not pulled data
        """Return the folder of the artifacts."""
        return self._folder

    def require_undamaged(self, prefix: str, data: Path) -> None:
        """Do nothing: what is installed has no other pins than the program."""


def bundled_artifacts(name: str, folder: Traversable) -> Release | None:
    """Return the artifacts next to a suite's data, or None if there are none."""
    beside = folder / ARTIFACTS
    return BundledArtifacts(name, beside) if isinstance(beside, Path) and beside.is_dir() else None


def read_declarations(name: str, folder: Traversable) -> DomainDeclarations:
    """Return a suite's declarations about itself.

    Raises:
        DataError: If the file is damaged.
    """
    file = folder / DECLARED
    if not file.is_file():
        return NO_DECLARATIONS
    return decode_declarations(file.read_bytes(), f"{name}: {DECLARED}")


def english_texts(
    tasks: Iterable[Task], declared: DomainDeclarations, beside: Traversable
) -> dict[str, bytes]:
    """Return source files of artifacts that a suite has in another form, or not at all.

    They are the tasks as one list of JSON and the messages of the tools, both in the form of
    artifacts, and the files of the folder `en` next to the artifacts.

    Args:
        tasks: The tasks.
        declared: The declarations of the suite.
        beside: The folder of its artifacts; it need not be there.
    """
    english = beside / ENGLISH
    found = {file.name: file.read_bytes() for file in english.iterdir()} if english.is_dir() else {}
    found[TASKS] = _encode_json([_task_record(task) for task in tasks])
    if declared.messages.texts:
        found[TOOL_RETURNS] = _encode_json(_english_messages(declared.messages.texts))
    return found


def _english_messages(texts: Iterable[str]) -> dict[str, dict[str, dict[str, str]]]:
    """Return sentences as messages that are not translated yet."""
    messages: dict[str, dict[str, dict[str, str]]] = {"exact": {}, "templates": {}}
    for text in texts:
        key = "_".join(_WORD.findall(text.lower()))
        message = {"source": text, "localized": text}
        if "{" in text:
            messages["templates"][key] = {"pattern": "", **message}
        else:
            messages["exact"][key] = message
    return messages


def _encode_json(value: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"


def _task_record(task: Task) -> dict[str, object]:
    """Return a task as in a file of tasks, which has no suite and no digest."""
    record = msgspec.to_builtins(task)
    return {name: value for name, value in record.items() if name not in {"suite", "digest"}}
